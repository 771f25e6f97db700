//! How long transactions take, as a caller sees it: a line for each test, degree of parallelism and load, and charts of
//! their percentiles and distributions. The lines of one test form its curve of latency over throughput.

use super::words::{self, alone, keys, note};
use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use crate::document::{Block, Cell, Form, Note, Row, Section, Table};
use crate::figures::is_doubtful;
use crate::groups::grouped;
use crate::legend::{CLIENT, Legend, RATED, UNMET, is_timed, marks, part};
use crate::load_times::{LoadTimes, TimeFigure};
use crate::numbers::{duration, percent, thousands};
use crate::reported::PointTimes;
use crate::summary::head::{counted, dop_words, within};
use crate::types::types;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, ClientLoad, Flag, Point, RunJson, SubjectName};
use dbdyno_stats::Histogram;

/// The times in a row of the table.
const TIMES: [TimeFigure; 8] =
    [|t| t.mean, |t| t.p50, |t| t.p90, |t| t.p95, |t| t.p99, |t| t.p99_9, |t| t.p99_99, |t| t.max];
/// The percentiles with a line in charts.
const DRAWN: [(&str, TimeFigure); 4] =
    [("p50", |t| t.p50), ("p95", |t| t.p95), ("p99", |t| t.p99), ("p99.9", |t| t.p99_9)];
/// Bins of a histogram per decade of time.
const BINS_PER_DECADE: u32 = 12;
/// The most loads whose histograms fit in one chart.
const MOST_HISTOGRAMS: usize = 4;
/// In place of a load, below it: how long was waited for a connection.
const WAIT: &str = "  waiting for one";

/// The section of a run; without blocks where dbdyno began no transactions.
pub(crate) fn section(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Section {
    let loads = LoadTimes::of(run);
    let mut section = words::section("latency");
    if loads.is_empty() {
        return section;
    }
    for (code, loads) in grouped(loads.iter().map(|load| (load.key.subject.name(), load))) {
        let by_place = grouped(loads.into_iter().map(|load| ((load.key.dop, load.key.rows_per_tx), load)));
        let blocks = by_place.into_iter().flat_map(|(_, loads)| by_rate(code, &loads, times));
        section.push(part(format!("l-{code}"), code, catalogue, blocks.collect()));
    }
    section.push(note("latency", "times"));
    let timed: Vec<&Point> = timed(run).collect();
    if timed.iter().any(|p| p.connection_wait_s.is_some()) {
        section.push(note("latency", "waits"));
    }
    if timed.iter().any(|p| p.has(Flag::Errors)) {
        section.push(note("latency", "errors"));
    }
    section
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Vec<Section> {
    let section = alone(section(run, times, catalogue));
    vec![section.with(Legend::of(timed(run)).blocks())]
}

fn timed(run: &RunJson) -> impl Iterator<Item = &Point> {
    run.points.iter().filter(|p| is_timed(p) && !p.again)
}

/// The loads of a test that differ only in their rates.
fn by_rate(code: SubjectName<'_>, loads: &[&LoadTimes<'_>], times: &[PointTimes]) -> Vec<Block> {
    let Some(first) = loads.first() else { return Vec::new() };
    let place = place(&first.key);
    let charts: Vec<LineChart> =
        [curve(loads, &place), histogram(loads, times, &place)].into_iter().flatten().collect();
    let mut blocks = vec![charts.into(), table(code, loads, &place).into()];
    for load in loads.iter().filter(|load| load.is_unmet()) {
        let why = load.refusal().map(|why| Note::led(format!("{UNMET} "), format!("{}: {why}", words(&load.key.load))));
        blocks.extend(why.map(Block::from));
    }
    blocks
}

/// Where a cell is, without its load.
pub(crate) fn place(key: &CellKey) -> String {
    let rows = (key.rows_per_tx > 0).then(|| format!(", {} per transaction", counted(key.rows_per_tx, "row")));
    dop_words(key.dop) + &rows.unwrap_or_default()
}

/// A load in words.
pub(crate) fn words(load: &ClientLoad) -> String {
    let begins = match (load.rate, load.think) {
        (Some(rate), _) => {
            let apart = if load.queues_apart() { ", own queues" } else { "" };
            format!("{rate} {}{apart}", load.arrivals.unwrap_or_default().name())
        }
        (None, Some(think)) => format!("think {think}"),
        (None, None) => "closed loop".to_owned(),
    };
    let connections = load.connections.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "connection")));
    begins + &within(load) + &connections
}

/// The times of several points together; `None` where one has none.
pub(crate) fn together(
    points: impl IntoIterator<Item = usize>,
    from_due: bool,
    times: &[PointTimes],
) -> Option<Histogram> {
    let mut all: Option<Histogram> = None;
    for place in points {
        let ours = times.iter().find(|t| t.point == place && t.from_due == from_due)?;
        all.get_or_insert_with(Histogram::new).merge(&ours.histogram);
    }
    all.filter(|h| h.count() > 0)
}

/// Percentiles over the rate that was asked for.
fn curve(loads: &[&LoadTimes<'_>], place: &str) -> Option<LineChart> {
    let open: Vec<&&LoadTimes<'_>> = loads.iter().filter(|l| l.is_open()).collect();
    let line = |(n, (name, figure)): (usize, (&str, TimeFigure))| {
        let marks = open.iter().filter_map(|load| {
            let (x, y) = (load.median(|p| p.asked_per_s)?, load.time(figure)?);
            let text = format!("{} tx/s asked: {name} {}", thousands(x), duration(y));
            Some(Mark { x, y, band: None, doubtful: load.is_unmet(), text })
        });
        ChartSeries::new(name, n, marks.collect())
    };
    let series = DRAWN.into_iter().enumerate().map(line).filter(|s| s.marks.len() > 1).collect();
    let along = "transactions per second asked for";
    LineChart::of("Response time", format!("percentiles, {place}"), along, [Axis::amounts, Axis::decades], series)
}

/// The distributions of a few loads.
fn histogram(loads: &[&LoadTimes<'_>], times: &[PointTimes], place: &str) -> Option<LineChart> {
    let with = loads.iter().filter_map(|load| {
        let points = load.shown().into_iter().map(|(place, _)| place);
        Some((words(&load.key.load), together(points, load.is_open(), times)?))
    });
    let with: Vec<(String, Histogram)> = with.collect();
    // The closed loop, the lowest rate, the highest rate and one between are enough.
    let chosen: Vec<usize> = match with.len() {
        0 => return None,
        n if n <= MOST_HISTOGRAMS => (0..n).collect(),
        n => (0..MOST_HISTOGRAMS).map(|i| i * (n - 1) / (MOST_HISTOGRAMS - 1)).collect(),
    };
    let line = |(n, (words, histogram)): (usize, &(String, Histogram))| {
        ChartSeries::new(words.as_str(), n, spread(histogram, words)).drawn(SeriesShape::Line)
    };
    let series = chosen.iter().filter_map(|n| with.get(*n)).enumerate().map(line).collect();
    let along = "response time where a rate was set, else service time";
    let unit = format!("percent of all, {place}");
    LineChart::of("How the times are spread", unit, along, [Axis::decades, Axis::amounts], series)
}

/// What share of the times lies around each.
pub(super) fn spread(histogram: &Histogram, words: &str) -> Vec<Mark> {
    let all = histogram.count() as f64;
    let mark = |(from_ns, count): (f64, u64)| {
        let ((from_s, to_s), share_pct) = (bin_s(from_ns), count as f64 / all * 100.0);
        let text =
            format!("{words}: {} of the times from {} to {}", percent(share_pct), duration(from_s), duration(to_s));
        Mark { x: (from_s * to_s).sqrt(), y: share_pct, band: None, doubtful: false, text }
    };
    histogram.bins(BINS_PER_DECADE).into_iter().map(mark).collect()
}

/// The bin with most of the times.
pub(super) fn peak_s(histogram: &Histogram) -> Option<(f64, f64)> {
    let bins = histogram.bins(BINS_PER_DECADE).into_iter();
    bins.max_by_key(|(_, count)| *count).map(|(from_ns, _)| bin_s(from_ns))
}

fn bin_s(from_ns: f64) -> (f64, f64) {
    let from_s = from_ns / 1e9;
    (from_s, from_s * 10f64.powf(1.0 / f64::from(BINS_PER_DECADE)))
}

/// A row for each load: medians of its repeats. A workload with several transaction types has a row for each type, and
/// where jobs share connections, a row has the waits for one.
fn table(code: SubjectName<'_>, loads: &[&LoadTimes<'_>], place: &str) -> Table {
    let rows = loads.iter().flat_map(|load| rows(load)).collect();
    words::table("latency", "loads", rows).called(format!("{code}: how long transactions took, {place}"))
}

/// A row for all transactions, one for each of several types, and one for the waits.
fn rows(load: &LoadTimes<'_>) -> Vec<Row> {
    let mut keys = keys(load.key.subject.name(), load.key.dop, load.key.rows_per_tx);
    let words = words(&load.key.load);
    let shown = load.shown();
    if shown.is_empty() {
        keys.push(Cell::words(words));
        return vec![Row::Remark(keys, load.refusal().unwrap_or_else(|| "it has no times".to_owned()))];
    }
    let (flags, open) = (load.flags(), load.is_open());
    let points: Vec<&Point> = shown.into_iter().map(|(_, point)| point).collect();
    let unmet = if load.is_unmet() { UNMET.to_string() } else { String::new() };
    // The table itself says that these are client drives at set rates.
    let marks = unmet + &marks(points.iter().copied(), &flags).replace([CLIENT, RATED], "");
    let row = |label: &str, [asked, reached]: [Cell; 2], kind: &str, times: [Cell; 8], marks: String| {
        let line = [Cell::words(label), asked, reached, Cell::words(kind)].into_iter().chain(times);
        Row::Cells(keys.iter().cloned().chain(line).chain([Cell::marks(marks)]).collect())
    };
    let kind = if open { "response" } else { "service" };
    let rate = |value: Option<f64>| Cell::figure(value, Form::Thousands);
    let asked = Cell::known(load.median(|p| p.asked_per_s), Form::Thousands);
    let reached = rate(load.median(|p| p.ops_per_s)).doubtful(is_doubtful(&flags));
    let of_all = row(&words, [asked, reached], kind, TIMES.map(|figure| load.time_cell(figure)), marks);
    let of_types = types(&points).into_iter().map(|of_type| {
        let times = TIMES.map(|figure| of_type.time_cell(open, figure));
        row(&of_type.label, [Cell::empty(), rate(of_type.reached_per_s())], kind, times, String::new())
    });
    let waits = TIMES.map(|figure| load.median(|p| p.connection_wait_s.as_ref().and_then(figure)));
    let of_waits = waits.iter().any(Option::is_some).then(|| {
        let times = waits.map(|wait_s| Cell::figure(wait_s, Form::Duration));
        row(WAIT, Default::default(), "wait", times, String::new())
    });
    [of_all].into_iter().chain(of_types).chain(of_waits).collect()
}
