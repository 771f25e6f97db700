//! The monitor beside others' work: what they do is seen, and nothing is changed.

use super::servers::Watched;
use super::{Place, documents, figure};
use crate::on_servers::{OWN, Session, stories};
use crate::support::number;
use rustix::process::Signal;
use serde_json::Value;

stories!(work_of_others_is_seen_as_much_as_there_is, readings_come_each_second_and_nothing_is_changed);

/// Rows that are inserted, each in a transaction of its own.
const ROWS: usize = 300;

/// Commits that readings have told.
fn commits(readings: &[Value]) -> f64 {
    let of = |reading: &Value| Some(figure(reading, "/database/commits_per_s")? * number(reading, "/seconds"));
    readings.iter().filter_map(of).sum()
}

fn work_of_others_is_seen_as_much_as_there_is<S: Watched>() {
    let place = Place::<S>::empty();
    place.server.sql(OWN, "CREATE TABLE t (a int)");
    let mut at_work = Session::open(&place.server, OWN);
    let mut in_transaction = Session::open(&place.server, OWN);
    in_transaction.say(S::KNOWN.transaction);
    let _idle = Session::open(&place.server, OWN);
    at_work.begin(&format!("{};", S::KNOWN.sleep.0.replace("SECONDS", "600")));

    let watching = place.room.start(&place.at("monitor --json"));
    let told = |text: &str| documents(&text[..text.rfind('\n').map_or(0, |at| at + 1)]);
    watching.until_out("sessions", |text| told(text).iter().any(|reading| reading["database"]["sessions"].is_object()));
    let before = commits(&told(&watching.out()));
    Session::open(&place.server, OWN).say(&"BEGIN; INSERT INTO t VALUES (1); COMMIT;\n".repeat(ROWS));
    watching.until_out("commits", |text| commits(&told(text)) >= before + ROWS as f64 * 0.98);
    let seen = told(&watching.out()).len();
    // Nothing comes after them.
    watching.until_out("two readings more", |text| told(text).len() >= seen + 2);
    watching.signal(Signal::INT);
    let readings = documents(&watching.end().expect(0).stdout);
    let told = commits(&readings) - before;
    assert!((ROWS as f64 * 0.98..ROWS as f64 * 1.2 + 30.0).contains(&told), "{told} commits of {ROWS}: {readings:#?}");
    // Nobody else is there, but dbdyno itself, which works while it looks.
    let states = |reading: &Value, state: &str| figure(reading, &format!("/database/sessions/{state}")).unwrap_or(0.0);
    for reading in &readings {
        // Who commits may be between two statements.
        assert!((1.0..=2.0).contains(&states(reading, "idle_in_transaction")), "{reading:#}");
        assert!(states(reading, "active") >= 1.0 && states(reading, "idle") >= 1.0, "{reading:#}");
        let others = figure(reading, "/database/foreign_commits_per_s");
        assert_eq!(others, figure(reading, "/database/commits_per_s"), "dbdyno has no load here: {reading:#}");
    }
    let sleeps = readings.iter().filter_map(|reading| reading["database"]["waits"].as_array()).flatten();
    let of_sleep: Vec<&Value> = sleeps.filter(|wait| wait["event"] == S::KNOWN.sleep.1).collect();
    assert!(of_sleep.len() >= 2, "{readings:#?}");
    assert!(of_sleep.iter().all(|wait| (number(wait, "/sessions") - 1.0).abs() < 0.5), "{of_sleep:#?}");
}

fn readings_come_each_second_and_nothing_is_changed<S: Watched>() {
    let place = Place::<S>::empty();
    let before = place.server.objects(OWN);
    // The rights of a monitor are enough.
    place.server.create_user("watcher");
    place.server.let_monitor("watcher");
    let target = place.server.tcp("watcher", if S::KNOWN.sees_all { "" } else { OWN });
    let ending = place.room.run(&format!("monitor --json --for 4s --target {target}")).expect(0);
    let readings = documents(&ending.stdout);
    // On a busy machine one or two may be late.
    assert!((2..=5).contains(&readings.len()), "{}", readings.len());
    for pair in readings.windows(2) {
        assert!(pair[0]["at"].as_str() < pair[1]["at"].as_str(), "{pair:#?}");
    }
    for reading in &readings {
        assert!(reading["lost"].is_null() && reading["load"].is_null() && reading["doing"].is_null(), "{reading:#}");
        for path in ["/database/commits_per_s", "/database/rollbacks_per_s", "/database/logical_reads_per_s"] {
            assert!(figure(reading, path).is_some_and(|value| value >= 0.0), "{path}: {reading:#}");
        }
        for path in ["busy_pct", "server_pct", "harness_pct", "others_pct"] {
            let share = number(reading, &format!("/cpu/{path}"));
            assert!((0.0..=100.5).contains(&share), "{path}: {reading:#}");
        }
    }
    assert!(readings[0]["top"].is_object(), "{:#}", readings[0]);
    assert!(ending.stderr.contains("watching took "), "{}", ending.stderr);
    assert_eq!(place.server.objects(OWN), before);
    assert!(!place.room.path("dbdyno.db").exists(), "nothing was kept");
}
