//! Whether the client drive allocates while it measures. From the next transaction to the entry of its time in a
//! histogram it must not allocate, once each statement has been sent. A test program of its own, because its allocator
//! counts for all threads.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_engine::client::TestProgram;
use dbdyno_engine::{Engine, Job, MonotonicClock, PointSpec, Reply, Sampling, StartGate, Step, Target, Work};
use dbdyno_model::{ClientLoad, Drive};
use dbdyno_postgres::{INFO, Postgres};
use dbdyno_run::{ClientContext, ClientDrive, Window, WindowMode};
use dbdyno_testkit::conformance::{NoProgress, begin_point, catalogue};
use dbdyno_testkit::on_servers::spec;
use dbdyno_testkit::servers::postgres::{SUPERUSER, Server};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::ops::Range;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const DATABASE: &str = "bench";
/// The count begins this long after the window's beginning, and ends this long before its end.
const MARGIN_NS: u64 = 500_000_000;
/// About then the test harness prints, in a thread of its own, that the test takes long, and that allocates.
const HARNESS_SPEAKS: Range<Duration> = Duration::from_secs(59)..Duration::from_secs(62);

/// Allocations of this program so far.
fn taken() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

/// A job of the client drive that reads the number of allocations at each of its turns within the counted time.
struct Counted<'t> {
    drive: ClientDrive<'t, TestProgram>,
    window: &'t Window,
    counted_until_ns: u64,
    /// Allocations at the first turn, and at the last.
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

/// Runs a point for this many seconds. Returns the allocations while it measured, and the turns of its jobs.
fn measured(engine: &dyn Engine, spec: &PointSpec, load: ClientLoad, seconds: u64) -> (usize, u64) {
    let (mut sessions, prepared) = begin_point(engine, spec);
    let form = prepared.form.unwrap();
    let duration_ns = seconds * 1_000_000_000;
    let window = Window::new(WindowMode::of_client(seconds as f64), sessions.len());
    let context = ClientContext::new(&window, load, load.rate.map(|rate| rate.per_s(0.0)), spec);
    let counted = |job| Counted {
        drive: context.job(TestProgram::new(spec, job, form.clone()), job),
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
    let counts = works.into_iter().map(|work| work.drive.into_counts()).collect();
    assert_eq!(context.gather(counts).error, None, "{}", spec.test.code);
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
    by_socket.load(&catalogue::size_t(), 42, 2, true, &NoProgress).unwrap();
    let closed = ClientLoad::default();
    let due = ClientLoad { rate: Some("500/s".parse().unwrap()), ..closed };
    for (engine, code, jobs, load, seconds) in [
        // Long enough for the recorder to close steps of the window.
        (&by_socket, "T611", 1, closed, 7),
        // A thread for each session, and many sessions a thread.
        (&by_tcp, "T611", 1, closed, 2),
        (&by_socket, "T611", 8, closed, 2),
        // Many statements a transaction, one executed twice, inserts of whole rows, and transactions of an open loop.
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
