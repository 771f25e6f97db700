//! Workloads on servers: both forms are loaded, run, verified and dropped; changes by others, and a server that dies
//! meanwhile.

use super::crashes::lost;
use super::{OWN, Product, stories};
use crate::document::check_document;
use crate::support::{Room, as_measured, number, points, statuses, text, wait_until};

stories!(
    a_workload_runs_in_both_forms_and_is_dropped,
    a_row_changed_behind_its_back_is_found_out,
    a_workload_outlives_the_crash_of_the_server,
    a_load_spares_tables_of_its_names_that_are_others,
);

fn a_workload_runs_in_both_forms_and_is_dropped<S: Product>() {
    // The tests' tables are beside it.
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let target = database.target();
    let ending = room.run(&format!("run tpcb --users 2 --target {target}")).expect(2);
    assert!(ending.stderr.contains("load it first: `dbdyno load tpcb"), "{}", ending.stderr);
    room.run(&format!("load tpcb --scale 2 --target {target}")).expect(0);
    for form in ["client", "server"] {
        let line = format!("run tpcb --users 1,3 --drive {form} --duration 1s --json --target {target}");
        let document = room.run(&line).expect(0).json();
        assert_eq!(statuses(&document), ["tpcb ok"; 3]);
        check_document(&document);
        for point in points(&document) {
            assert_eq!(text(point, "/drive"), form);
            assert!(number(point, "/transactions/0/outcomes/ok") > 0.0, "{point:#}");
            assert!(number(point, "/service_time_s/p99") > 0.0, "{point:#}");
        }
        assert!(room.run("show last").expect(0).stdout.contains("Transactions"));
        // In both forms dbdyno began and timed the transactions.
        let times = room.run("show last --table latency").expect(0).stdout;
        assert!(times.contains("closed loop") && times.contains("service"), "{form}: {times}");
        room.run("report last --output page.html").expect(0);
        let page = std::fs::read_to_string(room.path("page.html")).unwrap();
        assert!(page.contains("id=\"latency\""), "{form}");
    }
    room.run(&format!("run tpcb --users 4 --rate 20/s --duration 2s --target {target}")).expect(0);
    let said = room.run(&format!("drop --target {target}")).expect(0).stdout;
    assert!(said.contains("tpcb_accounts") && said.contains("small_heap"), "{said}");
    let nothing = room.run(&format!("drop --target {target} --json")).expect(0).json();
    assert_eq!(nothing["dropped"], false, "{nothing:#}");
}

fn a_row_changed_behind_its_back_is_found_out<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load tpcb --target {target}")).expect(0);
    // Within a point: while it works, history is written.
    let run = room.start(&format!("run tpcb --users 2 --duration 3s --target {target}"));
    let history = S::table("tpcb_history");
    wait_until("transactions", || database.sql(&format!("SELECT COUNT(*) FROM {history}")).trim() > "0");
    let accounts = S::table("tpcb_accounts");
    database.sql(&format!("UPDATE {accounts} SET abalance = abalance + 1 WHERE aid = 7"));
    run.end().expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["tpcb invalid"]);
    let reason = text(&points(&document)[0], "/reason").to_owned();
    assert!(reason.contains("must have one sum"), "{reason}");
    // It stays so until the row is restored, or everything is loaded again.
    let line = format!("run tpcb --users 1 --duration 1s --target {target}");
    room.run(&line).expect(4);
    assert!(text(&points(&room.show("last"))[0], "/reason").starts_with("before the point: "));
    database.sql(&format!("UPDATE {accounts} SET abalance = abalance - 1 WHERE aid = 7"));
    room.run(&line).expect(0);
}

fn a_workload_outlives_the_crash_of_the_server<S: Product>() {
    let mut server = S::doomed();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    let (room, target) = (Room::new(), server.socket(S::SUPERUSER, OWN));
    room.run(&format!("load tpcb --target {target}")).expect(0);
    let history = S::table("tpcb_history");
    let rows = || server.sql(OWN, &format!("SELECT COUNT(*) FROM {history}")).trim().parse::<u64>().unwrap();
    let run = room.start(&format!("run tpcb --users 1,2 --duration 3s --target {target}"));
    run.until("[1/3] tpcb");
    let before = rows();
    wait_until("transactions of the second point", || rows() > before);
    let id = lost(&room, run, || server.kill());
    let first = room.show(&id);
    assert_eq!(statuses(&first), ["tpcb ok", "tpcb failed"]);
    server.restart();
    room.run("resume last").expect(0);
    let document = room.show(&id);
    assert_eq!(statuses(&document), ["tpcb ok"; 3]);
    assert_eq!(as_measured(&document)[0], as_measured(&first)[0], "what was measured is as it was");
    check_document(&document);
}

/// A load that starts over relies on columns, as `drop` does.
fn a_load_spares_tables_of_its_names_that_are_others<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load tpcb --target {target}")).expect(0);
    let [meta, history, branches] = ["meta", "tpcb_history", "tpcb_branches"].map(S::table);
    database.sql(&format!("UPDATE {meta} SET value = 'loading scale 1' WHERE name = 'workload tpcb'"));
    for change in ["ADD COLUMN theirs INT", "DROP COLUMN theirs", "DROP COLUMN filler"] {
        database.sql(&format!("ALTER TABLE {history} {change}"));
        if change == "DROP COLUMN theirs" {
            continue;
        }
        let ending = room.run(&format!("load tpcb --target {target}")).expect(3);
        assert!(ending.stderr.contains("tpcb_history, which dbdyno did not make"), "{change}: {}", ending.stderr);
        assert_eq!(database.sql(&format!("SELECT COUNT(*) FROM {branches}")).trim(), "1", "nothing was dropped");
    }
    database.sql(&format!("DROP TABLE {history}"));
    let anew = room.run(&format!("load tpcb --target {target}")).expect(0).stdout;
    assert!(anew.contains("began an earlier load anew"), "{anew}");
}
