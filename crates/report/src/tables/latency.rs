//! Transaction times as a caller sees them: a line for each test, degree of parallelism and load. The lines of one test
//! form its curve of latency over throughput.

use super::columns::tx_size;
use crate::figures::bracketed;
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, marks, refusal};
use crate::numbers::{MISSING, duration, thousands};
use crate::summary::head::counted;
use crate::text::hanging;
use crate::types::{FAILED, types};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, Flag, Point, ResponseTime, RunJson, Status};
use dbdyno_stats::Estimate;

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

/// One row per load of each test and degree of parallelism: medians of its repeats. A workload with several transaction
/// types has a row for each type, and where jobs share connections, a row has the waits for one.
#[must_use]
pub fn latency(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    let points: Vec<&Point> = run.points.iter().filter(|p| legend::is_timed(p) && !p.again).collect();
    if points.is_empty() {
        let text = "This run has no points of the client drive: `dbdyno run ... --drive client` measures how long transactions take.";
        return hanging("", text, width);
    }
    let mut keys: Vec<CellKey> = Vec::new();
    for key in points.iter().map(|p| CellKey::of(p)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let rows = keys.iter().flat_map(|key| rows(key, &points)).collect();
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
        let text =
            format!("{} {} {}: {}", point.subject.name(), point.dop, load(point), refusal(point).unwrap_or_default());
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
fn load(point: &Point) -> String {
    let load = point.load;
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
const TOLD: [fn(&ResponseTime) -> Option<f64>; 5] = [|t| t.p50, |t| t.p95, |t| t.p99, |t| t.p99_9, |t| t.max];

fn rows(key: &CellKey, points: &[&Point]) -> Vec<Row> {
    let repeats: Vec<&Point> = points.iter().copied().filter(|p| CellKey::of(p) == *key).collect();
    let measured = |status| repeats.iter().copied().filter(move |p| p.status == status && p.service_time_s.is_some());
    let mut shown: Vec<&Point> = measured(Status::Ok).collect();
    if shown.is_empty() {
        shown = measured(Status::Invalid).collect();
    }
    let mut texts = vec![key.subject.name().to_string()];
    texts.extend([key.dop.nodes, key.dop.jobs, key.dop.threads].map(|n| n.to_string()));
    texts.extend([tx_size(key.rows_per_tx), repeats.first().map_or_else(String::new, |p| load(p))]);
    if shown.is_empty() {
        let reason = repeats.iter().rev().find_map(|p| refusal(p)).unwrap_or_else(|| "it has no times".to_owned());
        return vec![Row::Remark { keys: texts, text: reason }];
    }
    let median = |figure: &dyn Fn(&Point) -> Option<f64>| {
        Estimate::of(&shown.iter().filter_map(|p| figure(p)).collect::<Vec<_>>()).map(|e| e.median)
    };
    let open = key.load.rate.is_some();
    let kind = if open { "response" } else { "service" };
    let times = move |p: &'_ Point| if open { p.response_time_s.clone() } else { p.service_time_s.clone() };
    let time = |figure: fn(&ResponseTime) -> Option<f64>| {
        // A time that lies among the failures of one repeat is not the time of the others.
        let is_failed =
            |p: &&Point| times(p).is_some_and(|t| t.max.is_some() && figure(&t).is_none()) && p.has(Flag::Errors);
        if shown.iter().any(is_failed) {
            return FAILED.to_owned();
        }
        duration(median(&|p| times(p).as_ref().and_then(figure)))
    };
    let waits = TOLD.map(|figure| median(&|p| p.connection_wait_s.as_ref().and_then(figure)));
    let waits = waits.iter().any(Option::is_some).then(|| {
        // Narrow tables leave out the kind of time, but not the load.
        let keys = texts.iter().take(texts.len() - 1).cloned();
        let head = [WAIT, "", "", "wait"].map(str::to_owned);
        Row::Figures(keys.chain(head).chain(waits.map(duration)).chain([String::new()]).collect())
    });
    let of_types: Vec<Row> = types(&shown)
        .into_iter()
        .map(|of_type| {
            let keys = texts.iter().take(texts.len() - 1).cloned();
            let head = [String::new(), thousands(of_type.reached_per_s()), kind.to_owned()];
            let times = TOLD.map(|figure| of_type.time_words(open, figure, duration));
            Row::Figures(keys.chain([of_type.label.clone()]).chain(head).chain(times).chain([String::new()]).collect())
        })
        .collect();
    let asked = median(&|p| p.asked_per_s);
    texts.push(asked.map_or_else(|| MISSING.to_owned(), thousands));
    let flags: Vec<Flag> = shown.iter().flat_map(|p| p.flags.iter().copied()).collect();
    texts.push(bracketed(thousands(median(&|p| p.ops_per_s)), &flags));
    texts.push(kind.to_owned());
    texts.extend(TOLD.map(time));
    let unmet = if shown.iter().any(|p| p.status == Status::Invalid) { UNMET.to_string() } else { String::new() };
    // The table itself says that these are client drives at set rates.
    let marks = marks(shown, &flags).replace([legend::CLIENT, legend::RATED], "");
    texts.push(format!("{unmet}{marks}"));
    [Row::Figures(texts)].into_iter().chain(of_types).chain(waits).collect()
}
