//! Oracle, without a server: a made-up run with made-up figures shows that every reader is told on every page what has
//! not been verified.

use crate::support::{Room, text};
use dbdyno_model::{
    ClientLoad, CommitMode, CpuUse, Database, DatabaseRates, Dop, Drive, IoRates, Mapping, MetricId, MetricValue, Plan,
    PlannedPoint, Platform, Point, Redo, Run, RunId, RunStatus, TestCode, Wait,
};
use dbdyno_results::{FileAccess, Repository};

/// What has not been verified.
const NOTICE: &str = "not yet verified on a live server";

/// Stores the run in the room's results.
fn fixture(room: &Room) {
    let (started_at, size) = ("2026-01-31T12:00:00Z".parse().unwrap(), "D".to_owned());
    let run = Run {
        id: RunId::new("0123456789abcdef").unwrap(),
        label: Some("ora".to_owned()),
        suite: "T611 T711".to_owned(),
        size: size.clone(),
        seed: 42,
        started_at,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        target: "oracle://dbdyno@db1:1521/bench".to_owned(),
        status: RunStatus::Done,
    };
    let codes = ["T611", "T711"].map(|code| TestCode::new(code).unwrap());
    let planned = |test: &TestCode| PlannedPoint {
        subject: test.clone().into(),
        drive: Drive::Server,
        dop: Dop { nodes: 1, jobs: 4, threads: 1 },
        load: ClientLoad::default(),
        rows_per_tx: 1,
        repeat: 1,
        again: false,
        duration_s: 10.0,
        mix: None,
        parameters: dbdyno_model::Parameters::default(),
        cores: None,
        may_follow_from_jobs: None,
        commit: CommitMode::Durable,
        mapping: Mapping::Native { ramp: None },
        definition: "0".repeat(16),
    };
    let plan = Plan {
        suite: run.suite.clone(),
        size,
        seed: 42,
        definitions: "0".repeat(16),
        points: codes.iter().map(planned).collect(),
        searches: Vec::new(),
        pairing: None,
    };
    let facts = [
        ("edition", "Enterprise Edition"),
        (
            "management pack",
            "the server is set to DIAGNOSTIC+TUNING, which proves no licence; dbdyno uses nothing of it",
        ),
    ];
    let database = Database {
        engine: "oracle".to_owned(),
        version: "19.21.0".to_owned(),
        parameters: [("db_block_size", "8192")].map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        facts: facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        notice: Some(NOTICE.to_owned()),
    };
    let mut repository = Repository::open(&room.path("dbdyno.db"), FileAccess::ReadWrite).unwrap();
    repository.begin_run(&run, &plan, &Platform::default(), &database, None).unwrap();
    for (n, test) in codes.iter().enumerate() {
        repository.record_point(&run.id, n, &point(test, started_at, n == 1), &[]).unwrap();
    }
}

/// A point as the engine reports it from another machine.
fn point(test: &TestCode, started_at: jiff::Timestamp, writes: bool) -> Point {
    let value = if writes { 2_400.0 } else { 91_000.0 };
    let sync = Wait {
        event: "log file sync".to_owned(),
        class: "Commit".to_owned(),
        count: 24_000,
        time_s: Some(31.2),
        histogram_us: [(1_024, 20_000), (2_048, 4_000)].into(),
        ..Wait::default()
    };
    let mut point = Point {
        definition: "0".repeat(16),
        mapping: "native".to_owned(),
        dop: Dop { nodes: 1, jobs: 4, threads: 1 },
        rows_per_tx: 1,
        repeat: 1,
        commit: writes.then_some(CommitMode::Durable),
        plan: Some("TABLE ACCESS BY INDEX ROWID on small_heap > INDEX UNIQUE SCAN on small_heap_pk".to_owned()),
        window_s: Some(10.0),
        counters_s: Some(10.1),
        ops: Some(value as u64 * 10),
        rows: Some(value as u64 * 10),
        ops_per_s: Some(value),
        rows_per_s: Some(value),
        tx_per_s: Some(value),
        metric: Some(MetricValue { id: MetricId("tx_per_s".to_owned()), value, unit: "1/s".to_owned() }),
        cpu: CpuUse { busy_pct: Some(41.0), ..CpuUse::default() },
        io: IoRates { read_iops: Some(3.0), write_iops: Some(2_500.0), ..IoRates::default() },
        redo: Redo { writes_per_s: Some(if writes { 2_380.0 } else { 2.0 }), ..Redo::default() },
        database: DatabaseRates { logical_reads_per_s: Some(value * 3.0), ..DatabaseRates::default() },
        waits: if writes { vec![sync] } else { Vec::new() },
        ..Point::new(test.clone(), started_at)
    };
    point.outcomes.requests = value as u64 * 10;
    point.outcomes.ok = value as u64 * 10;
    for path in ["memory", "network", "pressure"] {
        point.lacks(path, "the target is on another machine, whose operating system dbdyno does not see");
    }
    point
}

#[test]
fn a_run_says_on_every_page_what_has_not_been_verified() {
    let room = Room::new();
    fixture(&room);
    let pages = ["show last", "show ora --test T6*"].map(str::to_owned).into_iter();
    let tables =
        ["8.0", "8.4", "cells", "waits", "summary", "platform"].map(|table| format!("show last --table {table}"));
    for line in pages.chain(tables) {
        let page = room.run(&line).expect(0).stdout;
        assert_eq!(page.matches(NOTICE).count(), 1, "{line}\n{page}");
    }
    let document = room.show("last");
    assert_eq!(text(&document, "/database/notice"), NOTICE);
    assert_eq!(
        document.pointer("/points/1/waits/0/histogram_us/1024").and_then(serde_json::Value::as_u64),
        Some(20_000)
    );
}

#[test]
fn the_list_of_engines_and_the_script_say_it_too() {
    let room = Room::new();
    let engines = room.run("list engines").expect(0).stdout;
    let line = engines.lines().find(|line| line.starts_with("oracle ")).unwrap();
    assert!(line.contains("Oracle Database"), "{line}");
    assert!(engines.contains(NOTICE), "{engines}");
    let engines = room.run("list engines --json").expect(0).json();
    let oracle = engines.as_array().unwrap().iter().find(|engine| text(engine, "/name") == "oracle").unwrap();
    assert_eq!(text(oracle, "/notice"), NOTICE);
    let script = room.run("sql oracle --test T611 --size T").expect(0).stdout;
    assert!(script.lines().take(3).any(|line| line.contains(NOTICE)), "{script}");
    let script = room.run("sql oracle --test T611 --size T --json").expect(0).json();
    assert_eq!(text(&script, "/notice"), NOTICE);
    // A verified engine has no notice.
    let script = room.run("sql sqlite --test T611 --size T --json").expect(0).json();
    assert!(script.get("notice").is_none());
}

#[test]
fn whatever_asks_a_server_says_it_before_anything_else() {
    let room = Room::new();
    for command in ["check --size T", "load --size T", "run T611", "drop"] {
        let said = room.run(&format!("{command} --target oracle://scott@127.0.0.1:1/bench")).expect(2).stderr;
        let notices: Vec<&str> = said.lines().filter(|line| line.contains(NOTICE)).collect();
        assert_eq!(notices.len(), 1, "{command}\n{said}");
        assert!(said.lines().next().is_some_and(|line| line.contains(NOTICE)), "{command}\n{said}");
    }
}
