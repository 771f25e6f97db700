//! How long single operations take on each side under the same loads: percentiles over the load, and how the times are
//! spread at the highest load that two sides have.

use super::super::words::note;
use super::sides::{column, families, letter, series};
use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use crate::compare::{ComparedLoad, ComparedTimes, Comparison, LoadUnit, Side, SideTimes};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Look, Note, Part, Row, Section, Table};
use crate::groups::joined;
use crate::numbers::{duration, thousands};
use crate::sections::latency::{peak_s, spread, together};
use crate::types::FAILED;
use dbdyno_stats::Histogram;

/// A figure of the times: its name, and its field.
type NamedTime = (&'static str, fn(&SideTimes) -> Option<f64>);

const FIGURES: [NamedTime; 3] = [("p50", |t| t.p50), ("p99", |t| t.p99), ("max", |t| t.max)];

/// The section; without blocks where no two sides have timed the same.
pub(super) fn section(comparison: &Comparison, sides: &[Side]) -> Section {
    let mut section = Section::new("latency", "Latency").titled("Latency", ": the times of single operations");
    if comparison.times.is_empty() {
        return section;
    }
    section.blocks.extend(families(comparison).map(Block::from));
    section.blocks.extend(comparison.times.iter().map(|times| part(comparison, times, sides).into()));
    section.push(note("compared-latency", "times"));
    section
}

fn part(comparison: &Comparison, times: &ComparedTimes, sides: &[Side]) -> Part {
    let spread = times.loads.iter().rev().find_map(|load| Some((load, histograms(load, sides)?)));
    let mut charts = over_load(comparison, times);
    charts.extend(spread.as_ref().map(|(load, histograms)| spread_chart(comparison, load, histograms)));
    let mut blocks = vec![charts.into(), table(comparison, times).into()];
    blocks.extend(spread.map(|(load, histograms)| {
        let peaks = histograms.iter().filter_map(|(at, histogram)| Some((*at, peak_s(histogram)?)));
        let peak = |(at, (from_s, to_s))| format!("{} {} to {}", letter(at), duration(from_s), duration(to_s));
        Note::plain(format!("Most frequent at {}: {}.", load.load, joined(peaks.map(peak), ", "))).into()
    }));
    Part { code: times.test.clone(), title: joined([&times.title, &times.place], ", "), blocks, ..Part::default() }
}

/// The histograms of the sides that have some, if two have.
fn histograms(load: &ComparedLoad, sides: &[Side]) -> Option<Vec<(usize, Histogram)>> {
    let of_side = |(at, (side, times)): (usize, (&Side, &Option<SideTimes>))| {
        let times = times.as_ref()?;
        Some((at, together(times.points.iter().copied(), times.from_due, &side.times)?))
    };
    let all: Vec<_> = sides.iter().zip(&load.sides).enumerate().filter_map(of_side).collect();
    (all.len() > 1).then_some(all)
}

/// A chart for each figure, a line for each side, all on one scale.
fn over_load(comparison: &Comparison, times: &ComparedTimes) -> Vec<LineChart> {
    let along = match times.unit {
        LoadUnit::Rate => "operations per second asked for",
        LoadUnit::Jobs => "jobs",
        LoadUnit::Outstanding => "I/Os outstanding",
    };
    let line = |at: usize, (name, figure): NamedTime| {
        let of_side = times.loads.iter().filter_map(|load| load.sides[at].as_ref());
        let marks = of_side.filter_map(|side| {
            let (x, y) = (side.at, figure(side)?);
            let text = format!("{} at {}: {name} {}", letter(at), thousands(x), duration(y));
            Some(Mark { x, y, band: None, doubtful: side.doubtful, text })
        });
        series(comparison, at, marks.collect())
    };
    let lines = |figure: NamedTime| {
        let lines = (0..comparison.sides.len()).map(|at| line(at, figure)).filter(|line| !line.marks.is_empty());
        (figure.0, lines.collect::<Vec<_>>())
    };
    let all = FIGURES.map(lines);
    // A line needs two points; for one load the table is enough.
    if all.iter().flat_map(|(_, lines)| lines).all(|line| line.marks.len() < 2) {
        return Vec::new();
    }
    let marks: Vec<Mark> = all.iter().flat_map(|(_, lines)| lines).flat_map(|line| line.marks.clone()).collect();
    let chart = |(name, lines): (&str, Vec<ChartSeries>)| {
        let y = Axis::decades(marks.iter().map(|mark| mark.y));
        let chart = LineChart::over_dops(name, times.place.as_str(), along, y, lines);
        match times.unit {
            LoadUnit::Rate => LineChart { x: Axis::amounts(marks.iter().map(|mark| mark.x)), ..chart },
            LoadUnit::Jobs | LoadUnit::Outstanding => chart,
        }
    };
    all.map(chart).into()
}

fn spread_chart(comparison: &Comparison, load: &ComparedLoad, histograms: &[(usize, Histogram)]) -> LineChart {
    let line = |(at, histogram): &(usize, Histogram)| {
        series(comparison, *at, spread(histogram, letter(*at))).drawn(SeriesShape::Line)
    };
    let series: Vec<ChartSeries> = histograms.iter().map(line).collect();
    let marks = || series.iter().flat_map(|series| &series.marks);
    let (x, y) = (Axis::decades(marks().map(|mark| mark.x)), Axis::amounts(marks().map(|mark| mark.y)));
    let unit = format!("percent of all at {}", load.load);
    let chart = LineChart::over_dops("How the times are spread", unit, "time of one operation", y, series.clone());
    LineChart { x, ..chart }
}

/// A row for each load and figure, a column for each side that was put under one of the loads.
fn table(comparison: &Comparison, times: &ComparedTimes) -> Table {
    let there = |at: &usize| times.loads.iter().any(|load| load.sides[*at].is_some());
    let there: Vec<usize> = (0..comparison.sides.len()).filter(there).collect();
    let mut columns = vec![Column::words("load", "Load", Keep::Always), Column::words("time", "Time", Keep::Always)];
    columns.extend(there.iter().map(|at| column(comparison, *at)));
    let rows = times.loads.iter().flat_map(|load| {
        FIGURES.into_iter().enumerate().map(|(n, (name, figure))| {
            let cells = there.iter().map(|at| cell(load.sides[*at].as_ref(), figure));
            Row::led([if n == 0 { load.load.as_str() } else { "" }, name], cells)
        })
    });
    let caption = format!("{}: {}", times.test, joined(["times of one operation", &times.place], ", "));
    Table::new(Caption::Page(caption), columns, rows.collect()).look(Look::Sides)
}

/// A time, or that it lies among those of operations that failed.
fn cell(side: Option<&SideTimes>, figure: fn(&SideTimes) -> Option<f64>) -> Cell {
    let Some(side) = side else { return Cell::figure(None, Form::Duration) };
    let value = figure(side);
    let cell = if value.is_none() { Cell::words(FAILED) } else { Cell::figure(value, Form::Duration) };
    cell.doubtful(side.doubtful)
}
