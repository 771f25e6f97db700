//! A user's own server: dbdyno does nothing there unasked, removes what it made and nothing else, and does not report
//! this machine's operating system as the server's.

use super::{Product, refuses, stories};
use crate::document::check_document;
use crate::small_disk::leave_mounts_of_others;
use crate::support::{DBDYNO, Room, Running, points, statuses, text};
use serde_json::Value;
use std::process::Command;

stories!(
    a_server_is_loaded_when_asked_measured_and_left_as_it_was,
    a_server_elsewhere_has_no_figures_of_this_machine,
    what_is_not_dbdynos_in_its_place_is_left_alone,
    a_drop_stops_at_what_dbdyno_did_not_make,
);

/// Objects of others among dbdyno's own.
pub(crate) trait Remote: Product {
    /// A table in place of dbdyno's own, under its SQL name; SQL that makes it with the number 1 in its column `id`;
    /// and the reason of the refusal, up to its end.
    fn stranger(database: &str) -> [String; 3];

    /// SQL that makes an object among dbdyno's own, SQL that removes it, and its description.
    fn intruder(database: &str) -> [String; 3];
}

/// Runs the command between backquotes in a message, as a user would who pasted it.
fn paste(room: &Room, said: &str) -> Running {
    let typed = said.split('`').nth(1).unwrap_or_else(|| panic!("no command in: {said}"));
    let typed = typed.strip_prefix("dbdyno ").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {DBDYNO} {typed}")]);
    room.settle_in(&mut shell);
    Running::start(shell)
}

fn a_server_is_loaded_when_asked_measured_and_left_as_it_was<S: Remote>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let orders = format!("{}.orders", database.server.elsewhere(&database.name));
    database.sql(&format!("CREATE TABLE {orders} AS SELECT 1 AS id"));
    let before = database.objects();
    let target = database.target();
    let words = format!(
        "dbdyno: {target} holds no data of dbdyno's; load it first: `dbdyno load --target '{target}' --size T`\n"
    );
    refuses(&room, &format!("run T611 --size T --target {target}"), &words);
    let found = room.run(&format!("check --size T --target {target}")).expect(2);
    assert!(found.stdout.contains("load it first"), "{}", found.stdout);
    assert_eq!(database.objects(), before, "nothing was done to the server");

    let ending = paste(&room, &words).end().expect(0);
    assert!(ending.stdout.contains("now holds size T (seed 42), every checksum verified"), "{}", ending.stdout);
    room.run(&format!("check --target {target}")).expect(0);
    // Loading again does nothing, and another size or seed is refused with a command that can be pasted.
    let again = room.run(&format!("load --target {target}")).expect(0);
    assert!(again.stdout.contains("there was nothing to load"), "{}", again.stdout);
    assert!(again.stdout.contains("every checksum verified when it was loaded; up to 1,000 rows"), "{}", again.stdout);
    for other in ["run T611 --size D", "load --size T --seed 7"] {
        refuses(
            &room,
            &format!("{other} --target {target}"),
            &format!("or run `dbdyno drop --target '{target}'` first"),
        );
    }

    let over_tcp = database.server.tcp(S::SUPERUSER, &database.name);
    room.run(&format!("run T611 --ramp 1,2 --duration 200ms --target {over_tcp}")).expect(0);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T611 ok"; 3]);
    assert_eq!((text(&document, "/run/target"), text(&document, "/run/size")), (over_tcp.as_str(), "T"));
    // The server is seen to be local, so this machine is the platform.
    assert!(document["platform"]["memory"]["total_bytes"].is_number(), "{:#}", document["platform"]);
    assert!(points(&document).iter().all(|p| p["cpu"]["busy_pct"].is_number()), "{document:#}");
    assert!(room.run("show last").expect(0).stdout.contains("T611"));

    // Rows, and a table, that somebody has removed are there by the notes of the load alone.
    let small = S::table("small_heap");
    for removes in [format!("DELETE FROM {small} WHERE id > 1600"), format!("DROP TABLE {small}")] {
        database.sql(&removes);
        let gone = room.run(&format!("load --target {target}")).expect(2).stderr;
        assert!(gone.contains("does not hold what dbdyno loaded") && gone.contains("small_heap"), "{removes}: {gone}");
    }

    let dropped = room.run(&format!("drop --target {target} --json")).expect(0).json();
    assert_eq!(dropped["dropped"], true);
    assert_eq!(database.objects(), before, "nothing is left");
    let again = room.run(&format!("drop --target {target}")).expect(0);
    assert!(again.stdout.starts_with("nothing to drop"), "{}", again.stdout);
}

/// dbdyno in its own process namespace, so that a port of this machine leads to a server that it does not see, as with
/// a tunnel.
fn as_through_a_tunnel(room: &Room, line: &str) -> Running {
    for way in ["-pf", "-Urpf"] {
        let works = Command::new("unshare").args([way, "--mount-proc", "true"]).output();
        if works.expect("this story needs `unshare` (util-linux)").status.success() {
            let mut command = Command::new("unshare");
            let script = format!("{}; exec \"$@\"", leave_mounts_of_others(room));
            command.args([way, "--mount-proc", "--kill-child", "sh", "-c", &script, "sh", DBDYNO]);
            command.args(line.split_whitespace());
            room.settle_in(&mut command);
            return Running::start(command);
        }
    }
    panic!("no namespace for processes can be made: neither as root (`unshare -p`) nor in a user namespace");
}

fn a_server_elsewhere_has_no_figures_of_this_machine<S: Remote>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let target = database.server.tcp(S::SUPERUSER, &database.name);
    let line = format!("run T611 T426 T711 --ramp 1 --duration 200ms --json --target {target}");
    let document = as_through_a_tunnel(&room, &line).end().expect(0).json();
    check_document(&document);
    assert_eq!(statuses(&document), ["T611 ok", "T426 ok", "T711 ok"]);
    let why = "the target is on another machine, whose operating system dbdyno does not see";
    for path in ["host", "cpu", "memory", "os", "kernel", "virtualisation", "disks"] {
        assert_eq!(document["platform"]["missing"][path], why, "{:#}", document["platform"]);
    }
    for figure in ["/cpu/model", "/cpu/threads", "/memory/total_bytes", "/os", "/kernel"] {
        assert!(
            document["platform"].pointer(figure).is_none_or(Value::is_null),
            "{figure}: {:#}",
            document["platform"]
        );
    }
    for point in points(&document) {
        for path in ["cpu", "io", "memory", "network", "pressure"] {
            assert_eq!(point["missing"][path], why, "{point:#}");
        }
        for figure in ["/cpu/busy_pct", "/io/read_mib_per_s", "/memory/available_bytes", "/pressure/cpu_some_pct"] {
            assert!(point.pointer(figure).is_none_or(Value::is_null), "{figure}: {point:#}");
        }
        // The server's own counts are there all the same.
        assert!(point["database"]["logical_reads_per_s"].is_number() && point["redo"]["mib_per_s"].is_number());
    }
    // Whether storage was read is unknown, so it is neither claimed nor denied.
    assert_eq!(points(&document)[1]["missing"]["proof.non_cached"], "the target's devices are not seen from here");
}

fn what_is_not_dbdynos_in_its_place_is_left_alone<S: Remote>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let [table, make, why] = S::stranger(&database.name);
    database.sql(&make);
    let (before, target) = (database.objects(), database.target());
    for what in ["run T611", "run T111", "load --size T", "drop"] {
        refuses(&room, &format!("{what} --target {target}"), &format!("dbdyno: {target} cannot be used: {why}\n"));
    }
    let check = room.run(&format!("check --target {target}")).expect(2);
    assert!(check.stdout.contains("BLOCKER") && check.stdout.contains(&table), "{}", check.stdout);
    assert_eq!(database.objects(), before);
    assert_eq!(database.sql(&format!("SELECT id FROM {table}")), "1");
}

fn a_drop_stops_at_what_dbdyno_did_not_make<S: Remote>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let target = database.target();
    let [make, remove, called] = S::intruder(&database.name);
    database.sql(&make);
    let before = database.objects();
    let ending = room.run(&format!("drop --target {target}")).expect(3);
    assert!(ending.stderr.contains(&format!("holds what dbdyno did not make: {called}")), "{}", ending.stderr);
    assert_eq!(database.objects(), before, "nothing was dropped");
    // Neither a run nor a later drop is affected.
    room.run(&format!("run T111 --ramp 1 --duration 50ms --target {target}")).expect(0);
    database.sql(&remove);
    let orders = format!("{}.orders", database.server.elsewhere(&database.name));
    database.sql(&format!("CREATE TABLE {orders} AS SELECT 1 AS id"));
    room.run(&format!("drop --target {target}")).expect(0);
    assert_eq!(database.sql(&format!("SELECT id FROM {orders}")), "1");
    database.sql(&format!("DROP TABLE {orders}"));
    let left = database.objects();
    assert!(left.iter().all(|name| !name.contains("dbdyno") && !name.contains("small_heap")), "{left:?}");
}
