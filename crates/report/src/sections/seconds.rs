//! The slowest point of a test, second by second.

use super::latency;
use super::measured::shown;
use crate::sections::prelude::*;
use dbdyno_model::Series;

/// The point of a test with the slowest second, second by second: rate, 99th percentile, and failures if there are any.
pub(super) fn charts(code: SubjectName<'_>, run: &RunJson) -> Vec<LineChart> {
    let slowest_s = |series: &Series| series.p99_s.iter().flatten().copied().fold(0.0, f64::max);
    let of_test = run.points.iter().filter(|p| p.subject.name() == code && p.status == Status::Ok);
    let with_series = of_test.filter_map(|p| Some((p, p.series.as_ref()?)));
    let slowest = with_series.max_by(|(_, a), (_, b)| slowest_s(a).total_cmp(&slowest_s(b)));
    let Some((point, series)) = slowest else { return Vec::new() };
    let place = format!("{}, {}", dop_words(point.dop), latency::load_words(&point.load));
    let rate = line(("rate", 0), series.step_s, series.ops_per_s.iter().copied().map(Some), "tx/s", f64::lt);
    let p99 = line(("p99", 0), series.step_s, series.p99_s.iter().copied(), "s", f64::gt);
    let count = |name, n, of: &[u64]| line((name, n), series.step_s, of.iter().map(|n| Some(*n as f64)), "", f64::gt);
    let mut fails = vec![count("failed", 0, &series.errors), count("retries", 1, &series.retries)];
    fails.retain(|line| line.marks.iter().any(|mark| mark.y > 0.0));
    let charts = [
        chart("Rate", format!("tx/s, {place}"), Axis::amounts, vec![rate]),
        chart("99th percentile", place.clone(), Axis::times, vec![p99]),
        chart("Failures", place, Axis::amounts, fails),
    ];
    charts.into_iter().flatten().collect()
}

/// A chart of such lines.
pub(super) fn chart(title: &str, unit: String, y: AxisOf, lines: Vec<ChartSeries>) -> Option<LineChart> {
    LineChart::of(format!("{title} by the second"), unit, "seconds of the window", [Axis::amounts, y], lines)
}

/// Whether the first of two values is worse than the second.
type IsWorse = fn(&f64, &f64) -> bool;

/// A line over the steps of a window.
pub(super) fn line(
    (name, n): (&str, usize),
    step_s: f64,
    values: impl IntoIterator<Item = Option<f64>>,
    unit: &str,
    is_worse: IsWorse,
) -> ChartSeries {
    let mark = |(step, y): (u32, Option<f64>)| Some(mark(name, f64::from(step) * step_s, y?, unit));
    thinned(name, n, (0..).zip(values).map(mark), is_worse)
}

/// A mark over seconds.
pub(super) fn mark(name: &str, x: f64, y: f64, unit: &str) -> Mark {
    let said = if unit.is_empty() { short(y) } else { shown(y, unit) };
    Mark { x, y, band: None, doubtful: false, text: format!("{name} at {} s: {said}", short(x)) }
}

/// A line of such marks. Where there are many, one is the worst of several.
pub(super) fn thinned(name: &str, n: usize, all: impl Iterator<Item = Option<Mark>>, is_worse: IsWorse) -> ChartSeries {
    /// More marks than this cannot be told apart.
    const MOST_MARKS: usize = 120;
    let all: Vec<Option<Mark>> = all.collect();
    let worse = |a: Mark, b: Mark| if is_worse(&b.y, &a.y) { b } else { a };
    let groups = all.chunks(all.len().div_ceil(MOST_MARKS).max(1));
    let marks = groups.filter_map(|group| group.iter().flatten().cloned().reduce(worse)).collect();
    ChartSeries::new(name, n, marks).drawn(SeriesShape::Line)
}
