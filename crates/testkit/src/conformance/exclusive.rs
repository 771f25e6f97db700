//! One dbdyno at a time: the lock on a target.

use super::{EngineUnderTest, NoProgress, catalogue};
use dbdyno_engine::Request;

/// A second dbdyno is refused measuring and dropping, and changes nothing, until the first has ended.
pub fn a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first(under_test: &EngineUnderTest<'_>) {
    let (first, second) = ((under_test.open)(), (under_test.open)());
    let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == "T311").unwrap();
    let spec = under_test.spec(&test, 1);
    let hold = first.hold(&NoProgress).unwrap();
    first.begin_point(&spec).unwrap();
    let mut session = first.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    let turned_away = second.hold(&NoProgress).err().unwrap();
    assert!(turned_away.occupied && turned_away.message.contains("another dbdyno"), "{turned_away}");
    assert_eq!(session.execute(&Request::Chunk { first_pass: 0, passes: 5 }).unwrap().ops, 5);
    drop(session);
    first.end_point(&spec).unwrap();
    // Between two points the target is still locked.
    assert_eq!((hold.seen_lost(), hold.still_held()), (None, Ok(())));
    let turned_away = second.drop_all().unwrap_err();
    assert!(turned_away.occupied, "{turned_away}");
    drop(hold);
    let hold = second.hold(&NoProgress).unwrap();
    second.begin_point(&spec).unwrap();
    second.end_point(&spec).unwrap();
    drop(second);
    // The lock did not come from an engine.
    hold.still_held().unwrap();
    assert!(first.hold(&NoProgress).err().unwrap().occupied);
}
