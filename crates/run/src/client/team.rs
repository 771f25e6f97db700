//! What the jobs of a point in the client drive share, and what comes of their work.

use super::ClientDrive;
use super::pool::{Pool, User};
use super::queues::Queues;
use super::tally::{Kept, Tally};
use crate::drive::first_cause;
use crate::work::Work;
use crate::{Chunk, Log, Span, Window};
use dbdyno_engine::program::Program;
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{ErrorClass, Load, OpenLoop, Outcomes, Series, Think};
use dbdyno_stats::{Histogram, Recorded, Recorder, Times};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How long jobs may be kept waiting for an answer after the window was to end.
pub(crate) const GRACE: Duration = Duration::from_secs(30);
const STEP_NS: u64 = 1_000_000_000;

/// What the jobs share.
#[derive(Debug)]
pub struct Team<'w> {
    pub(super) window: &'w Window,
    pub(super) recorder: Recorder,
    /// When transactions are due, in an open loop.
    pub(super) queues: Option<Queues>,
    pub(super) think: Option<Think>,
    /// Seed of what jobs draw.
    pub(super) seed: u64,
    /// Rows that a statement touches which failed, at most.
    pub(super) rows_per_statement: u64,
    duration_ns: u64,
    /// Connections of the jobs.
    sessions: usize,
    /// Sessions in which nothing has succeeded for a while.
    storming: AtomicUsize,
    stormed: AtomicBool,
    overdue: AtomicBool,
}

/// What jobs did, made ready to be judged.
#[derive(Debug)]
pub struct ClientResult {
    /// The work: before the window, its seconds, and after it.
    pub log: Log,
    /// How transactions ended, before and after the window too.
    pub outcomes: Outcomes,
    /// The same for each type, with their times.
    pub types: Vec<OfType>,
    /// What ended the point, if something did.
    pub error: Option<EngineError>,
    /// Service times inside the window.
    pub service: Histogram,
    /// Response times inside the window, where a rate was set; of what was due and had not ended, the age at its end.
    pub response: Option<Histogram>,
    /// How long each of these waited for a connection, where jobs share some; what waits for its user is left out.
    pub connection_wait: Option<Histogram>,
    /// What the timetable says, where a rate was set.
    pub open_loop: Option<OpenLoop>,
    /// The window, second by second.
    pub series: Series,
}

/// What became of the transactions of one type.
#[derive(Debug)]
pub struct OfType {
    /// Service times inside the window.
    pub service: Histogram,
    /// Response times inside the window, where a rate was set; of what had begun and not ended, the age at its end.
    /// What never began is of no type.
    pub response: Option<Histogram>,
    /// Those that failed inside the window.
    pub failed: u64,
    /// How they ended, before and after the window too.
    pub outcomes: Outcomes,
    /// Those of which nobody knows whether the database has them.
    pub unknown: u64,
}

impl<'w> Team<'w> {
    /// A team of a task's jobs for a window that aims at `duration_ns`. `asked_per_s` is the rate of all jobs on all
    /// hosts together.
    #[must_use]
    pub fn new(window: &'w Window, duration_ns: u64, load: Load, asked_per_s: Option<f64>, spec: &PointSpec) -> Self {
        Self::of(window, duration_ns, load, asked_per_s, Work::Test(spec))
    }

    /// The same for whatever a point's sessions do.
    pub(crate) fn of(
        window: &'w Window,
        duration_ns: u64,
        load: Load,
        asked_per_s: Option<f64>,
        work: Work<'_>,
    ) -> Self {
        let times = if load.rate.is_some() { Times::ServiceAndResponse } else { Times::Service };
        Self {
            window,
            recorder: Recorder::new(times, work.types(), duration_ns, STEP_NS),
            queues: asked_per_s.map(|per_s| Queues::new(load, per_s, work)),
            think: load.think,
            seed: work.key_seed(),
            rows_per_statement: work.rows_per_statement(),
            duration_ns,
            sessions: load.sessions(work.jobs()) as usize,
            storming: AtomicUsize::new(0),
            stormed: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
        }
    }

    /// A job with a connection of its own, and what it is to do.
    #[must_use]
    pub fn job<'t, P: Program>(&'t self, program: P, job: u32) -> ClientDrive<'t, P>
    where
        'w: 't,
    {
        ClientDrive::new(self, User::new(self, job, program), None)
    }

    /// What each session of the team is to do for these users. Those who find no connection wait in the pool, which is
    /// empty.
    #[must_use]
    pub fn sessions<'t, P: Program>(
        &'t self,
        users: impl IntoIterator<Item = (u32, P)>,
        pool: &'t Pool<P>,
    ) -> Vec<ClientDrive<'t, P>>
    where
        'w: 't,
    {
        let mut users = users.into_iter().map(|(job, program)| User::new(self, job, program));
        let first: Vec<User<P>> = users.by_ref().take(self.sessions).collect();
        let pool = pool.fill(users.map(Box::new)).then_some(pool);
        first.into_iter().map(|user| ClientDrive::new(self, user, pool)).collect()
    }

    /// Nothing of a session has succeeded for a while. When that is so of all of them, the point is not worth its time.
    pub(super) fn storms(&self) {
        if self.storming.fetch_add(1, Ordering::AcqRel) + 1 == self.sessions {
            self.stormed.store(true, Ordering::Release);
            self.window.abort();
        }
    }

    /// Something has succeeded again.
    pub(super) fn calms(&self) {
        self.storming.fetch_sub(1, Ordering::AcqRel);
    }

    /// The jobs were waited for long enough; whoever is cancelled now has run out of time.
    pub(crate) fn give_up(&self) {
        self.overdue.store(true, Ordering::Release);
        self.window.abort();
    }

    /// The class of an error: who was cancelled because nobody waits any longer has run out of time.
    pub(super) fn class(&self, error: &EngineError) -> ErrorClass {
        match error.class {
            ErrorClass::Cancelled if self.overdue.load(Ordering::Acquire) => ErrorClass::Timeout,
            class => class,
        }
    }

    /// What came of the work of all sessions; where users share them, the tally of the pool is among these.
    #[must_use]
    pub fn gather(self, tallies: Vec<Tally>) -> ClientResult {
        let recorded = self.recorder.finish();
        let (service, mut response) = recorded.together();
        let mut whole = Tally::default();
        let mut errors = Vec::new();
        for mut tally in tallies {
            errors.extend(tally.error.take());
            whole.merge(tally);
        }
        if let Some(response) = &mut response {
            whole.never_begun_ns.iter().for_each(|age_ns| response.record_ns(*age_ns));
        }
        let span = self.window.span();
        let open_loop = self.queues.as_ref().zip(span).map(|(queues, span)| {
            let second_half_ns = span.length_ns().min(self.duration_ns / 2).max(1) * self.sessions as u64;
            // What nobody came to in a queue of its own waits for its user.
            let ages = [response.as_mut(), whole.waits.as_mut().filter(|_| !queues.are_apart())];
            kept(queues, span, whole.kept, second_half_ns, ages)
        });
        let overdue = self.overdue.into_inner().then(|| {
            let message = format!("answers were still missing {} s after the end of the window", GRACE.as_secs());
            EngineError::new(ErrorClass::Timeout, message)
        });
        let inside: u64 = recorded.steps.iter().map(|step| step.ops).sum();
        // A statement that hangs, and errors alone, are told as such; so are those that ended a job.
        let error = overdue.or_else(|| first_cause(errors.into_iter())).or_else(|| {
            (self.stormed.into_inner() || (span.is_some() && inside == 0)).then(|| whole.nothing_done(span))
        });
        let log = log(&whole, &recorded, self.window.barrier_ns(), span);
        let series = series(&recorded, span);
        let types = recorded.types.into_iter().enumerate().map(|(n, recorded)| {
            let failed = recorded.steps.iter().map(|step| step.errors).sum();
            let (outcomes, unknown) = whole.types.get(n).cloned().unwrap_or_default();
            OfType { service: recorded.service, response: recorded.response, failed, outcomes, unknown }
        });
        let types = types.collect();
        let (outcomes, connection_wait) = (whole.outcomes, whole.waits);
        ClientResult { log, outcomes, types, error, service, response, connection_wait, open_loop, series }
    }
}

/// What the timetable says. What nobody came to is entered with its age into the response times, and into the waits for
/// a connection, which would exceed it.
fn kept(queues: &Queues, span: Span, kept: Kept, half_ns: u64, mut ages: [Option<&mut Histogram>; 2]) -> OpenLoop {
    let Kept { mut due, mut unfinished, mut waiting, idle_ns } = kept;
    queues.left(span.end_ns, |due_ns, n| {
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

/// The work as chunks: what was done before the window, in each of its seconds, and after it.
fn log(tally: &Tally, recorded: &Recorded, barrier_ns: Option<u64>, span: Option<Span>) -> Log {
    let Some(Span { start_ns, end_ns }) = span else { return Log::default() };
    let chunk = |started_ns: u64, ended_ns: u64, ops, rows| Chunk {
        started_ns,
        ended_ns: ended_ns.max(started_ns),
        ops,
        rows,
        bytes: 0,
    };
    let (before, after) = (tally.before, tally.after);
    let mut chunks = vec![chunk(barrier_ns.unwrap_or(start_ns).min(start_ns), start_ns, before.ops, before.rows)];
    for (step, from_ns) in recorded.steps.iter().zip((start_ns..).step_by(recorded.step_ns as usize)) {
        chunks.push(chunk(from_ns, (from_ns + recorded.step_ns).min(end_ns), step.ops, step.rows));
    }
    chunks.push(chunk(end_ns, tally.last_ended_ns, after.ops, after.rows));
    Log { chunks, checksum: tally.checksum, lost: tally.lost }
}

fn series(recorded: &Recorded, span: Option<Span>) -> Series {
    let length_ns = span.map_or(0, Span::length_ns);
    let seconds = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e9);
    let mut series = Series { step_s: recorded.step_ns as f64 / 1e9, ..Series::default() };
    for (step, from_ns) in recorded.steps.iter().zip((0u64..).step_by(recorded.step_ns as usize)) {
        let step_s = recorded.step_ns.min(length_ns.saturating_sub(from_ns)) as f64 / 1e9;
        series.ops_per_s.push(if step_s > 0.0 { step.ops as f64 / step_s } else { 0.0 });
        series.p50_s.push(seconds(step.p50_ns));
        series.p99_s.push(seconds(step.p99_ns));
        series.errors.push(step.errors);
        series.retries.push(step.retries);
    }
    series
}
