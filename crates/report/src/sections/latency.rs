//! How long transactions take, as a caller sees it: a line for each test, degree of parallelism and load, and charts of
//! their percentiles and distributions. The lines of one test form its curve of latency over throughput.

use crate::legend::{CLIENT, RATED, is_timed};
use crate::load_times::{LoadTimes, TimeFigure, time_cell};
use crate::reported::PointTimes;
use crate::sections::prelude::*;
use crate::summary::head::within;
use crate::types::types;
use dbdyno_model::{ClientLoad, ResponseTime};
use dbdyno_stats::Histogram;

/// The times in a row of the table.
const TIMES: [TimeFigure; 8] =
    [|t| t.mean, |t| t.p50, |t| t.p90, |t| t.p95, |t| t.p99, |t| t.p99_9, |t| t.p99_99, |t| t.max];
/// The percentiles with a line in charts.
pub(super) const DRAWN_PERCENTILES: [(&str, TimeFigure); 4] =
    [("p50", |t| t.p50), ("p95", |t| t.p95), ("p99", |t| t.p99), ("p99.9", |t| t.p99_9)];
/// Bins of a histogram per decade of time.
const BINS_PER_DECADE: u32 = 12;
/// The most loads whose histograms fit in one chart.
const MOST_HISTOGRAMS: usize = 4;

/// The section of a run; without blocks where dbdyno began no transactions.
pub(crate) fn section(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Section {
    let loads = LoadTimes::of(run, is_timed);
    let mut section = words::section("latency");
    for (code, loads) in grouped(loads.iter().map(|load| (load.key.subject.name(), load))) {
        let by_place = grouped(loads.into_iter().map(|load| ((load.key.dop, load.key.rows_per_tx), load)));
        let blocks = by_place.into_iter().flat_map(|(_, loads)| by_rate(code, &loads, times));
        section.push(part(format!("l-{code}"), code, catalogue, blocks.collect()));
    }
    let any = |is: fn(&Point) -> bool| loads.iter().flat_map(|load| &load.points).any(|(_, point)| is(point));
    section.push_notes([
        (!loads.is_empty(), text("latency", "times")),
        (any(|p| p.connection_wait_s.is_some()), text("latency", "waits")),
        (any(|p| p.has(Flag::Errors)), text("latency", "errors")),
    ]);
    section
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Vec<Section> {
    let timed = run.points.iter().filter(|p| is_timed(p) && !p.again);
    vec![alone(section(run, times, catalogue)).with(Legend::of(timed).blocks())]
}

/// The loads of a test that differ only in their rates.
fn by_rate(code: SubjectName<'_>, loads: &[&LoadTimes<'_>], times: &[PointTimes]) -> Vec<Block> {
    let place = place(&loads[0].key);
    let charts = [curve(loads, &place), histogram(loads, times, &place)].into_iter().flatten().collect();
    let rows = loads.iter().flat_map(|load| rows(load)).collect();
    let table = words::table("latency", "loads", rows).called(format!("{code}: how long transactions took, {place}"));
    let unmet = loads.iter().filter(|load| load.is_unmet()).filter_map(|load| {
        let why = format!("{}: {}", load_words(&load.key.load), load.refusal()?);
        Some(Note::led(format!("{UNMET} "), why).into())
    });
    [Block::Charts(charts), table.into()].into_iter().chain(unmet).collect()
}

/// Where a cell is, without its load.
pub(crate) fn place(key: &CellKey) -> String {
    let rows = (key.rows_per_tx > 0).then(|| format!(", {} per transaction", counted(key.rows_per_tx, "row")));
    dop_words(key.dop) + &rows.unwrap_or_default()
}

/// A load in words.
pub(crate) fn load_words(load: &ClientLoad) -> String {
    let apart = if load.queues_apart() { ", own queues" } else { "" };
    let begins = match (load.rate, load.think) {
        (Some(rate), _) => format!("{rate} {}{apart}", load.arrivals.unwrap_or_default().name()),
        (None, Some(think)) => format!("think {think}"),
        (None, None) => "closed loop".to_owned(),
    };
    let connections = load.connections.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "connection")));
    begins + &within(load) + &connections
}

/// The times of several points together; `None` where one has none.
pub(crate) fn together(points: impl Iterator<Item = usize>, from_due: bool, times: &[PointTimes]) -> Option<Histogram> {
    let mut all = Histogram::new();
    for place in points {
        all.merge(&times.iter().find(|t| t.point == place && t.from_due == from_due)?.histogram);
    }
    Some(all).filter(|h| h.count() > 0)
}

/// Percentiles over the rate that was asked for.
fn curve(loads: &[&LoadTimes<'_>], place: &str) -> Option<LineChart> {
    let line = |(n, (name, figure)): (usize, (&str, TimeFigure))| {
        let marks = loads.iter().filter(|load| load.is_open()).filter_map(|load| {
            let (x, y) = (load.median(|p| p.asked_per_s)?, load.time(figure)?);
            let text = format!("{} tx/s asked: {name} {}", thousands(x), duration(y));
            Some(Mark { x, y, band: None, doubtful: load.is_unmet(), text })
        });
        ChartSeries::new(name, n, marks.collect())
    };
    let series = DRAWN_PERCENTILES.into_iter().enumerate().map(line).filter(|s| s.marks.len() > 1).collect();
    let along = "transactions per second asked for";
    LineChart::of("Response time", format!("percentiles, {place}"), along, [Axis::amounts, Axis::decades], series)
}

/// The distributions of a few loads.
fn histogram(loads: &[&LoadTimes<'_>], times: &[PointTimes], place: &str) -> Option<LineChart> {
    let with = loads.iter().filter_map(|load| {
        let points = load.shown().into_iter().map(|(place, _)| place);
        Some((load_words(&load.key.load), together(points, load.is_open(), times)?))
    });
    let with: Vec<(String, Histogram)> = with.collect();
    // The closed loop, the lowest rate, the highest rate and one between are enough.
    let drawn = with.len().min(MOST_HISTOGRAMS);
    let line = |n: usize| {
        let (words, histogram) = &with[n * (with.len() - 1) / (drawn - 1).max(1)];
        ChartSeries::new(words, n, spread(histogram, words)).drawn(SeriesShape::Line)
    };
    let series = (0..drawn).map(line).collect();
    let along = "response time where a rate was set, else service time";
    let unit = format!("percent of all, {place}");
    LineChart::of("How the times are spread", unit, along, [Axis::decades, Axis::amounts], series)
}

/// What share of the times lies around each.
pub(super) fn spread(histogram: &Histogram, words: &str) -> Vec<Mark> {
    let all = histogram.count() as f64;
    let mark = |(from_ns, count): (f64, u64)| {
        let ((from_s, to_s), y) = (bin_s(from_ns), count as f64 / all * 100.0);
        let text = format!("{words}: {} of the times from {} to {}", percent(y), duration(from_s), duration(to_s));
        Mark { x: (from_s * to_s).sqrt(), y, band: None, doubtful: false, text }
    };
    histogram.bins(BINS_PER_DECADE).into_iter().map(mark).collect()
}

/// The bin with most of the times.
pub(super) fn peak_s(histogram: &Histogram) -> Option<(f64, f64)> {
    histogram.bins(BINS_PER_DECADE).into_iter().max_by_key(|(_, count)| *count).map(|(from_ns, _)| bin_s(from_ns))
}

fn bin_s(from_ns: f64) -> (f64, f64) {
    let from_s = from_ns / 1e9;
    (from_s, from_s * 10f64.powf(1.0 / f64::from(BINS_PER_DECADE)))
}

/// The rows of a load, medians of its repeats: one for all transactions, one for each of several types, and one for the
/// waits where jobs share connections.
fn rows(load: &LoadTimes<'_>) -> Vec<Row> {
    let mut keys = keys(load.key.subject.name(), load.key.dop, load.key.rows_per_tx);
    let words = load_words(&load.key.load);
    let points: Vec<&Point> = load.shown().into_iter().map(|(_, point)| point).collect();
    if points.is_empty() {
        keys.push(Cell::words(words));
        return vec![Row::Remark(keys, load.refusal().unwrap_or_else(|| "it has no times".to_owned()))];
    }
    let flags = load.flags();
    let unmet = if load.is_unmet() { UNMET.to_string() } else { String::new() };
    // The table itself says that these are client drives at set rates.
    let marks = unmet + &marks(points.iter().copied(), &flags).replace([CLIENT, RATED], "");
    let row = |label: &str, [asked, reached]: [Cell; 2], kind: &str, times: [Cell; 8], marks: String| {
        let line = [Cell::words(label), asked, reached, Cell::words(kind)].into_iter().chain(times);
        Row::Cells(keys.iter().cloned().chain(line).chain([Cell::marks(marks)]).collect())
    };
    let kind = load.either("response", "service");
    let rate = |value: Option<f64>| Cell::figure(value, Form::Thousands);
    let asked = Cell::known(load.median(|p| p.asked_per_s), Form::Thousands);
    let reached = rate(load.median(|p| p.ops_per_s)).doubtful(is_doubtful(&flags));
    let times = |repeats: Vec<(&Point, Option<&ResponseTime>)>| TIMES.map(|figure| time_cell(&repeats, figure));
    let of_points = points.iter().map(|p| (*p, load.either(p.response_time_s.as_ref(), p.service_time_s.as_ref())));
    let of_all = row(&words, [asked, reached], kind, times(of_points.collect()), marks);
    let of_types = types(&points).into_iter().map(|(label, repeats)| {
        let reached_per_s = median_of(repeats.iter().map(|(_, of_type)| of_type.ops_per_s));
        let repeats = repeats.into_iter();
        let repeats = repeats.map(|(p, t)| (p, load.either(t.response_time_s.as_ref(), t.service_time_s.as_ref())));
        row(&label, [Cell::empty(), rate(reached_per_s)], kind, times(repeats.collect()), String::new())
    });
    let waits = TIMES.map(|of| Cell::figure(load.median(|p| of(p.connection_wait_s.as_ref()?)), Form::Duration));
    let has_waits = waits.iter().any(|wait| wait.value.is_some());
    // Below the load, which says how many connections there are.
    let of_waits = has_waits.then(|| row("  waiting for one", Default::default(), "wait", waits, String::new()));
    [of_all].into_iter().chain(of_types).chain(of_waits).collect()
}
