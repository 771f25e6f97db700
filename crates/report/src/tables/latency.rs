//! Transaction times as a caller sees them: a line for each test, degree of parallelism and load. The lines of one test
//! form its curve of latency over throughput.

use super::columns::keys;
use crate::figures::bracketed;
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, marks, refusal};
use crate::load_times::{LoadTimes, TimeFigure};
use crate::numbers::duration;
use crate::summary::head::counted;
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ClientLoad, Flag, Point, RunJson, Status};

use Keep::{Always, Drop};

const COLUMNS: [Column; 15] = [
    Column::left("code", &["Code"], Always),
    Column::right("#N", &["#N"], Drop(2)),
    Column::right("#J", &["#J"], Always),
    Column::right("#T", &["#T"], Drop(3)),
    Column::right("TX size", &["TX", "size"], Drop(4)),
    Column::left("load", &["Load"], Always),
    Column::right("asked rate", &["Asked", "[1/s]"], Always),
    Column::right("reached rate", &["Reached", "[1/s]"], Always),
    Column::left("kind of time", &["Time"], Drop(5)),
    Column::right("p50", &["p50"], Always),
    Column::right("p95", &["p95"], Drop(6)),
    Column::right("p99", &["p99"], Always),
    Column::right("p99.9", &["p99.9"], Drop(1)),
    Column::right("max", &["max"], Always),
    Column::left("marks", &[], Always),
];
/// Marks the figures of a load that missed its rate.
const UNMET: char = '!';
/// In place of a load, below it: how long was waited for a connection.
const WAIT: &str = "  waiting for one";
/// The place of the rate that was reached in a line of a load.
const REACHED: usize = 2;

/// One row per load of each test and degree of parallelism: medians of its repeats. A workload with several transaction
/// types has a row for each type, and where jobs share connections, a row has the waits for one.
#[must_use]
pub fn latency(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    let loads = LoadTimes::of(run);
    if loads.is_empty() {
        let text = "This run has no points of the client drive: `dbdyno run ... --drive client` measures how long transactions take.";
        return hanging("", text, width);
    }
    let points: Vec<&Point> = run.points.iter().filter(|p| legend::is_timed(p) && !p.again).collect();
    let rows = loads.iter().flat_map(rows).collect();
    let mut out = Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 }.render(width);
    out.push('\n');
    let legend = "Response time is from the moment at which a transaction was due, so it holds what it had to wait for; \
                  service time is from when it was sent. A closed loop sends nothing while it waits, so its times do not tell \
                  what a stall would do to others. Reached is what succeeded.";
    out.push_str(&hanging("", legend, width));
    if points.iter().any(|p| p.connection_wait_s.is_some()) {
        let waits = "Wait is from when a transaction could begin until it had a connection: jobs share them. It is no part of the \
                     service time, and a part of the response time.";
        out.push_str(&hanging("", waits, width));
    }
    if points.iter().any(|p| p.has(Flag::Errors)) {
        let failed = "Transactions that failed count as slower than any other in p50 to p99.9, here and in verdicts: where a \
                      percentile is among them, it says failed. The longest is of those that succeeded.";
        out.push_str(&hanging("", failed, width));
    }
    for point in points.iter().filter(|p| p.status == Status::Invalid && p.service_time_s.is_some()) {
        let (words, why) = (words(&point.load), refusal(point).unwrap_or_default());
        let text = format!("{} {} {words}: {why}", point.subject.name(), point.dop);
        out.push_str(&hanging(&format!("{UNMET} "), &text, width));
    }
    let flags: Vec<Flag> = points.iter().flat_map(|p| p.flags.iter().copied()).collect();
    out.push_str(&legend::mappings(&points, width));
    for flag in Flag::ALL.into_iter().filter(|f| flags.contains(f)) {
        out.push_str(&legend::advice(flag, width));
    }
    out
}

/// The load as it was typed.
fn words(load: &ClientLoad) -> String {
    let begins = match (load.rate, load.think) {
        (Some(rate), _) => {
            let apart = if load.queues_apart() { ", own queues" } else { "" };
            format!("{rate} {}{apart}", load.arrivals.unwrap_or_default().name())
        }
        (None, Some(think)) => format!("think {think}"),
        (None, None) => "closed loop".to_owned(),
    };
    begins + &load.connections.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "connection")))
}

/// The columns of each distribution.
const TOLD: [TimeFigure; 5] = [|t| t.p50, |t| t.p95, |t| t.p99, |t| t.p99_9, |t| t.max];

fn rows(load: &LoadTimes<'_>) -> Vec<Row> {
    let mut keys = keys(load.key.subject.name(), load.key.dop, load.key.rows_per_tx);
    let words = words(&load.key.load);
    let shown = load.shown();
    if shown.is_empty() {
        keys.push(words);
        return vec![Row::Remark { keys, text: load.refusal().unwrap_or_else(|| "it has no times".to_owned()) }];
    }
    let flags = load.flags();
    let unmet = if load.is_unmet() { UNMET.to_string() } else { String::new() };
    // The table itself says that these are client drives at set rates.
    let marks = marks(shown.iter().map(|(_, p)| *p), &flags).replace([legend::CLIENT, legend::RATED], "");
    let marks = std::iter::once(format!("{unmet}{marks}")).chain(std::iter::repeat(String::new()));
    let mut lines = load.lines([&words, WAIT], TOLD, duration);
    lines[0][REACHED] = bracketed(std::mem::take(&mut lines[0][REACHED]), &flags);
    // A line begins with the load in words, or with what stands in its place.
    let row =
        |(line, marks): (Vec<String>, String)| Row::Figures(keys.iter().cloned().chain(line).chain([marks]).collect());
    lines.into_iter().zip(marks).map(row).collect()
}
