//! The summary of every side beside the others', layer by layer: what is done in a second, how long one operation
//! takes, how it scales, and how many times as much each is of the baseline's.

use super::figures::cell;
use super::ratios;
use super::sides::{column, letter, ratio_column};
use crate::compare::{ComparedRow, Comparison, KeyFigure, SummaryRow};
use crate::document::{Caption, Cell, Column, Keep, Look, Note, Row, Section, Table};

/// The section; without blocks where no side has a line of it.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section::new("summary", "Side by side").titled("Side by side", ": the key metrics of every side");
    if comparison.summary.is_empty() {
        return section;
    }
    let mut columns = vec![
        Column::words("metric", "Metric", Keep::Always),
        Column::words("test", "Test", Keep::Drop(1)),
        Column::words("unit", "Unit", Keep::Drop(2)),
    ];
    for at in 0..comparison.sides.len() {
        columns.push(column(comparison, at));
        columns.extend((at != comparison.baseline).then(|| ratio_column(comparison, at)));
    }
    let mut rows = Vec::new();
    for group in &comparison.summary {
        rows.push(Row::Group(group.title.clone()));
        let mut above: Option<&SummaryRow> = None;
        for line in &group.rows {
            let is_further = above.is_some_and(|above| above.name == line.name);
            rows.push(Row::Cells(cells(comparison, line, is_further)));
            above = Some(line);
        }
    }
    section.push(Table::new(Caption::Page("Key metrics of every side".to_owned()), columns, rows).look(Look::Heat));
    let (base, other) = (letter(comparison.baseline), letter(usize::from(comparison.baseline == 0)));
    section.push(Note::plain(format!(
        "Throughput is the best at any parallelism, the time is that of one operation there, and scaling is throughput over \
         the speed of one job. {other}/{base} is the figure of {other} over that of {base}; where neither better nor worse \
         stands behind it, no difference was shown. Figures in parentheses are neither ranked nor divided."
    )));
    section
}

fn cells(comparison: &Comparison, line: &SummaryRow, is_further: bool) -> Vec<Cell> {
    let row = &line.row;
    let name = match (is_further, row.which) {
        (false, _) => line.name.clone(),
        (true, KeyFigure::Time) => "  time of one".to_owned(),
        (true, KeyFigure::Scaling) => "  scaling".to_owned(),
        (true, KeyFigure::Speed | KeyFigure::Throughput) => format!("  in {}", row.shown_unit),
    };
    let test = if is_further { "" } else { &row.test };
    let mut cells = vec![Cell::words(name), Cell::words(test), Cell::words(&row.shown_unit)];
    for at in 0..row.cells.len() {
        cells.extend(figure(comparison, row, at));
    }
    cells
}

/// A side's figure and its ratio to the baseline.
fn figure(comparison: &Comparison, row: &ComparedRow, at: usize) -> Vec<Cell> {
    let of = &row.cells[at];
    let ratio = || of.ratio.as_ref().map_or_else(Cell::empty, ratios::cell);
    let ratio = (at != comparison.baseline).then(ratio);
    std::iter::once(cell(row, of)).chain(ratio).collect()
}
