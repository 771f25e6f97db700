//! How long single operations take on each side under the same loads: percentiles over the load, and how the times are
//! spread at the highest load that two sides have.

use super::sides::{column, families, letter, series};
use crate::compare::{ComparedLoad, ComparedTimes, Comparison, LoadUnit, Side, SideTimes};
use crate::sections::latency::{peak_s, spread, together};
use crate::sections::prelude::*;
use crate::types::FAILED;

/// A figure of the times: its name, and its field.
type NamedTime = (&'static str, fn(&SideTimes) -> Option<f64>);

const FIGURES: [NamedTime; 3] = [("p50", |t| t.p50), ("p99", |t| t.p99), ("max", |t| t.max)];

/// The section; without blocks where no two sides have timed the same.
pub(super) fn section(comparison: &Comparison, sides: &[Side]) -> Section {
    let section = Section::new("latency", "Latency").titled("Latency", ": the times of single operations");
    if comparison.times.is_empty() {
        return section;
    }
    let parts = comparison.times.iter().map(|times| part(comparison, times, sides).into());
    section.with(families(comparison).map(Block::from)).with(parts).with([note("compared-latency", "times").into()])
}

fn part(comparison: &Comparison, times: &ComparedTimes, sides: &[Side]) -> Part {
    let (spread, peaks) = times.loads.iter().rev().find_map(|load| spread_at(comparison, load, sides)).unzip();
    let charts: Vec<LineChart> = over_load(comparison, times).into_iter().chain(spread.flatten()).collect();
    let blocks = [charts.into(), table(comparison, times).into()].into_iter().chain(peaks.map(Block::from)).collect();
    Part { code: times.test.clone(), title: joined([&times.title, &times.place], ", "), blocks, ..Part::default() }
}

/// How the times of all sides are spread under a load, and where most of them are; `None` where no two sides have
/// histograms.
fn spread_at(comparison: &Comparison, load: &ComparedLoad, sides: &[Side]) -> Option<(Option<LineChart>, Note)> {
    let of_side = |(at, (side, times)): (usize, (&Side, &Option<SideTimes>))| {
        let times = times.as_ref()?;
        let histogram = together(times.points.iter().copied(), times.from_due, &side.times)?;
        let (from_s, to_s) = peak_s(&histogram)?;
        let line = series(comparison, at, spread(&histogram, letter(at))).drawn(SeriesShape::Line);
        Some((line, format!("{} {} to {}", letter(at), duration(from_s), duration(to_s))))
    };
    let of_sides = sides.iter().zip(&load.sides).enumerate().filter_map(of_side);
    let (lines, peaks): (Vec<ChartSeries>, Vec<String>) = of_sides.unzip();
    let is_of_two = lines.len() > 1;
    let (unit, along) = (format!("percent of all at {}", load.load), "time of one operation");
    let chart = LineChart::of("How the times are spread", unit, along, [Axis::decades, Axis::amounts], lines);
    let peaks = Note::plain(format!("Most frequent at {}: {}.", load.load, peaks.join(", ")));
    is_of_two.then_some((chart, peaks))
}

/// A chart for each figure, a line for each side, all on one scale. For one load the table is enough.
fn over_load(comparison: &Comparison, times: &ComparedTimes) -> Vec<LineChart> {
    let (along, x): (&str, AxisOf) = match times.unit {
        LoadUnit::Rate => ("operations per second asked for", Axis::amounts),
        LoadUnit::Jobs => ("jobs", Axis::dops),
        LoadUnit::Outstanding => ("I/Os outstanding", Axis::dops),
    };
    let known = times.loads.iter().flat_map(|load| &load.sides).flatten();
    let y = Axis::decades(known.flat_map(|side| FIGURES.map(|(_, figure)| figure(side))).flatten());
    let chart = |(name, figure): NamedTime| {
        let line = |at: usize| {
            let marks = times.loads.iter().filter_map(|load| {
                let side = load.sides[at].as_ref()?;
                let (x, y) = (side.at, figure(side)?);
                let text = format!("{} at {}: {name} {}", letter(at), thousands(x), duration(y));
                Some(Mark { x, y, band: None, doubtful: side.doubtful, text })
            });
            series(comparison, at, marks.collect())
        };
        let lines = (0..comparison.sides.len()).map(line).filter(|line| !line.marks.is_empty());
        let chart = LineChart::of(name, &times.place, along, [x, Axis::decades], lines.collect())?;
        Some(LineChart { y: y.clone(), ..chart })
    };
    FIGURES.into_iter().filter_map(chart).collect()
}

/// A row for each load and figure, a column for each side that was put under one of the loads.
fn table(comparison: &Comparison, times: &ComparedTimes) -> Table {
    let there = |at: &usize| times.loads.iter().any(|load| load.sides[*at].is_some());
    let there: Vec<usize> = (0..comparison.sides.len()).filter(there).collect();
    let rows = times.loads.iter().flat_map(|load| {
        FIGURES.into_iter().enumerate().map(|(n, (name, figure))| {
            let cells = there.iter().map(|at| cell(load.sides[*at].as_ref(), figure));
            Row::led([if n == 0 { load.load.as_str() } else { "" }, name], cells)
        })
    });
    let caption = format!("{}: {}", times.test, joined(["times of one operation", &times.place], ", "));
    let mut table = words::table("compared-latency", "times", rows.collect()).called(caption).look(Look::Sides);
    table.columns.extend(there.iter().map(|at| column(comparison, *at)));
    table
}

/// A time, or that it lies among those of operations that failed.
fn cell(side: Option<&SideTimes>, figure: fn(&SideTimes) -> Option<f64>) -> Cell {
    let Some(side) = side else { return Cell::figure(None, Form::Duration) };
    let time = figure(side).map_or_else(|| Cell::words(FAILED), |time_s| Cell::figure(time_s, Form::Duration));
    time.doubtful(side.doubtful)
}
