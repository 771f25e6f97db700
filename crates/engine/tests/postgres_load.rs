//! Loading, proving and dropping on a real server: every row is there and right, however the load was interrupted, and
//! nothing of anybody else's is touched.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod servers;

use dbdyno_engine::data::Generator;
use dbdyno_engine::{Engine, LoadReport, LoadWatch, Loaded, Target, open};
use dbdyno_model::{ErrorClass, Size, TableName};
use servers::{SUPERUSER, Server};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SEED: u64 = 42;
const LARGE: &str = "large_heap_range_list";

fn size() -> Size {
    Size {
        id: "T".to_owned(),
        title: String::new(),
        small_rows: 3_200,
        large_rows: 102_400,
        engine_cache_bytes: 8 << 20,
        file_bytes: 4 << 20,
        bulk_partitions_per_job: 1,
    }
}

fn engine_of(server: &Server, user: &str, database: &str) -> Box<dyn Engine> {
    open(&Target::parse(&server.socket(user, database)).unwrap(), &size()).unwrap()
}

fn engine(server: &Server) -> Box<dyn Engine> {
    engine_of(server, SUPERUSER, "postgres")
}

/// Does something once when a part of the load is so far.
struct Watch<'w> {
    what: &'static str,
    from: u64,
    done: AtomicBool,
    then: Box<dyn Fn() + Sync + 'w>,
    stop: AtomicBool,
    heard: Mutex<Vec<String>>,
}

impl<'w> Watch<'w> {
    fn quiet() -> Self {
        Self::when("nothing", 0, || ())
    }

    fn when(what: &'static str, from: u64, then: impl Fn() + Sync + 'w) -> Self {
        let (done, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { what, from, done, then: Box::new(then), stop, heard: Mutex::default() }
    }
}

impl LoadWatch for Watch<'_> {
    fn progress(&self, what: &str, rows: u64, of: u64) {
        assert!(rows <= of, "{what}: {rows} of {of}");
        let mut heard = self.heard.lock().unwrap();
        if heard.last().is_none_or(|last| last != what) {
            heard.push(what.to_owned());
        }
        drop(heard);
        if what == self.what && rows >= self.from && !self.done.swap(true, Ordering::Relaxed) {
            (self.then)();
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn load(engine: &dyn Engine, watch: &Watch<'_>) -> LoadReport {
    engine.load(&size(), SEED, 2, true, watch).unwrap()
}

fn proved(engine: &dyn Engine) {
    let Loaded::Complete { size: name, seed, verified, checksums } = engine.loaded().unwrap() else {
        panic!("{:?}", engine.loaded());
    };
    assert_eq!((name.as_str(), seed, verified), ("T", SEED, true));
    for table in engine.tables() {
        let made = Generator::new(&size(), table.shape(), SEED).checksum();
        assert_eq!(engine.checksum(table, &Watch::quiet()).unwrap(), made, "{table}");
        assert_eq!(checksums[table.name()], made.to_string());
    }
}

const NOTHING_LEFT: &str = "SELECT count(*) FROM pg_namespace WHERE nspname = 'dbdyno'";
const SCHEMA_EMPTY: &str = "SELECT count(*) FROM pg_namespace n WHERE nspname = 'dbdyno'
  AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid) AND NOT EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)";

#[test]
fn what_is_loaded_is_what_the_generator_makes_and_goes_without_a_trace() {
    let server = Server::start();
    let engine = engine(&server);
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
    assert!(!engine.drop_all().unwrap());

    let watch = Watch::quiet();
    let report = load(engine.as_ref(), &watch);
    assert!(!report.resumed);
    assert_eq!(report.tables.iter().map(|t| t.table).collect::<Vec<_>>(), engine.tables());
    for table in &report.tables {
        assert_eq!((table.rows, table.rows_written), (table.table.rows(&size()), table.table.rows(&size())));
        assert!(table.write_s > 0.0 && table.write_s < table.elapsed_s, "{table:?}");
    }
    let phases = ["", " indexes", " vacuum", " checksum"];
    let phases: Vec<String> = ["small tables", LARGE].iter().flat_map(|t| phases.map(|p| format!("{t}{p}"))).collect();
    assert_eq!(*watch.heard.lock().unwrap(), phases);
    proved(engine.as_ref());

    // Every leaf and every parent has both indexes under their names, and all are valid.
    let indexes =
        "SELECT count(*), count(*) FILTER (WHERE indisvalid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_class t ON t.oid = i.indrelid
        WHERE t.relnamespace = 'dbdyno'::regnamespace AND c.relname IN (t.relname || '_pk', t.relname || '_customer')";
    let relations = 3 + 2 * 9 + 161;
    assert_eq!(server.psql("postgres", indexes), format!("{0}|{0}", 2 * relations));
    let all = "SELECT count(*) FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('i', 'I')";
    assert_eq!(server.psql("postgres", all), (2 * relations + 1).to_string());
    // Everything is frozen, visible and analysed, parents too.
    let unsettled = "SELECT relname, relpages, relallvisible, reltuples FROM pg_class c
        WHERE relnamespace = 'dbdyno'::regnamespace AND relname <> 'meta' AND (relkind = 'r' AND (relpages = 0 OR relallvisible < relpages)
          OR relkind IN ('r', 'p') AND relname !~ '_r[0-9][0-9]$' AND NOT EXISTS (SELECT FROM pg_statistic WHERE starelid = c.oid))";
    assert_eq!(server.psql("postgres", unsettled), "");
    // Rows lie in the order of their keys.
    let order = "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY ctid) AS before FROM dbdyno.small_iot) r WHERE id < before";
    assert_eq!(server.psql("postgres", order), "0");

    // Again: nothing to do.
    let again = load(engine.as_ref(), &Watch::quiet());
    assert!(again.resumed && again.tables.iter().all(|t| t.rows_written == 0 && !t.checksum.is_empty()));
    // Another seed, another size: refused.
    let other = engine.load(&size(), 7, 2, true, &Watch::quiet()).unwrap_err();
    assert!(other.message.contains("seed 42"), "{other}");

    // What points leave behind is dropped, too.
    let bigints = vec!["bigint"; 14].join(", ");
    server.psql(
        "postgres",
        &format!(
        "CREATE TABLE dbdyno.load_heap_3 (a int); CREATE PROCEDURE dbdyno.scan_small_heap({bigints}) LANGUAGE sql AS '';
         CREATE FUNCTION dbdyno.fibonacci(integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1'"
    ),
    );
    // What is not ours stops it before anything is gone.
    server.psql("postgres", "CREATE VIEW dbdyno.mine AS SELECT 1 AS a");
    let refused = engine.drop_all().unwrap_err();
    assert!(
        refused.message.contains("view dbdyno.mine") && refused.message.contains("nothing was dropped"),
        "{refused}"
    );
    proved(engine.as_ref());
    server.psql("postgres", "DROP VIEW dbdyno.mine");
    assert!(engine.drop_all().unwrap());
    assert_eq!(server.psql("postgres", NOTHING_LEFT), "0");
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
}

#[test]
fn a_load_goes_on_where_a_killed_connection_or_server_left_it() {
    let mut server = Server::start();
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'dbdyno load' AND query LIKE 'COPY%' LIMIT 1";
    let watch = Watch::when(LARGE, 40_000, || _ = server.psql("postgres", kill));
    let lost = engine(&server).load(&size(), SEED, 2, true, &watch).unwrap_err();
    assert_eq!(lost.class, ErrorClass::ConnectionLost, "{lost}");
    assert!(lost.message.contains("loading large_heap_range_list_r"), "{lost}");
    assert_eq!(engine(&server).loaded().unwrap(), Loaded::Partly { size: "T".to_owned(), seed: SEED });
    let half = "WITH held AS (SELECT min(region) AS region, min((id - 1) / 3200) AS month, count(*) AS n
          FROM dbdyno.large_heap_range_list GROUP BY tableoid)
        SELECT count(*) FROM held WHERE n <> (
          SELECT count(*) FROM generate_series(month * 3200 + 1, (month + 1) * 3200) AS id WHERE 1 + id / 64 % 4 = region)";
    assert_eq!(server.psql("postgres", half), "0");

    drop(watch);
    let pid = server.pid().to_string();
    let crash = || _ = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    let crashed = engine(&server).load(&size(), SEED, 2, true, &Watch::when(LARGE, 70_000, crash)).unwrap_err();
    assert_eq!(crashed.class, ErrorClass::ConnectionLost, "{crashed}");
    until_gone(&server);
    server.restart();

    // A leaf may not be trusted half: what an index build left must not stop the next.
    let watch = Watch::when("large_heap_range_list indexes", 50_000, || {
        _ = server.psql("postgres", &kill.replace("COPY%", "%PRIMARY KEY%"))
    });
    let first = engine(&server).load(&size(), SEED, 2, true, &watch);
    assert!(first.is_ok() || first.unwrap_err().class == ErrorClass::ConnectionLost);

    let report = load(engine(&server).as_ref(), &Watch::quiet());
    assert!(report.resumed);
    let large = report.tables.iter().find(|t| t.table == TableName::LargeHeapRangeList).unwrap();
    assert!(large.rows_written < large.rows, "{large:?}");
    proved(engine(&server).as_ref());
}

/// Waits for the processes of a server that was killed: while one lives, no other can start on the same data.
fn until_gone(server: &Server) {
    let (data, since) = (std::fs::canonicalize(server.data()).unwrap(), Instant::now());
    let at_work = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok()).any(|folder| folder == data)
    };
    while at_work() {
        assert!(since.elapsed() < Duration::from_secs(10), "processes of the killed server stay");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_load_stops_at_once_wherever_it_is() {
    let server = Server::start();
    let began = Instant::now();
    for part in [
        "small tables",
        LARGE,
        "large_heap_range_list indexes",
        "large_heap_range_list vacuum",
        "large_heap_range_list checksum",
    ] {
        let asked = AtomicU64::new(0);
        let mut watch = Watch::when(part, 3_000, || ());
        // A cancelled load is heard by everything that asks.
        let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
        watch.then = Box::new(|| {
            asked.store(began.elapsed().as_millis() as u64, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        });
        let watch = Stopping { watch, stop };
        let stopped = engine(&server).load(&size(), SEED, 2, true, &watch).unwrap_err();
        let took = began.elapsed().as_millis() as u64 - asked.load(Ordering::Relaxed);
        assert_eq!(stopped.class, ErrorClass::Cancelled, "{part}: {stopped}");
        assert!(took < 400, "{part}: {took} ms");
        // Nobody is left at work.
        let at_work = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dbdyno load'";
        let since = Instant::now();
        while server.psql("postgres", at_work) != "0" {
            assert!(since.elapsed() < Duration::from_secs(5), "sessions stay");
        }
    }
    assert!(load(engine(&server).as_ref(), &Watch::quiet()).resumed);
    proved(engine(&server).as_ref());
}

struct Stopping<'w> {
    watch: Watch<'w>,
    stop: &'static AtomicBool,
}

impl LoadWatch for Stopping<'_> {
    fn progress(&self, what: &str, rows: u64, of: u64) {
        self.watch.progress(what, rows, of);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let server = Server::start();
    let engine = engine(&server);
    let refused = |what: &str| {
        let Loaded::Foreign(why) = engine.loaded().unwrap() else { panic!("{:?}", engine.loaded()) };
        assert!(why.contains(what), "{why}");
        let load = engine.load(&size(), SEED, 2, true, &Watch::quiet()).unwrap_err();
        let drop = engine.drop_all().unwrap_err();
        assert!(load.message.contains(what) && drop.message.contains(what), "{load}; {drop}");
    };
    server.psql("postgres", "CREATE SCHEMA dbdyno CREATE TABLE small_heap (a int)");
    refused("table dbdyno.small_heap");
    server.psql("postgres", "DROP TABLE dbdyno.small_heap; CREATE TABLE dbdyno.meta (a int)");
    refused("table dbdyno.meta");
    server.psql(
        "postgres",
        "DROP TABLE dbdyno.meta; CREATE TABLE dbdyno.meta (name text, value text);
        INSERT INTO dbdyno.meta VALUES ('format', '99')",
    );
    refused("format 99");
    assert_eq!(server.psql("postgres", "SELECT count(*) FROM dbdyno.meta"), "1");
}

#[test]
fn a_user_needs_nothing_but_an_empty_schema_of_its_own() {
    let server = Server::start();
    server.psql("postgres", "CREATE ROLE tester LOGIN; CREATE DATABASE work");
    let engine = engine_of(&server, "tester", "work");
    let missing = engine.load(&size(), SEED, 2, true, &Watch::quiet()).unwrap_err();
    assert_eq!(missing.class, ErrorClass::Permission, "{missing}");

    server.psql("work", "CREATE SCHEMA dbdyno AUTHORIZATION tester");
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
    load(engine.as_ref(), &Watch::quiet());
    proved(engine.as_ref());
    assert!(engine.drop_all().unwrap());
    assert_eq!(server.psql("work", SCHEMA_EMPTY), "1");
    assert!(!engine.drop_all().unwrap());
}

#[test]
fn a_changed_row_is_found_out() {
    let server = Server::start();
    let engine = engine(&server);
    let report = engine.load(&size(), SEED, 2, false, &Watch::quiet()).unwrap();
    assert!(report.tables.iter().all(|table| table.checksum.is_empty()));
    assert!(matches!(engine.loaded().unwrap(), Loaded::Complete { verified: false, .. }));
    server.psql("postgres", "UPDATE dbdyno.large_heap_range_list SET amount = amount + 0.01 WHERE id = 70");
    let damaged = engine.load(&size(), SEED, 2, true, &Watch::quiet()).unwrap_err();
    assert_eq!(damaged.class, ErrorClass::Corruption);
    assert!(damaged.message.contains("large_heap_range_list_r00_p2"), "{damaged}");
    server.psql("postgres", "UPDATE dbdyno.large_heap_range_list SET amount = amount - 0.01 WHERE id = 70");
    load(engine.as_ref(), &Watch::quiet());
    proved(engine.as_ref());
    // Of a table that somebody dropped nothing that was noted holds.
    server.psql(
        "postgres",
        "DROP TABLE dbdyno.large_heap_range_list_r07; DELETE FROM dbdyno.meta WHERE name = 'complete'",
    );
    load(engine.as_ref(), &Watch::quiet());
    proved(engine.as_ref());
}

#[test]
fn one_dbdyno_at_a_time_loads_or_drops() {
    let server = Server::start();
    let engine = engine(&server);
    let during = Watch::when(LARGE, 10_000, || {
        for error in [engine.load(&size(), SEED, 1, true, &Watch::quiet()).unwrap_err(), engine.drop_all().unwrap_err()]
        {
            assert!(error.message.contains("another dbdyno"), "{error}");
        }
    });
    load(engine.as_ref(), &during);
    assert!(during.done.load(Ordering::Relaxed));
    proved(engine.as_ref());
}
