//! The window's arithmetic compared with an exactly known truth: the null engine on a simulated clock.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, Prepared};
use dbdyno_engine::{
    Clock, Engine, Job, PointSpec, Pump, Request, Sampling, Session, SimulatedClock, SimulatedPump, StartGate,
};
use dbdyno_model::{CommitMode, Size};
use dbdyno_null::{Behaviour, NullEngine};
use dbdyno_run::{Calibration, ServerDrive, Span, Window, WindowMode, WorkLog};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

fn size() -> Size {
    Catalogue::embedded().unwrap().size("T").unwrap().clone()
}

fn spec(jobs: u32) -> PointSpec {
    let test = Catalogue::embedded().unwrap().test("T111").unwrap().clone();
    let (size, commit, sampling) = (size(), CommitMode::Durable, Sampling::Off);
    PointSpec {
        test,
        size,
        seed: 1,
        key_seed: 1,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx: 0,
        commit,
        drive: dbdyno_model::Drive::Server,
        sampling,
    }
}

/// A session that works at a constant speed, pauses between calls, and records when it worked.
struct Worker {
    clock: Arc<SimulatedClock>,
    ns_per_pass: u64,
    calls: u64,
    worked: Arc<Mutex<Vec<(Span, u64)>>>,
}

impl Session for Worker {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Ok(Prepared::default())
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        if *request == Request::Discard {
            self.clock.sleep_ns(DISCARD_NS);
            return Ok(ChunkResult::default());
        }
        let Request::Chunk { passes, .. } = *request else { panic!("the server drive sends chunks") };
        self.calls += 1;
        let start_ns = self.clock.now_ns();
        self.clock.sleep_ns(passes * self.ns_per_pass);
        self.worked.lock().unwrap().push((Span { start_ns, end_ns: self.clock.now_ns() }, passes));
        Ok(ChunkResult { ops: passes, rows: passes, bytes: 0, checksum: 1 })
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        struct Never;
        impl Canceller for Never {
            fn cancel(&self) {}
        }
        Arc::new(Never)
    }
}

/// A drive that pauses between chunks, as if a scheduler took the processor away between two calls.
struct Pausing<'w> {
    drive: ServerDrive<'w>,
    every: u64,
    pause_ns: u64,
    steps: u64,
}

impl dbdyno_engine::Work for Pausing<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<dbdyno_engine::Reply<'_>>) -> dbdyno_engine::Step<'_> {
        if reply.is_some() {
            self.steps += 1;
            let step = self.drive.next(now_ns, reply);
            // The pause comes before the next step.
            if self.every > 0 && self.steps.is_multiple_of(self.every) && step != dbdyno_engine::Step::Done {
                return dbdyno_engine::Step::ThinkNs(self.pause_ns);
            }
            return step;
        }
        self.drive.next(now_ns, None)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_rate_is_the_true_one_for_any_chunks_jobs_and_pauses(
        jobs in proptest::collection::vec((50u64..5_000_000, 1u64..2_000, 0u64..9, 0u64..400_000_000), 1..17),
        duration_ms in 100u64..20_000,
        timed in any::<bool>(),
    ) {
        let clock = Arc::new(SimulatedClock::default());
        let pace = WindowMode::steady(duration_ms as f64 / 1e3);
        let window = Window::new(pace, jobs.len());
        let mut workers: Vec<Worker> = jobs.iter().map(|(ns_per_pass, _, _, _)| Worker {
            clock: Arc::clone(&clock), ns_per_pass: *ns_per_pass, calls: 0, worked: Arc::default(),
        }).collect();
        let mut works: Vec<Pausing<'_>> = jobs.iter().map(|(_, passes, every, pause_ns)| {
            let calibration = if timed { Calibration::Timed { passes: 1 } } else { Calibration::Fixed { passes: *passes } };
            Pausing { drive: ServerDrive::new(&window, calibration), every: *every, pause_ns: *pause_ns, steps: 0 }
        }).collect();
        let gate = StartGate::new(1);
        let pairs = workers.iter_mut().zip(&mut works).map(|(session, work)| Job { session, work }).collect();
        SimulatedPump(&clock).run(pairs, clock.as_ref(), &gate).unwrap();

        let span = window.span().expect("the window ended");
        let WindowMode::Steady { duration_ns, least_chunks, .. } = pace else { unreachable!() };
        prop_assert!(span.length_ns() >= duration_ns);

        let mut log = WorkLog::default();
        for work in works {
            // Every job did its least chunks inside the window and worked until its end.
            let inside = work.drive.log.chunks.iter().filter(|c| c.started_ns >= span.start_ns && c.started_ns < span.end_ns).count();
            prop_assert!(inside >= least_chunks as usize - 1, "{} chunks inside", inside);
            let last = work.drive.log.last_ended_ns().unwrap();
            prop_assert!(last + work.pause_ns >= span.end_ns);
            log.merge(work.drive.log);
        }
        // The truth: each job's own speed over the time in which it worked inside the window.
        let truth: f64 = workers.iter().map(|w| {
            w.worked.lock().unwrap().iter().map(|(worked, _)| {
                let inside = worked.end_ns.min(span.end_ns).saturating_sub(worked.start_ns.max(span.start_ns));
                inside as f64 / w.ns_per_pass as f64
            }).sum::<f64>()
        }).sum();
        let measured = log.inside(span).ops;
        prop_assert!((measured - truth).abs() <= truth * 0.001, "measured {} true {}", measured, truth);
        // No work is lost or counted twice over all chunks, warm-up and tail included.
        let total: u64 = workers.iter().map(|w| w.worked.lock().unwrap().iter().map(|(_, passes)| passes).sum::<u64>()).sum();
        prop_assert_eq!(log.total_ops(), total);
        prop_assert_eq!(log.checksum, workers.iter().map(|w| w.calls).sum::<u64>());
    }

    #[test]
    fn the_null_engine_counts_what_the_drives_count(
        jobs in 1u32..20, speed in 1_000u64..10_000_000, stall_every in 0u64..7, stall_ms in 0u64..500, duration_ms in 200u64..5_000,
    ) {
        let clock = Arc::new(SimulatedClock::default());
        let behaviour = Behaviour { speed, stall_every, stall_ns: stall_ms * 1_000_000, ..Behaviour::default() };
        let engine = NullEngine::new(behaviour, size(), Arc::clone(&clock) as Arc<dyn Clock>);
        let spec = spec(jobs);
        let window = Window::new(WindowMode::steady(duration_ms as f64 / 1e3), jobs as usize);
        let mut sessions: Vec<Box<dyn Session>> = (0..jobs).map(|job| engine.session(job, 1).unwrap()).collect();
        for session in &mut sessions {
            session.prepare(&spec, 0).unwrap();
        }
        let mut drives: Vec<ServerDrive<'_>> =
            (0..jobs).map(|_| ServerDrive::new(&window, Calibration::Timed { passes: 1 })).collect();
        let pairs = sessions.iter_mut().zip(&mut drives).map(|(s, work)| Job { session: s.as_mut(), work }).collect();
        SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
        for session in &mut sessions {
            session.flush().unwrap();
        }
        let total: u64 = drives.iter().map(|d| d.log.total_ops()).sum();
        prop_assert_eq!(total, engine.ops());
        let span = window.span().unwrap();
        let rate = drives.iter().map(|d| d.log.inside(span).ops).sum::<f64>() / span.seconds();
        let full = f64::from(jobs) * speed as f64;
        if stall_every == 0 || stall_ms == 0 {
            prop_assert!((rate - full).abs() <= full * 0.001, "rate {} of {}", rate, full);
        } else {
            // A stall inside a chunk on the window's edge is counted in proportion: at most one chunk a job is wrong.
            prop_assert!(rate <= full * 1.001);
        }
    }
}

/// The time that a job needs to remove a piece.
const DISCARD_NS: u64 = 500_000;

#[test]
fn pieces_are_repeated_until_the_duration_has_passed_and_the_last_ends_the_window() {
    let clock = Arc::new(SimulatedClock::default());
    let window = Window::new(WindowMode::pieces(0.01), 2);
    let mut workers: Vec<Worker> = [10_000u64, 30_000]
        .iter()
        .map(|ns| Worker { clock: Arc::clone(&clock), ns_per_pass: *ns, calls: 0, worked: Arc::default() })
        .collect();
    let mut drives: Vec<ServerDrive<'_>> =
        (0..2).map(|_| ServerDrive::new(&window, Calibration::Fixed { passes: 100 })).collect();
    let pairs = workers.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    // Pieces of 1 and 3 ms, half a millisecond to remove each: the 7th ends at 10 ms, and so does the 3rd.
    assert_eq!(window.span().unwrap(), Span { start_ns: 0, end_ns: 10_000_000 });
    assert_eq!(drives.iter().map(|d| d.log.chunks.len()).collect::<Vec<_>>(), [7, 3]);
    assert_eq!(drives.iter().map(|d| d.discarding_ns / DISCARD_NS).collect::<Vec<_>>(), [6, 2]);
    assert_eq!(drives.iter().map(|d| d.log.total_ops()).sum::<u64>(), 1_000);
    assert!(drives.iter().all(|d| d.outcomes.adds_up() && d.outcomes.requests == d.log.total_ops()));
}

#[test]
fn a_held_window_begins_and_ends_when_it_is_let() {
    let window = Window::new(WindowMode::steady(2.0), 1).held();
    window.arrive(0);
    window.begin(500);
    assert_eq!((window.start_ns(), window.earliest_start_ns()), (None, None), "no job has come so far");
    window.warmed(100_000_000);
    assert_eq!((window.start_ns(), window.earliest_start_ns()), (None, Some(1_000_000_000)));
    window.begin(1_700_000_000);
    assert_eq!(window.start_ns(), Some(1_700_000_000));
    window.end(3_800_000_000);
    assert!(!window.over(), "the job has more to do");
    window.pass(3_750_000_000);
    assert_eq!((window.over(), window.earliest_end_ns()), (false, Some(3_750_000_000)));
    window.end(4_100_000_000);
    assert!(window.over());
    assert_eq!(window.span(), Some(Span { start_ns: 1_700_000_000, end_ns: 4_100_000_000 }));
}

#[test]
fn a_window_that_was_told_when_to_begin_begins_then() {
    const BEGINS_NS: u64 = 3_000_000_000;
    let clock = Arc::new(SimulatedClock::default());
    let window = Window::new(WindowMode::steady(2.0), 2).beginning_at(BEGINS_NS);
    let worker = |ns_per_pass| Worker { clock: Arc::clone(&clock), ns_per_pass, calls: 0, worked: Arc::default() };
    let mut workers = [10_000, 30_000].map(worker);
    let mut drives = [0, 1].map(|_| ServerDrive::new(&window, Calibration::Timed { passes: 1 }));
    let pairs = workers.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    assert_eq!(window.span().unwrap(), Span { start_ns: BEGINS_NS, end_ns: BEGINS_NS + 2_000_000_000 });
    let first_ns = drives.iter().map(|d| d.log.chunks[0].started_ns).min().unwrap();
    assert_eq!((first_ns, window.barrier_ns()), (0, Some(0)), "they work from the barrier on");
    // A pass takes 10 us, or 30 us.
    let ops: f64 = drives.iter().map(|d| d.log.inside(window.span().unwrap()).ops).sum();
    assert!((ops / (200_000.0 + 66_667.0) - 1.0).abs() < 1e-3, "{ops}");
}

#[test]
fn it_waits_for_jobs_that_are_not_warm_and_its_timetable_does_not() {
    let window = Window::new(WindowMode::of_client(2.0), 2).beginning_at(1_500_000_000);
    assert_eq!([100, 200].map(|now_ns| window.arrive(now_ns)), [500_000_000; 2], "a warm-up before it, for all hosts");
    window.warmed(700_000_000);
    assert_eq!(window.start_ns(), None);
    window.warmed(1_600_000_000);
    assert_eq!(window.start_ns(), Some(1_600_000_000));
}

#[test]
fn a_piece_that_lasts_longer_is_done_once() {
    let clock = Arc::new(SimulatedClock::default());
    let window = Window::new(WindowMode::pieces(0.000_5), 2);
    let mut workers: Vec<Worker> = [10_000u64, 30_000]
        .iter()
        .map(|ns| Worker { clock: Arc::clone(&clock), ns_per_pass: *ns, calls: 0, worked: Arc::default() })
        .collect();
    let mut drives: Vec<ServerDrive<'_>> =
        (0..2).map(|_| ServerDrive::new(&window, Calibration::Fixed { passes: 100 })).collect();
    let pairs = workers.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    let span = window.span().unwrap();
    assert_eq!(span, Span { start_ns: 0, end_ns: 3_000_000 });
    let ops: f64 = drives.iter().map(|d| d.log.inside(span).ops).sum();
    assert_eq!(ops, 200.0);
}

#[test]
fn an_error_stops_everybody_and_leaves_no_window() {
    let clock = Arc::new(SimulatedClock::default());
    let behaviour =
        Behaviour { error_at: 5, error_class: dbdyno_model::ErrorClass::OutOfSpace, ..Behaviour::default() };
    let engine = NullEngine::new(behaviour, size(), Arc::clone(&clock) as Arc<dyn Clock>);
    let window = Window::new(WindowMode::steady(2.0), 3);
    let mut sessions: Vec<Box<dyn Session>> = (0..3).map(|job| engine.session(job, 1).unwrap()).collect();
    for session in &mut sessions {
        session.prepare(&spec(3), 0).unwrap();
    }
    let mut drives: Vec<ServerDrive<'_>> =
        (0..3).map(|_| ServerDrive::new(&window, Calibration::Timed { passes: 1 })).collect();
    let pairs = sessions.iter_mut().zip(&mut drives).map(|(s, work)| Job { session: s.as_mut(), work }).collect();
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    assert_eq!(window.span(), None);
    assert!(drives.iter().any(|d| d.error.is_some()));
    assert!(drives.iter().all(|d| d.outcomes.adds_up()));
}
