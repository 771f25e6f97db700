//! Published series over something other than jobs and threads, side by side.

use super::heads::heads;
use crate::compare::{Comparison, OtherSeries};
use crate::html::marks::suspect;
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::{MISSING, printed};
use maud::{Markup, html};

/// The section; empty where no two sides have such a series.
pub(super) fn section(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.others.is_empty() {
            section #others {
                h2 { "Other series" span.sub { " over something else than jobs and threads, as printed" } }
                div.pairs { @for other in &comparison.others { (table(comparison, other).render()) } }
            }
        }
    }
}

fn table(comparison: &Comparison, other: &OtherSeries) -> Table {
    let mut all = vec![ColumnHead::figures(other.by.replace('_', " "), "")];
    all.extend(heads(comparison));
    let rows = other.rows.iter().map(|row| {
        let mut cells = vec![text(&printed(row.at))];
        cells.extend(row.values.iter().enumerate().map(|(n, value)| {
            let doubted = row.suspects.get(n).is_some_and(Option::is_some);
            html! { (value.map_or_else(|| MISSING.to_owned(), printed)) @if doubted { (suspect()) } }
        }));
        TableRow::Figures(cells)
    });
    let caption = text(&format!("{} {}: {}", other.test, other.title, other.key.replace('_', " ")));
    Table { caption, heads: all, rows: rows.collect(), class: "figures" }
}
