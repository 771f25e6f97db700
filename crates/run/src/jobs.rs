//! The jobs of a point at work, and the thread that watches them: telemetry at the window's edges, eviction while they
//! read, the stop switch.

use crate::drive::first_cause;
use crate::log::Log;
use crate::{Bench, Calibration, Pace, ServerDrive, Window};
use dbdyno_engine::{EngineError, Job, Session, StartGate, Task};
use dbdyno_model::{Counters, Outcomes, Point, Procedure, Rhythm};
use dbdyno_probe::page_cache::{EvictMode, Evictor};
use dbdyno_probe::{Sampler, Snapshot};
use std::time::Duration;

/// How often the measuring thread looks up while jobs work.
const TICK: Duration = Duration::from_millis(20);
/// Scans read ahead: letting go of the page cache at every tick would throw away what is about to be used.
const SCAN_EVICTION_TICKS: u32 = 5;

/// What came of the measuring, before it is judged.
pub(crate) struct Measured {
    /// Every chunk of every job.
    pub(crate) log: Log,
    /// How they ended.
    pub(crate) outcomes: Outcomes,
    /// What the engine counted from before the barrier to after the last chunk.
    pub(crate) counters: Counters,
    /// The operating system at the window's start.
    pub(crate) before: Option<Snapshot>,
    /// And at its end.
    pub(crate) after: Option<Snapshot>,
}

/// Lets the jobs work, and watches.
///
/// # Errors
/// The first job's error that is not the echo of another's, or the engine's own.
pub(crate) fn run(
    bench: &Bench<'_>,
    task: &Task,
    window: &Window,
    sessions: &mut [Box<dyn Session>],
    sampler: &Sampler,
    evictor: Option<&Evictor>,
    point: &mut Point,
) -> Result<Measured, EngineError> {
    let calibration = match (task.test.rhythm, task.test.procedure) {
        (Rhythm::Chunks, _) => Calibration::Timed { passes: 1 },
        (_, Procedure::BulkLoad) => Calibration::Fixed { passes: task.size.bulk_partitions_per_job },
        _ => Calibration::Fixed { passes: 1 },
    };
    let mut drives: Vec<ServerDrive<'_>> = sessions.iter().map(|_| ServerDrive::new(window, calibration)).collect();
    let gate = StartGate::new(sessions.len() + 1);
    if let Some(evictor) = evictor {
        // Preparing may have read again; whether eviction worked is judged by what the devices read.
        let _ = evictor.evict_all(EvictMode::AsIs);
    }
    let counters_before = bench.engine.snapshot()?;
    let pump = bench.engine.pump(task.drive);
    let (pumped, before, after) = std::thread::scope(|scope| {
        let jobs = sessions.iter_mut().zip(&mut drives);
        let jobs = jobs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
        let gate = &gate;
        let watcher = std::thread::Builder::new().name("watch".to_owned());
        let watcher =
            watcher.spawn_scoped(scope, move || watch(bench, window, sampler, evictor, gate, task.test.rhythm));
        if watcher.is_err() {
            gate.give_up();
        }
        let pumped = pump.run(jobs, bench.clock, gate);
        // Whatever ended the jobs, nobody is left to end the window.
        window.close();
        let (before, after) = watcher.ok().and_then(|w| w.join().ok()).unwrap_or_default();
        (pumped, before, after)
    });
    pumped?;

    let mut log = Log::default();
    let mut outcomes = Outcomes::default();
    let mut errors = Vec::new();
    for drive in drives {
        log.merge(drive.log);
        outcomes.merge(&drive.outcomes);
        errors.extend(drive.error);
    }
    point.outcomes = outcomes.clone();
    if let Some(error) = first_cause(errors.into_iter()) {
        return Err(error);
    }
    for session in sessions.iter_mut() {
        session.flush()?;
    }
    let counters = bench.engine.snapshot()?.since(&counters_before);
    Ok(Measured { log, outcomes, counters, before, after })
}

/// The measuring thread's part while jobs work. Returns what the operating system said at the window's edges.
fn watch(
    bench: &Bench<'_>,
    window: &Window,
    sampler: &Sampler,
    evictor: Option<&Evictor>,
    gate: &StartGate,
    rhythm: Rhythm,
) -> (Option<Snapshot>, Option<Snapshot>) {
    let mut before = None;
    if window.pace() == Pace::Once {
        before = Some(sampler.snapshot());
    }
    if !gate.wait() {
        return (None, None);
    }
    let every = if rhythm == Rhythm::Chunks { 1 } else { SCAN_EVICTION_TICKS };
    let mut ticks = 0u32;
    let mut look_up = || {
        ticks = ticks.wrapping_add(1);
        if let Some(evictor) = evictor.filter(|_| ticks.is_multiple_of(every)) {
            let _ = evictor.evict_all(EvictMode::AsIs);
        }
        if bench.stop.requested() {
            bench.stop.cancel_current();
            window.abort();
        }
    };
    let until = |ns: u64| Duration::from_nanos(ns.saturating_sub(bench.clock.now_ns()));
    while before.is_none() && !window.over() {
        match window.wait_for_start(TICK) {
            Some(start_ns) if until(start_ns) <= TICK => {
                std::thread::sleep(until(start_ns));
                before = Some(sampler.snapshot());
            }
            _ => _ = window.wait_for_end(TICK),
        }
        look_up();
    }
    // The window is aimed to end at a known moment; where a job needs longer, the later snapshot counts.
    let aimed_end_ns = match (window.pace(), window.start_ns()) {
        (Pace::Steady { duration_ns, .. }, Some(start_ns)) => Some(start_ns + duration_ns),
        _ => None,
    };
    let mut after = None;
    loop {
        let left = aimed_end_ns.map_or(TICK, until).min(TICK);
        if after.is_none() && aimed_end_ns.is_some() && left.is_zero() {
            after = Some(sampler.snapshot());
        }
        if window.wait_for_end(if left.is_zero() { TICK } else { left }) {
            break;
        }
        look_up();
    }
    let late = window.span().zip(aimed_end_ns).is_none_or(|(span, aimed_ns)| span.end_ns > aimed_ns);
    if late || after.is_none() {
        after = Some(sampler.snapshot());
    }
    (before, after)
}
