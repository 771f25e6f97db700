//! What the engine says without a server.

pub(crate) mod views;

use super::product::OracleEngine;
use super::{INFO, NOTICE, layout, point};
use dbdyno_engine::{Engine as _, PointSpec, Target};
use dbdyno_model::{ErrorClass, TableName};

fn engine(target: &str) -> OracleEngine {
    super::engine(&Target::parse(target).unwrap()).unwrap()
}

#[test]
fn what_is_not_verified_is_said_wherever_the_engine_is_named() {
    assert_eq!(NOTICE, "not yet verified on a live server");
    assert_eq!(INFO.notice, Some(NOTICE));
    let script = (INFO.schema_script)(&dbdyno_testkit::conformance::catalogue::size_t()).unwrap();
    assert!(script.lines().take(3).any(|line| line.starts_with("-- ") && line.contains(NOTICE)), "{script}");
}

#[test]
fn a_target_that_leaves_out_partitioning_has_the_tables_that_need_none() {
    use TableName::{SmallHash, SmallHeap, SmallIot};
    assert_eq!(engine("oracle://scott@db1/bench").tables(), TableName::ALL);
    let without = engine("oracle://scott@db1/bench?without=partitioning");
    assert_eq!(without.tables(), [SmallHeap, SmallIot, SmallHash]);
    let size = dbdyno_testkit::conformance::catalogue::size_t();
    assert!(without.space_needed_bytes(&size) < engine("oracle://scott@db1/bench").space_needed_bytes(&size));
}

#[test]
fn what_a_target_leaves_out_is_unsupported_with_the_reason() {
    let engine = engine("oracle://scott@db1/bench?without=partitioning,hcc");
    for test in dbdyno_testkit::conformance::catalogue::tests() {
        let spec = dbdyno_testkit::conformance::catalogue::spec(&test, 1);
        let refused = point::refuse_left_out(&engine, &spec);
        let wants_parts = test.table.is_some_and(|table| layout::needs(table.organisation()).is_some());
        match refused {
            Ok(()) => assert!(!wants_parts, "{}", test.code),
            Err(error) => {
                assert!(wants_parts || test.procedure == "join", "{}", test.code);
                assert_eq!(error.class, ErrorClass::Unsupported);
                assert!(error.message.contains("--without partitioning"), "{error}");
            }
        }
    }
}

#[test]
fn one_job_alone_builds_an_index() {
    let mut builders = 0;
    for test in dbdyno_testkit::conformance::catalogue::tests() {
        let spec = |jobs| PointSpec { jobs, ..dbdyno_testkit::conformance::catalogue::spec(&test, 1) };
        point::refuse_several_builders(&spec(1)).unwrap();
        match point::refuse_several_builders(&spec(2)) {
            Ok(()) => assert!(!test.procedure.name().starts_with("index_"), "{}", test.code),
            Err(error) => {
                builders += 1;
                assert_eq!(error.class, ErrorClass::Unsupported);
                assert!(error.message.contains("ORA-01408"), "{error}");
            }
        }
    }
    assert!(builders > 0);
}
