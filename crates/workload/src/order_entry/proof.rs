//! What proves the load and the work of Order Entry: figures that the statement `look` reads, and how they may change.

use super::kinds::{Kind, TABLES};
use crate::{Done, Ended, tables};
use dbdyno_model::Scale;

/// Items of an order at least and at most.
pub(super) const ITEMS: (u64, u64) = (2, 7);

/// The figures that count what breaks an invariant: their place, the name of the statement `keys`, and what they count.
const INVARIANTS: [(usize, &str, &str); 5] = [
    (6, "orders", "orders whose total is not that of their items"),
    (7, "inventories", "stocks below zero"),
    (8, "items without order", "items without an order"),
    (9, "items without product", "items without a product"),
    (10, "sequences", "sequences behind their keys"),
];

/// The figures whose rows are named.
pub(super) const TRACED: [(usize, &str); 5] = {
    let mut traced = [(0, ""); INVARIANTS.len()];
    let mut at = 0;
    while at < INVARIANTS.len() {
        traced[at] = (INVARIANTS[at].0, INVARIANTS[at].1);
        at += 1;
    }
    traced
};

pub(super) fn misloaded(scale: Scale, counted: &[i64]) -> Vec<String> {
    let tables = match tables::read("order-entry", TABLES, scale) {
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

pub(super) fn miscounted(before: &[i64], after: &[i64], done: &Done) -> Vec<String> {
    let ended = |kinds: &[Kind]| {
        let each = kinds.iter().map(|kind| done.types.get(*kind as usize).copied().unwrap_or_default());
        each.fold(Ended::default(), Ended::and)
    };
    let registered = ended(&[Kind::Register]);
    let ordered = ended(&[Kind::OrderProducts]);
    let grown = [
        ("customers", registered),
        ("addresses", ended(&[Kind::Register, Kind::UpdateCustomer])),
        ("cards", registered),
        ("orders", ordered),
        ("logons", ended(&[Kind::Register, Kind::BrowseProducts, Kind::OrderProducts])),
    ];
    let places = [0, 1, 2, 3, 5];
    let grew = |place: usize| Some(after.get(place)? - before.get(place)?);
    let mut wrong: Vec<String> =
        grown.iter().zip(places).filter_map(|((table, ended), place)| ended.misfit(table, grew(place)?)).collect();
    // Each order says how many items it has put in.
    if let (Some(items), Some(acknowledged)) = (grew(4), done.checksum) {
        let most = acknowledged + ordered.unknown * ITEMS.1;
        if !u64::try_from(items).is_ok_and(|items| (acknowledged..=most).contains(&items)) {
            let more = if most > acknowledged { format!(" to {most}") } else { String::new() };
            wrong.push(format!("items grew by {items} rows, and {acknowledged}{more} were acknowledged"));
        }
    }
    wrong
}
