//! The thread that watches the jobs of a point: it takes telemetry at the window's edges, evicts pages while jobs read,
//! and checks the stop switch.

use crate::checkpoint_window::{self, CheckpointWindow};
use crate::client::GRACE;
use crate::eviction::Eviction;
use crate::point_context::PointContext;
use crate::{ClientContext, RunContext, Window, WindowMode};
use dbdyno_engine::StartGate;
use dbdyno_model::{Drive, PacedWrites};
use dbdyno_probe::Snapshot;
use std::time::{Duration, Instant};

/// How often the measuring thread looks at the jobs.
const TICK: Duration = Duration::from_millis(20);
/// Time before a planned start at which jobs are told of it.
const AHEAD_NS: u64 = 10_000_000;
/// How often it checks that other dbdynos are still locked out.
const HOLD_LOOK_NS: u64 = 1_000_000_000;

/// What was seen at the window's edges.
#[derive(Default)]
pub(crate) struct Edges {
    /// The operating system's counters at the window's start.
    pub(crate) before: Option<Snapshot>,
    /// The operating system's counters at the window's end.
    pub(crate) after: Option<Snapshot>,
    /// What was written, where the window consists of whole checkpoints.
    pub(crate) paced_writes: Option<PacedWrites>,
}

/// What the measuring thread does while jobs work. Returns the snapshots at the window's edges.
pub(crate) fn watch(context: &PointContext<'_>, gate: &StartGate, clients: Option<&ClientContext<'_>>) -> Edges {
    let PointContext { run, work, window, sampler, evictor, .. } = *context;
    // The jobs are at the gate by now.
    if let Some(starts_ns) = context.starts_ns {
        if !wait_until(run, starts_ns.saturating_sub(AHEAD_NS)) {
            gate.give_up();
            return Edges::default();
        }
        let left_ns = starts_ns.saturating_sub(run.clock.now_ns());
        gate.open_at(Instant::now() + Duration::from_nanos(left_ns));
    }
    let mut before = None;
    if window.pace().is_pieces() {
        before = Some(sampler.snapshot());
    }
    if !gate.wait() {
        return Edges::default();
    }
    if before.is_some() {
        run.live.window_begins(Instant::now());
    }
    let alone = work.jobs() == 1 && work.driven_by() == Drive::Server;
    let room_bytes = || run.engine.page_cache_room_bytes();
    let mode = (work.repeat_mode(), alone);
    let mut eviction = evictor.map(|evictor| Eviction::new(evictor, window, mode, &room_bytes));
    let (mut hold_lost, mut hold_look_ns) = (false, 0);
    // Returns the time until it should be called again.
    let mut look_up = || {
        let now_ns = run.clock.now_ns();
        if !hold_lost && now_ns >= hold_look_ns {
            (hold_lost, hold_look_ns) = (run.hold.seen_lost().is_some(), now_ns + HOLD_LOOK_NS);
        }
        if let Some(eviction) = &mut eviction {
            eviction.tick(now_ns);
        }
        // A measurement that others could disturb is not valid; the measurer then checks the lock and reports it.
        if run.stop.requested() || hold_lost {
            run.stop.cancel_current();
            window.abort();
        } else if let Some(clients) = clients.filter(|_| now_ns > latest_ns(window)) {
            clients.give_up();
            run.stop.cancel_current();
        }
        eviction.as_ref().map_or(TICK, |eviction| eviction.interval(TICK))
    };
    let mut tick = TICK;
    let until = |ns: u64| Duration::from_nanos(ns.saturating_sub(run.clock.now_ns()));
    let moment = |ns: u64| Instant::now() - Duration::from_nanos(run.clock.now_ns().saturating_sub(ns));
    let mut checkpoints = window.is_held().then(|| CheckpointWindow::new(run));
    while let Some(checkpoints) = checkpoints.as_mut().filter(|_| before.is_none() && !window.over()) {
        if !window.wait_for_end(checkpoint_window::LOOK_EVERY) && checkpoints.begins(window) {
            before = Some(sampler.snapshot());
            window.begin(run.clock.now_ns());
            run.live.window_begins(Instant::now());
        }
        look_up();
    }
    // Until the window begins nothing is looked at more often: evicting takes its time, and the window may be short.
    while before.is_none() && !window.over() {
        match window.wait_for_start(TICK) {
            Some(start_ns) if until(start_ns) <= TICK => {
                std::thread::sleep(until(start_ns));
                before = Some(sampler.snapshot());
                run.live.window_begins(moment(start_ns));
            }
            _ => _ = window.wait_for_end(TICK),
        }
        tick = look_up();
    }
    if let Some(checkpoints) = &mut checkpoints {
        let mut after = None;
        while !window.wait_for_end(checkpoint_window::LOOK_EVERY) {
            if checkpoints.ends(window) {
                after = Some(sampler.snapshot());
                window.end(run.clock.now_ns());
                run.live.window_ends(Instant::now());
            }
            look_up();
        }
        return Edges { before, after, paced_writes: checkpoints.writes() };
    }
    // The window has a planned end. If a job needs longer, the later snapshot counts.
    let aimed_end_ns = match (window.pace(), window.start_ns()) {
        (WindowMode::Steady { duration_ns, .. }, Some(start_ns)) => Some(start_ns + duration_ns),
        _ => None,
    };
    let mut after = None;
    loop {
        let left = aimed_end_ns.map_or(tick, until).min(tick);
        if let Some(end_ns) = aimed_end_ns.filter(|_| after.is_none() && left.is_zero()) {
            after = Some(sampler.snapshot());
            // Clients' windows have exactly their length; what ends later is in none.
            if clients.is_some() {
                run.live.window_ends(moment(end_ns));
            }
        }
        if window.wait_for_end(if left.is_zero() { tick } else { left }) {
            break;
        }
        tick = look_up();
    }
    let late = window.span().zip(aimed_end_ns).is_none_or(|(span, aimed_ns)| span.end_ns > aimed_ns);
    if late || after.is_none() {
        after = Some(sampler.snapshot());
    }
    run.live.window_ends(Instant::now());
    Edges { before, after, paced_writes: None }
}

/// Waits until a moment. False where the user stops the waiting.
fn wait_until(run: &RunContext<'_>, moment_ns: u64) -> bool {
    loop {
        let left_ns = moment_ns.saturating_sub(run.clock.now_ns());
        if run.stop.requested() || left_ns == 0 {
            return !run.stop.requested();
        }
        run.clock.sleep_ns(left_ns.min(TICK.as_nanos() as u64));
    }
}

/// The moment until which the client drive waits for answers. Statements of the server drive may take as long as they
/// need.
fn latest_ns(window: &Window) -> u64 {
    let WindowMode::Steady { warm_up_ns, duration_ns, .. } = window.pace() else { return u64::MAX };
    let begins_ns = window.start_ns().or_else(|| window.barrier_ns().map(|barrier_ns| barrier_ns + warm_up_ns));
    begins_ns.map_or(u64::MAX, |begins_ns| begins_ns + duration_ns + GRACE.as_nanos() as u64)
}
