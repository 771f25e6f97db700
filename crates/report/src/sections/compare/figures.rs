//! Speed and throughput of every test on every side, coloured row by row by the share of the best that a figure is, and
//! the key metrics of every side.

use super::ratios;
use super::sides::{letter, table, table_with_ratios};
use crate::compare::{ComparedCell, ComparedRow, Comparison, KeyFigure, SummaryRow};
use crate::legend::{self, OTHER_CODE};
use crate::sections::prelude::*;

/// The section of a figure; without blocks where no two sides have such.
pub(super) fn section(comparison: &Comparison, which: KeyFigure, id: &str) -> Section {
    let rows = comparison.rows.iter().filter(|row| row.which == which).map(line).collect();
    words::section(id).with([table(comparison, words::table(id, "tests", rows)).look(Look::Heat).into()])
}

fn line(row: &ComparedRow) -> Row {
    Row::led([&row.test, &row.heading(), &row.shown_unit], row.cells.iter().map(|of| cell(row, of)))
}

/// A figure with its rank, its marks, and how it came about.
fn cell(row: &ComparedRow, of: &ComparedCell) -> Cell {
    let Some((value, form)) = of.shown else {
        return Cell::figure(None, Form::Thousands).because(of.missing.clone());
    };
    let apart = of.doubtful || of.unlike.is_some() || row.unlike_sizes;
    let cell = Cell::figure(value, form).bounded(of.bound);
    cell.doubtful(apart).marked(cell_marks(of)).ranked(of.rank, of.heat).because(Some(about(of)))
}

/// The marks behind a figure.
pub(crate) fn cell_marks(of: &ComparedCell) -> String {
    let other = of.test.as_ref().map(|_| OTHER_CODE);
    let equivalent = of.equivalent.as_ref().map(|_| EQUIVALENT);
    let signs = [legend::doubt(of.suspect.as_ref()), other, equivalent];
    signs.into_iter().flatten().chain(of.flags.iter().map(|flag| legend::letter(*flag))).collect()
}

/// How a figure came about.
pub(crate) fn about(of: &ComparedCell) -> String {
    let mut parts: Vec<String> = of.dop.iter().map(|dop| format!("at {dop}")).collect();
    parts.extend((of.values.len() > 1).then(|| format!("median of {} runs", of.values.len())));
    parts.extend(of.test.as_ref().map(|code| format!("measured as {code}")));
    parts.extend(of.unlike.clone());
    parts.extend(of.suspect.as_ref().map(|s| format!("{}: {}", s.names(), s.why)));
    parts.extend(of.equivalent.as_ref().map(|how| format!("equivalent: {how}")));
    parts.join("; ")
}

/// The summary of every side beside the others', layer by layer: what is done in a second, how long one operation
/// takes, how it scales, and how many times as much each is of the baseline's. Without blocks where no side has a line
/// of it.
pub(super) fn summary(comparison: &Comparison) -> Section {
    let mut section = words::section("summary");
    let mut rows = Vec::new();
    for group in &comparison.summary {
        rows.push(Row::Group(group.title.clone()));
        rows.extend(group.rows.iter().map(|line| summary_line(comparison, line)));
    }
    section.push(table_with_ratios(comparison, words::table("summary", "lines", rows)));
    let (base, other) = (letter(comparison.baseline), letter(usize::from(comparison.baseline == 0)));
    let lines = text("summary", "lines").replace("{base}", base).replace("{other}", other);
    section.push_notes([(!comparison.summary.is_empty(), lines)]);
    section
}

/// What is done in a second, its time or its scaling, with each side's ratio to the baseline behind its figure.
fn summary_line(comparison: &Comparison, line: &SummaryRow) -> Row {
    let row = &line.row;
    let name = match row.which {
        KeyFigure::Time => "  time of one",
        KeyFigure::Scaling => "  scaling",
        KeyFigure::Speed | KeyFigure::Throughput => &line.name,
    };
    Row::led([name, &row.test, &row.shown_unit], with_ratios(comparison, row))
}

/// The figures of a row, each other side's with its ratio to the baseline behind it.
pub(super) fn with_ratios(comparison: &Comparison, row: &ComparedRow) -> impl Iterator<Item = Cell> {
    row.cells.iter().enumerate().flat_map(move |(at, of)| {
        let ratio = || of.ratio.as_ref().map_or_else(Cell::empty, ratios::cell);
        [cell(row, of)].into_iter().chain((at != comparison.baseline).then(ratio))
    })
}
