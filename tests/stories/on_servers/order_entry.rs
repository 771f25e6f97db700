//! Order Entry on servers: loaded with its sequences, run, proved and dropped; breaches that are planted, and a server
//! that dies meanwhile.

use super::crashes::lost;
use super::{OWN, Product, stories};
use crate::document::check_document;
use crate::support::{Room, number, points, statuses, text, wait_until};

stories!(a_shop_runs_is_proved_and_dropped, acknowledged_orders_outlive_the_crash_of_the_server,);

fn a_shop_runs_is_proved_and_dropped<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
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
    let [orders, inventories, items] = ["oe_orders", "oe_inventories", "oe_items"].map(S::table);
    let sequence = S::table("oe_order_seq");
    for (breach, back, said) in [
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
    ] {
        database.sql(&breach);
        room.run(&format!("{run} --users 1 --duration 200ms")).expect(4);
        let reason = text(&points(&room.show("last"))[0], "/reason").to_owned();
        assert!(reason.starts_with("before the point: "), "{reason}");
        assert!(said.iter().all(|said| reason.contains(said)), "{said:?}: {reason}");
        database.sql(&back);
    }
    room.run(&format!("{run} --users 2 --duration 500ms")).expect(0);
    let said = room.run(&format!("drop --target {target}")).expect(0).stdout;
    assert!(said.contains("oe_customers"), "{said}");
    let nothing = room.run(&format!("drop --target {target} --json")).expect(0).json();
    assert_eq!(nothing["dropped"], false, "sequences and procedures go, too: {nothing:#}");
}

fn acknowledged_orders_outlive_the_crash_of_the_server<S: Product>() {
    let mut server = S::doomed();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    let (room, target) = (Room::new(), server.socket(S::SUPERUSER, OWN));
    room.run(&format!("load order-entry --scale 0.01 --target {target}")).expect(0);
    let logons = S::table("oe_logons");
    let rows = || server.sql(OWN, &format!("SELECT COUNT(*) FROM {logons}")).trim().parse::<u64>().unwrap();
    let run = room.start(&format!("run order-entry --users 1,4 --duration 3s --target {target}"));
    run.until("[1/3] order-entry");
    let before = rows();
    wait_until("transactions of the second point", || rows() > before);
    let id = lost(&room, run, || server.kill());
    let first = room.show(&id);
    assert_eq!(statuses(&first), ["order-entry ok", "order-entry failed"]);
    server.restart();
    room.run("resume last").expect(0);
    let document = room.show(&id);
    assert_eq!(statuses(&document), ["order-entry ok"; 3]);
    assert_eq!(points(&document)[0], points(&first)[0], "what was measured is as it was");
    check_document(&document);
}
