//! The readings of a run under its points: what the load, the processors, the devices and the sessions did second by
//! second while a point was prepared and measured. A page has them; a text says only how many there are.

use super::latency;
use super::seconds::{mark, thinned};
use crate::reported::Reported;
use crate::sections::prelude::*;
use dbdyno_model::{PointStage, Reading};

/// With more points than this a page has the charts of the fastest point of each test alone: it must be small enough to
/// be sent.
const MOST_POINTS: usize = 50;
/// Waits that a chart has.
const MOST_WAITS: usize = 5;
/// How far the clocks of a point and of its readings may be apart, in seconds: a reading is about a second long.
const APART_S: f64 = 1.5;
/// Readings of one part of a run follow each other closer than this.
const LONGEST_GAP_S: f64 = 30.0;

/// The figures that are drawn: the title of the chart, its unit, the name of the line, and the path in a reading.
const FIGURES: [[&str; 4]; 5] = [
    ["Load", "ops/s", "load", "load.ops_per_s"],
    ["Processors", "%", "busy", "cpu.busy_pct"],
    ["Processors", "%", "server", "cpu.server_pct"],
    ["Devices", "IOPS", "reads", "io.read_iops"],
    ["Devices", "IOPS", "writes", "io.write_iops"],
];

/// How many readings a run has, and how to see them; `None` where it has none.
pub(crate) fn line(reported: &Reported) -> Option<Note> {
    let n = reported.readings.len() as u64;
    let id = &reported.run.run.id;
    (n > 0).then(|| Note::led("Readings  ", format!("{}, `dbdyno replay {id}` plays them", count(n))))
}

/// The points of a run that have readings.
pub(super) struct PointReadings<'r> {
    of: Vec<(&'r Point, &'r [Reading])>,
    /// Points without charts, to keep the page small.
    left_out: usize,
}

impl<'r> PointReadings<'r> {
    /// Each point with its readings.
    pub(super) fn of(reported: &'r Reported) -> Self {
        let groups = groups(&reported.readings);
        let point = |point: &'r Point| Some((point, readings_of(point, &groups)?));
        let mut of: Vec<_> = reported.run.points.iter().filter_map(point).collect();
        let all = of.len();
        if all > MOST_POINTS {
            let rate = |point: &Point| point.ops_per_s.or(point.work_mib_per_s).unwrap_or(0.0);
            let by_test = grouped(of.into_iter().map(|of| (of.0.subject.name(), of))).into_iter();
            let fastest = by_test.map(|(_, of)| of.into_iter().max_by(|(a, _), (b, _)| rate(a).total_cmp(&rate(b))));
            of = fastest.flatten().collect();
        }
        Self { left_out: all - of.len(), of }
    }

    /// The charts of a test, a part for each point.
    pub(super) fn of_test(&self, code: SubjectName<'_>) -> Option<Block> {
        let of_test = self.of.iter().filter(|(point, _)| point.subject.name() == code);
        let parts: Vec<Block> = of_test.filter_map(|(point, readings)| part(point, readings)).collect();
        parts.first()?;
        let fastest = if self.left_out > 0 { text("readings", "fastest") } else { "" };
        let says = joined([text("readings", "window"), fastest], " ");
        let blocks = [Note::plain(says).into()].into_iter().chain(parts).collect();
        let title = "Every point second by second".to_owned();
        Some(Block::Folded(Part { title, blocks, ..Part::default() }))
    }
}

/// The readings of one point of the plan after the other.
fn groups(readings: &[Reading]) -> Vec<&[Reading]> {
    let place = |reading: &Reading| reading.doing.as_ref().map(|doing| doing.point);
    // A pause between two readings is one between two parts of a run.
    let follows = |a: &Reading, b: &Reading| seconds(a.at, b.at) <= b.seconds + LONGEST_GAP_S;
    let together = |a: &Reading, b: &Reading| place(a) == place(b) && follows(a, b);
    readings.chunk_by(together).filter(|group| place(&group[0]).is_some()).collect()
}

/// Seconds from one moment to another.
fn seconds(from: jiff::Timestamp, to: jiff::Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// The readings of a point: those of its work that were taken when it began.
fn readings_of<'r>(point: &Point, groups: &[&'r [Reading]]) -> Option<&'r [Reading]> {
    let (subject, dop) = (point.subject.as_str(), point.dop.to_string());
    let with_distance = groups.iter().filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let is_same = first.doing.as_ref().is_some_and(|doing| doing.subject == subject && doing.dop == dop);
        let before = seconds(first.at, point.started_at);
        let begins = before + first.seconds + APART_S >= 0.0;
        let ends = seconds(point.started_at, last.at) + APART_S >= 0.0;
        (is_same && begins && ends).then_some((before.abs(), *group))
    });
    with_distance.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, group)| group)
}

/// The charts of one point.
fn part(point: &Point, readings: &[Reading]) -> Option<Block> {
    let window = window(readings);
    let chart = |title: &str, unit: &str, y: AxisOf, mut lines: Vec<ChartSeries>| {
        lines.retain(|line| line.marks.len() > 1);
        // The window alone is no chart.
        lines.first()?;
        let series = window.iter().cloned().chain(lines).collect();
        LineChart::of(title, unit, "seconds of the point", [Axis::amounts, y], series)
    };
    let of_charts = grouped(FIGURES.map(|[title, unit, name, path]| ((title, unit), (name, path)))).into_iter();
    let of_figures = of_charts.filter_map(|((title, unit), figures)| {
        let line = |(n, (name, path)): (usize, (&str, &str))| {
            let mark = |reading: &Reading| Some(mark(name, elapsed_s(readings, reading), reading.figure(path)?, unit));
            thinned(name, n, readings.iter().map(mark), f64::ge)
        };
        let y: AxisOf = if unit == "%" { Axis::percent } else { Axis::amounts };
        chart(title, unit, y, figures.into_iter().enumerate().map(line).collect())
    });
    let of_waits = chart("Waits", "sessions, one on top of the other", Axis::amounts, waits(readings));
    let charts: Vec<LineChart> = of_figures.chain(of_waits).collect();
    let repeat = if point.repeat > 1 { format!(", repeat {}", point.repeat) } else { String::new() };
    let again = if point.again { ", measured again" } else { "" };
    let rate = point.load.rate.map(|_| format!(", {}", latency::load_words(&point.load))).unwrap_or_default();
    let title = format!("{}{rate}{repeat}{again}", latency::place(&CellKey::of(point)));
    (!charts.is_empty()).then(|| Part { title, blocks: vec![charts.into()], ..Part::default() }.into())
}

/// The window as a shaded area from the bottom of a chart to its top; `None` where no reading lies in it.
fn window(readings: &[Reading]) -> Option<ChartSeries> {
    let measured = |reading: &&Reading| reading.doing.as_ref().is_some_and(|d| d.stage == PointStage::Measuring);
    let first = readings.iter().find(measured)?;
    let last = readings.iter().rfind(measured)?;
    let edge = |x| Mark { x, y: 0.0, band: Some((0.0, f64::MAX)), doubtful: false, text: String::new() };
    let marks = vec![edge((elapsed_s(readings, first) - first.seconds).max(0.0)), edge(elapsed_s(readings, last))];
    Some(ChartSeries::new("window", WINDOW_STYLE, marks).drawn(SeriesShape::Line))
}

/// A style that no line of these charts has.
const WINDOW_STYLE: usize = 7;

/// Where a reading of a point stands along its chart: at the end of its interval.
fn elapsed_s(readings: &[Reading], reading: &Reading) -> f64 {
    seconds(readings[0].at, reading.at) + readings[0].seconds
}

/// The waits with the most sessions, one on top of the other. Those of the server's own processes are no sessions.
fn waits(readings: &[Reading]) -> Vec<ChartSeries> {
    let all = readings.iter().filter_map(|reading| reading.database.as_ref()).flat_map(|database| &database.waits);
    let of_sessions = all.filter(|wait| !wait.background);
    let mut events = grouped(of_sessions.map(|wait| ((&*wait.class, &*wait.event), wait.sessions)));
    events.sort_by(|(_, a), (_, b)| b.iter().sum::<f64>().total_cmp(&a.iter().sum::<f64>()));
    events.truncate(MOST_WAITS);
    let sessions = |reading: &Reading, (class, event): (&str, &str)| {
        let waits = reading.database.as_ref()?.waits.iter();
        let of = waits.filter(|wait| !wait.background && wait.class == class && wait.event == event);
        Some(of.map(|wait| wait.sessions).sum::<f64>())
    };
    let line = |n: usize| {
        let (class, event) = events[n].0;
        let name = joined([class, event], ": ");
        let mark = |reading: &Reading| {
            let own = sessions(reading, (class, event))?;
            let below: f64 = events[..n].iter().filter_map(|(event, _)| sessions(reading, *event)).sum();
            let (y, band) = (below + own, Some((below, below + own)));
            Some(Mark { y, band, ..mark(&name, elapsed_s(readings, reading), own, "") })
        };
        thinned(&name, n, readings.iter().map(mark), f64::ge)
    };
    (0..events.len()).map(line).collect()
}
