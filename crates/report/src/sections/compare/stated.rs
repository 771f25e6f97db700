//! What published results state of whole platforms, beside the same figures of runs.

use super::sides::letter;
use crate::compare::{Comparison, StatedColumn, StatedFigure, StatedRow};
use crate::sections::prelude::*;

/// The section; without blocks where no two sides have such a figure.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = words::section("stated");
    let stated = &comparison.stated;
    let mut table = words::table("stated", "figures", stated.rows.iter().map(row).collect()).look(Look::Sides);
    table.columns.extend(stated.columns.iter().map(|column| Column::figures(name(column, "\n"))));
    section.push(table);
    let cells = || stated.rows.iter().flat_map(|row| stated.columns.iter().zip(&row.cells));
    let places = grouped(cells().filter_map(|(of, cell)| Some((of.side, cell.as_ref()?.place.as_deref()?))));
    let place = |(side, of): (usize, Vec<&str>)| format!("{} {}", letter(side), joined(unique(of), ", the longest "));
    let places = joined(places.into_iter().map(place), "; ");
    section.push_notes([(!stated.rows.is_empty(), text("stated", "figures").replace("{places}", &places))]);
    let is_doubtful = cells().any(|(_, cell)| cell.as_ref().is_some_and(|figure| figure.doubtful));
    section.push_notes([(is_doubtful, text("stated", "doubtful"))]);
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
