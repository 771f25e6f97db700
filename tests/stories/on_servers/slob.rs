//! SLOB on servers: shares of operations, what updates write, where rows lie, and loads that are stopped.

use super::{Product, stories};
use crate::document::check_document;
use crate::support::{Room, number, points, statuses, text};
use dbdyno_testkit::servers::fixtures::Database;
use rustix::process::Signal;
use serde_json::Value;

stories!(
    shares_are_exact_in_both_forms,
    updates_write_what_they_should_and_where,
    rows_that_lie_otherwise_are_not_measured,
    rows_that_share_a_page_are_not_measured,
    rows_that_the_work_has_moved_go_back,
    procedures_that_somebody_has_replaced_are_made_again,
    an_index_that_goes_meanwhile_is_missed,
    a_load_that_is_killed_goes_on,
);

/// A product's SQL against the tables of SLOB.
pub(crate) trait Slob: Product {
    /// Puts several rows of the first schema into a page each, without the knowledge of the server's statistics.
    const CROWD: &'static str;

    /// Puts a procedure of the same name and answer in the place of the first schema's `select`, which reads no table.
    const IDLE_SELECT: &'static str;
}

fn loaded<S: Slob>(schemas: u32) -> (Room, Database<S>) {
    let (room, database) = (Room::new(), S::fixtures().empty());
    room.run(&format!("load slob --schemas {schemas} --target {}", database.target())).expect(0);
    (room, database)
}

/// Operations of each kind, and the jobs.
fn done(point: &Value) -> ([f64; 3], f64) {
    let of = point["transactions"].as_array().unwrap();
    let of = |kind| of.iter().find(|of| of["type"] == kind).map_or(0.0, |of| number(of, "/outcomes/ok"));
    (["select", "update", "scan"].map(of), number(point, "/jobs"))
}

/// Two sessions on each of two schemas: whole hundreds of each have the shares that were asked for, and each finds as
/// many rows as lie between its keys.
fn shares_are_exact_in_both_forms<S: Slob>() {
    let (room, database) = loaded::<S>(2);
    let run = format!("run slob --target {} --set THREADS_PER_SCHEMA=2 --duration 60s", database.target());
    for (drive, updates, scans, stress) in [
        ("client", 0, 0, "LITE"),
        ("client", 10, 10, "LITE"),
        ("client", 50, 0, "HEAVY"),
        ("client", 100, 0, "LITE"),
        ("server", 10, 10, "HEAVY"),
        ("server", 50, 0, "LITE"),
    ] {
        let set = format!("--set WORK_LOOP=100 --set SCAN_PCT={scans} --set REDO_STRESS={stress}");
        let options = format!("--drive {drive} --update-pct {updates} {set} --schemas 2 --json");
        let document = room.run(&format!("{run} {options}")).expect(0).json();
        assert_eq!(statuses(&document), ["slob ok"], "{options}");
        check_document(&document);
        let share = |pct: i32| f64::from(pct) * 4.0;
        let due = [share(100 - updates - scans), share(updates), share(scans)];
        assert_eq!(done(&points(&document)[0]), (due, 4.0), "{options}");
    }
    // A session for each of one, and of two schemas.
    let document = room.run(&format!("{run} --set WORK_LOOP=100 --set HOT_SCHEMA_FREQUENCY=2 --schemas 1,2 --json"));
    let jobs: Vec<f64> = points(&document.expect(0).json()).iter().map(|point| done(point).1).collect();
    assert_eq!(jobs[..2], [2.0, 4.0]);
}

fn updates_write_what_they_should_and_where<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    let table = S::table("slob_1");
    let count = |which: &str| {
        let found = database.sql(&format!("SELECT COUNT(*) FROM {table} WHERE {which}"));
        found.trim().parse::<u64>().unwrap_or_else(|_| panic!("{which}: {found}"))
    };
    let run = format!("run slob --target {} --update-pct 100 --schemas 1 --duration 60s", database.target());
    // Nobody has written yet: each text is a row of x, and no other text has one.
    let changed = |column: u32| format!("c{column} NOT LIKE 'x%'");
    let others = |columns: std::ops::RangeInclusive<u32>, is: &str| {
        columns.map(|column| format!("{} {is}", changed(column))).collect::<Vec<_>>()
    };
    assert_eq!(count(&changed(1)), 0);
    // All in the hot spot: 8 MiB from 16 MiB on are the keys 2,049 to 3,072.
    let spot = "--set DO_HOTSPOT=TRUE --set HOTSPOT_FREQUENCY=1";
    room.run(&format!("{run} --set WORK_LOOP=100 {spot}")).expect(0);
    let lite = count(&changed(1));
    assert!(lite > 800, "{lite}");
    assert_eq!(count(&format!("{} AND c1 = c19", changed(1))), lite);
    let untouched: Vec<String> = others(2..=18, "").iter().map(|changed| changed.trim().to_owned()).collect();
    assert_eq!(count(&untouched.join(" OR ")), 0, "two columns alone");
    assert_eq!(count(&format!("{} AND (id <= 2048 OR id > 3072)", changed(1))), 0);
    room.run(&format!("{run} --set WORK_LOOP=100 --set REDO_STRESS=HEAVY")).expect(0);
    let heavy = count(&changed(2));
    assert!(heavy > 3_000, "{heavy}");
    let alike: Vec<String> = (3..=19).map(|column| format!("c{column} = c2")).collect();
    assert_eq!(count(&format!("{} AND c1 = c2 AND {}", changed(2), alike.join(" AND "))), heavy, "all 19 columns");
    // What was written lies where it lay.
    room.run(&format!("{run} --set WORK_LOOP=100")).expect(0);
}

fn rows_that_lie_otherwise_are_not_measured<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    let (table, target) = (S::table("slob_1"), database.target());
    for (breach, said) in [
        (format!("UPDATE {table} SET id = place"), "follow the order of storage"),
        (format!("DELETE FROM {table} WHERE id = 77"), "schema 1 has [10239, 128] rows"),
    ] {
        database.sql(&breach);
        let refused = room.run(&format!("run slob --duration 200ms --target {target}")).expect(2).stderr;
        assert!(
            refused.contains(said) && refused.contains("load slob") && refused.contains("--schemas 1"),
            "{refused}"
        );
    }
}

/// The server's statistics, as they were when the load ended, still say that each has a page.
fn rows_that_share_a_page_are_not_measured<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    database.sql(S::CROWD);
    let refused = room.run(&format!("run slob --duration 200ms --target {}", database.target())).expect(2).stderr;
    assert!(refused.contains("the 10240 rows of schema 1 lie in ") && refused.contains("load slob"), "{refused}");
}

/// Many who update a few rows leave no room for a further version beside a row, and some rows move. The next point has
/// them where they belong, and `drop` leaves nothing.
fn rows_that_the_work_has_moved_go_back<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    let target = database.target();
    let spot = "--set DO_HOTSPOT=TRUE --set HOTSPOT_FREQUENCY=1 --set HOTSPOT_MB=2 --set WORK_UNIT=8";
    let run = format!("run slob --target {target} --update-pct 50 --schemas 1");
    let crowded = format!("{run} {spot} --set THREADS_PER_SCHEMA=8 --duration 2s --repeat 2 --json");
    let document = room.run(&crowded).expect(0).json();
    for point in points(&document) {
        // Where rows have moved so far that it shows, the figure is not proved; it is never invalid.
        let said = point["flag_notes"]["not_proved"].as_str().unwrap_or("after the point: the keys");
        assert!(said.contains("after the point: the keys") || said.contains("not proved durable"), "{said}");
    }
    let document = room.run(&format!("{run} --duration 500ms --json")).expect(0).json();
    assert_eq!(statuses(&document), ["slob ok"]);
    room.run(&format!("drop --target {target}")).expect(0);
    room.run(&format!("load slob --schemas 1 --target {target}")).expect(0);
}

/// A procedure of another's that reads no table would answer at once, and be measured as ours.
fn procedures_that_somebody_has_replaced_are_made_again<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    database.sql(S::IDLE_SELECT);
    let source = || {
        database.sql(&format!(
            "SELECT routine_definition FROM information_schema.routines
             WHERE routine_name = 'slob_select_1' AND routine_schema IN ('dbdyno', '{}')",
            database.name
        ))
    };
    assert!(!source().contains("c1"), "{}", source());
    let run = format!("run slob --target {} --update-pct 0 --schemas 1 --duration 200ms", database.target());
    room.run(&format!("{run} --drive server")).expect(0);
    assert!(source().contains("count(c1)") || source().contains("COUNT(c1)"), "{}", source());
}

fn an_index_that_goes_meanwhile_is_missed<S: Slob>() {
    let (room, database) = loaded::<S>(1);
    let run = room
        .start(&format!("run slob --target {} --update-pct 0 --schemas 1 --duration 2s --repeat 2", database.target()));
    run.until("[1/2]");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    database.sql(&S::drop_index(&S::table("slob_1"), "slob_1_key"));
    run.end();
    let document = room.show("last");
    let last = points(&document).last().unwrap();
    let said = format!("{} {} {}", last["status"], last["reason"], last["flag_notes"]["not_proved"]);
    assert!(said.contains("index") || said.contains("failed"), "{said}");
}

/// A load that is killed while it fills, or while it puts rows into their order, goes on.
fn a_load_that_is_killed_goes_on<S: Slob>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let load = format!("load slob --schemas 3 --jobs 2 --target {}", database.target());
    for at in ["slob rows: ", "slob order: "] {
        let run = room.start(&load);
        run.until(at);
        run.signal(Signal::KILL);
        run.end();
        super::until_gone(database.server, &database.name);
        let checked = room.run(&format!("check --target {}", database.target())).stdout;
        assert!(checked.contains("slob at 3 schemas of 10240 blocks, seed 42: its load is unfinished"), "{checked}");
    }
    let document = room.run(&format!("{load} --json")).expect(0).json();
    assert_eq!((document["anew"].clone(), number(&document, "/write_s")), (false.into(), 0.0), "{document:#}");
    let document = room.run(&format!("run slob --duration 500ms --json --target {}", database.target())).expect(0);
    assert_eq!(text(&points(&document.json())[0], "/status"), "ok");
}
