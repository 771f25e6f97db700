//! Order Entry on servers: loaded with its sequences, run, proved and dropped; breaches that are planted, and a server
//! that dies meanwhile.

use super::crashes::lost;
use super::{OWN, Product, stories, until_gone};
use crate::document::check_document;
use crate::support::{Room, as_measured, number, points, statuses, text, wait_until};
use dbdyno_testkit::servers::fixtures::Database;
use rustix::process::Signal;

stories!(
    a_shop_runs_is_proved_and_dropped,
    a_foreign_sequence_stays,
    a_load_that_is_stopped_at_its_indexes_goes_on,
    users_may_log_on_for_each_transaction,
    acknowledged_orders_outlive_the_crash_of_the_server,
);

/// Rows of logons that a load makes at scale 0.01.
const LOADED_LOGONS: u32 = 23_829;

fn a_shop_runs_is_proved_and_dropped<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
    // The user's own, of a similar name, is nothing of the workload's.
    database.sql(&format!("CREATE TABLE {} (id INT PRIMARY KEY)", S::table("oe_mine")));
    let run = format!("run order-entry --target {target}");
    let document = room.run(&format!("{run} --users 1,4 --duration 1s --json")).expect(0).json();
    assert_eq!(statuses(&document), ["order-entry ok"; 3]);
    check_document(&document);
    for point in points(&document) {
        let of_types: f64 = (0..6).map(|n| number(point, &format!("/transactions/{n}/outcomes/ok"))).sum();
        assert_eq!(of_types, number(point, "/outcomes/ok"));
    }
    // A rate, and more users than connections.
    room.run(&format!("{run} --users 8 --connections 2 --rate 20/s --duration 2s")).expect(0);
    what_is_counted_is_what_the_server_has(&room, &database);
    let [orders, inventories, items] = ["oe_orders", "oe_inventories", "oe_items"].map(S::table);
    let sequence = S::table("oe_order_seq");
    let breaches = [
        (
            format!("UPDATE {orders} SET order_total = order_total + 1 WHERE order_id = 77"),
            format!("UPDATE {orders} SET order_total = order_total - 1 WHERE order_id = 77"),
            ["orders whose total is not that of their items: 1", "the first keys of orders: 77"],
        ),
        (
            format!("UPDATE {inventories} SET quantity_on_hand = -1 WHERE product_id = 5 AND warehouse_id = 6"),
            format!("UPDATE {inventories} SET quantity_on_hand = 9 WHERE product_id = 5 AND warehouse_id = 6"),
            ["stocks below zero: 1", "the first keys of inventories: 5/6"],
        ),
        (
            format!(
                "INSERT INTO {items} SELECT 999999, line_item_id, product_id, unit_price, quantity, dispatch_date,
                 return_date, gift_wrap, item_condition, supplier_id, estimated_delivery FROM {items} WHERE order_id = 9"
            ),
            format!("DELETE FROM {items} WHERE order_id = 999999"),
            ["items without an order: 5", "999999/1, 999999/2, 999999/3, 999999/4, 999999/5"],
        ),
        (
            format!("UPDATE {items} SET product_id = 4711 WHERE order_id = 9 AND line_item_id = 2"),
            format!("UPDATE {items} SET product_id = 47 WHERE order_id = 9 AND line_item_id = 2"),
            ["items without a product: 1", "the first keys of items without product: 9/2"],
        ),
        (
            format!("ALTER SEQUENCE {sequence} RESTART WITH 5"),
            format!("ALTER SEQUENCE {sequence} RESTART WITH 900000"),
            ["sequences behind their keys: 1", "the first keys of sequences: "],
        ),
    ];
    breaches.iter().for_each(|(breach, ..)| _ = database.sql(breach));
    room.run(&format!("{run} --users 1 --duration 200ms")).expect(4);
    let reason = text(&points(&room.show("last"))[0], "/reason").to_owned();
    assert!(reason.starts_with("before the point: "), "{reason}");
    for (_, back, said) in &breaches {
        assert!(said.iter().all(|said| reason.contains(said)), "{said:?}: {reason}");
        database.sql(back);
    }
    runs_in_both_forms(&room, &target);
    // What has nothing to do says so, and is rolled back: in both forms nobody orders what is not there.
    database.sql(&format!("UPDATE {inventories} SET quantity_on_hand = 0"));
    for form in ["server", "client"] {
        let document = room.run(&format!("{run} --drive {form} --users 2 --duration 2s --json")).expect(0).json();
        let orders = &points(&document)[0]["transactions"][3]["outcomes"];
        assert!(orders["rolled_back"].as_u64() > Some(0), "{form}: {orders:#}");
        assert_eq!(orders["rolled_back"], orders["ok"], "{form}");
    }
    database.sql(&format!("CREATE INDEX of_others ON {orders} (order_status)"));
    let refused = room.run(&format!("{run} --duration 200ms")).expect(2).stderr;
    assert!(refused.contains("its tables have 29 indexes, and 28 were made"), "{refused}");
    // As many as were made.
    database.sql(&S::drop_index(&items, "oe_items_product"));
    let refused = room.run(&format!("{run} --duration 200ms")).expect(2).stderr;
    assert!(refused.contains("its indexes are others than those that its load made"), "{refused}");
    database.sql(&format!("DROP TABLE {}", S::table("oe_mine")));
    let said = room.run(&format!("drop --target {target}")).expect(0).stdout;
    assert!(said.contains("oe_customers"), "{said}");
    let nothing = room.run(&format!("drop --target {target} --json")).expect(0).json();
    assert_eq!(nothing["dropped"], false, "sequences and procedures go, too: {nothing:#}");
}

/// Inserts are counted as many as there are rows more, also where users who paused at the end left their transactions.
#[track_caller]
fn what_is_counted_is_what_the_server_has<S: Product>(room: &Room, database: &Database<S>) {
    let tables =
        ["customers", "addresses", "cards", "orders", "items", "logons"].map(|of| S::table(&format!("oe_{of}")));
    let rows = || {
        let of = |table: &String| database.sql(&format!("SELECT COUNT(*) FROM {table}")).trim().parse::<f64>().unwrap();
        tables.iter().map(of).sum::<f64>()
    };
    let run = format!("run order-entry --users 4 --duration 2s --json --target {}", database.target());
    let before = rows();
    let document = room.run(&format!("{run} --mix NCR=1,BP=1")).expect(0).json();
    let point = &points(&document)[0];
    assert_eq!(number(point, "/statements/rollback"), 0.0);
    assert_eq!(rows() - before, number(point, "/statements/insert"), "{:#}", point["statements"]);
    let document = room.run(&format!("{run} --mix NCR=1 --pause 300ms")).expect(0).json();
    let statements = &points(&document)[0]["statements"];
    assert!(statements["rollback"].as_u64() > Some(0), "who paused in a transaction left it: {statements:#}");
}

/// All nine types, by statements and by procedures. A call is proved as statements are.
#[track_caller]
fn runs_in_both_forms(room: &Room, target: &str) {
    let mix = "--mix default,SRQ=20,WOQ=20,WAQ=20";
    for (form, calls) in [("client", false), ("server", true)] {
        let run = format!("run order-entry --drive {form} --target {target}");
        let document = room.run(&format!("{run} {mix} --users 4 --duration 2s --json")).expect(0).json();
        assert_eq!(statuses(&document), ["order-entry ok"]);
        check_document(&document);
        for point in points(&document) {
            assert_eq!(text(point, "/drive"), form);
            let ended = |n: usize| number(point, &format!("/transactions/{n}/outcomes/ok"));
            assert!((6..9).all(|query| ended(query) > 0.0), "{:#}", point["transactions"]);
            assert_eq!(number(point, "/statements/call") > 0.0, calls, "{:#}", point["statements"]);
            assert_eq!(number(point, "/statements/select") > 0.0, !calls, "{:#}", point["statements"]);
        }
    }
}

/// The server counts the sessions, too, and all that they have done is accounted for.
fn users_may_log_on_for_each_transaction<S: Product>() {
    let (room, mut server) = (Room::new(), S::doomed());
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    let target = server.socket(S::SUPERUSER, OWN);
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
    let logons = |server: &S| server.sql(OWN, S::LOGONS).trim().parse::<f64>().unwrap();
    let run = format!("run order-entry --logon transaction --target {target}");
    for form in ["client", "server"] {
        let before = logons(&server);
        let document = room.run(&format!("{run} --drive {form} --users 4 --duration 3s --json")).expect(0).json();
        assert_eq!(statuses(&document)[0], "order-entry ok");
        check_document(&document);
        let point = &points(&document)[0];
        let opened = number(point, "/statements/logon");
        assert!(opened >= number(point, "/outcomes/ok") && opened > 0.0, "{point:#}");
        assert!(logons(&server) - before >= opened, "the server has seen fewer than {opened}");
        assert!(!point["flag_notes"].to_string().contains("other sessions"), "{:#}", point["flag_notes"]);
        assert!(!point["flags"].to_string().contains("not_proved"), "{:#}", point["flags"]);
    }
    until_gone(&server, OWN);
    // Ctrl-C: what is under way is left, and nobody logs on any more.
    let before = logons(&server);
    let stopped = room.start(&format!("{run} --users 4 --duration 60s"));
    wait_until("logons", || logons(&server) > before + 50.0);
    stopped.signal(Signal::INT);
    stopped.end().expect(3);
    until_gone(&server, OWN);
    // The server dies while users log on: what it had acknowledged is proved when it is back.
    let lost_run = room.start(&format!("{run} --users 1,4 --duration 3s"));
    lost_run.until("[1/3] order-entry");
    let before = logons(&server);
    wait_until("logons", || logons(&server) > before + 50.0);
    server.kill();
    server.restart();
    let document = room.show(&lost(&room, lost_run, || ()));
    let point = &points(&document)[1];
    assert!(point["missing"]["proof.workload"].is_null(), "{:#}", point["missing"]);
}

/// Ctrl-C while several sessions make indexes: those under way are gone, and the same command makes what is missing.
fn a_load_that_is_stopped_at_its_indexes_goes_on<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let load = format!("load order-entry --scale 0.02 --jobs 3 --target {}", database.target());
    let run = room.start(&load);
    run.until("order-entry indexes: ");
    run.signal(Signal::INT);
    let said = run.end().expect(3).stderr;
    assert!(said.contains("the same command goes on with the load"), "{said}");
    until_gone(database.server, &database.name);
    let checked = room.run(&format!("check --target {}", database.target())).stdout;
    assert!(checked.contains("order-entry at scale 0.02, seed 42: its load is unfinished"), "{checked}");
    let document = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!(document["anew"], false, "{document:#}");
    assert!(
        number(&document, "/index_s") > 0.0 && number(&document, "/write_s") < 1.0,
        "rows were there: {document:#}"
    );
    room.run(&format!("run order-entry --users 2 --duration 500ms --target {}", database.target())).expect(0);
}

/// A sequence that somebody else made, of a name that a load needs, is refused and stays, also when the load is tried
/// again and when dbdyno drops all that is its own.
fn a_foreign_sequence_stays<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    let table = S::table("oe_order_seq");
    room.run(&format!("load tpcb --target {target}")).expect(0);
    database.sql(&format!("CREATE SEQUENCE {table} START WITH 4711"));
    for _ in 0..2 {
        let said = room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(3).stderr;
        assert!(said.contains("making the sequence") && said.contains("oe_order_seq"), "{said}");
    }
    room.run(&format!("drop --target {target}"));
    // This fails where it is not there any more.
    database.sql(&format!("DROP SEQUENCE {table}"));
}

fn acknowledged_orders_outlive_the_crash_of_the_server<S: Product>() {
    let mut server = S::doomed();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    let (room, target) = (Room::new(), server.socket(S::SUPERUSER, OWN));
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
    let logons = S::table("oe_logons");
    let rows = |server: &S| server.sql(OWN, &format!("SELECT COUNT(*) FROM {logons}")).trim().parse::<u64>().unwrap();
    let run = |server: &S| {
        let run = room.start(&format!("run order-entry --users 1,4 --duration 3s --target {target}"));
        run.until("[1/3] order-entry");
        let before = rows(server);
        wait_until("transactions of the second point", || rows(server) > before);
        run
    };
    // The server is back while dbdyno waits for it, so what it had acknowledged is proved.
    let lost_run = run(&server);
    server.kill();
    server.restart();
    let id = lost(&room, lost_run, || ());
    let first = room.show(&id);
    assert_eq!(statuses(&first), ["order-entry ok", "order-entry failed"]);
    assert!(points(&first)[1]["missing"]["proof.workload"].is_null(), "{:#}", points(&first)[1]["missing"]);
    room.run("resume last").expect(0);
    let document = room.show(&id);
    assert_eq!(statuses(&document), ["order-entry ok"; 3]);
    assert_eq!(as_measured(&document)[0], as_measured(&first)[0], "what was measured is as it was");
    check_document(&document);
    // A loss is found though the point fails, and nobody measures such a point again.
    let lost_run = run(&server);
    server.sql(OWN, &format!("DELETE FROM {logons} WHERE logon_id > {LOADED_LOGONS}"));
    server.kill();
    server.restart();
    lost_run.end().expect(3);
    room.run("resume last").expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["order-entry ok", "order-entry invalid", "order-entry ok"]);
    let reason = text(&points(&document)[1], "/reason");
    assert!(reason.starts_with("logons grew by "), "{reason}");
    assert!(reason.contains("then the point failed: connection lost: "), "{reason}");
}
