//! The ratio of each side to the baseline, with its interval and conclusion, and whether a limit was kept.

use super::sides::{baseline, letter, table};
use crate::compare::{BrokenLimit, ComparedRow, Comparison, Ratio, RatioVerdict};
use crate::document::{Cell, Column, Form, Keep, Note, Row, Section, Tone};
use crate::numbers::{short, thousands};

/// The section; without blocks where no figure has a ratio.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section::new("ratios", "Ratios").titled("Ratios", format!(" to {}", baseline(comparison)));
    if comparison.ratios().next().is_none() {
        return section;
    }
    let first = [Column::words("test", "Test", Keep::Always), Column::words("figure", "Of", Keep::Always)];
    let rows = comparison.rows.iter().filter(|row| row.cells.iter().any(|c| c.ratio.is_some()));
    let row = |row: &ComparedRow| {
        let cells = row.cells.iter().enumerate().map(|(at, cell)| match &cell.ratio {
            _ if at == comparison.baseline => Cell::words("1"),
            Some(ratio) => self::cell(ratio),
            None => Cell::figure(None, Form::Factor),
        });
        Row::led([&row.test, row.which.words()], cells)
    };
    section.push(table(comparison, "Figures divided by the baseline's", &first, rows.map(row).collect()));
    let without = "Where that is so no ratio is a difference that was shown: --label names a sample.";
    let unknown = comparison.unknown_spreads().into_iter().map(|why| format!("{why}. {without}"));
    section.blocks.extend(unknown.map(|text| Note::plain(text).into()));
    section.push_notes([
        (
            comparison.ratios().any(|r| r.low.is_some()),
            "In parentheses the 95 % interval over runs, or over pairs of what was measured in turn; = no difference shown, as it holds 1. Of 20 rows without any \
             difference one is called different.",
        ),
        (
            comparison.ratios().any(|r| r.value.is_none()),
            "n/a: a figure that is doubted, a limit or not of the same kind is not divided (--json says which and why).",
        ),
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
    let text = match (ratio.value, ratio.low.zip(ratio.high)) {
        (None, _) => "n/a".to_owned(),
        (Some(value), Some((low, high))) => format!("{} ({}..{}){word}", digits(value), digits(low), digits(high)),
        (Some(value), None) => format!("{}{word}", digits(value)),
    };
    Cell::words(text).tone(tone).because(ratio.why.clone())
}

/// Whether a limit was kept; without blocks where none was set.
pub(super) fn regression(comparison: &Comparison) -> Section {
    let mut section = Section::new("regression", "Regression limit");
    let Some(regression) = &comparison.regression else { return section };
    section.title.clone_from(&section.name);
    section.about = format!(": {} % worse than {}", short(regression.limit_pct), letter(comparison.baseline));
    let broken = |broken: &BrokenLimit| broken.sentence(&comparison.sides[broken.side].name);
    section.push(regression.broken.iter().map(broken).collect::<Vec<_>>());
    let (n, judged, not_judged) = (regression.broken.len(), regression.judged, regression.not_judged);
    section.push(Note::plain(format!("{n} of {judged} rows broke the limit; judged together by Holm's correction.")));
    if not_judged > 0 {
        section.push(Note::plain(format!(
            "{not_judged} rows could not be judged: run-to-run spread unknown (it takes 3 runs of a label on each side) or the \
             figures do not compare."
        )));
    }
    section
}
