//! What the sessions of a host counted, apart from the times in their recorder. What several hosts counted merges, and
//! then becomes the same result as that of one host.

use super::counts::{Counts, TimetableCounts, TypeCounts};
use super::result::{ClientResult, TypeResult};
use crate::{Chunk, Span, WorkLog};
use dbdyno_model::{OpenLoop, Outcomes, Series};
use dbdyno_stats::{Histogram, Recording};
use serde::{Deserialize, Serialize};

/// What the sessions of a host counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Gathered {
    pub(super) counts: Counts,
    pub(super) unbegun: Unbegun,
    /// Whether a rate was set.
    pub(super) has_timetable: bool,
    /// Whether all sessions of a host had stalled.
    pub(super) all_stalled: bool,
    /// Number of sessions.
    pub(super) sessions: usize,
    /// Planned length of the window.
    pub(super) duration_ns: u64,
}

/// Ages at the window's end of transactions that were due and never begun.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Unbegun {
    /// Those that a session had taken from its timetable.
    pub(super) taken: Histogram,
    /// Those that nobody took.
    pub(super) left: Histogram,
}

impl Gathered {
    /// How transactions ended.
    pub(crate) fn outcomes(&self) -> &Outcomes {
        &self.counts.outcomes
    }

    /// Adds what the sessions of another host counted. The first error stays.
    pub(crate) fn merge(&mut self, mut other: Self) {
        self.counts.error = self.counts.error.take().or(other.counts.error.take());
        self.counts.merge(other.counts);
        self.unbegun.taken.merge(&other.unbegun.taken);
        self.unbegun.left.merge(&other.unbegun.left);
        self.all_stalled |= other.all_stalled;
        self.sessions += other.sessions;
    }

    /// The same by another clock.
    #[must_use]
    pub(crate) fn shifted(mut self, by_ns: i64) -> Self {
        self.counts.last_ended_ns = self.counts.last_ended_ns.saturating_add_signed(by_ns);
        self
    }

    /// Names whose sessions they are in errors.
    #[must_use]
    pub(crate) fn named(mut self, host: &str) -> Self {
        let counts = &mut self.counts;
        for error in [&mut counts.error, &mut counts.first_failure].into_iter().flatten() {
            *error = error.clone().while_doing(host);
        }
        self
    }

    /// The result of all sessions.
    pub(crate) fn result(self, recorded: &Recording, barrier_ns: Option<u64>, span: Option<Span>) -> ClientResult {
        let (service, mut response) = recorded.together();
        if let Some(response) = &mut response {
            response.merge(&self.unbegun.taken);
            response.merge(&self.unbegun.left);
        }
        let mut whole = self.counts;
        let open_loop = span.filter(|_| self.has_timetable).map(|span| {
            let half_ns = span.length_ns().min(self.duration_ns / 2).max(1) * self.sessions as u64;
            let TimetableCounts { due, unfinished, waiting, idle_ns } = whole.timetable;
            let busy_pct = (1.0 - idle_ns as f64 / half_ns as f64).max(0.0) * 100.0;
            OpenLoop { due, unfinished, waiting, busy_pct }
        });
        let inside: u64 = recorded.steps.iter().map(|step| step.ops).sum();
        // A point with errors alone is reported as such.
        let nothing_done = self.all_stalled || (span.is_some() && inside == 0);
        let error = whole.error.take().or_else(|| nothing_done.then(|| whole.nothing_done(span)));
        let log = log(&whole, recorded, barrier_ns, span);
        let series = series(recorded, span);
        let types = recorded.types.iter().enumerate().map(|(n, recorded)| {
            let failed = recorded.steps.iter().map(|step| step.errors).sum();
            let TypeCounts { outcomes, unknown, sum } = whole.types.get(n).cloned().unwrap_or_default();
            let (service, response) = (recorded.service.clone(), recorded.response.clone());
            TypeResult { service, response, failed, outcomes, unknown, sum }
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
