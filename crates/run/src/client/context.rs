//! What the sessions of a point in the client drive share.

use super::counts::{Counts, TimetableCounts, TypeCounts};
use super::result::{ClientResult, TypeResult};
use super::timetables::Timetables;
use crate::readings::LiveWork;
use crate::server_drive::first_cause;
use crate::work::PointWork;
use crate::{Chunk, Span, Window, WorkLog};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{ClientLoad, ErrorClass, OpenLoop, Series, Think};
use dbdyno_stats::{Histogram, RecordedTimes, Recorder, Recording};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How long sessions may wait for an answer after the window's planned end.
pub(crate) const GRACE: Duration = Duration::from_secs(30);
const STEP_NS: u64 = 1_000_000_000;

/// What the sessions of a point share.
#[derive(Debug)]
pub struct ClientContext<'w> {
    pub(super) window: &'w Window,
    pub(super) recorder: Recorder,
    /// The timetables, in an open loop.
    pub(super) timetables: Option<Timetables>,
    pub(super) think: Option<Think>,
    /// How many transactions each user does, where that ends the point.
    pub(super) transactions_each: Option<u64>,
    /// Seed of the think times and arrivals.
    pub(super) seed: u64,
    /// Upper bound for the rows that a failed statement touched.
    pub(super) rows_per_statement: u64,
    duration_ns: u64,
    /// Number of sessions.
    pub(super) sessions: usize,
    /// Number of sessions that are stalled.
    stalled_sessions: AtomicUsize,
    all_stalled: AtomicBool,
    overdue: AtomicBool,
}

impl<'w> ClientContext<'w> {
    /// The shared context for the jobs of a test, for a window planned with `duration_ns`. `asked_per_s` is the rate of
    /// all jobs on all hosts together.
    #[must_use]
    pub fn new(
        window: &'w Window,
        duration_ns: u64,
        load: ClientLoad,
        asked_per_s: Option<f64>,
        spec: &PointSpec,
    ) -> Self {
        Self::of(window, duration_ns, load, asked_per_s, PointWork::Test(spec))
    }

    /// The same for any work.
    pub(crate) fn of(
        window: &'w Window,
        duration_ns: u64,
        load: ClientLoad,
        asked_per_s: Option<f64>,
        work: PointWork<'_>,
    ) -> Self {
        let times = if load.rate.is_some() { RecordedTimes::ServiceAndResponse } else { RecordedTimes::Service };
        Self {
            window,
            recorder: Recorder::new(times, work.types(), duration_ns, STEP_NS),
            timetables: asked_per_s.map(|per_s| Timetables::new(load, per_s, work)),
            think: load.think,
            transactions_each: work.transactions_each(),
            seed: work.key_seed(),
            rows_per_statement: work.rows_per_statement(),
            duration_ns,
            sessions: load.sessions(work.jobs()) as usize,
            stalled_sessions: AtomicUsize::new(0),
            all_stalled: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
        }
    }

    /// Has what sessions record shown while they work.
    pub(crate) fn shown_by(&self, live: &LiveWork, work: PointWork<'_>) {
        live.follow(&self.recorder, work.followed());
    }

    /// A session has stalled. When all sessions are stalled, the point ends.
    pub(super) fn stalled(&self) {
        if self.stalled_sessions.fetch_add(1, Ordering::AcqRel) + 1 == self.sessions {
            self.all_stalled.store(true, Ordering::Release);
            self.window.abort();
        }
    }

    /// A stalled session has succeeded again.
    pub(super) fn recovered(&self) {
        self.stalled_sessions.fetch_sub(1, Ordering::AcqRel);
    }

    /// The time to wait for answers is over: a session that is cancelled from now on has timed out.
    pub(crate) fn give_up(&self) {
        self.overdue.store(true, Ordering::Release);
        self.window.abort();
    }

    /// The class of an error. A cancelled session whose waiting time is over counts as a timeout.
    pub(super) fn class(&self, error: &EngineError) -> ErrorClass {
        match error.class {
            ErrorClass::Cancelled if self.overdue.load(Ordering::Acquire) => ErrorClass::Timeout,
            class => class,
        }
    }

    /// Combines the counts of all sessions, and of `WaitingUsers` where users share connections.
    #[must_use]
    pub fn gather(self, counts: Vec<Counts>) -> ClientResult {
        let recorded = self.recorder.finish();
        let (service, mut response) = recorded.together();
        let mut whole = Counts::default();
        let mut errors = Vec::new();
        for mut counts in counts {
            errors.extend(counts.error.take());
            whole.merge(counts);
        }
        if let Some(response) = &mut response {
            whole.never_begun_ns.iter().for_each(|age_ns| response.record_ns(*age_ns));
        }
        let span = self.window.span();
        let open_loop = self.timetables.as_ref().zip(span).map(|(timetables, span)| {
            let second_half_ns = span.length_ns().min(self.duration_ns / 2).max(1) * self.sessions as u64;
            // With a queue per user, a transaction that never began was waiting for its user, not for a connection.
            let ages = [response.as_mut(), whole.waits.as_mut().filter(|_| !timetables.are_apart())];
            open_loop(timetables, span, whole.timetable, second_half_ns, ages)
        });
        let overdue = self.overdue.into_inner().then(|| {
            let message = format!("answers were still missing {} s after the end of the window", GRACE.as_secs());
            EngineError::new(ErrorClass::Timeout, message)
        });
        let inside: u64 = recorded.steps.iter().map(|step| step.ops).sum();
        // A hanging statement, and a point with errors alone, are reported as such; so are errors that ended a job.
        let error = overdue.or_else(|| first_cause(errors.into_iter())).or_else(|| {
            (self.all_stalled.into_inner() || (span.is_some() && inside == 0)).then(|| whole.nothing_done(span))
        });
        let log = log(&whole, &recorded, self.window.barrier_ns(), span);
        let series = series(&recorded, span);
        let types = recorded.types.into_iter().enumerate().map(|(n, recorded)| {
            let failed = recorded.steps.iter().map(|step| step.errors).sum();
            let TypeCounts { outcomes, unknown, sum } = whole.types.get(n).cloned().unwrap_or_default();
            TypeResult { service: recorded.service, response: recorded.response, failed, outcomes, unknown, sum }
        });
        let types = types.collect();
        let Counts { outcomes, executed, waits: connection_wait, first_failure, .. } = whole;
        ClientResult {
            log,
            outcomes,
            types,
            executed,
            error,
            first_failure,
            service,
            response,
            connection_wait,
            open_loop,
            series,
        }
    }
}

/// How the timetable was kept. Transactions that nobody took are recorded with their age, as a lower bound, in the
/// response times and in the waits for a connection.
fn open_loop(
    timetables: &Timetables,
    span: Span,
    timetable: TimetableCounts,
    half_ns: u64,
    mut ages: [Option<&mut Histogram>; 2],
) -> OpenLoop {
    let TimetableCounts { mut due, mut unfinished, mut waiting, idle_ns } = timetable;
    timetables.left(span.end_ns, |due_ns, n| {
        due += if due_ns >= span.start_ns { n } else { 0 };
        unfinished += n;
        waiting += n;
        for histogram in ages.iter_mut().flatten() {
            histogram.record_many_ns(span.end_ns - due_ns, n);
        }
    });
    let busy_pct = (1.0 - idle_ns as f64 / half_ns as f64).max(0.0) * 100.0;
    OpenLoop { due, unfinished, waiting, busy_pct }
}

/// The work as chunks: before the window, in each of its seconds, and after it.
fn log(counts: &Counts, recorded: &Recording, barrier_ns: Option<u64>, span: Option<Span>) -> WorkLog {
    let Some(Span { start_ns, end_ns }) = span else { return WorkLog::default() };
    let chunk = |started_ns: u64, ended_ns: u64, ops, rows| Chunk {
        started_ns,
        ended_ns: ended_ns.max(started_ns),
        ops,
        rows,
        bytes: 0,
    };
    let (before, after) = (counts.before, counts.after);
    let mut chunks = vec![chunk(barrier_ns.unwrap_or(start_ns).min(start_ns), start_ns, before.ops, before.rows)];
    let steps = recorded.steps.iter().zip((start_ns..).step_by(recorded.step_ns as usize));
    for (step, from_ns) in steps.take_while(|(_, from_ns)| *from_ns < end_ns) {
        chunks.push(chunk(from_ns, (from_ns + recorded.step_ns).min(end_ns), step.ops, step.rows));
    }
    chunks.push(chunk(end_ns, counts.last_ended_ns, after.ops, after.rows));
    let checksum = counts.types.iter().fold(0_u64, |sum, of| sum.wrapping_add(of.sum));
    WorkLog { chunks, checksum, lost: counts.lost }
}

fn series(recorded: &Recording, span: Option<Span>) -> Series {
    let length_ns = span.map_or(0, Span::length_ns);
    let seconds = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e9);
    let mut series = Series { step_s: recorded.step_ns as f64 / 1e9, ..Series::default() };
    let steps = recorded.steps.iter().zip((0u64..).step_by(recorded.step_ns as usize));
    // A window that a number of transactions ends may be shorter than its longest.
    for (step, from_ns) in steps.take_while(|(_, from_ns)| *from_ns < length_ns.max(1)) {
        let step_s = recorded.step_ns.min(length_ns.saturating_sub(from_ns)) as f64 / 1e9;
        series.ops_per_s.push(if step_s > 0.0 { step.ops as f64 / step_s } else { 0.0 });
        series.p50_s.push(seconds(step.p50_ns));
        series.p99_s.push(seconds(step.p99_ns));
        series.errors.push(step.errors);
        series.retries.push(step.retries);
    }
    series
}
