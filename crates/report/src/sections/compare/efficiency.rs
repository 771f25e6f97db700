//! Throughput per core, hardware thread, licence and price.

use super::super::words::{self, text};
use super::extent::Extent;
use super::sides::{self, letter};
use crate::compare::{Comparison, Efficiency, EfficiencyRow, Per, SideInfo};
use crate::document::{Cell, Form, Note, Rank, Row, Section, Table};
use crate::numbers::printed;
use dbdyno_model::{Money, USD};

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
    section.blocks.extend(comparison.sides.iter().enumerate().filter_map(|(at, side)| Some(price(at, side)?.into())));
    let priced: Vec<&Money> = comparison.sides.iter().filter_map(|side| side.price.as_ref()).collect();
    section.push_notes([
        (priced.is_empty(), text("efficiency", "no_prices")),
        (priced.iter().any(|price| price.currency != priced[0].currency), text("efficiency", "currencies")),
    ]);
    let sides = comparison.sides.iter().enumerate();
    let may_use = sides.filter_map(|(at, side)| Some((letter(at), side.may_use.as_ref()?)));
    let may_use = may_use.map(|(letter, what)| format!("{letter} could use {what}: these divide."));
    section.blocks.extend(may_use.map(|text| Note::plain(text).into()));
    section.push_notes([(!all && !rows().all(is_key), text("efficiency", "more"))]);
    section
}

/// What a side costs, and what its prices cover.
fn price(at: usize, side: &SideInfo) -> Option<Note> {
    let terms = side.price_terms.as_ref().map_or_else(String::new, |terms| format!(" ({terms})"));
    let Money { amount, currency } = side.price.as_ref()?;
    let currency = if currency == USD { "US dollars" } else { currency };
    Some(Note::plain(format!("{} costs {} {currency}{terms}", letter(at), printed(*amount))))
}

fn table<'r>(comparison: &Comparison, efficiency: &Efficiency, rows: impl Iterator<Item = &'r EfficiencyRow>) -> Table {
    let currency = comparison.sides.iter().find_map(|side| Some(side.price.as_ref()?.currency.as_str()));
    let what = match efficiency.per {
        Per::Core => "core",
        Per::Thread => "hardware thread",
        Per::Licence => "licence (cores x core factor, or as stated)",
        Per::ThousandUsd => "1,000 US dollars of all prices",
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
    sides::table(comparison, words::captioned("efficiency", "rates", format!("Throughput per {what}"), rows))
}
