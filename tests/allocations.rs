//! Whether the client drive takes memory while it measures: from the next transaction to the answer's time in its
//! histogram it must take none, once each statement has been sent. A test program of its own, as its allocator counts
//! for all threads.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::client::TestProgram;
use dbdyno_engine::{Engine, Job, MonotonicClock, PointSpec, Reply, Sampling, StartGate, Step, Target, Work};
use dbdyno_model::{Drive, Load};
use dbdyno_postgres::{INFO, Postgres};
use dbdyno_run::{ClientDrive, Pace, Team, Window};
use dbdyno_testkit::conformance::{Quiet, begun, catalogue};
use dbdyno_testkit::on_servers::spec;
use dbdyno_testkit::servers::postgres::{SUPERUSER, Server};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::ops::Range;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const DATABASE: &str = "bench";
/// What is counted begins so long after the window, and ends so long before it does.
const MARGIN_NS: u64 = 500_000_000;
/// About then the harness says, in a thread of its own, that the test takes long, and that takes memory.
const HARNESS_SPEAKS: Range<Duration> = Duration::from_secs(59)..Duration::from_secs(62);

/// How often this program has taken memory.
fn taken() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

/// A job of the client drive that looks, at each of its turns within what is counted, how often memory was taken.
struct Counted<'t> {
    drive: ClientDrive<'t, TestProgram>,
    window: &'t Window,
    counted_until_ns: u64,
    /// At the first turn, and at the last one.
    taken: Option<[usize; 2]>,
    turns: u64,
}

impl Work for Counted<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        let since_ns = self.window.start_ns().and_then(|start_ns| now_ns.checked_sub(start_ns));
        if since_ns.is_some_and(|ns| (MARGIN_NS..self.counted_until_ns).contains(&ns)) {
            let now = taken();
            self.taken.get_or_insert([now; 2])[1] = now;
            self.turns += 1;
        }
        self.drive.next(now_ns, reply)
    }

    fn abandon(&mut self) {
        self.drive.abandon();
    }
}

/// Runs a point for so many seconds: how often memory was taken while it measured, and the turns of its jobs meanwhile.
fn measured(engine: &dyn Engine, spec: &PointSpec, load: Load, seconds: u64) -> (usize, u64) {
    let (mut sessions, prepared) = begun(engine, spec);
    let form = prepared.form.unwrap();
    let duration_ns = seconds * 1_000_000_000;
    let window = Window::new(Pace::of_client(seconds as f64), sessions.len());
    let team = Team::new(&window, duration_ns, load, load.rate.map(|rate| rate.per_s(0.0)), spec);
    let counted = |job| Counted {
        drive: team.job(TestProgram::new(spec, job, form.clone()), job),
        window: &window,
        counted_until_ns: duration_ns - MARGIN_NS,
        taken: None,
        turns: 0,
    };
    let mut works: Vec<Counted<'_>> = spec.job_numbers().map(counted).collect();
    let pairs = sessions.iter_mut().zip(&mut works);
    let jobs = pairs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
    let pump = engine.pump(spec.drive, None);
    pump.run(jobs, &MonotonicClock::default(), &StartGate::new(spec.jobs as usize)).unwrap();
    let first = works.iter().filter_map(|work| work.taken).map(|taken| taken[0]).min().unwrap();
    let last = works.iter().filter_map(|work| work.taken).map(|taken| taken[1]).max().unwrap();
    let turns = works.iter().map(|work| work.turns).sum();
    let tallies = works.into_iter().map(|work| work.drive.into_tally()).collect();
    assert_eq!(team.gather(tallies).error, None, "{}", spec.test.code);
    drop(sessions);
    engine.end_point(spec).unwrap();
    (last - first, turns)
}

#[test]
fn the_client_drive_takes_no_memory_while_it_measures() {
    let began = Instant::now();
    let server = Server::<Postgres>::start();
    server.sql("postgres", &format!("CREATE DATABASE {DATABASE}"));
    let open = |target: String| (INFO.open)(&Target::parse(&target).unwrap(), &catalogue::size_t()).unwrap();
    let (by_socket, by_tcp) = (open(server.socket(SUPERUSER, DATABASE)), open(server.tcp(SUPERUSER, DATABASE)));
    by_socket.load(&catalogue::size_t(), 42, 2, true, &Quiet).unwrap();
    let closed = Load::default();
    let due = Load { rate: Some("500/s".parse().unwrap()), ..closed };
    for (engine, code, jobs, load, seconds) in [
        // Long enough for the recorder to put steps of the window away.
        (&by_socket, "T611", 1, closed, 7),
        // A thread for each session, and many to a thread.
        (&by_tcp, "T611", 1, closed, 2),
        (&by_socket, "T611", 8, closed, 2),
        // Many statements a transaction, one executed twice, inserts of whole rows, and transactions that are due.
        (&by_socket, "T616", 2, closed, 2),
        (&by_socket, "T626", 2, closed, 2),
        (&by_socket, "T311", 8, closed, 2),
        (&by_socket, "T711", 8, due, 2),
    ] {
        let spec = PointSpec { drive: Drive::Client, sampling: Sampling::Off, ..spec(code, jobs) };
        let (before, mut found) = (began.elapsed(), measured(engine.as_ref(), &spec, load, seconds));
        if before < HARNESS_SPEAKS.end && began.elapsed() > HARNESS_SPEAKS.start {
            found = measured(engine.as_ref(), &spec, load, seconds);
        }
        let (taken, turns) = found;
        assert!(turns > 10, "{code}: {turns} turns prove nothing");
        assert_eq!(taken, 0, "{code} with {jobs} jobs took memory in {turns} turns");
    }
}
