//! The null engine counts what its sessions say that they have done.

use dbdyno_engine::{Request, Target};
use dbdyno_model::Counter;
use dbdyno_testkit::conformance::catalogue;

#[test]
fn statistics_need_no_point() {
    let engine = (dbdyno_null::INFO.open)(&Target::parse("null:").unwrap(), &catalogue::size_t()).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.execute(&Request::Commit).unwrap();
    assert_eq!(engine.statistics().unwrap().get(Counter::Commits), Some(0), "told once it is flushed");
    session.flush().unwrap();
    let read = engine.statistics().unwrap();
    assert_eq!(read.get(Counter::Commits), Some(1));
    assert!(read.missing[&Counter::Executions].contains("of a point"), "{:?}", read.missing);
}
