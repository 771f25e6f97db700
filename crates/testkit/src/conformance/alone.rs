//! One dbdyno at a time: what whoever holds a target may rely on.

use super::{Quiet, Subject, catalogue};
use dbdyno_engine::Request;

/// A second one is turned away from measuring and dropping, and changes nothing, until the first has gone.
pub fn a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first(subject: &Subject<'_>) {
    let (first, second) = ((subject.open)(), (subject.open)());
    let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == "T311").unwrap();
    let spec = subject.spec(&test, 1);
    let hold = first.hold(&Quiet).unwrap();
    first.begin_point(&spec).unwrap();
    let mut session = first.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    let turned_away = second.hold(&Quiet).err().unwrap();
    assert!(turned_away.occupied && turned_away.message.contains("another dbdyno"), "{turned_away}");
    assert_eq!(session.execute(&Request::Chunk { first_pass: 0, passes: 5 }).unwrap().ops, 5);
    drop(session);
    first.end_point(&spec).unwrap();
    // Between two points it is just as ours.
    assert_eq!((hold.seen_lost(), hold.still_held()), (None, Ok(())));
    let turned_away = second.drop_all().unwrap_err();
    assert!(turned_away.occupied, "{turned_away}");
    drop(hold);
    let hold = second.hold(&Quiet).unwrap();
    second.begin_point(&spec).unwrap();
    second.end_point(&spec).unwrap();
    drop(second);
    // It is the lock, and no engine's.
    hold.still_held().unwrap();
    assert!(first.hold(&Quiet).err().unwrap().occupied);
}
