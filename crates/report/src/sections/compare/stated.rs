//! What published results state of whole platforms, beside the same figures of runs.

use super::sides::letter;
use crate::compare::{Comparison, StatedColumn, StatedFigure, StatedRow};
use crate::document::{Caption, Cell, Column, Form, Keep, Look, Note, Row, Section, Table};
use crate::groups::{grouped, joined, unique};
use crate::legend::suspect_mark;

/// The section; without blocks where no two sides have such a figure.
pub(super) fn section(comparison: &Comparison) -> Section {
    let about = " of a whole platform or a variant of it";
    let mut section = Section::new("stated", "As stated").titled("What sources state", about);
    let stated = &comparison.stated;
    if stated.rows.is_empty() {
        return section;
    }
    let unit = Column::words("unit", "Unit", Keep::Drop(1)).optional();
    let mut columns = vec![Column::words("figure", "Figure", Keep::Always), unit];
    columns.extend(stated.columns.iter().map(|column| Column::made(name(column, "\n"), Keep::Always)));
    let rows = stated.rows.iter().map(row).collect();
    let caption = Caption::Page("What sources state, beside what was measured".to_owned());
    section.push(Table::new(caption, columns, rows).look(Look::Sides));
    let cells = || stated.rows.iter().flat_map(|row| stated.columns.iter().zip(&row.cells));
    let places =
        grouped(cells().filter_map(|(of, cell)| Some((of.side, cell.as_ref()?.place.as_deref()?)))).into_iter();
    let places = places.map(|(side, of)| format!("{} {}", letter(side), joined(unique(of), ", the longest ")));
    let places = joined(places, "; ");
    section.push(Note::plain(format!(
        "A source does not say at which load it had them. Those of runs are of the point with the highest rate, the longest time \
         of any point ({places}). Nothing here is ranked or divided."
    )));
    if cells().any(|(_, cell)| cell.as_ref().is_some_and(|figure| figure.doubtful)) {
        section.push(Note::plain(
            "In parentheses: of a point that does not measure what it is meant to; `dbdyno show` of the run says why.",
        ));
    }
    section
}

/// The letter of a side, and its variant.
pub(super) fn name(column: &StatedColumn, between: &str) -> String {
    joined([letter(column.side), &column.variant.as_deref().unwrap_or_default().replace('_', " ")], between)
}

fn row(row: &StatedRow) -> Row {
    let unit = if row.form == Form::Duration { "" } else { row.unit };
    let cells = row.cells.iter().map(|figure| figure.as_ref().map_or_else(Cell::empty, |figure| cell(row, figure)));
    Row::led([row.name, unit], cells)
}

fn cell(row: &StatedRow, of: &StatedFigure) -> Cell {
    let why = of.suspect.as_ref().map(|suspect| format!("{}: {}", suspect.names(), suspect.why));
    let cell = Cell::figure(of.value, row.form).bounded(of.bound).doubtful(of.doubtful);
    cell.marked(suspect_mark(of.suspect.is_some())).because(why.or_else(|| of.place.clone()))
}
