//! Order Entry on the embedded engine: loaded, run, proved, and what breaks its invariants found.

use crate::document::check_document;
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Room, Running, number, points, statuses, text};

const TARGET: &str = "--target sqlite:shop.sqlite";
const RUN: &str = "run order-entry --users 1 --duration 200ms";
/// Long enough for transactions of each type.
const LONGER: &str = "run order-entry --users 1 --duration 2s";

fn loaded() -> Room {
    Room::with_file("shop.sqlite", "load order-entry --scale 0.01 --target sqlite:shop.sqlite")
}

fn just_loaded() -> Room {
    let room = Room::new();
    let said = room.run(&format!("load order-entry --scale 0.01 {TARGET} --json")).expect(0).json();
    assert_eq!((number(&said, "/scale"), number(&said, "/rows/items")), (0.01, 71_485.0), "{said:#}");
    let parts =
        ["write_s", "read_back_s", "index_s", "finish_s", "prove_s"].map(|part| number(&said, &format!("/{part}")));
    assert!(parts[..3].iter().all(|seconds| *seconds > 0.0), "{said:#}");
    assert!(parts.iter().sum::<f64>() <= number(&said, "/elapsed_s"), "{said:#}");
    room
}

fn change(room: &Room, sql: &str) {
    rusqlite::Connection::open(room.path("shop.sqlite")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_shop_is_loaded_run_and_dropped() {
    let room = just_loaded();
    let again = room.run(&format!("load order-entry {TARGET}")).expect(0).stdout;
    assert!(again.contains("holds order-entry at scale 0.01 already"), "{again}");
    let document = room.run(&format!("run order-entry --users 1,2 --duration 500ms --json {TARGET}")).expect(0).json();
    assert_eq!(statuses(&document), ["order-entry ok"; 3]);
    check_document(&document);
    assert_eq!(text(&document, "/run/size"), "scale 0.01");
    for point in points(&document) {
        let names: Vec<&str> = (0..6).map(|n| text(point, &format!("/transactions/{n}/type"))).collect();
        assert_eq!(names[..2], ["customer registration", "update customer details"]);
        let of_types: f64 = (0..6).map(|n| number(point, &format!("/transactions/{n}/outcomes/ok"))).sum();
        assert_eq!(of_types, number(point, "/outcomes/ok"));
        assert!(number(point, "/transactions/2/outcomes/ok") > number(point, "/transactions/0/outcomes/ok"));
    }
    let times = room.run("show last --table latency").expect(0).stdout;
    assert!(times.contains("browse products") && times.contains("process orders"), "{times}");
    // What was sold since does not make the tables other than they were loaded.
    room.run(&format!("{RUN} {TARGET}")).expect(0);
    let other = room.run(&format!("run order-entry --scale 0.02 {TARGET}")).expect(2).stderr;
    assert!(other.contains("holds order-entry at scale 0.01, and scale 0.02 was asked for"), "{other}");
    room.run(&format!("drop {TARGET}")).expect(0);
    assert!(!room.path("shop.sqlite").exists(), "dbdyno had made the file");
}

#[test]
fn another_seed_is_other_data_and_is_kept_apart() {
    let room = loaded();
    let (other, asked) = ("--target sqlite:other.sqlite", "and scale 0.01, seed 7 was asked for; say --seed 42");
    for command in ["load order-entry", "run order-entry --users 1"] {
        let refused = room.run(&format!("{command} --seed 7 {TARGET}")).expect(2).stderr;
        assert!(refused.contains(&format!("holds order-entry at scale 0.01, seed 42, {asked}")), "{refused}");
    }
    let both = room.run(&format!("load order-entry --scale 0.02 --seed 7 {TARGET}")).expect(2).stderr;
    assert!(both.contains("and scale 0.02, seed 7 was asked for; say --scale 0.01 --seed 42"), "{both}");
    let said = room.run(&format!("load order-entry --scale 0.01 --seed 7 {other} --json")).expect(0).json();
    assert_eq!((number(&said, "/seed"), number(&said, "/rows/items")), (7.0, 71_485.0), "{said:#}");
    let again = room.run(&format!("load order-entry {other}")).expect(0).stdout;
    assert!(again.contains("holds order-entry at scale 0.01, seed 7 already"), "{again}");
    let read = |file: &str| {
        let sql =
            "SELECT o.order_total, c.last_name FROM dbdyno_oe_orders o JOIN dbdyno_oe_customers c USING (customer_id)
                   WHERE o.order_id < 50";
        let connection = rusqlite::Connection::open(room.path(file)).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((format!("{:?}", row.get_ref(0)?), row.get::<_, String>(1)?));
        statement.query_map([], row).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    let same = read("shop.sqlite").into_iter().zip(read("other.sqlite")).filter(|(a, b)| a == b).count();
    assert!(same < 3, "{same} of 49 orders are the same");
    // Its users look for names that were loaded, and its run is known by its seed.
    let document = room.run(&format!("{LONGER} {other} --json")).expect(0).json();
    assert_eq!(number(&document, "/run/seed"), 7.0);
    let outcomes = &points(&document)[0]["transactions"][1]["outcomes"];
    assert_eq!(text(&points(&document)[0], "/transactions/1/type"), "update customer details");
    assert!(outcomes["ok"].as_u64() > Some(0) && outcomes["rolled_back"].as_u64().unwrap_or(0) == 0, "{outcomes:#}");
    let resumed = room.run(&format!("resume last {TARGET}")).expect(2).stderr;
    assert!(resumed.contains("the seed of the workload's data was 7 and is 42 now"), "{resumed}");
    let checked = room.run(&format!("check {other}")).stdout;
    assert!(checked.contains("order-entry at scale 0.01, seed 7"), "{checked}");
    let warned = room.run(&format!("check --seed 8 {other}")).expect(0).stdout;
    assert!(warned.contains("not the seed that was asked for"), "{warned}");
}

#[test]
fn a_suite_runs_the_workload_and_says_what_came_from_the_device() {
    let room = loaded();
    let suite = format!("run order-entry-io {TARGET}");
    let other = room.run(&suite).expect(2).stderr;
    assert!(other.contains("holds order-entry at scale 0.01, and scale 1 was asked for"), "{other}");
    let both = room.run(&format!("run order-entry-io T611 {TARGET}")).expect(2).stderr;
    assert!(both.contains("the suite order-entry-io is run by itself"), "{both}");
    let planned = room.run(&format!("{suite} --scale 0.01 --dry-run --json")).expect(0).json();
    assert_eq!(planned["tests"][0]["dops"].as_array().map(Vec::len), Some(3), "1, 4 and 16 users: {planned:#}");
    let document = room.run(&format!("{suite} --scale 0.01 --users 1 --duration 1s --json")).expect(0).json();
    assert_eq!(text(&document, "/run/suite"), "order-entry-io");
    let point = &points(&document)[0];
    let told = point["database"]["device_read_pct"].as_f64();
    let why = point["missing"]["database.device_read_pct"].as_str();
    assert!(told.is_some() != why.is_some(), "a figure or a reason: {told:?}, {why:?}");
    assert!(told.is_none_or(|pct| (0.0..=100.0).contains(&pct)), "{told:?}");
    // A search of it is planned, too.
    let search = room.run(&format!("{suite} --scale 0.01 --until-saturated --max-jobs 2 --dry-run")).expect(0).stdout;
    assert!(search.contains("order-entry"), "{search}");
    let listed = room.run("list suites").expect(0).stdout;
    assert!(listed.contains("order-entry-io"), "{listed}");
}

#[test]
fn each_breach_of_an_invariant_makes_the_point_invalid_and_is_named() {
    let room = loaded();
    for (breach, back, said, key) in [
        (
            "UPDATE dbdyno_oe_orders SET order_total = order_total + 1 WHERE order_id = 77",
            "UPDATE dbdyno_oe_orders SET order_total = order_total - 1 WHERE order_id = 77",
            "orders whose total is not that of their items: 1",
            "the first keys of orders: 77",
        ),
        (
            "UPDATE dbdyno_oe_inventories SET quantity_on_hand = -1 WHERE product_id = 5 AND warehouse_id = 6",
            "UPDATE dbdyno_oe_inventories SET quantity_on_hand = 9 WHERE product_id = 5 AND warehouse_id = 6",
            "stocks below zero: 1",
            "the first keys of inventories: 5/6",
        ),
        (
            "INSERT INTO dbdyno_oe_items SELECT 99999, line_item_id, product_id, 0, quantity, dispatch_date, return_date,
             gift_wrap, item_condition, supplier_id, estimated_delivery FROM dbdyno_oe_items WHERE order_id = 8",
            "DELETE FROM dbdyno_oe_items WHERE order_id = 99999",
            "items without an order: 5",
            "the first keys of items without order: 99999/1, 99999/2, 99999/3, 99999/4, 99999/5",
        ),
        (
            "UPDATE dbdyno_oe_items SET product_id = 4711 WHERE order_id = 9 AND line_item_id = 2",
            "UPDATE dbdyno_oe_items SET product_id = 47 WHERE order_id = 9 AND line_item_id = 2",
            "items without a product: 1",
            "the first keys of items without product: 9/2",
        ),
    ] {
        change(&room, breach);
        room.run(&format!("{RUN} {TARGET}")).expect(4);
        let reason = text(&points(&room.show("last"))[0], "/reason").to_owned();
        assert!(reason.starts_with("before the point: ") && reason.contains(said), "{reason}");
        assert!(reason.contains(key), "{key}: {reason}");
        change(&room, back);
    }
    // A row that nobody acknowledged, and a row that is lost.
    for (breach, back, said) in [
        (
            "CREATE TRIGGER more AFTER INSERT ON dbdyno_oe_logons WHEN new.customer_id > 0
             BEGIN INSERT INTO dbdyno_oe_logons VALUES (new.logon_id + 1000000, -1, 0); END",
            "DROP TRIGGER more",
            "logons grew by ",
        ),
        (
            "CREATE TRIGGER less AFTER INSERT ON dbdyno_oe_logons
             BEGIN DELETE FROM dbdyno_oe_logons WHERE logon_id = new.logon_id; END",
            "DROP TRIGGER less",
            "as acknowledged",
        ),
        (
            "CREATE TRIGGER stock AFTER UPDATE ON dbdyno_oe_inventories BEGIN UPDATE dbdyno_oe_inventories
             SET quantity_on_hand = old.quantity_on_hand
             WHERE product_id = old.product_id AND warehouse_id = old.warehouse_id; END",
            "DROP TRIGGER stock",
            "pieces in stock and in orders grew by ",
        ),
        (
            "CREATE TRIGGER status AFTER UPDATE OF order_status ON dbdyno_oe_orders
             BEGIN UPDATE dbdyno_oe_orders SET order_status = old.order_status WHERE order_id = old.order_id; END",
            "DROP TRIGGER status",
            "the sum of the orders' status grew by 0, and by ",
        ),
    ] {
        change(&room, breach);
        room.run(&format!("{LONGER} {TARGET}")).expect(4);
        let reason = text(&points(&room.show("last"))[0], "/reason").to_owned();
        assert!(reason.contains(said), "{said}: {reason}");
        change(&room, back);
    }
    room.run(&format!("{RUN} {TARGET}")).expect(0);
}

#[test]
fn other_indexes_than_a_load_makes_are_refused() {
    let room = loaded();
    for (other, back, said) in [
        (
            "DROP INDEX dbdyno_oe_items_product",
            "CREATE INDEX dbdyno_oe_items_product ON dbdyno_oe_items (product_id)",
            "its tables have 17 indexes, and 18 were made",
        ),
        (
            "CREATE INDEX of_others ON dbdyno_oe_orders (order_status, order_total)",
            "DROP INDEX of_others",
            "its tables have 19 indexes, and 18 were made",
        ),
        // As many, with as many columns.
        (
            "DROP INDEX dbdyno_oe_items_product; CREATE INDEX dbdyno_oe_items_product ON dbdyno_oe_items (quantity)",
            "DROP INDEX dbdyno_oe_items_product; CREATE INDEX dbdyno_oe_items_product ON dbdyno_oe_items (product_id)",
            "its indexes are others than those that its load made",
        ),
    ] {
        change(&room, other);
        for command in [RUN, "load order-entry"] {
            let refused = room.run(&format!("{command} {TARGET}")).expect(2).stderr;
            assert!(refused.contains(said), "{refused}");
        }
        change(&room, back);
        room.run(&format!("{RUN} {TARGET}")).expect(0);
    }
}

/// Where commits are not proved durable the next point tries it again, which is dbdyno's own work.
#[test]
fn a_proof_of_commits_that_is_tried_again_is_nobody_elses_work() {
    let room = loaded();
    let over = std::sync::atomic::AtomicBool::new(false);
    let document = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = std::fs::File::create(room.path("noise")).unwrap();
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                std::io::Write::write_all(&mut file, b"x").unwrap();
                file.sync_all().unwrap();
            }
        });
        let run = room.run(&format!("run order-entry --users 1,2 --duration 300ms --json {TARGET}"));
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        run.expect(0).json()
    });
    for point in points(&document) {
        assert!(!point["flag_notes"].to_string().contains("somebody else"), "{:#}", point["flag_notes"]);
    }
}

#[test]
fn a_customer_who_prefers_an_old_address_is_found() {
    let room = loaded();
    change(
        &room,
        "CREATE TRIGGER prefers AFTER UPDATE OF preferred_address ON dbdyno_oe_customers BEGIN UPDATE dbdyno_oe_customers
         SET preferred_address = old.preferred_address WHERE customer_id = old.customer_id; END",
    );
    room.run(&format!("{LONGER} {TARGET}")).expect(4);
    let reason = text(&points(&room.show("last"))[0], "/reason").to_owned();
    assert!(reason.contains("an old one though they have a new one: "), "{reason}");
    assert!(reason.contains("the first keys of customers: "), "{reason}");
}

#[test]
fn a_shop_without_stock_says_that_nothing_was_ordered() {
    let room = loaded();
    change(&room, "UPDATE dbdyno_oe_inventories SET quantity_on_hand = 0");
    let document = room.run(&format!("{LONGER} {TARGET} --json")).expect(0).json();
    let point = &points(&document)[0];
    let (ok, rolled_back) = ("/transactions/3/outcomes/ok", "/transactions/3/outcomes/rolled_back");
    assert!(number(point, rolled_back) > 0.0, "{point:#}");
    assert_eq!(number(point, rolled_back), number(point, ok), "nobody could order anything");
}

#[test]
fn a_disk_that_fills_up_loses_no_order() {
    let room = loaded();
    let disk = SmallDisk::new(&room, 256);
    std::fs::copy(room.path("shop.sqlite"), disk.seen("shop.sqlite")).unwrap();
    let ballast = disk.fill_up(1024);
    let target = disk.path("shop.sqlite").display().to_string();
    let on_disk =
        |line: &str| Running::start(disk.command(&room, DBDYNO, &format!("{line} --target sqlite:{target}"))).end();
    let ending = on_disk("run order-entry --users 2 --duration 60s").expect(4);
    let document = room.show("last");
    let point = &points(&document)[0];
    assert_eq!(text(point, "/status"), "failed", "{}", ending.stderr);
    assert!(text(point, "/reason").starts_with("out of space: "), "{}", point["reason"]);
    assert!(point["outcomes"]["ok"].as_u64() > Some(0), "{point:#}");
    std::fs::remove_file(ballast).unwrap();
    on_disk("run order-entry --users 2 --duration 1s").expect(0);
}

#[test]
fn statements_can_be_reviewed_and_run_by_hand() {
    let room = Room::new();
    let script = room.run("sql sqlite --workload order-entry").expect(0).stdout;
    assert!(script.contains("customer_id <= 100000") && !script.contains("_rows}"), "numbers of rows are there");
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let makes = script.split("\n\n").filter(|part| part.contains("\nCREATE "));
    assert_eq!(makes.map(|part| connection.execute_batch(part)).map(Result::unwrap).count(), 28);
    let postgres = room.run("sql postgres --workload order-entry").expect(0).stdout;
    assert!(postgres.contains("START WITH 100001 CACHE 100"), "{postgres}");
}
