//! A comparison as the summary of a pipeline: what was shown comes first, then a row for each figure, and all else is
//! folded.

use super::sides::{baseline, column, ratio_column};
use super::{figures, ratios};
use crate::compare::{ComparedRow, Comparison, RatioVerdict, Regression};
use crate::document::{Block, Caption, Cell, Column, Document, Keep, Look, Note, NoteKind, Part, Row, Section, Table};
use crate::groups::joined;
use crate::numbers::short;

/// The document. `rest` are the sections of the whole report but for the limit's.
pub(super) fn document(comparison: &Comparison, title: String, head: Vec<Block>, rest: Vec<Section>) -> Document {
    let mut all: Vec<Block> = comparison.regression.iter().map(|of| conclusion(comparison, of).into()).collect();
    all.push(Note::plain(counts(comparison)).into());
    all.extend(head);
    let mut more = Section::new("more", "More").titled("More", "");
    for section in rest.into_iter().filter(|section| !section.blocks.is_empty()) {
        let Section { id, name, title, about, blocks } = section;
        let title = if title.is_empty() { name } else { title };
        more.blocks.push(Block::Folded(Part { id, title: format!("{title}{about}"), blocks, ..Part::default() }));
    }
    let sections = vec![ratios::regression(comparison), rows(comparison), more];
    Document { kind: "dbdyno comparison", title, head: all, sections }
}

/// Whether the limit was kept, in one sentence. Where nothing was judged it was not, nor where a side may have lost a
/// test.
fn conclusion(comparison: &Comparison, regression: &Regression) -> Note {
    let Regression { limit_pct, judged, broken, .. } = regression;
    let lost = joined(comparison.of_baseline_alone(), ", ");
    let limit = format!("worse than {} by more than {} %", baseline(comparison), short(*limit_pct));
    let text = match (broken.len(), judged) {
        (0, 0) => "No row could be judged, so nothing is known of a loss".to_owned(),
        (0, _) => format!("No row is shown to be {limit}"),
        (1, _) => format!("1 row of {judged} is shown to be {limit}"),
        (n, _) => format!("{n} rows of {judged} are shown to be {limit}"),
    };
    let no_loss = *judged > 0 && broken.is_empty();
    let and = if no_loss { "but" } else { "and" };
    let lost = match &*lost {
        "" => String::new(),
        lost => format!(", {and} only {} has figures of {lost}", baseline(comparison)),
    };
    let kind = if no_loss && lost.is_empty() { NoteKind::Met } else { NoteKind::NotMet };
    Note { kind, text: format!("{text}{lost}."), ..Note::default() }
}

/// How many figures differ, whatever the limit is.
fn counts(comparison: &Comparison) -> String {
    let n = |verdicts: &[RatioVerdict]| comparison.ratios().filter(|ratio| verdicts.contains(&ratio.verdict)).count();
    format!(
        "Without a limit: {} shown worse, {} shown better, {} without a difference that was shown, {} not judged.",
        n(&[RatioVerdict::Worse]),
        n(&[RatioVerdict::Better]),
        n(&[RatioVerdict::NoDifferenceShown]),
        n(&[RatioVerdict::SpreadUnknown, RatioVerdict::NoRatio]),
    )
}

/// Every figure of every side with its ratio, losses first and gains next.
fn rows(comparison: &Comparison) -> Section {
    let mut section = Section::new("rows", "Figures").titled("Figures", " and their ratios");
    let mut columns = vec![
        Column::words("test", "Test", Keep::Always),
        Column::words("title", "Title", Keep::Drop(1)).optional(),
        Column::words("figure", "Of", Keep::Always),
        Column::words("unit", "Unit", Keep::Drop(2)).optional(),
    ];
    for at in 0..comparison.sides.len() {
        columns.push(column(comparison, at));
        columns.extend((at != comparison.baseline).then(|| ratio_column(comparison, at)));
    }
    let mut rows: Vec<&ComparedRow> = comparison.rows.iter().collect();
    rows.sort_by_key(|row| {
        let has = |verdict| row.cells.iter().any(|cell| cell.ratio.as_ref().is_some_and(|of| of.verdict == verdict));
        (!has(RatioVerdict::Worse), !has(RatioVerdict::Better))
    });
    let row = |row: &ComparedRow| {
        let cells = row.cells.iter().enumerate().flat_map(|(at, of)| {
            let ratio = || of.ratio.as_ref().map_or_else(Cell::empty, ratios::cell);
            [figures::cell(row, of)].into_iter().chain((at != comparison.baseline).then(ratio))
        });
        Row::led([row.test.as_str(), &row.heading(), row.which.words(), &row.shown_unit], cells)
    };
    let rows = rows.into_iter().map(row).collect();
    section.push(Table::new(Caption::Page("Figures and their ratios".to_owned()), columns, rows).look(Look::Heat));
    section
}
