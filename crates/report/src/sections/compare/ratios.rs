//! The ratio of each side to the baseline, with its interval and conclusion, and whether a limit was kept.

use super::sides::{baseline, letter, table, without_ratio};
use crate::compare::{ComparedRow, Comparison, Ratio, RatioVerdict, Regression};
use crate::sections::prelude::*;

/// The section; without blocks where no figure has a ratio.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section { about: format!(" to {}", baseline(comparison)), ..words::section("ratios") };
    let rows = comparison.rows.iter().filter(|row| row.cells.iter().any(|c| c.ratio.is_some()));
    let row = |row: &ComparedRow| {
        let cells = row.cells.iter().enumerate();
        let cells = cells.map(|(at, of)| of.ratio.as_ref().map_or_else(|| without_ratio(comparison, at), cell));
        Row::led([&row.test, row.which.words()], cells)
    };
    section.push(table(comparison, words::table("ratios", "figures", rows.map(row).collect())));
    let unknown = comparison.unknown_spreads().into_iter();
    section.push_notes(unknown.map(|why| (true, format!("{why}. {}", text("ratios", "unknown")))));
    section.push_notes([
        (comparison.ratios().any(|r| r.low.is_some()), text("ratios", "interval")),
        (comparison.ratios().any(|r| r.value.is_none()), text("ratios", "not_divided")),
    ]);
    section
}

/// A ratio with its interval and conclusion.
pub(crate) fn cell(ratio: &Ratio) -> Cell {
    let (word, tone) = match ratio.verdict {
        RatioVerdict::Better => (" better", Tone::Better),
        RatioVerdict::Worse => (" worse", Tone::Worse),
        RatioVerdict::NoDifferenceShown => (" =", Tone::Plain),
        RatioVerdict::SpreadUnknown | RatioVerdict::NoRatio => ("", Tone::Plain),
    };
    let digits = |v: f64| if v < 10.0 { format!("{v:.3}") } else { thousands(v) };
    let interval = ratio.low.zip(ratio.high).map(|(low, high)| format!(" ({}..{})", digits(low), digits(high)));
    let interval = interval.unwrap_or_default();
    let text = ratio.value.map_or_else(|| "n/a".to_owned(), |value| format!("{}{interval}{word}", digits(value)));
    Cell::words(text).tone(tone).because(ratio.why.clone())
}

/// Whether a limit was kept; without blocks where none was set.
pub(super) fn regression(comparison: &Comparison) -> Section {
    let mut section = words::section("regression");
    let Some(Regression { limit_pct, judged, not_judged, broken }) = &comparison.regression else { return section };
    section.about = format!(": {} % worse than {}", short(*limit_pct), letter(comparison.baseline));
    let answer = format!("{} of {judged} rows broke the limit; judged together by Holm's correction.", broken.len());
    let others = format!("{not_judged} {}", text("regression", "not_judged"));
    section.push_notes([(true, answer), (*not_judged > 0, others)]);
    let broken = broken.iter().map(|broken| broken.sentence(&comparison.sides[broken.side].name));
    section.with([Block::List(broken.collect())])
}
