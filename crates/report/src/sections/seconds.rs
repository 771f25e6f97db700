//! The slowest point of a test, second by second.

use super::latency;
use super::measured::shown;
use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape, extent};
use crate::numbers::short;
use crate::summary::head::dop_words;
use dbdyno_model::{RunJson, Series, Status, SubjectName};

/// The point of a test with the slowest second, second by second: rate, 99th percentile, and failures if there are any.
pub(super) fn charts(code: SubjectName<'_>, run: &RunJson) -> Vec<LineChart> {
    let slowest_s = |series: &Series| series.p99_s.iter().flatten().copied().fold(0.0, f64::max);
    let of_test = run.points.iter().filter(|p| p.subject.name() == code && p.status == Status::Ok);
    let with_series = of_test.filter_map(|p| Some((p, p.series.as_ref()?)));
    let slowest = with_series.max_by(|(_, a), (_, b)| slowest_s(a).total_cmp(&slowest_s(b)));
    let Some((point, series)) = slowest else { return Vec::new() };
    let place = format!("{}, {}", dop_words(point.dop), latency::words(&point.load));
    let counts = |of: &[u64]| of.iter().map(|n| Some(*n as f64)).collect::<Vec<_>>();
    let rates: Vec<Option<f64>> = series.ops_per_s.iter().copied().map(Some).collect();
    let (errors, retries) = (counts(&series.errors), counts(&series.retries));
    let line =
        |name, n, values: &[Option<f64>], unit, worst| second_line((name, n), series.step_s, values, unit, worst);
    let fails = [line("failed", 0, &errors, "", f64::max), line("retries", 1, &retries, "", f64::max)];
    let charts = [
        ("Rate", "tx/s", vec![line("rate", 0, &rates, "tx/s", f64::min)]),
        ("99th percentile", "", vec![line("p99", 0, &series.p99_s, "s", f64::max)]),
        ("Failures", "", fails.into_iter().filter(|line| line.marks.iter().any(|m| m.y > 0.0)).collect()),
    ];
    let chart = |(title, unit, lines): (&str, &str, Vec<ChartSeries>)| LineChart {
        title: format!("{title} by the second"),
        unit: [unit, &place].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", "),
        along: "seconds of the window".to_owned(),
        x: Axis::amounts(lines.iter().flat_map(|line| line.marks.iter().map(|mark| mark.x))),
        y: if title == "99th percentile" { Axis::times(extent(&lines)) } else { Axis::amounts(extent(&lines)) },
        series: lines,
        limit: None,
    };
    let drawn = charts.into_iter().filter(|(.., lines)| lines.iter().any(|line| line.marks.len() > 1));
    drawn.map(chart).collect()
}

/// A line over the steps of a window. Where there are many steps, a mark is the worst of several.
fn second_line(
    (name, n): (&str, usize),
    step_s: f64,
    values: &[Option<f64>],
    unit: &str,
    worst: fn(f64, f64) -> f64,
) -> ChartSeries {
    /// More marks than this cannot be told apart.
    const MOST_MARKS: usize = 120;
    let together = values.len().div_ceil(MOST_MARKS).max(1);
    let mark = |(at, group): (usize, &[Option<f64>])| {
        let (x, y) = ((at * together) as f64 * step_s, group.iter().flatten().copied().reduce(worst)?);
        let y_words = if unit.is_empty() { short(y) } else { shown(y, unit) };
        let text = format!("{name} at {} s: {y_words}", short(x));
        Some(Mark { x, y, band: None, doubtful: false, text })
    };
    let marks = values.chunks(together).enumerate().filter_map(mark).collect();
    ChartSeries::new(name, n, marks).drawn(SeriesShape::Line)
}
