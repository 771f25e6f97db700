//! A run gives way to others' work on its server.

use super::Place;
use super::servers::Watched;
use crate::on_servers::{OWN, Session, stories};
use crate::support::{Room, points, statuses, text};
use std::time::Duration;

stories!(
    a_run_ends_for_sessions_of_others,
    a_run_ends_for_commits_of_others;
    of_one_product: what_cannot_be_met_ends_nothing,
);

const SESSIONS: &str = "foreign_sessions>0.5";
const COMMITS: &str = "foreign_commits_per_s>20";

fn loaded<S: Watched>() -> Place<S> {
    let place = Place::<S>::empty();
    place.room.run(&place.at("load --size T")).expect(0);
    place
}

/// The end of a run of a minute, which others end while its second point is measured.
#[track_caller]
fn gives_way(room: &Room, stderr: &str, condition: &str, figure: &str) {
    let said = stderr.lines().find(|line| line.contains(condition));
    let said = said.unwrap_or_else(|| panic!("it does not say why it ends: {stderr}"));
    assert!(said.contains(figure), "{said}");
    let document = room.show("last");
    assert_eq!(text(&document, "/run/status"), "interrupted", "{document:#}");
    assert_eq!(statuses(&document)[0], "T611 ok", "{:?}", statuses(&document));
    assert!(points(&document).iter().filter(|point| point["status"] == "ok").count() == 1, "{:?}", statuses(&document));
    let id = text(&document, "/run/id");
    assert!(stderr.contains(&format!("`dbdyno resume {id}`")), "{stderr}");
}

fn a_run_ends_for_sessions_of_others<S: Watched>() {
    let place = loaded::<S>();
    let line = place.at(&format!("run T611 --ramp 1,2,4,8 --duration 5s --stop-if {SESSIONS}"));
    let run = place.room.start(&line);
    // Alone it goes on.
    run.until("[1/");
    let mut other = Session::open(&place.server, OWN);
    other.begin(&format!("{};", S::KNOWN.sleep.0.replace("SECONDS", "600")));
    let ending = run.end().expect(3);
    gives_way(&place.room, &ending.stderr, SESSIONS, "foreign_sessions");
    drop(other);
}

fn a_run_ends_for_commits_of_others<S: Watched>() {
    let place = loaded::<S>();
    place.server.sql(OWN, "CREATE TABLE others (a int)");
    let mut run = place.room.start(&place.at(&format!("run T611 --ramp 1,2,4 --duration 8s --stop-if {COMMITS}")));
    run.until("[1/");
    let mut other = Session::open(&place.server, OWN);
    while !run.ended() {
        other.say(&"BEGIN; INSERT INTO others VALUES (1); COMMIT;\n".repeat(50));
        std::thread::sleep(Duration::from_millis(50));
    }
    let ending = run.end().expect(3);
    gives_way(&place.room, &ending.stderr, COMMITS, "foreign_commits_per_s");
}

fn what_cannot_be_met_ends_nothing<S: Watched>() {
    let place = loaded::<S>();
    let line = place.at(&format!("run T611 --ramp 1 --duration 12s --no-sampling --stop-if {SESSIONS}"));
    let run = place.room.start(&line);
    for (condition, words) in [
        ("tps>1", "foreign_commits_per_s, foreign_sessions, others_cpu_pct, replication_lag_s, p50, p99"),
        ("p99>20", "times as in 20ms or 1.5s"),
        ("p99", "write FIGURE>LIMIT"),
    ] {
        let ending = place.room.run(&place.at(&format!("run T611 --stop-if {condition}"))).expect(2);
        assert!(ending.stderr.contains(words), "{condition}: {}", ending.stderr);
    }
    let mut other = Session::open(&place.server, OWN);
    other.begin(&format!("{};", S::KNOWN.sleep.0.replace("SECONDS", "600")));
    let ending = run.end().expect(0);
    let said = ending.stderr.lines().find(|line| line.contains("cannot be met"));
    assert!(said.is_some_and(|line| line.contains(SESSIONS) && line.contains("--no-sampling")), "{}", ending.stderr);
    assert_eq!(statuses(&place.room.show("last")), ["T611 ok"]);
}
