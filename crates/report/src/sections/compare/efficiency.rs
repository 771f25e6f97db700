//! Throughput per core, hardware thread, licence and price.

use super::extent::Extent;
use super::sides::{self, letter};
use crate::compare::{Comparison, Efficiency, EfficiencyRow, Per};
use crate::document::Rank;
use crate::sections::prelude::*;

/// Tests whose efficiency is shown unless others are asked for: the key figures of each layer.
const KEY_TESTS: [&str; 12] =
    ["T141", "T331", "T311", "T421", "T611", "T616", "T626", "T711", "T716", "DBL-11", "DBX-12", "DBX-22"];

/// The section; without blocks where no divisor is known.
pub(super) fn section(comparison: &Comparison, show: Extent) -> Section {
    let mut section = words::section("efficiency");
    if comparison.efficiency.is_empty() {
        return section;
    }
    let rows = || comparison.efficiency.iter().flat_map(|efficiency| &efficiency.rows);
    let is_key = |row: &EfficiencyRow| KEY_TESTS.contains(&row.test.as_str());
    // Where none of the key tests was measured, all tests are shown.
    let all = show == Extent::ScreenAllTests || !rows().any(is_key);
    for efficiency in &comparison.efficiency {
        let shown = efficiency.rows.iter().filter(|row| all || is_key(row));
        section.push(table(comparison, efficiency, shown));
    }
    for (at, side) in comparison.sides.iter().enumerate() {
        // What its prices cover.
        let terms = side.price_terms.as_ref().map(|terms| format!(" ({terms})")).unwrap_or_default();
        let price = side.price.as_ref().map(|of| format!("costs {} {}{terms}", printed(of.amount), of.currency));
        let may_use = side.may_use.as_ref().map(|what| format!("could use {what}: these divide"));
        let said = price.into_iter().chain(may_use);
        section.blocks.extend(said.map(|said| Note::plain(format!("{} {said}.", letter(at))).into()));
    }
    let currencies = unique(comparison.sides.iter().filter_map(|side| Some(side.price.as_ref()?.currency.as_str())));
    section.push_notes([
        (currencies.is_empty(), text("efficiency", "no_prices")),
        (currencies.len() > 1, text("efficiency", "currencies")),
        (!all && !rows().all(is_key), text("efficiency", "more")),
    ]);
    section
}

fn table<'r>(comparison: &Comparison, efficiency: &Efficiency, rows: impl Iterator<Item = &'r EfficiencyRow>) -> Table {
    let currency = comparison.sides.iter().find_map(|side| Some(side.price.as_ref()?.currency.as_str()));
    let what = match efficiency.per {
        Per::Core => "core",
        Per::Thread => "hardware thread",
        Per::Licence => "licence (cores x core factor, or as stated)",
        Per::ThousandUsd => "1,000 USD of all prices",
        Per::ThousandOfCurrency => &format!("1,000 {} of all prices", currency.unwrap_or_default()),
    };
    let row = |row: &'r EfficiencyRow| {
        let best = row.best.and_then(|best| row.values[best]);
        let cells = row.values.iter().map(|value| {
            // Equal figures are all the best.
            let rank = if value.is_some() && *value == best { Rank::Best } else { Rank::None };
            Cell::figure(*value, Form::Thousands).ranked(rank, None)
        });
        Row::led([&row.test, &row.unit], cells)
    };
    let divisors = efficiency.divisors.iter().map(|divisor| Cell::figure(*divisor, Form::Printed));
    let rows = std::iter::once(Row::led(["divided by", ""], divisors)).chain(rows.map(row)).collect();
    sides::table(comparison, captioned("efficiency", "rates", format!("Throughput per {what}"), rows))
}
