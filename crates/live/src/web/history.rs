//! Readings of a range of time, thinned to what a screen can show. A narrower range is asked for again, and is finer.

use super::json::state;
use crate::board::Board;
use dbdyno_model::{DatabaseReading, Doing, LoadReading, MachineReading, Reading};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Readings at most.
const MOST: usize = 1_200;
/// Bytes of readings at most, about. Readings of many devices and waits are larger, and so are fewer.
const BYTES: usize = 3_000_000;
/// Readings in a piece of the answer.
const PIECE: usize = 32;

/// The part of a time line that is asked for, in milliseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Range {
    pub(super) const ALL: Self = Self { from: i64::MIN, to: i64::MAX };
}

/// The answer in the making.
pub(super) struct History {
    head: Option<String>,
    readings: std::vec::IntoIter<(u64, Arc<Reading>)>,
    /// Reasons of the reading before: equal ones are not repeated.
    missing: Option<Arc<Reading>>,
    begun: bool,
    ended: bool,
}

/// A reading as a chart needs it: without nodes and tables, which are shown of the newest alone.
#[derive(Serialize)]
struct Shown<'a> {
    n: u64,
    at: jiff::Timestamp,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    doing: Option<&'a Doing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<&'a LoadReading>,
    #[serde(flatten)]
    machine: &'a MachineReading,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'a DatabaseReading>,
    /// Absent where it is as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'a BTreeMap<String, String>>,
}

impl History {
    /// What the board has of a range.
    pub(super) fn new(board: &Board, life: &str, range: Range) -> Self {
        let news = board.since(0);
        let of = |reading: &(u64, Arc<Reading>)| reading.1.at.as_millisecond();
        let (first, last) = (news.readings.first().map(of), news.readings.last().map(of));
        let top = news.readings.iter().rev().find_map(|(_, reading)| reading.top.clone());
        let asked: Vec<_> = news.readings.into_iter().filter(|r| (range.from..=range.to).contains(&of(r))).collect();
        let nodes = asked.last().map(|(_, reading)| reading.nodes.clone());
        let (count, most) = (asked.len(), most(&asked));
        let (readings, step) = thinned(asked, most);
        let mut head = state(board, usize::MAX);
        if let Some(head) = head.as_object_mut() {
            let about = serde_json::json!({
                "life": life, "next": news.next, "first": first, "last": last, "count": count, "step_ms": step,
                "top": top, "nodes": nodes,
            });
            head.extend(about.as_object().cloned().unwrap_or_default());
        }
        Self { head: Some(head.to_string()), readings: readings.into_iter(), missing: None, begun: false, ended: false }
    }

    /// The next piece of the text.
    pub(super) fn piece(&mut self) -> Option<Vec<u8>> {
        if let Some(head) = self.head.take() {
            return Some(format!("{{\"state\":{head},\"readings\":[").into_bytes());
        }
        if self.ended {
            return None;
        }
        let mut piece = Vec::new();
        for (number, reading) in self.readings.by_ref().take(PIECE) {
            if std::mem::replace(&mut self.begun, true) {
                piece.push(b',');
            }
            let same = self.missing.as_ref().is_some_and(|before| before.missing == reading.missing);
            let shown = Shown {
                n: number,
                at: reading.at,
                seconds: reading.seconds,
                doing: reading.doing.as_ref(),
                load: reading.load.as_ref(),
                machine: &reading.machine,
                database: reading.database.as_ref(),
                missing: (!same).then_some(&reading.missing),
            };
            // Readings are plain data: no key of a map is anything but a text.
            if serde_json::to_writer(&mut piece, &shown).is_err() {
                piece.extend(b"null");
            }
            self.missing = Some(reading);
        }
        if self.readings.len() == 0 {
            self.ended = true;
            piece.extend(b"]}");
        }
        Some(piece)
    }
}

/// How many of these readings fit.
fn most(readings: &[(u64, Arc<Reading>)]) -> usize {
    let samples = [0, readings.len() / 2, readings.len().saturating_sub(1)];
    let sizes = samples.iter().filter_map(|n| readings.get(*n)).map(|(_, reading)| {
        let whole = serde_json::to_string(&**reading).map_or(0, |text| text.len());
        let left_out = serde_json::to_string(&(&reading.nodes, &reading.top)).map_or(0, |text| text.len());
        whole.saturating_sub(left_out)
    });
    (BYTES / sizes.max().unwrap_or(1).max(1)).clamp(60, MOST)
}

/// One reading of each step, where there are more than so many; the last one always. Steps begin at multiples of their
/// length, so that the same readings are chosen again.
fn thinned(readings: Vec<(u64, Arc<Reading>)>, most: usize) -> (Vec<(u64, Arc<Reading>)>, i64) {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return (readings, 0) };
    if readings.len() <= most {
        return (readings, 0);
    }
    let (from, to) = (first.1.at.as_millisecond(), last.1.at.as_millisecond());
    let step = ((to - from).max(1) / i64::try_from(most - 2).unwrap_or(i64::MAX) + 1).max(1);
    let (count, mut before) = (readings.len(), None);
    let mut kept: Vec<_> = readings
        .into_iter()
        .enumerate()
        .filter(|(n, (_, reading))| {
            let slot = reading.at.as_millisecond().div_euclid(step);
            before.replace(slot) != Some(slot) || *n + 1 == count
        })
        .map(|(_, reading)| reading)
        .collect();
    // Readings whose times go back could fill more slots than there are.
    let surplus = kept.len().saturating_sub(most);
    kept.drain(..surplus);
    (kept, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(readings: i64) -> Board {
        let board = Board::default();
        for second in 0..readings {
            let mut reading = Reading { at: jiff::Timestamp::from_second(second).unwrap(), ..Reading::default() };
            reading.lacks("load", "no load");
            board.push(reading);
        }
        board
    }

    fn read(mut history: History) -> serde_json::Value {
        let mut text = Vec::new();
        while let Some(piece) = history.piece() {
            text.extend(piece);
        }
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn a_day_is_thinned_and_an_hour_of_it_is_finer() {
        let board = board(86_400);
        let day = read(History::new(&board, "x", Range::ALL));
        let readings = day["readings"].as_array().unwrap();
        assert!((1_100..=1_200).contains(&readings.len()), "{}", readings.len());
        assert_eq!(readings.last().unwrap()["n"], 86_399);
        assert_eq!((&day["state"]["next"], &day["state"]["last"]), (&86_400.into(), &86_399_000.into()));
        // A reason is said once.
        assert_eq!(readings.iter().filter(|reading| reading.get("missing").is_some()).count(), 1);
        let part = read(History::new(&board, "x", Range { from: 85_000_000, to: 86_000_000 }));
        assert_eq!((part["readings"].as_array().unwrap().len(), &part["state"]["step_ms"]), (1_001, &0.into()));
    }

    #[test]
    fn no_readings_are_an_empty_list() {
        let empty = read(History::new(&Board::default(), "x", Range::ALL));
        assert_eq!((empty["readings"].as_array().unwrap().len(), &empty["state"]["next"]), (0, &0.into()));
    }

    #[test]
    fn large_readings_are_fewer() {
        let board = Board::default();
        for second in 0..2_000 {
            let mut reading = Reading { at: jiff::Timestamp::from_second(second).unwrap(), ..Reading::default() };
            let device = |n: i64| dbdyno_model::DeviceIo { name: format!("nvme{n}"), ..Default::default() };
            reading.machine.io.devices = (0..100).map(device).collect();
            board.push(reading);
        }
        let shown = read(History::new(&board, "x", Range::ALL));
        let size = shown.to_string().len();
        assert!(size < 4_000_000 && size > 1_500_000, "{size}");
    }
}
