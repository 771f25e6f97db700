//! Other sessions work on the server while a point is measured: this is detected and reported.

use super::{OWN, Product, Session, stories, until_called};
use crate::support::{Room, flag_note, points};
use std::time::Duration;

stories!(
    another_session_at_work_is_seen,
    commits_of_others_are_counted,
    housekeeping_by_hand_is_seen,
    a_lock_of_somebody_is_waited_for_and_told,
);

/// The message about sessions of others.
pub(crate) const SESSIONS: &str = "other sessions of the server were at work for ";
const COMMITS: &str = " commits by other sessions";

/// What others do on a product's servers.
pub(crate) trait OtherSessions: Product {
    /// SQL that runs for minutes with hardly any load.
    const BUSY: &'static str;

    /// SQL that rewrites a whole table.
    fn rewrite(table: &str) -> String;

    /// Class and event of a wait for a table lock.
    const LOCK_WAIT: [&'static str; 2];
}

/// A point's message about others, while one of them repeats something.
pub(crate) fn beside(room: &Room, target: &str, mut company: impl FnMut()) -> String {
    let mut run = room.start(&format!("run T611 --ramp 1 --duration 1s --target {target}"));
    run.until("measuring");
    while !run.ended() {
        company();
        std::thread::sleep(Duration::from_millis(5));
    }
    run.end().expect(0);
    flag_note(&points(&room.show("last"))[0], "foreign_load").to_owned()
}

fn another_session_at_work_is_seen<S: OtherSessions>() {
    let (room, server) = (Room::new(), S::narrow());
    let target = server.socket(S::SUPERUSER, OWN);
    let alone = beside(&room, &target, || {});
    assert!(!alone.contains(SESSIONS) && !alone.contains(COMMITS), "nobody else was there: {alone}");
    // One long statement, in another database of the server.
    server.sql(S::HOME, "CREATE DATABASE other");
    let mut session = Session::open(&*server, "other");
    session.begin(S::BUSY);
    let note = beside(&room, &target, || {});
    assert!(note.contains(SESSIONS) && !note.contains(COMMITS), "{note}");
    session.end(&*server);
    server.drop_database("other");
}

fn commits_of_others_are_counted<S: OtherSessions>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let orders = format!("{}.orders", database.server.elsewhere(&database.name));
    database.sql(&format!("CREATE TABLE {orders} (id int)"));
    // The server counts a session's commits at its end, or after a while.
    let note = beside(&room, &database.target(), || {
        Session::open(database.server, &database.name).say(&format!("INSERT INTO {orders} VALUES (1);\n").repeat(20));
    });
    let many = note.split(COMMITS).next().unwrap().rsplit(' ').next().unwrap().parse::<u64>();
    let all = database.sql(&format!("SELECT count(*) FROM {orders}")).parse::<u64>().unwrap();
    // Commits before the window do not count. Each session of twenty commits makes two more, to connect and to report
    // that it is done.
    assert!(many.as_ref().is_ok_and(|many| (20..=all + all / 10 + 100).contains(many)), "{all} inserts: {note}");
}

fn housekeeping_by_hand_is_seen<S: OtherSessions>() {
    let (room, server) = (Room::new(), S::narrow());
    // A table that dbdyno does not use.
    let notes = format!("{}.notes", server.elsewhere(OWN));
    server.sql(OWN, &format!("CREATE TABLE {notes} (id int, filler varchar(200))"));
    let some: Vec<_> = (1..=1000).map(|n| format!("({n}, '{}')", "x".repeat(200))).collect();
    server.sql(OWN, &format!("INSERT INTO {notes} VALUES {};\n", some.join(", ")).repeat(20));
    let mut session = Session::open(&*server, OWN);
    let note = beside(&room, &server.socket(S::SUPERUSER, OWN), || session.say(&S::rewrite(&notes)));
    assert!(note.contains(SESSIONS), "{note}");
    session.end(&*server);
    server.sql(OWN, &format!("DROP TABLE {notes}"));
}

/// A lock of another session is not a failure: it is waited for, and the wait is reported.
fn a_lock_of_somebody_is_waited_for_and_told<S: OtherSessions>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let mut holder = Session::open(database.server, &database.name);
    let run = room.start(&format!("run T711 --ramp 1 --duration 1s --target {}", database.target()));
    until_called(database.server, &database.name);
    let [lock, unlock] = S::lock(&S::table("small_heap"));
    holder.say(&lock);
    // Held over several samples of the sessions, which are taken ten times a second.
    std::thread::sleep(Duration::from_millis(500));
    holder.say(&unlock);
    run.end().expect(0);
    let document = room.show("last");
    let waits = points(&document)[0]["waits"].as_array().unwrap();
    let [class, event] = S::LOCK_WAIT;
    let lock = waits.iter().find(|w| w["class"] == class && w["event"] == event);
    assert!(lock.is_some_and(|w| w["count"].as_u64() >= Some(1)), "{waits:#?}");
}
