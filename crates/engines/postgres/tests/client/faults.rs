//! What the client drive does when the server goes, stands still, or refuses; when it is told to stop; and when its own
//! work breaks. Nothing may hang, and every request must have an answer.

use super::client_task;
use super::drive::{Passes, drive, drive_beside};
use crate::{FIXTURES, Postgres, Server};
use dbdyno_engine::PointSpec;
use dbdyno_model::ErrorClass;
use dbdyno_testkit::on_servers::Product as _;
use dbdyno_testkit::servers::Scratch;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// More than any test waits for.
const ENDLESS: u64 = u64::MAX - 1;
/// The pump ends what a server does not within two seconds; more than that is the machine's own slowness.
const IN_TIME: Duration = Duration::from_secs(10);

fn alone() -> Server {
    let server = Server::start();
    server.psql("postgres", "CREATE DATABASE loaded");
    Postgres::load(&server, "loaded");
    server
}

/// The server's main process and all that it has begun.
fn processes(server: &Server) -> Vec<String> {
    let children = Command::new("pgrep").args(["-P", &server.pid().to_string()]).output().unwrap();
    let children = String::from_utf8(children.stdout).unwrap();
    children.split_whitespace().map(str::to_owned).chain([server.pid().to_string()]).collect()
}

fn signal(server: &Server, signal: &str) {
    // Some may end before it is their turn, because the others have.
    _ = Command::new("kill").arg(signal).args(processes(server)).output().unwrap();
}

#[test]
fn a_server_that_is_killed_ends_every_session() {
    for jobs in [2, 20] {
        let server = alone();
        let engine = Postgres::engine(&server, "loaded");
        let mut killed = Instant::now();
        let driven = drive_beside(
            &*engine,
            &client_task("T611", jobs),
            |_| Passes::new(ENDLESS),
            false,
            |_| {
                thread::sleep(Duration::from_millis(200));
                killed = Instant::now();
                signal(&server, "-KILL");
            },
        );
        assert!(killed.elapsed() < IN_TIME, "{:?}", killed.elapsed());
        for work in &driven.works {
            assert!(work.done > 0);
            assert_eq!(work.failures.len(), 1, "{:?}", work.failures);
            assert_eq!(work.failures[0].class, ErrorClass::ConnectionLost, "{}", work.failures[0]);
        }
    }
}

#[test]
fn sessions_that_are_ended_one_by_one_do_not_disturb_the_others() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let end = || {
        let sql = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
             WHERE application_name = 'dbdyno job' AND datname = '{}' LIMIT 3) AS three",
            database.name
        );
        assert_eq!(database.sql(&sql), "3");
    };
    let driven = drive_beside(&*engine, &client_task("T611", 8), |_| Passes::new(3_000), false, |_| end());
    let lost: Vec<_> = driven.failures();
    assert_eq!(lost.len(), 3, "{lost:?}");
    assert!(lost.iter().all(|error| error.class == ErrorClass::ConnectionLost), "{lost:?}");
    assert!(lost.iter().any(|error| error.message.contains("57P01")), "{lost:?}");
    assert_eq!(driven.works.iter().filter(|work| work.done == 3_000).count(), 5);
}

#[test]
fn sessions_that_are_told_to_stop_stop() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    for (code, jobs) in [("T611", 1), ("T611", 9), ("T626", 9), ("T711", 9)] {
        let began = Instant::now();
        let driven = drive_beside(
            &*engine,
            &client_task(code, jobs),
            |_| Passes::new(ENDLESS),
            false,
            |cancellers| {
                thread::sleep(Duration::from_millis(100));
                cancellers.iter().for_each(|canceller| canceller.cancel());
            },
        );
        assert!(began.elapsed() < IN_TIME);
        assert_eq!(driven.failures().len(), jobs as usize);
        assert!(driven.failures().iter().all(|e| e.class == ErrorClass::Cancelled), "{:?}", driven.failures());
        engine.end_point(&client_task(code, jobs)).unwrap();
    }
}

#[test]
fn a_server_that_stands_still_does_not_keep_those_who_want_to_stop() {
    for (jobs, tcp) in [(2, false), (12, true)] {
        let server = alone();
        let target = if tcp { server.tcp("postgres", "loaded") } else { server.socket("postgres", "loaded") };
        let target = dbdyno_engine::Target::parse(&target).unwrap();
        let engine = (dbdyno_postgres::INFO.open)(&target, &dbdyno_testkit::conformance::catalogue::size_t()).unwrap();
        let mut asked = Instant::now();
        let driven = drive_beside(
            &*engine,
            &client_task("T611", jobs),
            |_| Passes::new(ENDLESS),
            false,
            |cancellers| {
                thread::sleep(Duration::from_millis(100));
                signal(&server, "-STOP");
                thread::sleep(Duration::from_millis(50));
                asked = Instant::now();
                cancellers.iter().for_each(|canceller| canceller.cancel());
            },
        );
        let waited = asked.elapsed();
        signal(&server, "-CONT");
        assert!(waited < IN_TIME, "{waited:?}");
        assert_eq!(driven.failures().len(), jobs as usize);
        assert!(driven.failures().iter().all(|e| e.class == ErrorClass::Cancelled), "{:?}", driven.failures());
    }
}

/// The table goes while it is read and written: every request from then on is answered by an error, and each is told.
#[test]
fn a_storm_of_errors_is_a_storm_of_replies() {
    for (code, rows_per_tx) in [("T611", 1), ("T711", 1), ("T711", 3)] {
        let database = FIXTURES.loaded();
        let engine = Postgres::engine_on(&database);
        let spec = PointSpec { rows_per_tx, ..client_task(code, 6) };
        let table = Server::table("small_heap");
        let driven = drive_beside(
            &*engine,
            &spec,
            |_| Passes::new(ENDLESS).bearing(200),
            false,
            |_| {
                thread::sleep(Duration::from_millis(100));
                database.sql(&format!("DROP TABLE {table}"));
            },
        );
        for work in &driven.works {
            assert!(work.done > 0 && work.failures.len() == 201, "{} failures", work.failures.len());
            for error in &work.failures {
                assert_eq!(error.class, ErrorClass::UnknownObject, "{error}");
            }
        }
        engine.end_point(&spec).unwrap();
    }
}

#[test]
fn whoever_thinks_is_woken_when_it_is_time_and_not_before() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    for jobs in [1, 30] {
        let spec = client_task("T611", jobs);
        let driven = drive(&*engine, &spec, |job| Passes::new(20).thinking(200_000 + 50_000 * u64::from(job)));
        assert_eq!(driven.done(), 20 * u64::from(jobs));
        assert!(driven.works.iter().all(|work| work.late_ns.len() == 20));
    }
}

#[test]
fn work_that_breaks_is_abandoned_and_the_others_go_on() {
    let database = FIXTURES.loaded();
    let engine = Postgres::engine_on(&database);
    let work = |job| if job == 3 { Passes::new(500).panicking_at(10) } else { Passes::new(500) };
    let driven = drive(&*engine, &client_task("T611", 7), work);
    assert!(driven.pumped.as_ref().unwrap_err().message.contains("panicked"), "{:?}", driven.pumped);
    for (job, work) in driven.works.iter().enumerate() {
        let expected = if job == 3 { (10, true) } else { (500, false) };
        assert_eq!((work.done, work.abandoned), expected);
    }
}

/// Passes on what comes, a few bytes at a time.
fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 13];
    while let Ok(n) = from.read(&mut bytes)
        && n > 0
        && to.write_all(&bytes[..n]).is_ok()
    {
        thread::sleep(Duration::from_micros(100));
    }
    _ = to.shutdown(std::net::Shutdown::Both);
}

/// A way to the server on which everything takes its time and comes in pieces; its port.
fn slow_way(server: &Server) -> u16 {
    let entrance = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, servers) = (entrance.local_addr().unwrap().port(), server.port);
    thread::spawn(move || {
        for client in entrance.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", servers)).unwrap();
            for stream in [&client, &server] {
                stream.set_nodelay(true).unwrap();
            }
            let (there, back) = ((client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client));
            thread::spawn(move || pass_on(there.0, there.1));
            thread::spawn(move || pass_on(back.0, back.1));
        }
    });
    port
}

#[test]
fn a_slow_way_that_cuts_all_messages_loses_none() {
    const PASSES: u64 = 20;
    let server = alone();
    let target =
        server.tcp("postgres", "loaded").replace(&format!(":{}", server.port), &format!(":{}", slow_way(&server)));
    let target = dbdyno_engine::Target::parse(&target).unwrap();
    let engine = (dbdyno_postgres::INFO.open)(&target, &dbdyno_testkit::conformance::catalogue::size_t()).unwrap();
    // A thread for each, and several to a thread.
    for jobs in [1, 12] {
        let spec = client_task("T611", jobs);
        let driven = drive(&*engine, &spec, |_| Passes::new(PASSES));
        assert!(driven.failures().is_empty(), "{:?}", driven.failures());
        assert_eq!((driven.done(), driven.sum().rows), (PASSES * u64::from(jobs), PASSES * u64::from(jobs)));
        assert_eq!(Some(driven.sum().checksum), dbdyno_testkit::conformance::expected::checksum(&spec, PASSES));
    }
}
