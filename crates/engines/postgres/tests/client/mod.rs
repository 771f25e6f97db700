//! The client drive on real servers: that it does what the procedures do, by every road, and what it does when it
//! cannot.

mod drive;
mod faults;

use crate::{FIXTURES, Postgres, ServerOptions};
use dbdyno_engine::{PointSpec, Request, Session, Target, client::TestProgram};
use dbdyno_model::{CountProof, Counter, Drive, ErrorClass, Mapping, TableName, Test};
use dbdyno_testkit::conformance::client::{execute, send};
use dbdyno_testkit::conformance::{self, catalogue, expected, run_point};
use dbdyno_testkit::on_servers::{Product as _, spec};
use drive::{Passes, drive, drive_beside};
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::thread::{self, available_parallelism};
use std::time::Duration;

/// A task in the client drive.
fn client_task(code: &str, jobs: u32) -> PointSpec {
    PointSpec { drive: Drive::Client, ..spec(code, jobs) }
}

/// Tests that a client can drive, with one row a transaction and with several where they have such.
fn tests() -> Vec<(Test, u64)> {
    let mut tests = catalogue::tests();
    tests.retain(|test| test.procedure.has_client_form() && !matches!(Postgres::mapping(test), Mapping::None { .. }));
    assert!(tests.len() > 10);
    let mut all = Vec::new();
    for test in tests {
        let by_row = matches!(test.procedure.name(), "insert" | "update_primary" | "select_primary");
        let usual = test.rows_per_tx.unwrap_or(0);
        // A transaction of one statement where the test has several, and the other way round.
        if by_row && matches!(test.table, Some(TableName::SmallHeap | TableName::LargeHeapRangeList)) {
            all.push((test.clone(), if usual > 1 { 1 } else { 4 }));
        }
        all.push((test, usual));
    }
    all
}

fn what(spec: &PointSpec) -> String {
    format!("{} with {} rows a transaction, {} jobs", spec.test.code, spec.rows_per_tx, spec.jobs)
}

/// Rows and checksums are those of the procedure and of the generator; the server counts what was sent, to the last
/// one. One job has a thread of its own, three share two at most.
fn does_what_the_procedure_does(jobs: u32) {
    const PASSES: u64 = 7;
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    for (test, rows_per_tx) in tests() {
        let server = PointSpec { rows_per_tx, test: test.clone(), ..spec(test.code.as_str(), jobs) };
        let client = PointSpec { drive: Drive::Client, ..server.clone() };
        // Counted, so that nothing of it comes to be counted later. Commits of others are those of tests on the same
        // server.
        let procedure = run_point(&*engine, &server, &[PASSES]);
        let driven = drive(&*engine, &client, |_| Passes::new(PASSES));
        let what = what(&client);
        assert!(driven.failures().is_empty(), "{what}: {:?}", driven.failures());
        assert_eq!(driven.problems, [""; 0], "{what}");
        assert_eq!(driven.plan, procedure.plan, "{what}");
        let (sum, done) = (driven.sum(), driven.done());
        assert_eq!(done, PASSES * u64::from(jobs), "{what}");
        assert_eq!((sum.ops, sum.rows, sum.checksum), (0, procedure.sum.rows, procedure.sum.checksum), "{what}");
        if let Some(checksum) = expected::checksum(&client, PASSES) {
            assert_eq!(sum.checksum, checksum, "{what}");
        }
        for proof in test.proofs(rows_per_tx, 1) {
            let (counter, expected) = match proof {
                CountProof::PerOperation(counter, times) => (counter, done * times),
                CountProof::PerRow(counter) => (counter, sum.rows),
            };
            assert_eq!(driven.counted.get(counter), Some(expected), "{what}: {counter:?}");
        }
    }
}

#[test]
fn several_jobs_that_share_threads_do_what_the_procedure_does() {
    does_what_the_procedure_does(5);
}

/// By TCP, through the socket, with TLS, and with each way to prove a password; a wrong one is not taken.
#[test]
fn every_road_and_every_proof_leads_to_a_session() {
    let server = ServerOptions::default()
        .tls("DNS:localhost,IP:127.0.0.1")
        .access("hostssl all scram 127.0.0.1/32 scram-sha-256")
        .access("hostnossl all scram 127.0.0.1/32 reject")
        .access("host all md5 127.0.0.1/32 md5")
        .access("host all plain 127.0.0.1/32 password")
        .access("hostnossl all bare 127.0.0.1/32 trust")
        .access("hostssl all bare 127.0.0.1/32 reject")
        .start();
    server.psql("postgres", "CREATE DATABASE loaded");
    server.psql(
        "postgres",
        "SET password_encryption = 'scram-sha-256'; CREATE ROLE scram LOGIN SUPERUSER PASSWORD 'tiger'; CREATE ROLE plain LOGIN SUPERUSER PASSWORD 'tiger';
         CREATE ROLE bare LOGIN SUPERUSER; SET password_encryption = 'md5'; CREATE ROLE md5 LOGIN SUPERUSER PASSWORD 'tiger'",
    );
    Postgres::load(&server, "loaded");
    let root = format!("sslrootcert={}", server.authority().display());
    let target = |user: &str, options: &str| format!("{}{options}", server.tcp(user, "loaded"));
    let roads = [
        (server.socket("postgres", "loaded"), "f"),
        (target("postgres", "?sslmode=disable"), "f"),
        (target("postgres", ""), "t"),
        (target("scram:tiger", "?sslmode=require"), "t"),
        (target("scram:tiger", &format!("?sslmode=verify-full&{root}")), "t"),
        (target("md5:tiger", ""), "t"),
        (target("plain:tiger", "?sslmode=verify-ca&") + &root, "t"),
        // `prefer` goes without TLS where the server will have it so.
        (target("bare", "?sslmode=prefer"), "f"),
    ];
    for (road, encrypted) in roads {
        let engine = (dbdyno_postgres::INFO.open)(&Target::parse(&road).unwrap(), &catalogue::size_t()).unwrap();
        let spec = client_task("T611", 3);
        let driven = drive(&*engine, &spec, |_| {
            Passes::new(50).meanwhile(|| {
            let sql = "SELECT DISTINCT ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE application_name = 'dbdyno job'";
            assert_eq!(server.psql("postgres", sql), encrypted);
        })
        });
        assert!(driven.failures().is_empty(), "{road}: {:?}", driven.failures());
        assert_eq!(Some(driven.sum().checksum), expected::checksum(&spec, 50), "{road}");
    }
    let refused = |road: &str| {
        let engine = (dbdyno_postgres::INFO.open)(&Target::parse(road).unwrap(), &catalogue::size_t()).unwrap();
        engine.client_session(0, 1).map(drop).unwrap_err()
    };
    for (road, class, said) in [
        (target("scram:wrong", ""), ErrorClass::Authentication, "password authentication failed"),
        (target("scram:tiger", "?sslmode=disable"), ErrorClass::Authentication, "pg_hba.conf"),
        (server.tcp("postgres", "nowhere"), ErrorClass::UnknownObject, "createdb"),
        (
            server.tcp("postgres", "loaded").replace(&server.port.to_string(), "1"),
            ErrorClass::ConnectionLost,
            "is 1 its port",
        ),
        (server.socket("postgres", "x").replace("/run", "/rum"), ErrorClass::ConnectionLost, "unix_socket_directories"),
    ] {
        let error = refused(&road);
        assert!(error.class == class && error.message.contains(said), "{road}: {error}");
    }
}

/// A request is a round trip by hand, too; what was sent in a transaction that is rolled back leaves nothing.
#[test]
fn a_session_can_be_asked_request_by_request() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let spec = PointSpec { rows_per_tx: 3, ..client_task("T311", 1) };
    engine.begin_point(&spec).unwrap();
    let rows = || database.sql("SELECT count(*) FROM dbdyno.load_heap");
    let mut session = engine.client_session(0, 1).unwrap();
    session.prepare(&spec, 0).unwrap();
    // A new row's id, and the row that is copied.
    let insert = |session: &mut dyn Session, id, opens| execute(session, 0, &[id, 1], opens);
    for (first, end, expected) in [(1, Request::Rollback, "0"), (4, Request::Commit, "3"), (7, Request::Rollback, "3")]
    {
        for id in first..first + 3 {
            let done = insert(session.as_mut(), id, id == first).unwrap();
            assert_eq!((done.ops, done.rows), (0, 1));
        }
        session.execute(&end).unwrap();
        assert_eq!(rows(), expected);
    }
    // The same row once more fails, and with it the transaction, whatever is said at its end.
    let error = insert(session.as_mut(), 4, true).unwrap_err().error;
    assert!(error.message.contains("SQLSTATE 23505"), "{error}");
    let error = session.execute(&Request::Commit).unwrap_err().error;
    assert!(error.message.contains("rolled back"), "{error}");
    session.execute(&Request::Rollback).unwrap();
    session.execute(&Request::Chunk { first_pass: 0, passes: 1 }).unwrap_err();
    // It may be prepared for something else.
    let spec = client_task("T626", 1);
    let mut program = TestProgram::new(&spec, 0, session.prepare(&spec, 0).unwrap().form.unwrap());
    let done = send(session.as_mut(), &mut program, 1).unwrap();
    assert_eq!(done.rows, dbdyno_model::Size::LARGE_ROWS_PER_VALUE);
    session.flush().unwrap();
    drop(session);
    engine.end_point(&client_task("T311", 1)).unwrap();
}

#[test]
fn several_jobs_by_the_hundred_share_four_threads_at_most() {
    let server = ServerOptions::default().set("max_connections", "250").start();
    server.psql("postgres", "CREATE DATABASE loaded");
    Postgres::load(&server, "loaded");
    let engine = Postgres::engine(&server, "loaded");
    let spec = client_task("T611", 200);
    let driven = drive(&*engine, &spec, |_| Passes::new(40));
    assert!(driven.failures().is_empty(), "{:?}", driven.failures());
    assert_eq!(driven.done(), 200 * 40);
    assert_eq!(Some(driven.sum().checksum), expected::checksum(&spec, 40));
    assert_eq!(driven.counted.get(Counter::Executions), Some(200 * 40));
    assert!(driven.threads() <= 4, "{} threads", driven.threads());
    assert_eq!(driven.pumped.as_ref().unwrap().threads as usize, driven.threads());
}

/// Server processes are bound to the processors, half of each thread's to each, and to the others again and again. No
/// answer is lost on the way from thread to thread, none is counted twice.
#[test]
fn sessions_follow_their_server_processes() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let allowed = sched_getaffinity(None).unwrap();
    let processors: Vec<_> = (0..CpuSet::MAX_CPU).filter(|n| allowed.is_set(*n)).collect();
    let bind = |pid: &str, processor: usize| {
        let mut set = CpuSet::new();
        set.set(processor);
        // It may have ended.
        _ = sched_setaffinity(Pid::from_raw(pid.parse().unwrap()), &set);
    };
    let spec = client_task("T611", 16);
    let play = || {
        let beside = |_: &[std::sync::Arc<dyn dbdyno_engine::Canceller>]| {
            let jobs = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dbdyno job' ORDER BY 1";
            let pids = database.sql(jobs);
            assert!(pids.lines().count() >= 16);
            for round in 0..5 {
                for (n, pid) in pids.lines().enumerate() {
                    bind(pid, processors[(n / 2 + round) % processors.len()]);
                }
                thread::sleep(Duration::from_millis(100));
            }
        };
        let driven = drive_beside(&*engine, &spec, |_| Passes::new(4_000), true, beside);
        assert!(driven.failures().is_empty(), "{:?}", driven.failures());
        assert_eq!(driven.done(), 16 * 4_000);
        assert_eq!(Some(driven.sum().checksum), expected::checksum(&spec, 4_000));
        assert_eq!(driven.counted.get(Counter::Executions), Some(16 * 4_000));
        let follows = driven.pumped.as_ref().unwrap().sessions_follow;
        let moved = driven.moved();
        assert!(follows || moved == 0, "{moved} moved, and it is not said");
        (follows, moved)
    };
    match available_parallelism().unwrap().get() {
        // On a busy machine all may be over before they are bound.
        2..=4 => assert!((0..5).any(|_| play().1 > 0)),
        // With one processor there is one thread, and with many there is no need.
        _ => assert_eq!(play(), (false, 0)),
    }
}

#[test]
fn no_procedure_is_made_for_a_client() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let before = database.objects();
    let spec = client_task("T611", 1);
    engine.begin_point(&spec).unwrap();
    assert_eq!(database.objects(), before);
    engine.end_point(&spec).unwrap();
    _ = conformance::NoProgress;
}
