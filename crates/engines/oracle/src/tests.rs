//! What the engine says without a server.

pub(crate) mod views;

use super::options::Part;
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
    use TableName::{SmallHash, SmallHeap, SmallHeapList, SmallIot};
    assert_eq!(engine("oracle://scott@db1/bench").tables(), TableName::ALL);
    let without = engine("oracle://scott@db1/bench?without=partitioning");
    assert_eq!(without.tables(), [SmallHeap, SmallIot, SmallHash]);
    let heaps = engine("oracle://scott@db1/bench?without=iot,hash").tables();
    assert!(heaps.starts_with(&[SmallHeap, SmallHeapList]) && heaps.len() == 4, "{heaps:?}");
    let size = dbdyno_testkit::conformance::catalogue::size_t();
    assert!(without.space_needed_bytes(&size) < engine("oracle://scott@db1/bench").space_needed_bytes(&size));
}

#[test]
fn what_a_target_leaves_out_is_unsupported_with_the_reason() {
    let engine = engine("oracle://scott@db1/bench?without=partitioning,hcc");
    for test in dbdyno_testkit::conformance::catalogue::tests() {
        let spec = dbdyno_testkit::conformance::catalogue::spec(&test, 1);
        let refused = point::refuse_left_out(&engine, &spec);
        let wants_parts =
            test.table.is_some_and(|table| layout::needs(table.organisation()).contains(&Part::Partitioning));
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
fn a_server_that_has_no_organisation_of_its_own_leaves_out_its_tests() {
    let engine = engine("oracle://scott@db1/bench?without=iot,hash");
    let refused: Vec<String> = dbdyno_testkit::conformance::catalogue::tests()
        .iter()
        .filter(|test| point::refuse_left_out(&engine, &dbdyno_testkit::conformance::catalogue::spec(test, 1)).is_err())
        .map(|test| test.code.to_string())
        .collect();
    for code in ["T312", "T313", "T322", "T422", "T423", "T425", "T612", "T613", "T615", "T811"] {
        assert!(refused.contains(&code.to_owned()), "{code} of {refused:?}");
    }
    for code in ["T311", "T421", "T426", "T611", "T616", "T816"] {
        assert!(!refused.contains(&code.to_owned()), "{code} of {refused:?}");
    }
}

/// The answers of a statement of statistics.sql.
fn asked(views: &mut views::Views, statement: &str) -> Vec<Vec<Option<String>>> {
    use dbdyno_engine::server::Connection as _;
    views.texts("asking", &crate::DIALECT.get(&format!("statistics/{statement}")).unwrap().text).unwrap()
}

#[test]
fn a_session_on_a_processor_is_at_work_whatever_it_waited_for_last() {
    let mut views = views::Views::new();
    let session = |sid, state, class, event| {
        [
            ("sid", sid),
            ("status", "ACTIVE"),
            ("type", "USER"),
            ("state", state),
            ("wait_class", class),
            ("event", event),
        ]
    };
    views.set(
        "v$session",
        &[
            &session("2", "WAITED SHORT TIME", "Idle", "SQL*Net message from client"),
            &session("3", "WAITED KNOWN TIME", "User I/O", "db file sequential read"),
            &session("4", "WAITING", "User I/O", "db file sequential read"),
            &session("5", "WAITING", "Idle", "PX Deq: Execution Msg"),
            &session("1", "WAITED SHORT TIME", "Idle", "ours"),
        ],
    );
    let mut seen: Vec<String> = asked(&mut views, "activity")
        .into_iter()
        .map(|row| row.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(" | "))
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            "2 | sampled CPU | on processor",
            "3 | sampled CPU | on processor",
            "4 | sampled User I/O | db file sequential read"
        ]
    );
}

#[test]
fn a_worker_goes_by_its_coordinator_of_this_instance_of_a_cluster_alone() {
    let mut views = views::Views::new();
    let at_work = |sid| [("sid", sid), ("status", "ACTIVE"), ("type", "USER"), ("state", "WAITED KNOWN TIME")];
    views.set("v$session", &[&at_work("7"), &at_work("8"), &at_work("9")]);
    // What the views' SYS_CONTEXT calls this instance.
    let here = [("sid", "7"), ("qcsid", "30"), ("qcinst_id", "my instance")];
    let elsewhere = [("sid", "8"), ("qcsid", "30"), ("qcinst_id", "2")];
    views.set("v$px_session", &[&here, &elsewhere]);
    let mut seen: Vec<String> = asked(&mut views, "activity").into_iter().map(|row| row[0].clone().unwrap()).collect();
    seen.sort();
    assert_eq!(seen, ["30", "8", "9"]);
}

#[test]
fn how_rows_lie_is_told_by_the_dictionary() {
    use dbdyno_engine::server::Connection as _;
    let mut views = views::Views::new();
    views.set(
        "user_clusters",
        &[
            &[("cluster_name", "SMALL_HASH_C"), ("cluster_type", "HASH")],
            &[("cluster_name", "X"), ("cluster_type", "INDEX")],
        ],
    );
    let mut told = |columns: &[(&str, &str)]| {
        let row: Vec<(&str, &str)> =
            [("table_name", "SMALL_HASH")].into_iter().chain(columns.iter().copied()).collect();
        views.set("user_tables", &[&row]);
        // One question of several: MariaDB has no LISTAGG, which another needs.
        let all = crate::DIALECT.fill("inspect/facts", &[("table", "small_hash")]).unwrap();
        let sql = all.split("UNION ALL").find(|part| part.contains("'storage'")).unwrap();
        let rows = views.texts("looking", sql).unwrap();
        let storage = rows.into_iter().find(|row| row[1].as_deref() == Some("storage")).unwrap();
        (storage[2].clone().unwrap(), super::load::storage_problem(TableName::SmallHash, vec![storage]).unwrap())
    };
    assert_eq!(told(&[("cluster_name", "SMALL_HASH_C")]), ("a hash cluster".to_owned(), None));
    let (storage, problem) = told(&[("cluster_name", "X")]);
    assert_eq!(storage, "a cluster");
    assert!(problem.unwrap().contains("small_hash is a cluster in place of a hash cluster"));
    let (storage, problem) = told(&[]);
    assert_eq!(storage, "a heap");
    assert!(problem.unwrap().ends_with("leave it out by --without hash"));
    assert_eq!(told(&[("iot_type", "IOT")]).0, "index-organised");
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
