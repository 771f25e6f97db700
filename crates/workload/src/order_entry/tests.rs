#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::kinds::Kind;
use super::*;
use crate::{Ended, tables};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Value};
use dbdyno_engine::program::{Act, TypeId};

fn data() -> DataSpec {
    DataSpec::new(Scale::LEAST, 9)
}

fn user(number: u32) -> User {
    User { number, of: 4, seed: 7, data: data(), parameters: Parameters::default(), form: Drive::Client }
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
                if !texts.contains(&"BEGIN".to_owned()) {
                    assert_eq!(program.changes(), name == "log_visit", "{name} outside a transaction");
                }
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
            Act::Think(_) | Act::LogOn | Act::LogOff => {}
            Act::Ended => return Sends { kind, texts, numbers, items: program.did().checksum },
        }
        act = program.act(Some((&done, &answer)));
    }
}

/// The first transaction of a kind that a user draws.
fn of(kind: Kind, database: (i64, usize, u64)) -> Sends {
    let mut program = OrderEntry.program(user(0), OrderEntry.types());
    std::iter::repeat_with(|| sent(program.as_mut(), database)).find(|sends| sends.kind == kind as usize).unwrap()
}

const FULL: (i64, usize, u64) = (1_000, 10, 1);

#[test]
fn types_come_as_often_as_they_weigh() {
    let shares = |types: Vec<TransactionType>| {
        let mut program = OrderEntry.program(user(1), types.clone());
        let mut came = [0_u32; KINDS.len()];
        for _ in 0..12_500 {
            came[program.begin().number()] += 1;
        }
        let all: u32 = types.iter().map(|of| of.weight).sum();
        for (of, came) in types.iter().zip(came) {
            let expected = f64::from(of.weight) * 12_500.0 / f64::from(all);
            assert!((f64::from(came) - expected).abs() <= 0.15 * expected, "{}: {came} of {expected}", of.name);
        }
    };
    shares(OrderEntry.types());
    let mix = OrderEntry.mix(&"default,BP=0,WAQ=10".parse().unwrap()).unwrap();
    shares(OrderEntry.types_of(Some(&mix), &Parameters::default()));
    assert_eq!(KINDS.map(|of| of.kind as usize), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(OrderEntry.about().writes(&OrderEntry.types()));
    let queries = OrderEntry.mix(&"SRQ=1,WAQ=1".parse().unwrap()).unwrap();
    assert!(
        !OrderEntry.about().writes(&OrderEntry.types_of(Some(&queries), &Parameters::default())),
        "queries have no commit to wait for"
    );
}

#[test]
fn a_query_is_one_statement_and_changes_nothing() {
    for (code, name, most) in
        [("SRQ", "sales_rep_orders", 1_000), ("WOQ", "warehouse_orders", 1_000), ("WAQ", "warehouse_activity", 1_000)]
    {
        let mix = OrderEntry.mix(&format!("{code}=1").parse().unwrap()).unwrap();
        let mut program = OrderEntry.program(user(0), OrderEntry.types_of(Some(&mix), &Parameters::default()));
        let drawn: std::collections::BTreeSet<i64> = (0..50)
            .map(|_| {
                let Sends { texts, numbers, items, .. } = sent(program.as_mut(), FULL);
                assert_eq!((texts.join(" "), items), (name.to_owned(), 0));
                numbers[0][0]
            })
            .collect();
        assert!(drawn.len() > 30 && drawn.iter().all(|of| (1..=most).contains(of)), "{name}: {drawn:?}");
        let by_call = User { form: Drive::Server, ..user(0) };
        let mut program = OrderEntry.program(by_call, OrderEntry.types_of(Some(&mix), &Parameters::default()));
        let kind = program.begin();
        assert_eq!(program.act(None), Act::Execute { statement: kind.number(), times: 1, opens: false });
        assert!(!program.changes() && program.values().len() == 1);
    }
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
    let mut program = OrderEntry.program(user(2), OrderEntry.types());
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2_000 {
        let Sends { kind, texts, numbers, items } = sent(program.as_mut(), FULL);
        if kind != Kind::OrderProducts as usize {
            // Whoever processes orders says how many.
            assert_eq!(items, if kind == Kind::ProcessOrders as usize { 10 } else { 0 });
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
    let mut program = OrderEntry.program(user(3), OrderEntry.types());
    for _ in 0..200 {
        let first = sent(program.as_mut(), FULL);
        program.again();
        let again = follow(program.as_mut(), first.kind, FULL);
        assert_eq!((first.texts, first.numbers, first.items), (again.texts, again.numbers, again.items));
    }
    let first = |number| {
        let mut program = OrderEntry.program(user(number), OrderEntry.types());
        (0..5).map(|_| sent(program.as_mut(), FULL).numbers).collect::<Vec<_>>()
    };
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}

#[test]
fn a_customer_is_found_by_the_name_that_was_loaded() {
    let tables = tables::read("order-entry", TABLES, &data()).unwrap();
    let customers = dbdyno_engine::TableRows {
        unit: None,
        what: tables::called("order-entry", "customers"),
        table: "x.y".to_owned(),
        columns: tables[0].columns.clone(),
        rows: tables[0].rows,
        seed: 9,
    };
    let (mut source, mut row) = (customers.source(), dbdyno_engine::client::Values::new());
    let mut names = std::collections::BTreeSet::new();
    for id in 1..=customers.rows {
        dbdyno_engine::data::RowSource::row(&mut source, id, &mut row);
        names.insert(format!("{:?} {:?}", row.get(2), row.get(1)));
    }
    let mut program = OrderEntry.program(user(0), OrderEntry.types());
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

const BEFORE: [i64; 14] = [10, 20, 20, 30, 150, 40, 0, 0, 0, 0, 0, 900, 70, 0];

/// Transactions of the first six types that ended so; those that order say 17 items in all, those that process 31
/// orders.
fn ended(acknowledged: [u64; 6], unknown: [u64; 6]) -> Vec<Ended> {
    let said = [0, 0, 0, 17, 31, 0];
    let ended = |n: usize| Ended { acknowledged: acknowledged[n], rolled_back: 0, unknown: unknown[n], sum: said[n] };
    (0..6).map(ended).collect()
}

/// By how much figures have grown: tables in order, pieces, and the sum of the status.
type Grown = [i64; 8];

/// What is said of figures that grew so.
fn wrong(grown: Grown, ended: &[Ended]) -> Vec<String> {
    let mut after = BEFORE;
    [0, 1, 2, 3, 4, 5, 11, 12].into_iter().zip(grown).for_each(|(place, by)| after[place] += by);
    OrderEntry.miscounted((&BEFORE, &after), ended, (&data(), &Parameters::default()))
}

#[test]
fn figures_grow_by_what_was_acknowledged() {
    // Registered 1, updated 2, browsed 3, ordered 4 with 17 items, processed 5, looked at 6.
    let all = ended([1, 2, 3, 4, 5, 6], [0; 6]);
    let right: Grown = [1, 3, 1, 4, 17, 8, 6, 31];
    assert_eq!(wrong(right, &all), [""; 0]);
    let words =
        ["customers", "addresses", "cards", "orders", "items", "logons", "pieces in stock", "the sum of the orders'"];
    for (place, word) in words.into_iter().enumerate() {
        for by in [-1, 1] {
            let mut grown = right;
            grown[place] += by;
            let said = wrong(grown, &all);
            assert!(said.len() == 1 && said[0].starts_with(word), "{said:?}");
        }
    }
    // Nobody knows of one order: it may be there, with seven items at most. So it is with up to ten processed orders.
    let lost = ended([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]);
    for grown in [right, [1, 3, 1, 5, 24, 9, 7, 41]] {
        assert_eq!(wrong(grown, &lost), [""; 0]);
    }
    for (place, most) in [(3, 5), (4, 24), (6, 7), (7, 41)] {
        let mut grown = right;
        grown[place] = most + 1;
        assert_eq!(wrong(grown, &lost).len(), 1, "{place}");
    }
}

#[test]
fn each_invariant_that_is_broken_is_said() {
    assert_eq!(OrderEntry.broken(&BEFORE), [""; 0]);
    for (place, word) in [
        (6, "total"),
        (7, "below zero"),
        (8, "without an order"),
        (9, "without a product"),
        (10, "behind"),
        (13, "prefer"),
    ] {
        let mut figures = BEFORE;
        figures[place] = 3;
        let said = OrderEntry.broken(&figures);
        assert!(said.len() == 1 && said[0].ends_with(": 3") && said[0].contains(word), "{said:?}");
    }
    assert_eq!(OrderEntry.broken(&BEFORE[..6]).len(), 6, "what was not read is not believed");
    assert_eq!(OrderEntry.traced().len(), 6);
}

#[test]
fn loaded_rows_are_counted_table_by_table() {
    let rows: Vec<i64> =
        tables::read("order-entry", TABLES, &data()).unwrap().iter().map(|table| table.rows.cast_signed()).collect();
    assert_eq!(rows, [10_000, 15_000, 15_000, 14_297, 71_485, 23_829, 900_000, 1_000, 1_000, 1_000]);
    assert_eq!(OrderEntry.misloaded(&data(), &rows), [""; 0]);
    let mut fewer = rows.clone();
    fewer[4] -= 1;
    assert_eq!(OrderEntry.misloaded(&data(), &fewer), ["items holds 71484 loaded rows, and 71485 were loaded"]);
    assert_eq!(OrderEntry.misloaded(&data(), &rows[1..]).len(), 1);
}
