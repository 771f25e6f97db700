//! What the sessions of a point in the client drive share.

use super::counts::Counts;
use super::gathered::{Gathered, Unbegun};
use super::result::ClientResult;
use super::timetables::Timetables;
use crate::Window;
use crate::readings::LiveWork;
use crate::server_drive::first_cause;
use crate::work::PointWork;
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{ClientLoad, ErrorClass, Think};
use dbdyno_stats::{PartError, RecordedTimes, Recorder, RecordingPart, Types};
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
    /// The shared context for the jobs of a test. `asked_per_s` is the rate of all jobs on all hosts together.
    #[must_use]
    pub fn new(window: &'w Window, load: ClientLoad, asked_per_s: Option<f64>, spec: &PointSpec) -> Self {
        Self::of(Recorder::new, window, load, asked_per_s, PointWork::Test(spec))
    }

    /// The same for any work. The recorder is that of a host that is alone, or of one of several.
    pub(crate) fn of(
        recorder: fn(RecordedTimes, Types, u64, u64) -> Recorder,
        window: &'w Window,
        load: ClientLoad,
        asked_per_s: Option<f64>,
        work: PointWork<'_>,
    ) -> Self {
        let duration_ns = window.pace().duration_ns();
        let times = if load.rate.is_some() { RecordedTimes::ServiceAndResponse } else { RecordedTimes::Service };
        Self {
            window,
            recorder: recorder(times, work.types(), duration_ns, STEP_NS),
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
        let (barrier_ns, span) = (self.window.barrier_ns(), self.window.span());
        let (recorder, gathered) = self.gathered(counts);
        gathered.result(&recorder.finish(), barrier_ns, span)
    }

    /// The same as parts that can be merged with those of other hosts.
    ///
    /// # Errors
    /// The library refuses to store a histogram.
    pub(crate) fn part(self, counts: Vec<Counts>) -> Result<(RecordingPart, Gathered), PartError> {
        let (recorder, gathered) = self.gathered(counts);
        Ok((recorder.into_part()?, gathered))
    }

    fn gathered(self, counts: Vec<Counts>) -> (Recorder, Gathered) {
        let mut whole = Counts::default();
        let mut errors = Vec::new();
        for mut counts in counts {
            errors.extend(counts.error.take());
            whole.merge(counts);
        }
        let mut unbegun = Unbegun::default();
        std::mem::take(&mut whole.never_begun_ns).iter().for_each(|age_ns| unbegun.taken.record_ns(*age_ns));
        let has_timetable = self.timetables.is_some();
        if let Some((timetables, span)) = self.timetables.as_ref().zip(self.window.span()) {
            let counts = &mut whole.timetable;
            timetables.left(span.end_ns, |due_ns, n| {
                counts.due += if due_ns >= span.start_ns { n } else { 0 };
                counts.unfinished += n;
                counts.waiting += n;
                unbegun.left.record_many_ns(span.end_ns - due_ns, n);
            });
            // With a queue per user, a transaction that never began was waiting for its user, not for a connection.
            if let Some(waits) = whole.waits.as_mut().filter(|_| !timetables.are_apart()) {
                waits.merge(&unbegun.left);
            }
        }
        let overdue = self.overdue.into_inner().then(|| {
            let message = format!("answers were still missing {} s after the end of the window", GRACE.as_secs());
            EngineError::new(ErrorClass::Timeout, message)
        });
        // A hanging statement is reported as such, and so is an error that ended a job.
        whole.error = overdue.or_else(|| first_cause(errors.into_iter()));
        let gathered = Gathered {
            counts: whole,
            unbegun,
            has_timetable,
            all_stalled: self.all_stalled.into_inner(),
            sessions: self.sessions,
            duration_ns: self.duration_ns,
        };
        (self.recorder, gathered)
    }
}
