//! How rates grow with parallelism: a chart for each test, a line for each side, and its figures below. Published
//! series may run over something else.

use super::extent::Extent;
use super::sides::{families, letter, series, table};
use crate::compare::{Comparison, OtherSeries, OtherSeriesRow, RampCurve, RampPoint};
use crate::sections::measured::{metric_words, shown};
use crate::sections::prelude::*;
use dbdyno_model::Dop;

/// The section, on a page alone; without blocks elsewhere, and where no test has a ramp on two sides.
pub(super) fn section(comparison: &Comparison, catalogue: &Catalogue, show: Extent) -> Section {
    let section = words::section("curves");
    if show != Extent::Page || comparison.curves.is_empty() {
        return section;
    }
    let parts = comparison.curves.iter().map(|curve| part(comparison, curve, catalogue)).collect();
    section.with(families(comparison).map(Block::from)).with([Block::Pairs(parts)])
}

fn part(comparison: &Comparison, curve: &RampCurve, catalogue: &Catalogue) -> Part {
    let (name, unit) = metric_words(&curve.metric, catalogue);
    let lines = || curve.lines.iter().enumerate().filter(|(_, line)| !line.is_empty());
    let series = lines().map(|(at, points)| line(comparison, at, points, unit)).collect();
    let y: AxisOf = if unit == "s" { Axis::times } else { Axis::amounts };
    let (title, about) = (format!("{} {}", curve.test, curve.title), format!("{name}, {unit}"));
    let chart = LineChart::of(title, about, "degree of parallelism", [Axis::dops, y], series);
    let mut columns = vec![Column::figures("DOP\n[n×j×t]")];
    // The legend of the chart has their names.
    columns.extend(lines().map(|(at, _)| Column::figures(letter(at))));
    let places: BTreeSet<(u128, Dop)> = curve.lines.iter().flatten().map(|p| (p.dop.parallelism(), p.dop)).collect();
    let row = |(_, dop): &(u128, Dop)| {
        let cells = lines().map(|(_, line)| {
            let point = line.iter().find(|p| p.dop == *dop);
            Cell::known(point.map(|p| p.value), Form::Thousands).doubtful(point.is_some_and(|p| p.doubtful))
        });
        Row::led([dop.to_string()], cells)
    };
    let rows = places.iter().map(row).collect();
    let table = Table::new(format!("{}, {unit}", curve.test), columns, rows).look(Look::Sides);
    Part {
        id: format!("c-{}", curve.test),
        blocks: vec![Block::Charts(chart.into_iter().collect()), table.into()],
        ..Part::default()
    }
}

fn line(comparison: &Comparison, at: usize, points: &[RampPoint], unit: &str) -> ChartSeries {
    let shown = |value: f64| shown(value, unit);
    let mark = |p: &RampPoint| {
        let band = p.low.zip(p.high);
        let interval = band.map_or_else(String::new, |(low, high)| format!(" ({} to {})", shown(low), shown(high)));
        let text = format!("{} at {}: {}{interval}", letter(at), p.dop, shown(p.value));
        Mark { x: p.dop.parallelism() as f64, y: p.value, band, doubtful: p.doubtful, text }
    };
    series(comparison, at, points.iter().map(mark).collect())
}

/// Published series over something other than jobs and threads; without blocks where no two sides have such a series.
pub(super) fn others(comparison: &Comparison) -> Section {
    let parts = comparison.others.iter().map(|other| other_part(comparison, other)).collect();
    words::section("others").with([Block::Pairs(parts)])
}

fn other_part(comparison: &Comparison, other: &OtherSeries) -> Part {
    let by = Column::figures(other.by.replace('_', " "));
    let row = |row: &OtherSeriesRow| {
        let values = row.values.iter().zip(&row.suspects);
        let cells = values.map(|(value, of)| Cell::figure(*value, Form::Printed).marked(suspect_mark(of.is_some())));
        Row::Cells(std::iter::once(Cell::figure(row.at, Form::Printed)).chain(cells).collect())
    };
    let key = other.key.replace('_', " ");
    let title = format!("{}: {key}", other.title);
    let caption = format!("{} {key}", other.test);
    let table = table(comparison, Table::new(caption, vec![by], other.rows.iter().map(row).collect()));
    Part { code: other.test.clone(), title, blocks: vec![table.into()], ..Part::default() }
}
