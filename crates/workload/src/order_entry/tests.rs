#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::kinds::Kind;
use super::*;
use crate::{Ended, tables};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Value};
use dbdyno_engine::program::{Act, TypeId};

fn user(number: u32) -> User {
    User { number, of: 4, seed: 7, scale: Scale::LEAST, form: Drive::Client }
}

/// A transaction as a user sends it: the statements, with `BEGIN` before the one that opens it, and how it ends.
struct Sends {
    kind: usize,
    texts: Vec<String>,
    numbers: Vec<Vec<i64>>,
    items: u64,
}

/// What a database answers that has everything: `stock` of each product, `open` orders, rows changed by updates.
fn sent(program: &mut dyn Program, (stock, open, changed): (i64, usize, u64)) -> Sends {
    let kind = program.begin().number();
    follow(program, kind, (stock, open, changed))
}

fn follow(program: &mut dyn Program, kind: usize, (stock, open, changed): (i64, usize, u64)) -> Sends {
    let names = OrderEntry.statements(Drive::Client);
    let (mut texts, mut numbers, mut act) = (Vec::new(), Vec::new(), program.act(None));
    loop {
        let (mut answer, mut done) = (Answer::default(), ChunkResult { rows: 1, ..ChunkResult::default() });
        match act {
            Act::Execute { statement, times, opens } => {
                assert_eq!(times, 1, "one round trip for a statement");
                if opens {
                    texts.push("BEGIN".to_owned());
                }
                let name = names[statement];
                texts.push(name.to_owned());
                let number = |value| if let Value::Int(number) = value { number } else { -1 };
                let values: Vec<i64> = program.values().iter().map(number).collect();
                let product = values.first().copied().unwrap_or(0);
                numbers.push(values);
                match name {
                    "browse_category" => (0..4).for_each(|n| {
                        answer.begin_row().push(product + 100 * n).push(stock);
                    }),
                    "open_orders" => (0..open).for_each(|n| {
                        answer.begin_row().push(900 - n as i64);
                    }),
                    "take_stock" => done.rows = changed,
                    _ => {
                        answer.begin_row().push(501).push(502).push(503).push(504);
                    }
                }
            }
            Act::Commit => texts.push("COMMIT".to_owned()),
            Act::Rollback => texts.push("ROLLBACK".to_owned()),
            Act::Think(_) => {}
            Act::Ended => return Sends { kind, texts, numbers, items: program.did().checksum },
        }
        act = program.act(Some((&done, &answer)));
    }
}

/// The first transaction of a kind that a user draws.
fn of(kind: Kind, database: (i64, usize, u64)) -> Sends {
    let mut program = OrderEntry.program(user(0));
    std::iter::repeat_with(|| sent(program.as_mut(), database)).find(|sends| sends.kind == kind as usize).unwrap()
}

const FULL: (i64, usize, u64) = (1_000, 10, 1);

#[test]
fn types_come_as_often_as_they_weigh() {
    let mut program = OrderEntry.program(user(1));
    let mut came = [0_u32; KINDS.len()];
    for _ in 0..12_500 {
        came[program.begin().number()] += 1;
    }
    for (of, came) in KINDS.iter().zip(came) {
        let expected = f64::from(of.weight) * 100.0;
        assert!((f64::from(came) / expected - 1.0).abs() < 0.15, "{}: {came}, and {expected} were due", of.name);
    }
    assert_eq!(KINDS.map(|of| of.kind as usize), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_transaction_reads_opens_writes_and_commits() {
    let texts = |kind| of(kind, FULL).texts.join(" ");
    assert_eq!(
        texts(Kind::Register),
        "BEGIN new_customer_keys insert_customer insert_address insert_card insert_logon find_customer COMMIT"
    );
    assert_eq!(
        texts(Kind::UpdateCustomer),
        "customer_by_name BEGIN new_address_key insert_address prefer_address COMMIT"
    );
    let browse = of(Kind::BrowseProducts, FULL).texts;
    assert!((3..=26).contains(&browse.len()) && !browse.contains(&"BEGIN".to_owned()), "{browse:?}");
    assert_eq!((browse[0].as_str(), browse.last().unwrap().as_str()), ("find_customer", "log_visit"));
    let process = of(Kind::ProcessOrders, FULL);
    assert_eq!(process.texts.join(" "), format!("open_orders BEGIN {} COMMIT", ["process_order"; 10].join(" ")));
    let orders: Vec<i64> = process.numbers[1..].iter().map(|numbers| numbers[0]).collect();
    assert!(orders.is_sorted(), "whoever locks orders locks them in one order: {orders:?}");
    assert_eq!(
        texts(Kind::BrowseOrders),
        "find_customer customer_addresses customer_orders order_items BEGIN raise_quantity raise_total COMMIT"
    );
}

#[test]
fn an_order_has_two_to_seven_items_that_are_in_stock() {
    let mut program = OrderEntry.program(user(2));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2_000 {
        let Sends { kind, texts, numbers, items } = sent(program.as_mut(), FULL);
        if kind != Kind::OrderProducts as usize {
            assert_eq!(items, 0);
            continue;
        }
        let count = |name: &str| texts.iter().filter(|text| *text == name).count();
        assert_eq!(
            [count("browse_category"), count("insert_item"), count("take_stock")],
            [items as usize; 3],
            "{texts:?}"
        );
        assert_eq!(texts.last().unwrap(), "COMMIT");
        let taken: Vec<&Vec<i64>> = numbers.iter().rev().take(items as usize).collect();
        let products: Vec<i64> = taken.iter().rev().map(|values| values[1]).collect();
        assert!(products.is_sorted_by(|a, b| a < b), "no product twice, and all in one order: {products:?}");
        assert!(taken.iter().all(|values| values[0] == values[3] && (1..=8).contains(&values[0])), "{taken:?}");
        seen.insert(items);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
}

#[test]
fn what_cannot_be_done_is_rolled_back_and_counts_no_items() {
    let nothing = of(Kind::OrderProducts, (0, 10, 1));
    assert_eq!((nothing.texts.last().unwrap().as_str(), nothing.items), ("ROLLBACK", 0));
    assert!(!nothing.texts.contains(&"BEGIN".to_owned()));
    let taken_meanwhile = of(Kind::OrderProducts, (1_000, 10, 0));
    assert_eq!((taken_meanwhile.texts.last().unwrap().as_str(), taken_meanwhile.items), ("ROLLBACK", 0));
    assert_eq!(taken_meanwhile.texts.iter().filter(|text| *text == "take_stock").count(), 1);
    assert_eq!(of(Kind::ProcessOrders, (1_000, 0, 1)).texts, ["open_orders", "ROLLBACK"]);
}

#[test]
fn what_is_sent_again_is_the_same() {
    let mut program = OrderEntry.program(user(3));
    for _ in 0..200 {
        let first = sent(program.as_mut(), FULL);
        program.again();
        let again = follow(program.as_mut(), first.kind, FULL);
        assert_eq!((first.texts, first.numbers, first.items), (again.texts, again.numbers, again.items));
    }
    let first = |number| {
        let mut program = OrderEntry.program(user(number));
        (0..5).map(|_| sent(program.as_mut(), FULL).numbers).collect::<Vec<_>>()
    };
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}

#[test]
fn a_customer_is_found_by_the_name_that_was_loaded() {
    let tables = tables::read("order-entry", TABLES, Scale::LEAST).unwrap();
    let customers = dbdyno_engine::TableRows {
        what: tables::called("order-entry", "customers"),
        table: "x.y".to_owned(),
        columns: tables[0].columns.clone(),
        rows: tables[0].rows,
    };
    let (mut source, mut row) = (customers.source(), dbdyno_engine::client::Values::new());
    let mut names = std::collections::BTreeSet::new();
    for id in 1..=customers.rows {
        dbdyno_engine::data::RowSource::row(&mut source, id, &mut row);
        names.insert(format!("{:?} {:?}", row.get(2), row.get(1)));
    }
    let mut program = OrderEntry.program(user(0));
    let mut found = 0;
    while found < 50 {
        if program.begin() == TypeId::new(Kind::UpdateCustomer as u8) {
            program.act(None);
            let typed = format!("{:?} {:?}", program.values().get(0), program.values().get(1));
            assert!(names.contains(&typed), "{typed}");
            found += 1;
        }
    }
}

const BEFORE: [i64; 11] = [10, 20, 20, 30, 150, 40, 0, 0, 0, 0, 0];

fn done(acknowledged: [u64; 6], unknown: [u64; 6], items: u64) -> Done {
    let ended = |n: usize| Ended { acknowledged: acknowledged[n], rolled_back: 0, unknown: unknown[n] };
    Done { types: (0..6).map(ended).collect(), checksum: Some(items) }
}

/// What is said of tables that grew so.
fn wrong(grown: [i64; 6], done: &Done) -> Vec<String> {
    let mut after = BEFORE;
    grown.iter().zip(&mut after).for_each(|(by, figure)| *figure += by);
    OrderEntry.miscounted(&BEFORE, &after, done)
}

#[test]
fn tables_grow_by_what_was_acknowledged() {
    // Registered 1, updated 2, browsed 3, ordered 4 with 17 items, processed 5, looked at 6.
    let all = done([1, 2, 3, 4, 5, 6], [0; 6], 17);
    assert_eq!(wrong([1, 3, 1, 4, 17, 8], &all), [""; 0]);
    for (place, table) in ["customers", "addresses", "cards", "orders", "items", "logons"].into_iter().enumerate() {
        for by in [-1, 1] {
            let mut grown = [1, 3, 1, 4, 17, 8];
            grown[place] += by;
            let said = wrong(grown, &all);
            assert!(said.len() == 1 && said[0].starts_with(table), "{said:?}");
        }
    }
    // Nobody knows of one order: it may be there, with seven items at most.
    let lost = done([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 0, 0], 17);
    for grown in [[1, 3, 1, 4, 17, 8], [1, 3, 1, 5, 24, 9]] {
        assert_eq!(wrong(grown, &lost), [""; 0]);
    }
    assert_eq!(wrong([1, 3, 1, 6, 17, 8], &lost).len(), 1);
    assert_eq!(wrong([1, 3, 1, 5, 25, 9], &lost).len(), 1);
}

#[test]
fn each_invariant_that_is_broken_is_said() {
    assert_eq!(OrderEntry.broken(&BEFORE), [""; 0]);
    for (place, word) in
        [(6, "total"), (7, "below zero"), (8, "without an order"), (9, "without a product"), (10, "behind")]
    {
        let mut figures = BEFORE;
        figures[place] = 3;
        let said = OrderEntry.broken(&figures);
        assert!(said.len() == 1 && said[0].ends_with(": 3") && said[0].contains(word), "{said:?}");
    }
    assert_eq!(OrderEntry.broken(&BEFORE[..6]).len(), 5, "what was not read is not believed");
    assert_eq!(OrderEntry.traced().len(), 5);
}

#[test]
fn loaded_rows_are_counted_table_by_table() {
    let rows: Vec<i64> = tables::read("order-entry", TABLES, Scale::LEAST)
        .unwrap()
        .iter()
        .map(|table| table.rows.cast_signed())
        .collect();
    assert_eq!(rows, [10_000, 15_000, 15_000, 14_297, 71_485, 23_829, 900_000, 1_000, 1_000, 1_000]);
    assert_eq!(OrderEntry.misloaded(Scale::LEAST, &rows), [""; 0]);
    let mut fewer = rows.clone();
    fewer[4] -= 1;
    assert_eq!(OrderEntry.misloaded(Scale::LEAST, &fewer), ["items holds 71484 loaded rows, and 71485 were loaded"]);
    assert_eq!(OrderEntry.misloaded(Scale::LEAST, &rows[1..]).len(), 1);
}
