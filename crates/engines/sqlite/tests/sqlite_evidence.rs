//! What the SQLite engine counts, what it says it did, and how it knows: the evidence that a point is judged by.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::client::{Bound, Values};
use dbdyno_engine::data::Keys;
use dbdyno_engine::{Engine, PointSpec, Request, Session, Target};
use dbdyno_model::{Counter, Drive, ErrorClass};
use dbdyno_testkit::conformance;
use dbdyno_testkit::conformance::catalogue;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn opened(path: &Path, options: &str) -> Box<dyn Engine> {
    (dbdyno_sqlite::INFO.open)(
        &Target::parse(&format!("sqlite:{}{options}", path.display())).unwrap(),
        &catalogue::size_t(),
    )
    .unwrap()
}

/// A loaded file, made once and copied by each test.
static LOADED: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loaded.db");
    opened(&path, "").load(&catalogue::size_t(), 42, 2, true, &conformance::NoProgress).unwrap();
    (folder, path)
});

/// A copy of it, with an engine.
fn copy(options: &str) -> (tempfile::TempDir, PathBuf, Box<dyn Engine>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, options);
    (folder, path, engine)
}

fn task_of(code: &str, jobs: u32) -> PointSpec {
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap();
    conformance::spec(&test, &catalogue::size_t(), 42, jobs)
}

/// A point of one job that has begun.
fn begun(engine: &dyn Engine, code: &str) -> (PointSpec, Box<dyn Session>) {
    let spec = task_of(code, 1);
    engine.begin_point(&spec).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    (spec, session)
}

#[test]
fn files_that_are_written_are_counted_in_blocks() {
    for (options, jobs) in [("", 1), ("?journal=delete", 2)] {
        let (_folder, _, engine) = copy(options);
        let result = conformance::run_point(&*engine, &task_of("T211", jobs), &[2, 1]);
        let files = 3 * u64::from(jobs);
        assert!(result.sum.bytes >= files * catalogue::size_t().file_bytes);
        assert_eq!(result.counted.get(Counter::Commits), Some(files));
        for counter in [Counter::Executions, Counter::RowsChanged] {
            assert_eq!(result.counted.get(counter), Some(files * 4), "{counter:?}: a part of 1 MiB each");
        }
        for counter in [Counter::PhysicalWrites, Counter::BlocksDirtied] {
            let bytes = result.counted.get(counter).unwrap() * 4_096;
            // Each page once, and those of the empty table that was committed before.
            let most = result.sum.bytes + files * 4 * 65_536;
            assert!((result.sum.bytes..most).contains(&bytes), "{counter:?}: {bytes} of {}", result.sum.bytes);
        }
    }
}

#[test]
fn scans_count_the_bytes_that_they_go_through() {
    let (_folder, _, engine) = copy("");
    for code in ["T421", "T426", "T427", "T513", "T514"] {
        let result = conformance::run_point(&*engine, &task_of(code, 1), &[2, 1]);
        // A row takes 316 bytes of its pages.
        let bytes_per_row = result.sum.bytes as f64 / result.sum.rows as f64;
        assert!((300.0..340.0).contains(&bytes_per_row), "{code}: {bytes_per_row}");
        let counted = result.counted.get(Counter::LogicalReads).unwrap() as f64 * 4_096.0;
        let ratio = counted / result.sum.bytes as f64;
        assert!((1.0..1.01).contains(&ratio), "{code}: pages are counted once, and there are no others: {ratio}");
    }
}

#[test]
fn what_sqlite_does_not_count_is_missing_for_that_point_only() {
    let (_folder, _, engine) = copy("");
    for (code, known) in [("T514", false), ("T426", true), ("T511", false), ("T331", false), ("T611", true)] {
        let counted = conformance::run_point(&*engine, &task_of(code, 1), &[1]).counted;
        assert_eq!(counted.get(Counter::RowsScanned).is_some(), known, "{code}");
        assert_ne!(counted.missing.contains_key(&Counter::RowsScanned), known, "{code}");
    }
}

#[test]
fn commits_of_others_are_seen_where_the_test_commits_nothing() {
    for options in ["", "?journal=delete"] {
        let (_folder, path, engine) = copy(options);
        let others = |times| {
            let connection = rusqlite::Connection::open(&path).unwrap();
            for _ in 0..times {
                connection.execute_batch("UPDATE dbdyno_small_heap SET amount = amount + 1 WHERE id = 7").unwrap();
            }
        };
        // Commits of ours between points must not count as those of others in a later one.
        for code in ["T611", "T711", "T611"] {
            assert!(
                engine.point_statistics(None).unwrap().counters.missing[&Counter::ForeignCommits]
                    .contains("during points")
            );
            let (spec, mut session) = begun(&*engine, code);
            let mut during = |foreign: u32| {
                let before = engine.point_statistics(None).unwrap();
                session.execute(&Request::Chunk { first_pass: 0, passes: 5 }).unwrap();
                others(foreign);
                session.flush().unwrap();
                engine.evidence(&before).unwrap()
            };
            for (foreign, changes) in [(0, 0), (1, 1), (3, 1), (0, 0)] {
                let counted = during(foreign);
                if code == "T611" {
                    assert_eq!(counted.get(Counter::ForeignCommits), Some(changes), "{foreign} commits {options}");
                } else {
                    assert_eq!(counted.get(Counter::ForeignCommits), None);
                    assert!(counted.missing[&Counter::ForeignCommits].contains("does not tell"));
                }
            }
            drop(session);
            engine.end_point(&spec).unwrap();
        }
        assert!(engine.drop_all().unwrap(), "nobody holds the file open between points");
    }
}

/// SQLite begins a statement anew where another process has changed the schema under it, and counts both. So the point
/// is `invalid`, as the engine's count is not dbdyno's. A client that keeps its statements at hand does not miss it.
#[test]
fn a_schema_that_changes_under_a_client_is_noticed() {
    let (_folder, path, engine) = copy("");
    let spec = PointSpec { drive: Drive::Client, ..task_of("T611", 1) };
    engine.begin_point(&spec).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    session.flush().unwrap();
    for (change, executions) in [("SELECT 1", 2), ("DROP INDEX dbdyno_small_heap_pk", 3), ("SELECT 1", 2)] {
        let before = engine.point_statistics(None).unwrap();
        let mut values = Values::new();
        let request = Request::Statement(Bound { statement: 0, values: values.set(&[7]), times: 1, opens: false });
        let mut client = session.executor().unwrap();
        assert_eq!(client.execute(&request).unwrap().rows, 1);
        rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
        assert_eq!(client.execute(&request).unwrap().rows, 1, "the row is still found");
        drop(client);
        session.flush().unwrap();
        assert_eq!(engine.evidence(&before).unwrap().get(Counter::Executions), Some(executions), "{change}");
    }
    drop(session);
    engine.end_point(&spec).unwrap();
}

#[test]
fn an_index_that_is_not_what_it_should_be_is_an_error() {
    let damage: [(&str, Option<&str>); 3] = [
        ("SELECT 1", None),
        ("DELETE FROM dbdyno_large_heap_range_list WHERE id = 77", Some("has 102399 rows")),
        // An index over other values under the name of the right one.
        (
            "BEGIN; DROP INDEX dbdyno_load_index_non_unique_0;
             CREATE INDEX dbdyno_load_index_non_unique_0 ON dbdyno_large_heap_range_list (quantity);
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = replace(sql, '(quantity)', '(amount)') WHERE name = 'dbdyno_load_index_non_unique_0';
             COMMIT",
            Some("has 102400 rows"),
        ),
    ];
    for (sql, said) in damage {
        let (_folder, path, engine) = copy("");
        let (spec, mut session) = begun(&*engine, "T512");
        session.flush().unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 1 }).unwrap();
        assert_eq!((done.ops, done.rows), (1, 102_400));
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let verified = session.flush();
        match said {
            None => verified.unwrap(),
            Some(said) => {
                let error = verified.unwrap_err();
                assert_eq!(error.class, ErrorClass::Corruption, "{error}");
                assert!(error.message.contains(said), "{error}");
            }
        }
        session.flush().unwrap();
        drop(session);
        engine.end_point(&spec).unwrap();
    }
}

#[test]
fn a_chunk_that_fails_on_the_way_keeps_what_it_had_done() {
    // Each fails in its 41st transaction of 100, in the second of two rows where there are two.
    let (_folder, path, engine) = copy("");
    for (code, rows_per_tx, table) in [("T311", 2, "dbdyno_load_heap"), ("T711", 1, "dbdyno_small_heap")] {
        let (spec, mut session) = begun(&*engine, code);
        session.flush().unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        let id = match code {
            "T311" => 40 * rows_per_tx + 2,
            _ => {
                let mut keys = Keys::at(spec.key_seed, 0, 0);
                let drawn: Vec<u64> = (0..41).map(|_| keys.primary(spec.size.small_rows, 0, 1, 0, 1)).collect();
                assert!(!drawn[..40].contains(&drawn[40]), "choose another seed");
                drawn[40]
            }
        };
        let event = if code == "T311" { "INSERT" } else { "UPDATE" };
        let trigger = format!(
            "CREATE TRIGGER trap BEFORE {event} ON {table} WHEN new.id = {id} BEGIN SELECT RAISE(ABORT, 'trapped'); END"
        );
        other.execute_batch(&trigger).unwrap();
        let before = engine.point_statistics(None).unwrap();
        let failure = session.execute(&Request::Chunk { first_pass: 0, passes: 100 }).unwrap_err();
        assert!(failure.error.message.contains("trapped"), "{}", failure.error);
        let done = failure.done;
        assert_eq!((done.ops, done.rows), (40, 40 * rows_per_tx), "{code}");
        if let Some(checksum) = conformance::expected::checksum(&spec, 40) {
            assert_eq!(done.checksum, checksum, "{code}");
        }
        session.flush().unwrap();
        assert_eq!(engine.evidence(&before).unwrap().get(Counter::Commits), Some(40), "{code}");
        other.execute_batch("DROP TRIGGER trap").unwrap();
        session.execute(&Request::Chunk { first_pass: 40, passes: 60 }).unwrap();
        drop((session, other));
        engine.end_point(&spec).unwrap();
    }
}
