//! A comparison as the summary of a pipeline: what was shown comes first, then a row for each figure, and all else is
//! folded.

use super::sides::{baseline, table_with_ratios};
use super::{figures, ratios};
use crate::compare::{ComparedRow, Comparison, RatioVerdict, Regression};
use crate::sections::prelude::*;

/// The document. `rest` are the sections of the whole report but for the limit's.
pub(super) fn document(comparison: &Comparison, title: String, head: Vec<Block>, rest: Vec<Section>) -> Document {
    let conclusion = comparison.regression.iter().map(|regression| conclusion(comparison, regression));
    let shown = conclusion.chain([Note::plain(counts(comparison))]).map(Block::from);
    let folded = |Section { id, title, about, blocks, .. }: Section| {
        Block::Folded(Part { id, title: title + &about, blocks, ..Part::default() })
    };
    let more = rest.into_iter().filter(|section| !section.blocks.is_empty()).map(folded);
    let sections = vec![ratios::regression(comparison), rows(comparison), words::section("more").with(more)];
    Document { kind: "dbdyno comparison", title, head: shown.chain(head).collect(), sections }
}

/// Whether the limit was kept, in one sentence. Where nothing was judged it was not, nor where a side may have lost a
/// test.
fn conclusion(comparison: &Comparison, regression: &Regression) -> Note {
    let Regression { limit_pct, judged, broken, .. } = regression;
    let limit = format!("worse than {} by more than {} %", baseline(comparison), short(*limit_pct));
    let text = match (broken.len(), judged) {
        (0, 0) => "No row could be judged, so nothing is known of a loss".to_owned(),
        (0, _) => format!("No row is shown to be {limit}"),
        (1, _) => format!("1 row of {judged} is shown to be {limit}"),
        (n, _) => format!("{n} rows of {judged} are shown to be {limit}"),
    };
    let no_loss = *judged > 0 && broken.is_empty();
    let and = if no_loss { "but" } else { "and" };
    let codes = joined(comparison.of_baseline_alone(), ", ");
    let lost = (!codes.is_empty()).then(|| format!(", {and} only {} has figures of {codes}", baseline(comparison)));
    let kind = if no_loss && lost.is_none() { NoteKind::Met } else { NoteKind::NotMet };
    Note { kind, text: format!("{text}{}.", lost.unwrap_or_default()), ..Note::default() }
}

/// How many figures differ, whatever the limit is.
fn counts(comparison: &Comparison) -> String {
    let n = |verdict: RatioVerdict| comparison.ratios().filter(|ratio| ratio.verdict == verdict).count();
    let [worse, better, same] = [RatioVerdict::Worse, RatioVerdict::Better, RatioVerdict::NoDifferenceShown].map(n);
    let not_judged = n(RatioVerdict::SpreadUnknown) + n(RatioVerdict::NoRatio);
    format!(
        "Without a limit: {worse} shown worse, {better} shown better, {same} without a difference that was shown, \
         {not_judged} not judged."
    )
}

/// Every figure of every side with its ratio, losses first and gains next.
fn rows(comparison: &Comparison) -> Section {
    let mut rows: Vec<&ComparedRow> = comparison.rows.iter().collect();
    rows.sort_by_key(|row| {
        let has = |verdict| row.cells.iter().any(|cell| cell.ratio.as_ref().is_some_and(|of| of.verdict == verdict));
        (!has(RatioVerdict::Worse), !has(RatioVerdict::Better))
    });
    let row = |row: &ComparedRow| {
        let cells = figures::with_ratios(comparison, row);
        Row::led([row.test.as_str(), &row.heading(), row.which.words(), &row.shown_unit], cells)
    };
    let rows = rows.into_iter().map(row).collect();
    words::section("rows").with([table_with_ratios(comparison, words::table("rows", "figures", rows)).into()])
}
