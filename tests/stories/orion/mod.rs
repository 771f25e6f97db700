//! `dbdyno orion` as its users see it: every kind of run with its files and points, the reference and a database's
//! share of it, refusals, and failing storage.

mod faults;
mod refused;
mod runs;
mod share;
mod tail;

use crate::support::{Ending, Room};
use serde_json::Value;
use std::path::PathBuf;

/// The shortest point of small I/Os on a test file of 2 MiB.
pub(super) const POINT: &str = "orion -run advanced -matrix point -num_small 2 -num_large 0 -duration 0.1 --file t.dat";

/// Measures, and asserts valid figures. A busy device may stall for a whole point; then it is measured again.
#[track_caller]
pub(super) fn measured(room: &Room, line: &str) -> Ending {
    measured_by(|| room.run(line))
}

/// The same for runs that are started in another way.
#[track_caller]
pub(super) fn measured_by(mut run: impl FnMut() -> Ending) -> Ending {
    let first = (0..4).map(|_| run()).find(|ending| ending.code != Some(4));
    first.unwrap_or_else(run).expect(0)
}

/// ORION's files in a room, by the end of their names.
pub(super) fn files(room: &Room) -> Vec<(String, PathBuf)> {
    let names = std::fs::read_dir(room.folder()).unwrap().map(|entry| entry.unwrap().path());
    let end = |path: &PathBuf| path.file_name()?.to_str()?.rsplit_once('_').map(|(_, end)| end.to_owned());
    let mut files: Vec<_> = names.filter_map(|path| Some((end(&path)?, path))).collect();
    files.sort();
    files
}

/// The text of one of ORION's files.
#[track_caller]
pub(super) fn file(room: &Room, end: &str) -> String {
    let files = files(room);
    let path = files.iter().find(|(name, _)| name == end).unwrap_or_else(|| panic!("{end} among {files:?}"));
    std::fs::read_to_string(&path.1).unwrap()
}

/// Status and reason of each point.
pub(super) fn endings(document: &Value) -> Vec<(String, String)> {
    let points = document["points"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    points.map(|point| (text(&point["status"]), text(&point["reason"]))).collect()
}

/// Prints why a part of a story is skipped.
#[allow(clippy::print_stderr, reason = "it is for whoever runs the tests")]
pub(super) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
