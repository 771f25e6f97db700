//! Runs that are killed at random moments, and checks of what is left.

use crate::document::check_document;
use crate::support::{Room, number, points, text};
use serde_json::Value;

/// The same pseudo-random numbers every time (SplitMix64: Steele, Lea and Flood 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below this one.
    pub(crate) fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }
}

/// What is left of the newest run after a kill: every point complete, in a sound file, and no process measuring it.
/// `None` where there is no run yet.
#[track_caller]
pub(crate) fn kept(room: &Room) -> Option<Value> {
    let shown = room.run("show last --json");
    if shown.code == Some(2) {
        assert!(shown.stderr.starts_with("dbdyno: there are no results in ./dbdyno.db yet"), "{}", shown.stderr);
        return None;
    }
    let document = shown.expect(0).json();
    check_document(&document);
    assert_ne!(text(&document, "/run/status"), "running", "nobody measures it");
    let sound: String = room.results().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    Some(document)
}

/// Asserts that the only run of a room is done, and that every planned point is recorded once and valid.
#[track_caller]
pub(crate) fn complete(room: &Room, planned: usize) {
    let runs = room.runs();
    assert_eq!(runs.len(), 1, "resuming is no new run: {runs:#?}");
    assert_eq!(number(&runs[0], "/points_planned"), planned as f64);
    assert_eq!(number(&runs[0], "/ok"), planned as f64, "{:#}", runs[0]);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(text(&document, "/run/status"), "done");
    let keys: Vec<String> = points(&document)
        .iter()
        .map(|p| {
            format!("{} {} {} {} {} {}", p["test"], p["jobs"], p["threads"], p["rows_per_tx"], p["repeat"], p["again"])
        })
        .collect();
    let mut different = keys.clone();
    different.sort();
    different.dedup();
    assert_eq!((keys.len(), different.len()), (planned, planned), "{keys:?}");
}
