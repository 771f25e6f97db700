//! How rates grow with parallelism: a chart for each test, a line for each side, and its figures below.

use super::sides::{families, letter, styles};
use crate::charts::{Axis, ChartSeries, LineChart, Mark, extent};
use crate::compare::{Comparison, RampCurve, RampPoint, shown_unit};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Look, Part, Row, Section, Table};
use dbdyno_catalogue::Catalogue;
use std::collections::BTreeSet;

/// The section; without blocks where no test has a ramp on two sides.
pub(super) fn section(comparison: &Comparison, catalogue: &Catalogue) -> Section {
    let mut section = Section::new("curves", "Curves").titled("Curves", " along the ramp");
    let parts: Vec<Part> = comparison.curves.iter().map(|curve| part(comparison, curve, catalogue)).collect();
    if !parts.is_empty() {
        section.blocks.extend(families(comparison).map(Block::from));
        section.push(Block::Pairs(parts));
    }
    section
}

fn part(comparison: &Comparison, curve: &RampCurve, catalogue: &Catalogue) -> Part {
    let name = catalogue.metric(&curve.metric).map_or_else(|_| curve.metric.to_string(), |m| m.title.clone());
    let unit = shown_unit(curve.metric.as_str(), &curve.unit);
    let lines = || curve.lines.iter().enumerate().filter(|(_, line)| !line.is_empty());
    let series: Vec<ChartSeries> = lines().map(|(at, line)| series(comparison, at, line, &unit)).collect();
    let y = if unit == "s" { Axis::times(extent(&series)) } else { Axis::amounts(extent(&series)) };
    let title = format!("{} {}", curve.test, curve.title);
    let chart = LineChart::over_dops(title, format!("{name}, {unit}"), "degree of parallelism", y, series);
    let mut columns = vec![Column::figures("DOP", "DOP\n[n×j×t]", Keep::Always)];
    // The legend of the chart has their names.
    columns.extend(lines().map(|(at, _)| Column::made(letter(at), Keep::Always)));
    let places: BTreeSet<(u128, String)> =
        curve.lines.iter().flatten().map(|p| (p.dop.parallelism(), p.dop.to_string())).collect();
    let row = |(_, place): &(u128, String)| {
        let cells = lines().map(|(_, line)| {
            let point = line.iter().find(|p| p.dop.to_string() == *place);
            Cell::known(point.map(|p| p.value), Form::Thousands).doubtful(point.is_some_and(|p| p.doubtful))
        });
        Row::Cells(std::iter::once(Cell::words(place)).chain(cells).collect())
    };
    let rows = places.iter().map(row).collect();
    let table = Table::new(Caption::Page(format!("{}, {unit}", curve.test)), columns, rows).look(Look::Sides);
    Part { id: format!("c-{}", curve.test), blocks: vec![vec![chart].into(), table.into()], ..Part::default() }
}

fn series(comparison: &Comparison, at: usize, line: &[RampPoint], unit: &str) -> ChartSeries {
    let shown = |value: f64| match unit {
        "s" => Form::Duration.text(value),
        _ => format!("{} {unit}", Form::Thousands.text(value)),
    };
    let mark = |p: &RampPoint| {
        let band = p.low.zip(p.high);
        let interval = band.map_or_else(String::new, |(low, high)| format!(" ({} to {})", shown(low), shown(high)));
        let text = format!("{} at {}: {}{interval}", letter(at), p.dop, shown(p.value));
        Mark { x: p.dop.parallelism() as f64, y: p.value, band, doubtful: p.doubtful, text }
    };
    let name = format!("{} {}", letter(at), comparison.sides[at].name);
    ChartSeries::new(name, styles(comparison)[at].into(), line.iter().map(mark).collect())
}
