//! Throughput per core, hardware thread, licence and price.

use super::extent::Extent;
use super::sides::{columns, letter};
use crate::compare::{Comparison, Efficiency, EfficiencyRow, Per, SideInfo};
use crate::document::{Caption, Cell, Column, Form, Keep, Look, Note, Rank, Row, Section, Table};
use crate::numbers::printed;
use dbdyno_model::{Money, USD};

/// Tests whose efficiency is shown unless others are asked for: the key figures of each layer.
const KEY_TESTS: [&str; 12] =
    ["T141", "T331", "T311", "T421", "T611", "T616", "T626", "T711", "T716", "DBL-11", "DBX-12", "DBX-22"];

/// The section; without blocks where no divisor is known.
pub(super) fn section(comparison: &Comparison, show: Extent) -> Section {
    let about = ": throughput divided by what it takes";
    let mut section = Section::new("efficiency", "Efficiency").titled("Efficiency", about);
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
    if priced.is_empty() {
        section
            .push(Note::plain("No prices: a platform file gives them (`dbdyno describe RUN --file platform.toml`)."));
    }
    if priced.iter().any(|price| price.currency != priced[0].currency) {
        let text =
            "Prices in several currencies divide only where all are known in US dollars: a platform file has [rates].";
        section.push(Note::plain(text));
    }
    for (at, side) in comparison.sides.iter().enumerate() {
        if let Some(may_use) = &side.may_use {
            section.push(Note::plain(format!("{} could use {may_use}: these divide.", letter(at))));
        }
    }
    if !all && !rows().all(is_key) {
        section.push(Note::plain("Tests that are not named here: `dbdyno compare --test '*'`, or --json."));
    }
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
    let what = match efficiency.per {
        Per::Core => "core".to_owned(),
        Per::Thread => "hardware thread".to_owned(),
        Per::Licence => "licence (cores x core factor, or as stated)".to_owned(),
        Per::ThousandUsd => "1,000 US dollars of all prices".to_owned(),
        Per::ThousandOfCurrency => {
            let price = comparison.sides.iter().find_map(|side| side.price.as_ref());
            format!("1,000 {} of all prices", price.map_or("", |price| &price.currency))
        }
    };
    let mut all = vec![Column::words("test", "Test", Keep::Always), Column::words("unit", "Unit", Keep::Drop(2))];
    all.extend(columns(comparison));
    let row = |row: &'r EfficiencyRow| {
        let best = row.best.and_then(|best| row.values[best]);
        let cells = row.values.iter().map(|value| {
            // Equal figures are all the best.
            let rank = if value.is_some() && *value == best { Rank::Best } else { Rank::None };
            Cell::figure(*value, Form::Thousands).ranked(rank, None)
        });
        Row::Cells([&row.test, &row.unit].map(Cell::words).into_iter().chain(cells).collect())
    };
    let divisors = efficiency.divisors.iter().map(|divisor| Cell::figure(*divisor, Form::Printed));
    let divisors = Row::Cells([Cell::words("divided by"), Cell::empty()].into_iter().chain(divisors).collect());
    let rows = std::iter::once(divisors).chain(rows.map(row)).collect();
    Table::new(Caption::Shown(format!("Throughput per {what}")), all, rows).look(Look::Sides)
}
