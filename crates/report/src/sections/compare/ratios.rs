//! The ratio of each side to the baseline, with its interval and conclusion.

use super::sides::{baseline, columns};
use crate::compare::{ComparedRow, Comparison, Ratio, RatioVerdict};
use crate::document::{Caption, Cell, Column, Form, Keep, Look, Note, Row, Section, Table, Tone};
use crate::numbers::thousands;

/// The section; without blocks where no figure has a ratio.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section::new("ratios", "Ratios").titled("Ratios", format!(" to {}", baseline(comparison)));
    if comparison.ratios().next().is_none() {
        return section;
    }
    let mut all = vec![Column::words("test", "Test", Keep::Always), Column::words("figure", "Of", Keep::Always)];
    all.extend(columns(comparison));
    let rows = comparison.rows.iter().filter(|row| row.cells.iter().any(|c| c.ratio.is_some()));
    let row = |row: &ComparedRow| {
        let mut cells = vec![Cell::words(&row.test), Cell::words(row.which.words())];
        cells.extend(row.cells.iter().enumerate().map(|(at, cell)| match &cell.ratio {
            _ if at == comparison.baseline => Cell::words("1"),
            Some(ratio) => self::cell(ratio),
            None => Cell::figure(None, Form::Factor),
        }));
        Row::Cells(cells)
    };
    let caption = Caption::Page("Figures divided by the baseline's".to_owned());
    section.push(Table::new(caption, all, rows.map(row).collect()).look(Look::Sides));
    for why in comparison.unknown_spreads() {
        section.push(Note::plain(format!(
            "{why}. Where that is so no ratio is a difference that was shown: --label names a sample."
        )));
    }
    if comparison.ratios().any(|r| r.low.is_some()) {
        section.push(Note::plain(
            "In parentheses the 95 % interval over runs; = no difference shown, as it holds 1. Of 20 rows without any \
             difference one is called different.",
        ));
    }
    if comparison.ratios().any(|r| r.value.is_none()) {
        section.push(Note::plain(
            "n/a: a figure that is doubted, a limit or not of the same kind is not divided (--json says which and why).",
        ));
    }
    section
}

/// A ratio with its interval and conclusion.
pub(super) fn cell(ratio: &Ratio) -> Cell {
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
