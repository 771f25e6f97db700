//! What was measured in turn: the ratio of each cell with its interval over pairs.

use super::ratios;
use super::sides::{baseline, column, letter, ratio_column};
use crate::compare::{Comparison, PairedRow, RatioVerdict};
use crate::document::{Caption, Cell, Column, Form, Keep, Look, Note, Row, Section, Table};
use std::collections::BTreeMap;

/// The section; without blocks where nothing was measured in turn.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section::new("pairs", "Pairs").titled("Measured in turn", ": pair by pair");
    if comparison.pairs.is_empty() {
        return section;
    }
    let mut columns = vec![
        Column::words("test", "Test", Keep::Always),
        Column::words("title", "Title", Keep::Drop(1)).optional(),
        Column::words("degree of parallelism", "DOP", Keep::Always),
        Column::words("load", "Load", Keep::Drop(2)).optional(),
        Column::words("unit", "Unit", Keep::Drop(3)),
    ];
    columns.extend([0, 1].map(|at| column(comparison, at)));
    columns.push(ratio_column(comparison, 1 - comparison.baseline));
    columns.push(Column::made("Pairs", Keep::Drop(0)));
    let rows = comparison.pairs.iter().map(row).collect();
    section.push(Table::new(Caption::Page("Measured in turn".to_owned()), columns, rows).look(Look::Sides));
    for row in comparison.pairs.iter().filter(|row| row.ratio.verdict == RatioVerdict::NoRatio) {
        let why = row.ratio.why.as_deref().unwrap_or("there is no ratio");
        section.push(Note::plain(format!("{} at {}: not compared: {why}.", row.test, row.dop)));
    }
    for row in comparison.pairs.iter().filter(|row| row.pairs > 0 && !row.left_out.is_empty()) {
        let (all, used) = (row.measured, row.pairs);
        let why = row.left_out.join("; ");
        section.push(Note::plain(format!("{} at {}: {used} of {all} pairs count: {why}.", row.test, row.dop)));
    }
    for (row, side) in comparison.pairs.iter().flat_map(|row| [(row, 0), (row, 1)]) {
        if let Some(how) = row.equivalents[side].as_ref().filter(|_| row.equivalents[0] != row.equivalents[1]) {
            section.push(Note::plain(format!("{} of {}: an equivalent: {how}.", row.test, letter(side))));
        }
    }
    section.blocks.extend(flags(&comparison.pairs).map(|text| Note::plain(text).into()));
    section.push(Note::plain(format!(
        "Ratios are to {}, in parentheses with their 95 % interval; better and worse are judged for all rows together \
         (Holm), = is no difference shown. The first eight pairs fixed how many there are.",
        baseline(comparison)
    )));
    section
}

/// How many points have a flag, of all rows together.
fn flags(rows: &[PairedRow]) -> Option<String> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, points) in rows.iter().flat_map(|row| &row.flags) {
        *counted.entry(name).or_default() += points;
    }
    let all: usize = rows.iter().map(|row| 2 * row.measured).sum();
    let each: Vec<String> = counted.iter().map(|(name, points)| format!("{name} {points}")).collect();
    (!each.is_empty()).then(|| format!("Flags, of {all} points: {}.", each.join(", ")))
}

fn row(row: &PairedRow) -> Row {
    let PairedRow { test, title, dop, load, rows_per_tx, unit, medians, ratio, pairs, .. } = row;
    let title = match rows_per_tx {
        0 => title.clone(),
        rows => format!("{title}, {rows} rows each").trim_start_matches(", ").to_owned(),
    };
    let figures = medians.iter().map(|median| match median {
        Some(median) => Cell::figure(*median, Form::Thousands),
        None => Cell::figure(None, Form::Thousands),
    });
    let last = [ratios::cell(ratio), Cell::words(pairs.to_string())];
    Row::led([test.as_str(), title.as_str(), dop.as_str(), load.as_str(), unit.as_str()], figures.chain(last))
}
