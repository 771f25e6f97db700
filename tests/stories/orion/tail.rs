//! Two runs of one storage that differ in their longest I/O alone: what a mean hides is seen side by side.

use super::measured;
use crate::support::{Room, Running, number, points};
use rustix::process::Signal;
use serde_json::Value;
use std::time::Duration;

const LINE: &str = "orion -run advanced -matrix point -num_small 2 -num_large 0 -duration 2 --file t.dat";
/// For how long nothing is seen to complete. The process is stopped, and its I/Os wait to be noticed.
const STALL: Duration = Duration::from_millis(500);
const NEEDS: &str = "title = \"Storage\"
[[requirement]]
title = \"Latency\"
storage = \"8K random reads\"
metric = \"service_time_s\"
small_outstanding = 2
maximum = 0.4
[[requirement]]
title = \"Longest\"
storage = \"8K random reads\"
metric = \"service_time_s.max\"
small_outstanding = 2
maximum = 0.4
";

/// Measures with a stall, until one falls into the window.
fn stalled(room: &Room) -> Value {
    for _ in 0..6 {
        let run: Running = room.start(&format!("{LINE} --label candidate"));
        std::thread::sleep(Duration::from_millis(1_300));
        run.signal(Signal::STOP);
        std::thread::sleep(STALL);
        run.signal(Signal::CONT);
        run.end();
        let document = room.show("last");
        let point = &points(&document)[0];
        if point["status"] == "ok" && number(point, "/service_time_s/max") >= STALL.as_secs_f64() {
            return document;
        }
    }
    panic!("no stall fell into a window");
}

#[test]
fn a_stall_that_no_mean_shows_is_seen_in_comparison_and_verdict() {
    let room = Room::on_disk();
    std::fs::write(room.path("t.dat"), vec![7; 4 << 20]).unwrap();
    std::fs::write(room.path("needs.toml"), NEEDS).unwrap();
    measured(&room, &format!("{LINE} --label baseline"));
    let candidate = stalled(&room);
    assert!(number(&points(&candidate)[0], "/service_time_s/mean") < 0.1, "the mean hides it");

    let both = room.run("compare baseline candidate --json").expect(0).json();
    let longest = both["times"].to_string();
    assert!(longest.contains("\"max\""), "{longest}");
    let text = room.run("compare baseline candidate").expect(0).stdout;
    let shown = text.split("\nLatency").nth(1).unwrap_or_default();
    let max = shown.lines().find(|line| line.trim_start().starts_with("max")).unwrap_or_default();
    assert_eq!(max.split_whitespace().count(), 5, "the longest of both sides: {text}");

    let accepted = "--accept served_from_os_cache --accept too_short --accept not_proved";
    let verdict = room.run(&format!("verdict baseline candidate --requirements needs.toml {accepted}")).expect(1);
    let line = |title: &str| {
        let found = verdict.stdout.lines().find(|line| line.starts_with(title));
        found.unwrap_or_else(|| panic!("{}", verdict.stdout)).to_owned()
    };
    assert!(line("Latency").contains(", peak "), "the peak stands beside the mean: {}", verdict.stdout);
    assert!(line("Longest").ends_with(", missed"), "{}", verdict.stdout);
    let documents =
        room.run(&format!("verdict baseline candidate --requirements needs.toml {accepted} --json")).expect(1);
    let of = |side: usize, line: usize| documents.json()[side]["lines"][line]["outcome"].clone();
    assert_eq!((of(0, 0), of(1, 0), of(1, 1)), ("met".into(), "met".into(), "missed".into()));

    room.run("report baseline candidate --requirements needs.toml -o tail.html").expect(0);
    let page = std::fs::read_to_string(room.path("tail.html")).unwrap();
    assert!(page.contains("id=\"latency\"") && page.contains("peak "), "the page has both");
}
