//! A profile: recorded until somebody ends it, listed, shown, played and laid beside a run.

use super::servers::Watched;
use super::{Place, documents, kept};
use crate::on_servers::stories;
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Running, number, text};
use rustix::process::Signal;

stories!(
    a_recording_that_is_ended_is_kept_whole;
    of_one_product: a_recording_without_room_is_not_said_to_be_kept,
);

fn a_recording_that_is_ended_is_kept_whole<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    let recording = place.room.start(&place.at("monitor --lines --record monday"));
    let load = place.room.start(&place.at("run tpcb --users 1 --duration 2s --no-readings --label load"));
    load.end().expect(0);
    recording.signal(Signal::INT);
    let ending = recording.end().expect(0);
    assert!(ending.stderr.contains("what was seen is kept"), "{}", ending.stderr);
    assert!(ending.stdout.contains("monday"), "{}", ending.stdout);

    let listed = place.room.run("list experiments --json").expect(0).json();
    let [profile] = &listed.as_array().unwrap()[..] else { panic!("{listed:#}") };
    assert_eq!([text(profile, "/kind"), text(profile, "/label")], ["profile", "monday"]);
    assert_eq!(profile["complete"], true, "{profile:#}");
    let shown = place.room.run("show monday --json").expect(0).json();
    let readings = kept(&place.room, "monday");
    assert_eq!(number(&shown, "/readings") as usize, readings.len(), "{shown:#}");
    assert!(readings.len() >= 3, "{}", readings.len());
    let covered: f64 = readings.iter().map(|reading| number(reading, "/seconds")).sum();
    assert!((covered - number(&shown, "/covered_s")).abs() < 0.01 * covered, "{covered} {shown:#}");
    // The figures are those of the readings.
    let commits = |reading: &serde_json::Value| reading.pointer("/database/commits_per_s").and_then(|of| of.as_f64());
    let most = readings.iter().filter_map(commits).fold(0.0, f64::max);
    let peak = number(&shown, "/figures/database.commits_per_s/peak");
    assert!(peak > 0.0 && (peak - most).abs() <= 0.001 * peak, "{peak} {most}");
    assert!(number(&shown, "/cost/harness_cpu_s") > 0.0, "{shown:#}");
    let page = place.room.run("show monday").expect(0).stdout;
    assert!(page.contains("monday") && page.contains(&place.target()), "{page}");
    let lines = place.room.run("replay monday --lines --speed 1000").expect(0);
    assert!(lines.stderr.contains("(replay)") && lines.stderr.contains("over: "), "{}", lines.stderr);

    let ending = place.room.run("headroom monday load");
    assert!(matches!(ending.code, Some(0 | 2)), "{ending:?}");
    let refused = place.room.run("headroom load monday").expect(2);
    assert!(refused.stderr.contains("dbdyno monitor --target URL --record NAME"), "{}", refused.stderr);

    // As lines of JSON, too, and nothing else on stdout.
    let ending = place.room.run(&place.at("monitor --json --record tuesday --for 2s")).expect(0);
    assert_eq!(documents(&ending.stdout).len(), kept(&place.room, "tuesday").len());
}

/// The disk of the results is full when the recording ends.
fn a_recording_without_room_is_not_said_to_be_kept<S: Watched>() {
    let place = Place::<S>::empty();
    let disk = SmallDisk::new(&place.room, 4);
    let results = format!("--results {}", disk.path("x.db").display());
    let line = format!("{} {results}", place.at("monitor --lines --record full"));
    let recording = Running::start(disk.command(&place.room, DBDYNO, &line));
    recording.until(" UTC, commits/s ");
    let ballast = disk.fill_up(0);
    recording.signal(Signal::INT);
    let ending = recording.end().expect(3);
    let said = "dbdyno: what was watched since it was stored last is not kept: no space is left";
    assert!(ending.stderr.contains(said), "{}", ending.stderr);
    assert!(!ending.stderr.contains("resume"), "a profile cannot be gone on with: {}", ending.stderr);
    assert!(!ending.stdout.contains("Profile"), "{}", ending.stdout);
    // What is there afterwards is whole: nothing.
    std::fs::remove_file(ballast).unwrap();
    let line = format!("list experiments --json {results}");
    let listed = Running::start(disk.command(&place.room, DBDYNO, &line)).end().expect(0).json();
    assert!(listed.as_array().unwrap().is_empty(), "{listed:#}");
}
