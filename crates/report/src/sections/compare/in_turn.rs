//! What was measured in turn: the ratio of each cell with its interval over pairs.

use super::ratios;
use super::sides::{baseline, letter, ratio_column, table};
use crate::compare::{Comparison, PairedRow};
use crate::sections::prelude::*;

/// The section; without blocks where nothing was measured in turn.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = words::section("pairs");
    let mut table = table(comparison, words::table("pairs", "cells", comparison.pairs.iter().map(row).collect()));
    table.columns.push(ratio_column(comparison, usize::from(comparison.baseline == 0)));
    table.columns.push(Column { drop: Some(0), ..Column::figures("Pairs") });
    section.push(table);
    // A ratio that is there has no reason.
    for (row, why) in comparison.pairs.iter().filter_map(|row| Some((row, row.ratio.why.as_ref()?))) {
        section.push(Note::plain(format!("{} at {}: not compared: {why}.", row.test, row.dop)));
    }
    for row in comparison.pairs.iter().filter(|row| row.pairs > 0 && !row.left_out.is_empty()) {
        let PairedRow { test, dop, pairs, measured, left_out, .. } = row;
        let why = left_out.join("; ");
        section.push(Note::plain(format!("{test} at {dop}: {pairs} of {measured} pairs count: {why}.")));
    }
    for (row, side) in comparison.pairs.iter().flat_map(|row| [(row, 0), (row, 1)]) {
        if let Some(how) = row.equivalents[side].as_ref().filter(|_| row.equivalents[0] != row.equivalents[1]) {
            section.push(Note::plain(format!("{} of {}: an equivalent: {how}.", row.test, letter(side))));
        }
    }
    section.blocks.extend(flags(&comparison.pairs).map(|text| Note::plain(text).into()));
    let cells = text("pairs", "cells").replace("{base}", &baseline(comparison));
    section.push_notes([(!comparison.pairs.is_empty(), cells)]);
    section
}

/// How many points have a flag, of all rows together.
fn flags(rows: &[PairedRow]) -> Option<String> {
    let counted: BTreeMap<_, _> = grouped(rows.iter().flat_map(|row| &row.flags)).into_iter().collect();
    let each = counted.into_iter().map(|(name, points)| format!("{name} {}", points.into_iter().sum::<usize>()));
    let each = joined(each, ", ");
    let all: usize = rows.iter().map(|row| 2 * row.measured).sum();
    (!each.is_empty()).then(|| format!("Flags, of {all} points: {each}."))
}

fn row(row: &PairedRow) -> Row {
    let PairedRow { test, title, dop, load, rows_per_tx, unit, medians, ratio, pairs, .. } = row;
    let rows = if *rows_per_tx > 0 { format!("{rows_per_tx} rows each") } else { String::new() };
    let title = joined([title, &rows], ", ");
    let figures = medians.iter().map(|median| Cell::figure(*median, Form::Thousands));
    let last = [ratios::cell(ratio), Cell::words(pairs.to_string())];
    Row::led([test, &title, dop, load, unit], figures.chain(last))
}
