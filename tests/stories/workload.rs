//! Workloads on the embedded engine: loaded, run, verified, reported, detected changes by others, and dropped.

use crate::document::check_document;
use crate::support::{Room, number, points, statuses, text};
use serde_json::Value;

const TARGET: &str = "--target sqlite:x.sqlite";

fn change(room: &Room, sql: &str) {
    rusqlite::Connection::open(room.path("x.sqlite")).unwrap().execute_batch(sql).unwrap();
}

fn count(room: &Room, sql: &str) -> i64 {
    let connection = rusqlite::Connection::open(room.path("x.sqlite")).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn loaded() -> Room {
    Room::with_file("x.sqlite", "load tpcb --target sqlite:x.sqlite")
}

/// The reason of a run that must be invalid.
#[track_caller]
fn reason_of_invalid(room: &Room, users: &str) -> (Value, String) {
    room.run(&format!("run tpcb {TARGET} --users {users} --duration 200ms")).expect(4);
    let document = room.show("last");
    let point = points(&document)[0].clone();
    assert_eq!(text(&point, "/status"), "invalid", "{point:#}");
    let reason = text(&point, "/reason").to_owned();
    (point, reason)
}

#[test]
fn a_workload_is_loaded_run_reported_and_dropped() {
    let room = Room::with_data();
    // Tables of the tests and of a workload exist side by side.
    let run = format!("run tpcb {TARGET} --users 1,2 --scale 2 --duration 300ms --json");
    let document = room.run(&run).expect(0).json();
    assert_eq!(statuses(&document), ["tpcb ok", "tpcb ok", "tpcb ok"], "up the ramp, and the best again");
    check_document(&document);
    assert_eq!((text(&document, "/run/suite"), text(&document, "/run/size")), ("tpcb", "scale 2"));
    let mut done = 0.0;
    for point in points(&document) {
        assert_eq!((text(point, "/subject/kind"), text(point, "/drive")), ("workload", "client"));
        assert_eq!(text(point, "/metric/id"), "tx_per_s");
        assert_eq!(text(point, "/transactions/0/type"), "transfer");
        let [all, of_type] = ["/outcomes/ok", "/transactions/0/outcomes/ok"].map(|path| number(point, path));
        assert!(all > 0.0 && all == of_type, "{point:#}");
        assert!(
            number(point, "/service_time_s/p99") > 0.0 && number(point, "/transactions/0/service_time_s/p50") > 0.0
        );
        done += all;
    }
    // The proof of durable commits commits, too.
    assert!(count(&room, "SELECT count(*) FROM dbdyno_tpcb_history") as f64 >= done);
    let page = room.run("show last").expect(0).stdout;
    for said in ["scale 2", "Transactions", "tpcb", "tx/s"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("String mix"), "nothing of tests: {page}");
    room.run(&format!("run T611 {TARGET} --duration 50ms --json")).expect(0);
    // Another scale than requested; and a form that the engine lacks.
    let ending = room.run(&format!("run tpcb {TARGET} --scale 3")).expect(2);
    assert!(ending.stderr.contains("holds tpcb at scale 2, and scale 3 was asked for"), "{}", ending.stderr);
    let ending = room.run(&format!("run tpcb {TARGET} --drive server --json")).expect(0);
    assert_eq!(text(&points(&ending.json())[0], "/reason"), "SQLite has no stored procedures");
    let said = room.run(&format!("drop {TARGET}")).expect(0).stdout;
    assert!(said.contains("dbdyno_tpcb_accounts"), "{said}");
    assert!(!room.path("x.sqlite").exists(), "dbdyno had made the file");
}

#[test]
fn a_changed_balance_makes_the_point_invalid() {
    let room = loaded();
    change(&room, "UPDATE dbdyno_tpcb_accounts SET abalance = abalance + 1 WHERE aid = 7");
    let (_, reason) = reason_of_invalid(&room, "1");
    assert!(reason.starts_with("before the point: ") && reason.contains("must have one sum"), "{reason}");
    change(&room, "UPDATE dbdyno_tpcb_accounts SET abalance = abalance - 1 WHERE aid = 7");
    room.run(&format!("run tpcb {TARGET} --users 1 --duration 100ms")).expect(0);
}

#[test]
fn work_that_is_not_what_was_acknowledged_makes_the_point_invalid() {
    // A lost change.
    let room = loaded();
    change(
        &room,
        "CREATE TRIGGER lost AFTER UPDATE OF tbalance ON dbdyno_tpcb_tellers WHEN new.tid = 3 AND new.tbalance <> old.tbalance
         BEGIN UPDATE dbdyno_tpcb_tellers SET tbalance = old.tbalance WHERE tid = 3; END",
    );
    let (_, reason) = reason_of_invalid(&room, "1");
    assert!(reason.contains("must have one sum"), "{reason}");
    // Rows that nobody acknowledged, though all sums are consistent.
    let room = loaded();
    change(
        &room,
        "CREATE TRIGGER more AFTER INSERT ON dbdyno_tpcb_history WHEN new.delta <> 0
         BEGIN INSERT INTO dbdyno_tpcb_history (tid, bid, aid, delta, mtime) VALUES (1, 1, 1, 0, ''); END",
    );
    let (point, reason) = reason_of_invalid(&room, "2");
    assert!(reason.starts_with("the history grew by ") && reason.ends_with(" as acknowledged"), "{reason}");
    assert!(point["metric"]["value"].is_number(), "what was seen is kept: {point:#}");
}

#[test]
fn a_load_goes_by_what_is_there() {
    let room = Room::new();
    let said = room.run(&format!("load tpcb {TARGET} --json")).expect(0).json();
    assert_eq!((number(&said, "/scale"), number(&said, "/rows/accounts")), (1.0, 100_000.0), "{said:#}");
    let again = room.run(&format!("load tpcb {TARGET}")).expect(0).stdout;
    assert!(again.contains("holds tpcb at scale 1 already"), "{again}");
    // Added or missing rows that no sum shows.
    for (change_it, back) in [
        (
            "INSERT INTO dbdyno_tpcb_accounts VALUES (100001, 1, 0, '')",
            "DELETE FROM dbdyno_tpcb_accounts WHERE aid = 100001",
        ),
        ("DELETE FROM dbdyno_tpcb_tellers WHERE tid = 7", "INSERT INTO dbdyno_tpcb_tellers VALUES (7, 1, 0, '')"),
    ] {
        change(&room, change_it);
        for line in ["load tpcb", "run tpcb --users 1 --duration 100ms"] {
            let ending = room.run(&format!("{line} {TARGET}")).expect(2);
            let said = "does not hold what dbdyno loaded: branches, tellers and accounts are";
            assert!(ending.stderr.contains(said), "{}", ending.stderr);
        }
        change(&room, back);
    }
    // A killed load is started over.
    change(&room, "UPDATE dbdyno_meta SET value = 'loading scale 1' WHERE name = 'workload tpcb'");
    change(&room, "DELETE FROM dbdyno_tpcb_accounts WHERE aid > 500");
    let anew = room.run(&format!("load tpcb {TARGET}")).expect(0).stdout;
    assert!(anew.contains("began an earlier load anew"), "{anew}");
    assert_eq!(count(&room, "SELECT count(*) FROM dbdyno_tpcb_accounts"), 100_000);
    // A table with such a name and other columns is not dropped.
    change(&room, "ALTER TABLE dbdyno_tpcb_history ADD COLUMN theirs TEXT");
    change(&room, "UPDATE dbdyno_meta SET value = 'loading scale 1' WHERE name = 'workload tpcb'");
    for line in ["drop", "load tpcb", "run tpcb --users 1 --duration 100ms"] {
        let ending = room.run(&format!("{line} {TARGET}")).expect(3);
        assert!(ending.stderr.contains("dbdyno_tpcb_history, which dbdyno did not make"), "{}", ending.stderr);
    }
    assert_eq!(count(&room, "SELECT count(*) FROM dbdyno_tpcb_accounts"), 100_000);
}

/// What an earlier load noted as filled is proved again before the load goes on.
#[test]
fn a_load_that_goes_on_proves_the_rows_that_are_there() {
    let room = loaded();
    for (change_it, back) in [
        // A value of another type, and a value of the right one.
        ("SET bid = 'one' WHERE aid = 70000", "SET bid = 1 WHERE aid = 70000"),
        ("SET abalance = 7 WHERE aid = 70000", "SET abalance = 0 WHERE aid = 70000"),
    ] {
        change(&room, "UPDATE dbdyno_meta SET value = 'filling scale 1' WHERE name = 'workload tpcb'");
        change(&room, &format!("UPDATE dbdyno_tpcb_accounts {change_it}"));
        for line in ["load tpcb", "run tpcb --users 1 --duration 100ms"] {
            let refused = room.run(&format!("{line} {TARGET}")).expect(3).stderr;
            let said = refused.contains("accounts") && refused.contains("drop it and load again");
            assert!(said, "{change_it}: {refused}");
        }
        change(&room, &format!("UPDATE dbdyno_tpcb_accounts {back}"));
        room.run(&format!("load tpcb {TARGET}")).expect(0);
    }
}

#[test]
fn what_is_asked_of_the_wrong_thing_is_refused() {
    let room = Room::new();
    for (line, said) in [
        ("run tpcb --ramp 1,2", "--ramp is for tests"),
        ("run T611 --users 2", "--users is for workloads"),
        ("run T611 --scale 2", "--scale is for workloads"),
        ("run tpcb T611", "run by itself"),
        ("run tpcp", "did you mean 'tpcb'?"),
        ("load tpc-c", "there is no workload 'tpc-c'"),
        ("run tpcb --users 4 --connections 5", "of a workload --users"),
        ("run tpcb --users 4 --max-jobs 2", "or --users, ask for"),
        ("run tpcb --users 1 --scale 0", "write a number from 0.01"),
        ("run tpcb --users 1 --scale 0.5", "tpcb has no scale 0.5: it takes a multiple of 1"),
        ("load order-entri", "did you mean 'order-entry'?"),
        ("run order-entry --scale 0.001", "two digits after the point"),
    ] {
        let ending = room.run(&format!("{line} {TARGET}")).expect(2);
        assert!(ending.stderr.contains(said), "{line}: {}", ending.stderr);
    }
    let ending = room.run("run tpcb --target null: --json").expect(0);
    assert_eq!(text(&points(&ending.json())[0], "/reason"), "tpcb has no SQL for the engine null");
    assert!(!room.path("x.sqlite").exists());
    let listed = room.run("list workloads --json").expect(0).json();
    assert_eq!(text(&listed, "/0/name"), "tpcb");
    let script = room.run("sql sqlite --workload tpcb").expect(0).stdout;
    // The printed statements can be run by hand.
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let makes =
        script.split("\n\n").filter(|part| part.contains("\nCREATE TABLE")).map(|part| connection.execute_batch(part));
    assert_eq!(makes.map(Result::unwrap).count(), 4);
}
