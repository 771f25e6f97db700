//! How long transactions take, as a caller sees it: a line for each test, degree of parallelism and load, and charts of
//! their percentiles and distributions. The lines of one test form its curve of latency over throughput.

use super::columns::{KEYS, keys};
use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use crate::document::{Block, Caption, Cell, Column, Keep, Note, Part, Row, Section, Table};
use crate::figures::is_doubtful;
use crate::groups::{grouped, unique};
use crate::legend::{CLIENT, Legend, RATED, is_timed, marks, title};
use crate::load_times::{LoadTimes, TimeFigure};
use crate::numbers::{duration, percent, thousands};
use crate::reported::PointTimes;
use crate::summary::head::{counted, dop_words};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, ClientLoad, Flag, RunJson, SubjectName};
use dbdyno_stats::Histogram;

use Keep::{Always, Drop};

/// A percentile's name, its field, and whether it may be dropped.
type NamedPercentile = (&'static str, TimeFigure, Keep);

const PERCENTILES: [NamedPercentile; 8] = [
    ("mean", |t| t.mean, Drop(4)),
    ("p50", |t| t.p50, Always),
    ("p90", |t| t.p90, Drop(2)),
    ("p95", |t| t.p95, Drop(6)),
    ("p99", |t| t.p99, Always),
    ("p99.9", |t| t.p99_9, Drop(3)),
    ("p99.99", |t| t.p99_99, Drop(1)),
    ("max", |t| t.max, Always),
];
/// The percentiles with a line in charts.
const DRAWN: [usize; 4] = [1, 3, 4, 5];
/// Bins of a histogram per decade of time.
const BINS_PER_DECADE: u32 = 12;
/// The most loads whose histograms fit in one chart.
const MOST_HISTOGRAMS: usize = 4;
/// In place of a load, below it: how long was waited for a connection.
const WAIT: &str = "  waiting for one";
/// Marks the figures of a load that missed its rate.
const UNMET: char = '!';

/// The section of a run; without blocks where dbdyno began no transactions.
pub(crate) fn section(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Section {
    let loads = LoadTimes::of(run);
    let mut section = Section::new("latency", "Latency");
    if loads.is_empty() {
        return section;
    }
    for code in unique(loads.iter().map(|load| load.key.subject.name())) {
        let blocks = groups(&loads, code).into_iter().flat_map(|group| by_rate(code, &group, times));
        section.push(Part {
            id: format!("l-{code}"),
            code: code.to_string(),
            title: title(code, catalogue).to_owned(),
            blocks: blocks.collect(),
        });
    }
    section.push(Note::plain(
        "Response time is from the moment at which a transaction was due, so it holds what it had to wait for; service time is \
         from when it was sent. A closed loop sends nothing while it waits, so its times do not tell what a stall would do to \
         others. Reached is what succeeded.",
    ));
    let points = || run.points.iter().filter(|p| is_timed(p) && !p.again);
    if points().any(|p| p.connection_wait_s.is_some()) {
        section.push(Note::plain(
            "Wait is from when a transaction could begin until it had a connection: jobs share them. It is no part of the \
             service time, and a part of the response time.",
        ));
    }
    if points().any(|p| p.has(Flag::Errors)) {
        section.push(Note::plain(
            "Transactions that failed count as slower than any other in the percentiles, here and in verdicts: where one is \
             among them, it says failed. The longest is of those that succeeded.",
        ));
    }
    section
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Vec<Section> {
    let mut section = section(run, times, catalogue);
    if section.blocks.is_empty() {
        section.push(Note::plain(
            "This run has no points of the client drive: `dbdyno run ... --drive client` measures how long transactions take.",
        ));
    }
    let points = run.points.iter().filter(|p| is_timed(p) && !p.again);
    let marked = section.with(Legend::of(points).blocks());
    vec![marked]
}

/// The loads of a test that differ only in their rates.
fn groups<'l, 'a>(loads: &'l [LoadTimes<'a>], code: SubjectName<'_>) -> Vec<Vec<&'l LoadTimes<'a>>> {
    let of_code = loads.iter().filter(|l| l.key.subject.name() == code);
    let groups = grouped(of_code.map(|load| ((load.key.dop, load.key.rows_per_tx), load)));
    groups.into_iter().map(|(_, members)| members).collect()
}

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
    begins + &load.connections.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "connection")))
}

/// The times of all repeats together.
fn merged(load: &LoadTimes<'_>, times: &[PointTimes]) -> Option<Histogram> {
    together(load.shown().into_iter().map(|(place, _)| place), load.is_open(), times)
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
    let line = |(n, (name, figure, _)): (usize, NamedPercentile)| {
        let marks = open.iter().filter_map(|load| {
            let (x, y) = (load.median(|p| p.asked_per_s)?, load.time(figure)?);
            let text = format!("{} tx/s asked: {name} {}", thousands(x), duration(y));
            Some(Mark { x, y, band: None, doubtful: load.is_unmet(), text })
        });
        ChartSeries::new(name, n, marks.collect())
    };
    let drawn = DRAWN.map(|n| PERCENTILES[n]);
    let series: Vec<ChartSeries> = drawn.into_iter().enumerate().map(line).filter(|s| s.marks.len() > 1).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    (!series.is_empty()).then(|| LineChart {
        title: "Response time".to_owned(),
        unit: format!("percentiles, {place}"),
        along: "transactions per second asked for".to_owned(),
        x: Axis::amounts(all().map(|m| m.x)),
        y: Axis::decades(all().map(|m| m.y)),
        series: series.clone(),
        limit: None,
    })
}

/// The distributions of a few loads.
fn histogram(loads: &[&LoadTimes<'_>], times: &[PointTimes], place: &str) -> Option<LineChart> {
    let with: Vec<(&&LoadTimes<'_>, Histogram)> = loads.iter().filter_map(|l| Some((l, merged(l, times)?))).collect();
    // The closed loop, the lowest rate, the highest rate and one between are enough.
    let chosen: Vec<usize> = match with.len() {
        0 => return None,
        n if n <= MOST_HISTOGRAMS => (0..n).collect(),
        n => (0..MOST_HISTOGRAMS).map(|i| i * (n - 1) / (MOST_HISTOGRAMS - 1)).collect(),
    };
    let line = |(n, (load, histogram)): (usize, &(&&LoadTimes<'_>, Histogram))| {
        let words = words(&load.key.load);
        ChartSeries::new(words.as_str(), n, spread(histogram, &words)).drawn(SeriesShape::Line)
    };
    let series: Vec<ChartSeries> = chosen.iter().filter_map(|n| with.get(*n)).enumerate().map(line).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    Some(LineChart {
        title: "How the times are spread".to_owned(),
        unit: format!("percent of all, {place}"),
        along: "response time where a rate was set, else service time".to_owned(),
        x: Axis::decades(all().map(|m| m.x)),
        y: Axis::amounts(all().map(|m| m.y)),
        series: series.clone(),
        limit: None,
    })
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
    let mut columns = KEYS.to_vec();
    columns.extend([
        Column::words("load", "Load", Always),
        Column::figures("asked rate", "Asked\n[1/s]", Always).optional(),
        Column::figures("reached rate", "Reached\n[1/s]", Always),
        Column::words("kind of time", "Time", Drop(5)),
    ]);
    columns.extend(PERCENTILES.map(|(name, _, keep)| Column::figures(name, name, keep)));
    columns.push(Column::words("marks", "", Always));
    let caption = Caption::Page(format!("{code}: how long transactions took, {place}"));
    Table::new(caption, columns, loads.iter().flat_map(|load| rows(load)).collect())
}

fn rows(load: &LoadTimes<'_>) -> Vec<Row> {
    let mut keys = keys(load.key.subject.name(), load.key.dop, load.key.rows_per_tx);
    let words = words(&load.key.load);
    let shown = load.shown();
    if shown.is_empty() {
        keys.push(Cell::words(words));
        return vec![Row::Remark(keys, load.refusal().unwrap_or_else(|| "it has no times".to_owned()))];
    }
    let flags = load.flags();
    let unmet = if load.is_unmet() { UNMET.to_string() } else { String::new() };
    // The table itself says that these are client drives at set rates.
    let marks = marks(shown.iter().map(|(_, p)| *p), &flags).replace([CLIENT, RATED], "");
    let marks = std::iter::once(format!("{unmet}{marks}")).chain(std::iter::repeat(String::new()));
    let lines = load.lines([&words, WAIT], PERCENTILES.map(|(_, figure, _)| figure), is_doubtful(&flags));
    let row = |(line, marks): (Vec<Cell>, String)| {
        Row::Cells(keys.iter().cloned().chain(line).chain([Cell::marks(marks)]).collect())
    };
    lines.into_iter().zip(marks).map(row).collect()
}
