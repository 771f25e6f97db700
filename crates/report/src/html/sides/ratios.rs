//! The ratio of each side to the baseline, with its interval and conclusion.

use super::heads::heads;
use crate::compare::side_marks::letter;
use crate::compare::text::ratio_text;
use crate::compare::{Comparison, KeyFigure, Ratio, RatioVerdict};
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::MISSING;
use crate::text::clean;
use maud::{Markup, html};

/// Whether any figure can be compared with the baseline's.
pub(super) fn is_there(comparison: &Comparison) -> bool {
    comparison.ratios().next().is_some()
}

/// The section; empty where no figure has a ratio.
pub(super) fn section(comparison: &Comparison) -> Markup {
    let base = comparison.baseline;
    if !is_there(comparison) {
        return html! {};
    }
    html! {
        section #ratios {
            h2 { "Ratios" span.sub { " to " (letter(base)) " " (clean(&comparison.sides[base].name)) } }
            (table(comparison).render())
            @for why in comparison.unknown_spreads() {
                p.note { (clean(why)) ". Where that is so, no ratio is a difference that was shown." }
            }
            @if comparison.ratios().any(|r| r.low.is_some()) {
                p.note { "In parentheses the 95 % interval over runs; = no difference shown, as it holds 1. Of 20 rows without any difference
                    one is called different." }
            }
            @if comparison.ratios().any(|r| r.value.is_none()) {
                p.note { "n/a: a figure that is doubted, a limit, or not of the same kind is not divided." }
            }
        }
    }
}

fn table(comparison: &Comparison) -> Table {
    let mut all = ColumnHead::row("Test | Of");
    all.extend(heads(comparison));
    let rows = comparison.rows.iter().filter(|row| row.cells.iter().any(|c| c.ratio.is_some())).map(|row| {
        let of = if row.which == KeyFigure::Speed { "speed" } else { "throughput" };
        let mut cells = vec![text(&row.test), text(of)];
        cells.extend(row.cells.iter().enumerate().map(|(n, cell)| match &cell.ratio {
            _ if n == comparison.baseline => text("1"),
            Some(ratio) => one(ratio),
            None => text(MISSING),
        }));
        TableRow::Figures(cells)
    });
    let class = if comparison.sides.len() > 8 { "figures many" } else { "figures" };
    Table { caption: text("Figures divided by the baseline's"), heads: all, rows: rows.collect(), class }
}

fn one(ratio: &Ratio) -> Markup {
    let class = match ratio.verdict {
        RatioVerdict::Better => Some("better"),
        RatioVerdict::Worse => Some("worse"),
        RatioVerdict::NoDifferenceShown | RatioVerdict::SpreadUnknown | RatioVerdict::NoRatio => None,
    };
    let why = ratio.why.as_deref().map(|why| clean(why).into_owned());
    html! { span class=[class] title=[why] { (ratio_text(ratio)) } }
}
