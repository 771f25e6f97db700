//! Throughput per core, hardware thread, licence and price.

use super::heads::heads;
use crate::compare::side_marks::letter;
use crate::compare::text::KEY_TESTS;
use crate::compare::{Comparison, Efficiency, Per};
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::{MISSING, printed, thousands};
use crate::text::clean;
use maud::{Markup, html};

/// The section; empty where no divisor is known.
pub(super) fn section(comparison: &Comparison) -> Markup {
    let tables: Vec<Table> = comparison.efficiency.iter().map(|e| table(comparison, e)).collect();
    html! {
        @if !tables.is_empty() {
            section #efficiency {
                h2 { "Efficiency" span.sub { ": throughput divided by what it takes" } }
                @for table in &tables { (table.render()) }
                @for (n, side) in comparison.sides.iter().enumerate() {
                    @if let Some(may_use) = &side.may_use {
                        p.note { (letter(n)) " could use " (clean(may_use)) ": these divide." }
                    }
                    @if let Some(usd) = side.price_usd {
                        p.note {
                            (letter(n)) " costs " (printed(usd)) " US dollars"
                            @if let Some(terms) = &side.price_terms { " (" (clean(terms)) ")" } "."
                        }
                    }
                }
            }
        }
    }
}

fn table(comparison: &Comparison, efficiency: &Efficiency) -> Table {
    let what = match efficiency.per {
        Per::Core => "core",
        Per::Thread => "hardware thread",
        Per::Licence => "licence (cores × core factor)",
        Per::ThousandUsd => "1,000 US dollars of all prices",
    };
    let mut all = ColumnHead::row("Test | Unit");
    all.extend(heads(comparison));
    let number = |n: &Option<f64>| text(&n.map_or_else(|| MISSING.to_owned(), printed));
    let divisors = [text("divided by"), text("")].into_iter().chain(efficiency.divisors.iter().map(number)).collect();
    let mut rows = vec![TableRow::Figures(divisors)];
    let shown: Vec<_> = efficiency.rows.iter().filter(|r| KEY_TESTS.contains(&r.test.as_str())).collect();
    // If none of the key tests was measured, all tests are shown.
    let shown = if shown.is_empty() { efficiency.rows.iter().collect() } else { shown };
    rows.extend(shown.into_iter().map(|row| {
        let mut cells = vec![text(&row.test), text(&row.unit)];
        cells.extend(row.values.iter().enumerate().map(|(n, value)| {
            let best = row.best == Some(n);
            html! { @if best { span.better { "▲ " (thousands(*value)) } } @else { (thousands(*value)) } }
        }));
        TableRow::Figures(cells)
    }));
    let class = if comparison.sides.len() > 8 { "figures many" } else { "figures" };
    Table { caption: text(&format!("Throughput per {what}")), heads: all, rows, class }
}
