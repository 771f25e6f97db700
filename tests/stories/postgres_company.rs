//! Somebody else is at work on the server while a point is measured: it is seen and said.

use super::{Database, Session, narrow, until_called};
use crate::servers::SUPERUSER;
use crate::support::{Room, flag_note, points, wait_until};

const SESSIONS: &str = "other sessions of the server were at work for ";
const COMMITS: &str = " commits by other sessions";

/// What a point says of others, of whom some did something again and again while it was measured.
fn beside(room: &Room, target: &str, mut company: impl FnMut()) -> String {
    let mut run = room.start(&format!("run T611 --ramp 1 --duration 1s --target {target}"));
    run.until("measuring");
    while !run.ended() {
        company();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    run.end().expect(0);
    flag_note(&points(&room.show("last"))[0], "foreign_load").to_owned()
}

#[test]
fn another_session_at_work_is_seen() {
    let (room, server) = (Room::new(), narrow());
    let target = server.socket(SUPERUSER, "postgres");
    let alone = beside(&room, &target, || {});
    assert!(!alone.contains(SESSIONS) && !alone.contains(COMMITS), "nobody else was there: {alone}");
    // One long statement, in another database of the server.
    server.psql("postgres", "CREATE DATABASE other");
    let mut session = Session::open(&server, "other");
    session.begin("DO $$ BEGIN LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;");
    let note = beside(&room, &target, || {});
    assert!(note.contains(SESSIONS) && !note.contains(COMMITS), "{note}");
    drop(session);
    server.psql("postgres", "DROP DATABASE other WITH (FORCE)");
}

#[test]
fn commits_of_others_are_counted() {
    let (room, database) = (Room::new(), Database::loaded());
    database.psql("CREATE TABLE public.orders (id int)");
    // The server counts a session's commits when it ends, or after a while.
    let note = beside(&room, &database.target(), || {
        Session::open(database.server, &database.name).say(&"INSERT INTO public.orders VALUES (1);\n".repeat(20));
    });
    let many = note.split(COMMITS).next().unwrap().rsplit(' ').next().unwrap().parse::<u64>();
    let all = database.psql("SELECT count(*) FROM public.orders").parse::<u64>().unwrap();
    // Those before the window are not its business; each session of twenty makes two besides, to connect and to say that
    // it is done.
    assert!(many.as_ref().is_ok_and(|many| (20..=all + all / 10 + 100).contains(many)), "{all} inserts: {note}");
}

#[test]
fn a_vacuum_by_hand_is_seen() {
    let (room, server) = (Room::new(), narrow());
    // A table that nothing of dbdyno's reads.
    server.psql("postgres", "CREATE TABLE public.notes AS SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n");
    let mut session = Session::open(&server, "postgres");
    let note = beside(&room, &server.socket(SUPERUSER, "postgres"), || session.say("VACUUM FULL public.notes"));
    assert!(note.contains(SESSIONS), "{note}");
    drop(session);
    server.psql("postgres", "DROP TABLE public.notes");
}

#[test]
fn an_automatic_vacuum_is_seen() {
    let (room, server) = (Room::new(), narrow());
    let target = server.socket(SUPERUSER, "postgres");
    // A table that takes the vacuum its time.
    server.psql(
        "postgres",
        "CREATE TABLE public.notes WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
           autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)
           AS SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n;
         DELETE FROM public.notes;
         ALTER SYSTEM SET autovacuum = on;
         ALTER SYSTEM SET autovacuum_naptime = '1s';
         SELECT pg_reload_conf()",
    );
    let workers =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND query LIKE '%notes%'";
    wait_until("an automatic vacuum", || server.psql("postgres", workers) == "1");
    let check = room.run(&format!("check --target {target}")).expect(0);
    assert!(check.stdout.contains("automatic vacuums at work now"), "{}", check.stdout);
    let note = beside(&room, &target, || {});
    assert!(note.contains(SESSIONS), "{note}");
    server.psql(
        "postgres",
        "ALTER SYSTEM RESET autovacuum; ALTER SYSTEM RESET autovacuum_naptime; SELECT pg_reload_conf()",
    );
    // Who waits for its lock ends it.
    server.psql("postgres", "DROP TABLE public.notes");
}

/// A lock that somebody holds is no failure: it is waited for, and the wait is told.
#[test]
fn a_lock_of_somebody_is_waited_for_and_told() {
    let (room, database) = (Room::new(), Database::loaded());
    let mut holder = Session::open(database.server, &database.name);
    let run = room.start(&format!("run T711 --ramp 1 --duration 1s --target {}", database.target()));
    until_called(database.server, &database.name);
    // Held over several looks at the sessions, which are ten a second.
    holder.say("BEGIN; LOCK TABLE dbdyno.small_heap IN SHARE MODE; SELECT pg_sleep(0.5); ROLLBACK");
    run.end().expect(0);
    let document = room.show("last");
    let waits = points(&document)[0]["waits"].as_array().unwrap();
    let lock = waits.iter().find(|w| w["class"] == "Lock" && w["event"] == "relation");
    assert!(lock.is_some_and(|w| w["count"].as_u64() >= Some(1)), "{waits:#?}");
}
