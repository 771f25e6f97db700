//! The SQLite engine under the conformance suite.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::client::{PrepareWhen, StatementText, Statements, ValueType};
use dbdyno_engine::{Engine, PointSpec, Request, Session, Target};
use dbdyno_model::{CommitMode, Counter, Drive, ErrorClass, Mapping, Test};
use dbdyno_testkit::conformance;
use dbdyno_testkit::conformance::client::execute;
use dbdyno_testkit::conformance::{EngineUnderTest, catalogue};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

fn target(path: &Path, options: &str) -> Target {
    Target::parse(&format!("sqlite:{}{options}", path.display())).unwrap()
}

fn opened(path: &Path, options: &str) -> Box<dyn Engine> {
    (dbdyno_sqlite::INFO.open)(&target(path, options), &catalogue::size_t()).unwrap()
}

fn mapping(test: &Test) -> Mapping {
    (dbdyno_sqlite::INFO.mapping)(test)
}

/// Objects of the schema and files in the folder, but for the log that comes and goes.
fn schema(path: &Path) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    if path.exists() {
        let connection = rusqlite::Connection::open(path).unwrap();
        let mut statement = connection.prepare("SELECT type || ' ' || name FROM sqlite_schema").unwrap();
        all.extend(statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap));
    }
    all
}

/// A loaded file, made once and copied by each test.
static LOADED: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loaded.db");
    opened(&path, "").load(&catalogue::size_t(), 42, 2, true, &conformance::NoProgress).unwrap();
    (folder, path)
});

fn conforms(options: &str, checks: &[fn(&EngineUnderTest<'_>)]) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("conformance.db");
    let under_test = EngineUnderTest {
        open: &|| opened(&path, options),
        mapping: &mapping,
        schema: &|| schema(&path),
        missing_counters: &[Counter::WorkersLaunched],
        size: catalogue::size_t(),
        seed: 42,
    };
    let before = schema(&path);
    std::fs::copy(&LOADED.1, &path).unwrap();
    for check in checks {
        check(&under_test);
    }
    conformance::dropping_leaves_nothing(&under_test, &before);
}

#[test]
fn holds_what_the_generator_makes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fresh.db");
    let under_test = EngineUnderTest {
        open: &|| opened(&path, ""),
        mapping: &mapping,
        schema: &|| schema(&path),
        missing_counters: &[Counter::WorkersLaunched],
        size: catalogue::size_t(),
        seed: 7,
    };
    let before = schema(&path);
    under_test.load();
    conformance::holds_what_the_generator_makes(&under_test);
    conformance::dropping_leaves_nothing(&under_test, &before);
}

#[test]
fn procedures_do_what_they_say() {
    conforms("", &[conformance::procedures_do_what_they_say]);
}

#[test]
fn chunks_may_be_cut_anywhere() {
    conforms("", &[conformance::chunks_may_be_cut_anywhere]);
}

#[test]
fn proofs_hold() {
    conforms("", &[conformance::proofs_hold]);
}

#[test]
fn pieces_can_be_repeated() {
    conforms("", &[conformance::pieces_can_be_repeated]);
}

#[test]
fn plans_are_as_they_must_be() {
    conforms("", &[conformance::plans_are_as_they_must_be]);
}

#[test]
fn hosts_that_share_a_point_do_the_work_of_one() {
    conforms("", &[conformance::hosts_that_share_a_point_do_the_work_of_one]);
}

#[test]
fn points_leave_nothing_behind() {
    conforms("", &[conformance::points_leave_nothing_behind]);
}

#[test]
fn sessions_can_be_stopped() {
    conforms("", &[conformance::sessions_can_be_stopped]);
}

#[test]
fn statistics_need_no_point() {
    conforms("", &[conformance::readings::statistics_need_no_point]);
}

/// There is none, and none is made.
#[test]
fn statistics_need_no_file() {
    let folder = tempfile::tempdir().unwrap();
    conformance::readings::is_whole(&opened(&folder.path().join("none.db"), "").statistics().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first() {
    conforms("", &[conformance::exclusive::a_second_dbdyno_is_turned_away_and_takes_nothing_from_the_first]);
}

/// A load, too, before it changes anything; and a lock that somebody has removed is noticed.
#[test]
fn a_held_file_is_not_loaded_and_a_lock_that_is_gone_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("held.db");
    let size = catalogue::size_t();
    let (first, second) = (opened(&path, ""), opened(&path, ""));
    let hold = first.hold(&conformance::NoProgress).unwrap();
    let refused = second.load(&size, 42, 2, false, &conformance::NoProgress).unwrap_err();
    assert!(refused.occupied && !path.exists(), "{refused}");
    std::fs::remove_file(folder.path().join("held.db.dbdyno-lock")).unwrap();
    assert_eq!(hold.still_held().unwrap_err().class, ErrorClass::ConnectionLost);
    assert_eq!(hold.seen_lost(), hold.still_held().err());
    drop((second.hold(&conformance::NoProgress).unwrap(), hold));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_rollback_journal_conforms_too() {
    let checks: [fn(&EngineUnderTest<'_>); 3] = [
        conformance::procedures_do_what_they_say,
        conformance::proofs_hold,
        conformance::client::clients_do_what_procedures_do,
    ];
    conforms("?journal=delete&synchronous=off", &checks);
}

#[test]
fn clients_do_what_procedures_do() {
    conforms("", &[conformance::client::clients_do_what_procedures_do]);
}

#[test]
fn what_a_client_rolls_back_was_never_there() {
    conforms("", &[conformance::client::what_a_client_rolls_back_was_never_there]);
}

#[test]
fn clients_are_refused_what_nobody_would_send() {
    conforms("", &[conformance::client::clients_are_refused_what_nobody_would_send]);
}

#[test]
fn clients_can_be_stopped() {
    conforms("", &[conformance::client::clients_can_be_stopped]);
}

#[test]
fn statements_of_ones_own_go_by_their_values_and_by_what_was_read() {
    const TABLE: &str = "dbdyno_small_heap";
    let checks: [fn(&EngineUnderTest<'_>); 3] = [
        |under_test| conformance::own_statements::statements_of_ones_own_take_values_and_answer(under_test, TABLE),
        |under_test| conformance::own_statements::transactions_go_by_what_they_have_read(under_test, TABLE),
        |under_test| {
            conformance::own_statements::a_statement_that_fails_takes_its_transaction_with_it(under_test, TABLE)
        },
    ];
    conforms("", &checks);
}

#[test]
fn there_are_no_procedures_to_call() {
    let mut session = opened(&LOADED.1, "").client_session(0, 1).unwrap();
    let text = StatementText { outputs: vec![ValueType::Int], ..":1".to_owned().into() };
    let calls = Statements {
        work: "calls".to_owned(),
        texts: vec![text],
        commit: CommitMode::Durable,
        prepared: PrepareWhen::Beforehand,
    };
    let refused = session.prepare_statements(&calls).unwrap_err();
    assert_eq!(refused.to_string(), "unsupported: calls: SQLite has no stored procedures");
}

/// Two clients of a task on a copy of the loaded file.
fn two_clients(path: &Path, code: &str) -> (Box<dyn Engine>, PointSpec, [Box<dyn Session>; 2]) {
    std::fs::copy(&LOADED.1, path).unwrap();
    let engine = opened(path, "");
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap();
    let spec = PointSpec { drive: Drive::Client, ..conformance::spec(&test, &catalogue::size_t(), 42, 2) };
    engine.begin_point(&spec).unwrap();
    let sessions = [0, 1].map(|job| {
        let mut session = engine.client_session(job, 1).unwrap();
        session.prepare(&spec, job).unwrap();
        session
    });
    (engine, spec, sessions)
}

#[test]
fn a_clients_transaction_that_fails_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, spec, [mut first, mut second]) = two_clients(&folder.path().join("turns.db"), "T311");
    let insert = |session: &mut Box<dyn Session>, id, opens| execute(session.as_mut(), 0, &[id, 1], opens);
    insert(&mut first, 1, true).unwrap();
    insert(&mut first, 1, false).unwrap_err();
    // Nobody has said Rollback, and the turn to write is given back all the same.
    assert_eq!(insert(&mut second, 1, false).unwrap().rows, 1);
    assert_eq!(insert(&mut first, 2, false).unwrap().rows, 1);
    drop((first, second));
    engine.end_point(&spec).unwrap();
}

#[test]
fn a_client_whose_file_another_process_writes_to_is_told_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("busy.db");
    let (engine, spec, [mut first, second]) = two_clients(&path, "T711");
    let update = |session: &mut Box<dyn Session>| execute(session.as_mut(), 0, &[1], false);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(update(&mut first).unwrap_err().error.class, ErrorClass::Timeout);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(update(&mut first).unwrap().rows, 1);
    drop((first, second));
    engine.end_point(&spec).unwrap();
}

#[test]
fn updates_change_what_they_say_and_only_rows_of_their_job() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("updates.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, "");
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == "T711").unwrap();
    let spec = conformance::spec(&test, &catalogue::size_t(), 42, 3);
    for job in 0..3 {
        let statuses = |sql: &str| -> Vec<(i64, f64)> {
            let connection = rusqlite::Connection::open(&path).unwrap();
            let mut statement = connection.prepare(sql).unwrap();
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
        };
        let all = "SELECT id, amount FROM dbdyno_small_heap ORDER BY id";
        let before = statuses(all);
        let mut session = engine.session(job, 1).unwrap();
        session.prepare(&spec, job).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 200 }).unwrap();
        assert_eq!((done.ops, done.rows), (200, 200));
        drop(session);
        let after = statuses(all);
        let raised: f64 = after.iter().zip(&before).map(|(a, b)| a.1 - b.1).sum();
        assert!((raised - 2.0).abs() < 1e-6, "200 rows each raised by a hundredth: {raised}");
        let touched = before.iter().zip(&after).filter(|(a, b)| a.1 != b.1);
        assert!(touched.map(|(a, _)| (a.0 - 1) % 3).all(|owner| owner == i64::from(job)));
    }
}

#[test]
fn inserts_copy_the_rows_that_their_checksum_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inserts.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, "");
    for (code, table) in [("T311", "heap"), ("T312", "iot"), ("T331", "large_0"), ("DBL-21", "heap_0")] {
        let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap();
        let spec = conformance::spec(&test, &catalogue::size_t(), 42, 1);
        engine.begin_point(&spec).unwrap();
        let mut session = engine.session(0, 1).unwrap();
        session.prepare(&spec, 0).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 3 }).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = format!("SELECT count(*), sum(quantity), count(DISTINCT id) FROM dbdyno_load_{table}");
        let found: (i64, i64, i64) =
            connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let [rows, checksum] = [done.rows, done.checksum].map(u64::cast_signed);
        assert_eq!(found, (rows, checksum, rows), "{code}");
        drop((session, connection));
        engine.end_point(&spec).unwrap();
    }
}

#[test]
fn a_session_that_is_stopped_while_it_warms_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("warm.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, "");
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == "T621").unwrap();
    let spec = conformance::spec(&test, &catalogue::size_t(), 42, 1);
    let mut session = engine.session(0, 1).unwrap();
    // No statement runs that could be interrupted: as between two.
    session.canceller().cancel();
    let error = session.prepare(&spec, 0).unwrap_err();
    assert_eq!(error.class, ErrorClass::Cancelled, "{error}");
    session.prepare(&spec, 0).unwrap();
    session.execute(&Request::Chunk { first_pass: 0, passes: 1 }).unwrap();
}

#[test]
fn bulk_loads_fill_a_month_of_their_own_with_each_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bulk.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, "");
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == "T331").unwrap();
    let spec = conformance::spec(&test, &catalogue::size_t(), 42, 2);
    engine.begin_point(&spec).unwrap();
    for job in 0..2 {
        let mut session = engine.session(job, 1).unwrap();
        session.prepare(&spec, job).unwrap();
        session.execute(&Request::Chunk { first_pass: 0, passes: 2 }).unwrap();
    }
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT substr(booked_on, 1, 7), count(*), min(id) FROM (SELECT * FROM dbdyno_load_large_0 UNION ALL SELECT * FROM dbdyno_load_large_1) GROUP BY 1 ORDER BY 1";
    let mut statement = connection.prepare(sql).unwrap();
    let months: Vec<(String, i64, i64)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected = ["2020-01", "2020-02", "2020-03", "2020-04"];
    let expected: Vec<_> = (0..).zip(expected).map(|(n, month)| (month.to_owned(), 3_200, n * 3_200 + 1)).collect();
    assert_eq!(months, expected);
}

#[test]
fn sorts_use_the_helper_threads_that_they_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.db");
    std::fs::copy(&LOADED.1, &path).unwrap();
    let engine = opened(&path, "");
    let test = catalogue::tests().into_iter().find(|t| t.code.as_str() == "T513").unwrap();
    let helpers = |threads| {
        let spec = PointSpec { threads, ..conformance::spec(&test, &catalogue::size_t(), 42, 1) };
        let mut session = engine.session(0, 1).unwrap();
        assert_eq!(session.prepare(&spec, 0).unwrap().problems, [""; 0]);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Helpers inherit the name of the thread that starts them: only they and it bear it.
            let name = format!("sort-{threads}");
            let worker = std::thread::Builder::new().name(name.clone()).spawn_scoped(scope, || {
                session.execute(&Request::Chunk { first_pass: 0, passes: 8 }).unwrap();
                over.store(true, Ordering::Relaxed);
            });
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                let named = |spec: &std::fs::DirEntry| {
                    std::fs::read_to_string(spec.path().join("comm")).is_ok_and(|comm| comm.trim() == name)
                };
                let now = std::fs::read_dir("/proc/self/task").unwrap().flatten().filter(named).count();
                most = most.max(now);
            }
            worker.unwrap().join().unwrap();
            most
        })
    };
    assert_eq!(helpers(1), 1);
    assert!(helpers(4) > 1);
}

#[test]
fn scripts_show_every_statement_that_runs() {
    let info = dbdyno_sqlite::INFO;
    for test in catalogue::tests() {
        let script = (info.script)(&test, &catalogue::size_t()).unwrap();
        assert!(script.starts_with(&format!("-- {}: ", test.code)), "{script}");
        match mapping(&test) {
            Mapping::None { why } => assert!(script.contains(&why) && !script.contains("SELECT"), "{script}"),
            _ => assert!(script.contains(';') && !script.contains('{'), "{script}"),
        }
    }
    let update = catalogue::tests().into_iter().find(|t| t.code.as_str() == "T711").unwrap();
    let script = (info.script)(&update, &catalogue::size_t()).unwrap();
    let order = ["BEGIN IMMEDIATE;", "UPDATE dbdyno_small_heap SET", "COMMIT;"].map(|s| script.find(s).unwrap());
    assert!(order.is_sorted(), "{script}");
}
