//! The PostgreSQL engine under the conformance suite, on a real server: the newest of the distribution, or the one that
//! DBDYNO_POSTGRES_BIN names.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod conformance;
mod servers;

use conformance::{Subject, catalogue};
use dbdyno_engine::{Engine, Request, Settled, Target, Task, engine_info, open};
use dbdyno_model::{Counter, Mapping, Procedure, Test};
use servers::{SUPERUSER, Server, Wish};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The database that tests copy: loaded once.
const LOADED: &str = "loaded";

/// One server for all tests that run at the same time, gone with the last of them.
fn server() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return server;
    }
    let server = Arc::new(loaded_server());
    *shared = Arc::downgrade(&server);
    server
}

/// A server of one's own, for what only a quiet server tells: the log is the whole server's, and what one session makes and
/// drops makes those of other databases commit empty transactions.
fn loaded_server() -> Server {
    let server = Wish::default()
        .set("shared_buffers", "64MB")
        .set("max_worker_processes", "32")
        .set("max_parallel_workers", "32")
        .set("max_locks_per_transaction", "256")
        .set("autovacuum", "off")
        // No test here is about what survives a crash.
        .set("fsync", "off")
        .set("synchronous_commit", "off")
        .start();
    server.psql("postgres", &format!("CREATE DATABASE {LOADED}"));
    engine(&server, LOADED).load(&catalogue::size_t(), 42, 2, true, &conformance::Quiet).unwrap();
    server
}

fn engine(server: &Server, database: &str) -> Box<dyn Engine> {
    let target = Target::parse(&server.socket(SUPERUSER, database)).unwrap();
    open(&target, &catalogue::size_t()).unwrap()
}

/// A database of one's own, with the loaded data or without.
fn database(server: &Server, template: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    static COPYING: Mutex<()> = Mutex::new(());
    // The template must have no other session meanwhile.
    let _copying = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let name = format!("copy_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    server.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}"));
    name
}

fn mapping(test: &Test) -> Mapping {
    (engine_info("postgres").unwrap().mapping)(test)
}

/// Every object of the database that is not the server's own.
fn schema(server: &Server, database: &str) -> BTreeSet<String> {
    let sql = "SELECT c.relkind::text || ' ' || n.nspname || '.' || c.relname FROM pg_class c
                 JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
               UNION ALL SELECT 'p ' || n.nspname || '.' || p.proname FROM pg_proc p
                 JOIN pg_namespace n ON n.oid = p.pronamespace
               WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
               UNION ALL SELECT 'n ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%';";
    server.psql(database, sql).lines().map(str::to_owned).collect()
}

fn test(code: &str) -> Test {
    catalogue::tests().into_iter().find(|t| t.code.as_str() == code).unwrap()
}

fn task(code: &str, jobs: u32) -> Task {
    conformance::task(&test(code), &catalogue::size_t(), 42, jobs)
}

fn conforms(checks: &[fn(&Subject<'_>)]) {
    let server = server();
    let database = database(&server, LOADED);
    let subject = Subject {
        open: &|| engine(&server, &database),
        mapping: &mapping,
        schema: &|| schema(&server, &database),
        uncounted: &[],
        size: catalogue::size_t(),
        seed: 42,
    };
    for check in checks {
        check(&subject);
    }
}

#[test]
fn holds_what_the_generator_makes_and_drops_it_all() {
    let server = server();
    let database = database(&server, "template1");
    let subject = Subject {
        open: &|| engine(&server, &database),
        mapping: &mapping,
        schema: &|| schema(&server, &database),
        uncounted: &[],
        size: catalogue::size_t(),
        seed: 7,
    };
    let before = schema(&server, &database);
    subject.load();
    conformance::holds_what_the_generator_makes(&subject);
    conformance::dropping_leaves_nothing(&subject, &before);
}

#[test]
fn procedures_do_what_they_say() {
    conforms(&[conformance::procedures_do_what_they_say]);
}

#[test]
fn chunks_may_be_cut_anywhere() {
    conforms(&[conformance::chunks_may_be_cut_anywhere]);
}

#[test]
fn proofs_hold() {
    conforms(&[conformance::proofs_hold_alone]);
}

/// A test of its own, because before version 15 each look at the counters takes its time.
#[test]
fn proofs_hold_for_several_jobs() {
    conforms(&[conformance::proofs_hold_together]);
}

#[test]
fn plans_are_as_they_must_be() {
    conforms(&[conformance::plans_are_as_they_must_be]);
}

#[test]
fn points_leave_nothing_behind() {
    conforms(&[conformance::points_leave_nothing_behind]);
}

#[test]
fn sessions_can_be_stopped() {
    conforms(&[conformance::sessions_can_be_stopped]);
}

/// The proofs again where statements launch workers: as many as there are threads, each time, to the last one.
#[test]
fn workers_are_launched_and_counted() {
    let server = loaded_server();
    let engine = engine(&server, LOADED);
    for code in ["T426", "T427", "T511", "T512", "T513", "T514", "T515"] {
        for threads in [1, 2, 3] {
            let task = Task { threads, ..task(code, 1) };
            let played = conformance::play(&*engine, &task, &[2]);
            assert_eq!(played.problems, [""; 0], "{code} with {threads} threads: {:?}", played.plan);
            let workers = if threads > 1 { 2 * u64::from(threads) } else { 0 };
            let counted = |counter| played.counted.get(counter);
            assert_eq!(counted(Counter::WorkersLaunched), Some(workers), "{code} with {threads} threads");
            assert_eq!(counted(Counter::Executions), Some(2), "{code} with {threads} threads");
            let foreign = if task.test.procedure.writes() { None } else { Some(0) };
            assert_eq!(counted(Counter::ForeignCommits), foreign, "{code} with {threads} threads");
        }
    }
}

/// The server's own log position moves by exactly what is reported as redo, and no commit is taken for a foreign one.
#[test]
fn commits_and_log_bytes_are_the_servers_to_the_last_one() {
    let server = loaded_server();
    let engine = engine(&server, LOADED);
    assert_eq!(engine.settle(Duration::from_secs(60)).unwrap(), Settled::AtRest);
    let task = task("T711", 2);
    engine.begin_point(&task).unwrap();
    let mut sessions: Vec<_> = (0..2).map(|job| engine.session(job, 1).unwrap()).collect();
    for (job, session) in (0..).zip(&mut sessions) {
        assert_eq!(session.prepare(&task, job).unwrap().problems, [""; 0]);
        session.flush().unwrap();
    }
    let position = || server.psql("postgres", "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint");
    let before = engine.snapshot().unwrap();
    let from: u64 = position().parse().unwrap();
    for session in &mut sessions {
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 500 }).unwrap();
        assert_eq!((done.ops, done.rows), (500, 500));
        session.flush().unwrap();
    }
    let to: u64 = position().parse().unwrap();
    let counted = engine.snapshot().unwrap().since(&before);
    assert_eq!(counted.get(Counter::Commits), Some(1_000));
    assert_eq!(counted.get(Counter::RedoBytes), Some(to - from));
    assert_eq!(counted.get(Counter::RowsChanged), Some(1_000));
    // The two looks at the position are commits of another session; fewer than one a second are housekeeping.
    assert!(counted.get(Counter::ForeignCommits).unwrap() <= 2 + 3, "{counted:?}");
    drop(sessions);
    engine.end_point(&task).unwrap();
}

#[test]
fn selects_are_index_scans_of_the_servers_count() {
    let server = server();
    let database = database(&server, LOADED);
    let engine = engine(&server, &database);
    let scans = || -> u64 {
        let sql = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'small_heap_pk'";
        server.psql(&database, sql).parse().unwrap()
    };
    let task = task("T611", 1);
    engine.begin_point(&task).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&task, 0).unwrap();
    session.flush().unwrap();
    // Warming and planning are over; they scan it too.
    engine.snapshot().unwrap();
    let before = scans();
    let done = session.execute(&Request::Chunk { first_pass: 0, passes: 2_100 }).unwrap();
    session.flush().unwrap();
    assert_eq!((scans() - before, done.ops), (2_100, 2_100));
    drop(session);
    engine.end_point(&task).unwrap();
}

#[test]
fn updates_change_what_they_say_and_only_rows_of_their_job() {
    let server = server();
    let database = database(&server, LOADED);
    let engine = engine(&server, &database);
    let task = task("T711", 3);
    engine.begin_point(&task).unwrap();
    for job in 0..3 {
        server.psql(
            &database,
            "DROP TABLE IF EXISTS public.before; CREATE TABLE public.before AS TABLE dbdyno.small_heap",
        );
        let mut session = engine.session(job, 1).unwrap();
        session.prepare(&task, job).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 200 }).unwrap();
        assert_eq!((done.ops, done.rows), (200, 200));
        let sql = format!(
            "SELECT sum(a.amount - b.amount), bool_and((a.id - 1) % 3 = {job}) FILTER (WHERE a.amount <> b.amount),
               bool_and(a.quantity = b.quantity)
             FROM dbdyno.small_heap a JOIN public.before b USING (id)"
        );
        assert_eq!(server.psql(&database, &sql), "2.00|t|t");
    }
    engine.end_point(&task).unwrap();
}

#[test]
fn inserts_and_bulk_loads_leave_the_rows_that_they_claim() {
    let server = server();
    let database = database(&server, LOADED);
    let engine = engine(&server, &database);
    for (code, rows) in [("T311", 6), ("T313", 6), ("T322", 6), ("T331", 9_600), ("DBL-21", 9_600)] {
        let task = task(code, 1);
        engine.begin_point(&task).unwrap();
        let mut session = engine.session(0, 1).unwrap();
        session.prepare(&task, 0).unwrap();
        let done = session.execute(&Request::Chunk { first_pass: 0, passes: 3 }).unwrap();
        let names = "SELECT string_agg('SELECT * FROM dbdyno.' || relname, ' UNION ALL ') FROM pg_class
                     WHERE relnamespace = 'dbdyno'::regnamespace AND relname LIKE 'load\\_%' AND relkind = 'r'";
        let union = server.psql(&database, names);
        let found = server.psql(&database, &format!("SELECT count(*), sum(quantity) FROM ({union}) AS made"));
        assert_eq!(found, format!("{rows}|{}", done.checksum), "{code}");
        assert_eq!(done.rows, rows, "{code}");
        drop(session);
        engine.end_point(&task).unwrap();
    }
}

#[test]
fn an_index_only_scan_stays_one_after_updates_and_settling() {
    let server = server();
    let database = database(&server, LOADED);
    let engine = engine(&server, &database);
    conformance::play(&*engine, &task("T712", 2), &[300]);
    assert_eq!(engine.settle(Duration::from_secs(60)).unwrap(), Settled::AtRest);
    let fetched = || {
        server
            .psql(&database, "SELECT sum(idx_tup_fetch) FROM pg_stat_user_indexes WHERE indexrelname = 'small_iot_pk'")
    };
    let task = task("T612", 1);
    engine.begin_point(&task).unwrap();
    let mut session = engine.session(0, 1).unwrap();
    session.prepare(&task, 0).unwrap();
    session.flush().unwrap();
    let before = fetched();
    session.execute(&Request::Chunk { first_pass: 0, passes: 1_000 }).unwrap();
    session.flush().unwrap();
    assert_eq!(fetched(), before, "no row was fetched from the heap");
    drop(session);
    engine.end_point(&task).unwrap();
}

#[test]
fn scripts_can_be_run_by_hand() {
    let server = server();
    let database = database(&server, LOADED);
    let info = engine_info("postgres").unwrap();
    for test in catalogue::tests() {
        let script = (info.script)(&test, &catalogue::size_t()).unwrap();
        assert!(script.starts_with(&format!("-- {}: ", test.code)), "{script}");
        match mapping(&test) {
            Mapping::None { why } => assert!(script.contains(&why) && !script.contains("CALL"), "{script}"),
            // Files and loads are long, and the same as in the other tests here.
            _ if matches!(test.procedure, Procedure::WriteFile) => assert!(script.contains("CALL"), "{script}"),
            _ => _ = server.psql(&database, &script),
        }
    }
}
