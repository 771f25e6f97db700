//! What proves the load and the work of Order Entry: figures that the statement `look` reads, and how they may change.

use super::kinds::{Kind, TABLES};
use crate::{DataSpec, Ended, tables};

/// Items of an order at least and at most.
pub(super) const ITEMS: (u64, u64) = (2, 7);

/// Orders that a transaction processes at most.
const PROCESSED: u64 = 10;

/// What each acknowledged transaction of a type adds to a figure.
enum Adds {
    /// One.
    One,
    /// What its program says, and at most this.
    Said(u64),
}

/// Figures that grow by what was acknowledged: their place, what they are, the types that add to them, and what.
/// An order only moves pieces from stock; whoever looks at an order asks for one piece more.
const GROWTH: [(usize, &str, &[Kind], Adds); 8] = [
    (0, "customers", &[Kind::Register], Adds::One),
    (1, "addresses", &[Kind::Register, Kind::UpdateCustomer], Adds::One),
    (2, "cards", &[Kind::Register], Adds::One),
    (3, "orders", &[Kind::OrderProducts], Adds::One),
    (4, "items", &[Kind::OrderProducts], Adds::Said(ITEMS.1)),
    (5, "logons", &[Kind::Register, Kind::BrowseProducts, Kind::OrderProducts], Adds::One),
    (11, "pieces in stock and in orders", &[Kind::BrowseOrders], Adds::One),
    (12, "the sum of the orders' status", &[Kind::ProcessOrders], Adds::Said(PROCESSED)),
];

/// The figures that count what breaks an invariant: their place, the name of the statement `keys`, and what they count.
const INVARIANTS: [(usize, &str, &str); 6] = [
    (6, "orders", "orders whose total is not that of their items"),
    (7, "inventories", "stocks below zero"),
    (8, "items without order", "items without an order"),
    (9, "items without product", "items without a product"),
    (10, "sequences", "sequences behind their keys"),
    (13, "customers", "customers who prefer an address that is not theirs, or an old one though they have a new one"),
];

/// The figures whose rows are named.
pub(super) const TRACED: [(usize, &str); INVARIANTS.len()] = {
    let mut traced = [(0, ""); INVARIANTS.len()];
    let mut at = 0;
    while at < INVARIANTS.len() {
        traced[at] = (INVARIANTS[at].0, INVARIANTS[at].1);
        at += 1;
    }
    traced
};

pub(super) fn misloaded(data: &DataSpec, counted: &[i64]) -> Vec<String> {
    let tables = match tables::read("order-entry", TABLES, data) {
        Ok(tables) => tables,
        Err(why) => return vec![why],
    };
    if counted.len() != tables.len() {
        return vec![format!("{} tables were counted, and there are {}", counted.len(), tables.len())];
    }
    let wrong = tables.iter().zip(counted).filter(|(table, counted)| u64::try_from(**counted) != Ok(table.rows));
    wrong
        .map(|(table, counted)| format!("{} holds {counted} loaded rows, and {} were loaded", table.name, table.rows))
        .collect()
}

pub(super) fn broken(figures: &[i64]) -> Vec<String> {
    let found = INVARIANTS.iter().map(|(place, _, what)| (figures.get(*place).copied(), what));
    let wrong = found.filter(|(rows, _)| *rows != Some(0));
    wrong
        .map(|(rows, what)| match rows {
            Some(rows) => format!("{what}: {rows}"),
            None => format!("{what}: nobody knows"),
        })
        .collect()
}

pub(super) fn miscounted(before: &[i64], after: &[i64], ended: &[Ended]) -> Vec<String> {
    let misfit = |(place, what, kinds, adds): &(usize, &str, &[Kind], Adds)| {
        let each = kinds.iter().map(|kind| ended.get(*kind as usize).copied().unwrap_or_default());
        let (all, growth) = (each.fold(Ended::default(), Ended::and), after.get(*place)? - before.get(*place)?);
        match adds {
            Adds::One => all.misfit(what, growth),
            Adds::Said(most) => all.misfit_of_sum(what, growth, *most),
        }
    };
    GROWTH.iter().filter_map(misfit).collect()
}
