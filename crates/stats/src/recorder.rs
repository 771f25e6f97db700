//! Times of many sessions, recorded while they work: cheap for each operation, bounded in memory however many sessions there
//! are and however long the window is.
//!
//! A session writes into a [`Pen`], a small buffer of its own. What it holds is poured into the shared [`Recorder`] when it is
//! full, when a step of the window is over, or when an operation was so slow that a lock costs nothing beside it. The recorder
//! has a histogram for each of the last few steps and one for all before: a step that is over is reduced to its count and two
//! percentiles, and added to the whole. So an operation is entered into one histogram once, and the series of steps costs
//! an addition of histograms a step.

use crate::Histogram;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One operation that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When it ended, in nanoseconds since the window began.
    pub ended_ns: u64,
    /// How long it took.
    pub service_ns: u64,
    /// How long after the moment at which it was due it ended; ignored where nothing was due.
    pub response_ns: u64,
    /// Rows that it touched.
    pub rows: u64,
}

/// What happened in one step of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepSummary {
    /// Operations that succeeded.
    pub ops: u64,
    /// Rows that they touched.
    pub rows: u64,
    /// Operations that failed for good.
    pub errors: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Median time of those that succeeded: response time where there is one, else service time.
    pub p50_ns: Option<u64>,
    /// 99th percentile of it.
    pub p99_ns: Option<u64>,
}

/// Which times are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Service times alone: nothing is due at a moment.
    Service,
    /// Service times, and response times.
    ServiceAndResponse,
}

/// All that was recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Service times.
    pub service: Histogram,
    /// Response times, where there are such.
    pub response: Option<Histogram>,
    /// The steps of the window, first to last, those without any operation too.
    pub steps: Vec<StepSummary>,
    /// Length of a step.
    pub step_ns: u64,
}

/// Steps that stay open for what comes late: a session may have been kept waiting since it wrote something down.
const OPEN_STEPS: usize = 4;
/// Operations that a pen has room for, and after how many of them it looks whether the recorder is free: nobody waits for another
/// session while there is room.
const PEN: usize = 256;
const LOOK_EVERY: usize = 128;
/// Beside an operation that took so long, taking a lock costs nothing.
const SLOW_NS: u64 = 1_000_000;

#[derive(Debug)]
struct Histograms {
    service: Histogram,
    response: Option<Histogram>,
}

impl Histograms {
    fn new(times: Times) -> Self {
        Self { service: Histogram::new(), response: (times == Times::ServiceAndResponse).then(Histogram::new) }
    }

    #[inline]
    fn record(&mut self, service_ns: u64, response_ns: u64) {
        self.service.record_ns(service_ns);
        if let Some(response) = &mut self.response {
            response.record_ns(response_ns);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.service.merge(&other.service);
        if let (Some(ours), Some(theirs)) = (&mut self.response, &other.response) {
            ours.merge(theirs);
        }
    }

    fn clear(&mut self) {
        self.service.clear();
        self.response.iter_mut().for_each(Histogram::clear);
    }
}

#[derive(Debug)]
struct Book {
    times: Times,
    steps: Vec<StepSummary>,
    whole: Histograms,
    /// Of the last steps; the first of them is step `first_open`.
    open: VecDeque<Histograms>,
    first_open: usize,
}

impl Book {
    /// Makes room for a step, and reduces those that are long over.
    fn open(&mut self, step: usize) {
        while self.first_open + self.open.len() <= step {
            let mut fresh = None;
            if self.open.len() == OPEN_STEPS {
                fresh = self.reduce();
            }
            self.open.push_back(fresh.unwrap_or_else(|| Histograms::new(self.times)));
        }
    }

    /// Reduces the oldest open step, and returns its histograms, emptied, for the next one.
    fn reduce(&mut self) -> Option<Histograms> {
        let mut over = self.open.pop_front()?;
        let told = over.response.as_ref().unwrap_or(&over.service);
        if let Some(step) = self.steps.get_mut(self.first_open) {
            (step.p50_ns, step.p99_ns) = (told.percentile_ns(50.0), told.percentile_ns(99.0));
        }
        self.first_open += 1;
        if over.service.count() > 0 {
            self.whole.merge(&over);
            over.clear();
        }
        Some(over)
    }
}

/// What all sessions of a point record into.
#[derive(Debug)]
pub struct Recorder {
    step_ns: u64,
    book: Mutex<Book>,
}

impl Recorder {
    /// More steps than anybody looks at: in longer windows a step is longer than asked for.
    const MOST_STEPS: u64 = 3_600;

    /// A recorder for a window of this length, in steps of about `step_ns`.
    #[must_use]
    pub fn new(times: Times, window_ns: u64, step_ns: u64) -> Self {
        let step_ns = step_ns.max(1) * window_ns.div_ceil(step_ns.max(1)).div_ceil(Self::MOST_STEPS).max(1);
        let steps = vec![StepSummary::default(); window_ns.div_ceil(step_ns).max(1) as usize];
        let book = Book { times, steps, whole: Histograms::new(times), open: VecDeque::new(), first_open: 0 };
        Self { step_ns, book: Mutex::new(book) }
    }

    /// A pen for one session.
    #[must_use]
    pub fn pen(&self) -> Pen<'_> {
        let times = Vec::with_capacity(PEN);
        Pen { recorder: self, times, rows: 0, step: 0, step_end_ns: self.step_ns, errors: 0, retries: 0 }
    }

    /// Enters a response time of what has not ended, of which no more is known than that it is longer; no step of the window is
    /// its own. For few, or when the window is over: it takes a lock.
    pub fn unfinished(&self, response_ns: u64) {
        self.book().whole.response.iter_mut().for_each(|response| response.record_ns(response_ns));
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything, after all pens were dropped.
    #[must_use]
    pub fn finish(self) -> Recorded {
        let mut book = self.book.into_inner().unwrap_or_else(PoisonError::into_inner);
        while book.reduce().is_some() {}
        let Histograms { service, response } = book.whole;
        Recorded { service, response, steps: book.steps, step_ns: self.step_ns }
    }
}

/// What one session writes with. Dropping it pours out what it holds.
#[derive(Debug)]
pub struct Pen<'r> {
    recorder: &'r Recorder,
    /// Service and response times.
    times: Vec<(u64, u64)>,
    rows: u64,
    /// The step that they ended in.
    step: usize,
    step_end_ns: u64,
    errors: u64,
    retries: u64,
}

impl Pen<'_> {
    /// Records an operation that succeeded.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        if sample.ended_ns >= self.step_end_ns {
            self.turn_to(sample.ended_ns);
        }
        self.times.push((sample.service_ns, sample.response_ns));
        self.rows += sample.rows;
        if self.times.len() == PEN || sample.service_ns >= SLOW_NS {
            self.pour();
        } else if self.times.len().is_multiple_of(LOOK_EVERY) {
            self.pour_if_free();
        }
    }

    /// Counts one that failed for good.
    pub fn error(&mut self, ended_ns: u64) {
        self.turn_to(ended_ns);
        self.errors += 1;
    }

    /// Counts an attempt after the first.
    pub fn retry(&mut self, ended_ns: u64) {
        self.turn_to(ended_ns);
        self.retries += 1;
    }

    #[cold]
    fn turn_to(&mut self, ended_ns: u64) {
        let step = (ended_ns / self.recorder.step_ns) as usize;
        if step != self.step {
            self.pour();
            self.step = step;
            self.step_end_ns = (step as u64 + 1) * self.recorder.step_ns;
        }
    }

    /// Pours out what it holds: before its session pauses, for one.
    pub fn pour(&mut self) {
        if !self.times.is_empty() || self.errors > 0 || self.retries > 0 {
            self.pour_into(&mut self.recorder.book());
        }
    }

    fn pour_if_free(&mut self) {
        if let Ok(mut book) = self.recorder.book.try_lock() {
            self.pour_into(&mut book);
        }
    }

    fn pour_into(&mut self, book: &mut Book) {
        if let Some(summary) = book.steps.get_mut(self.step) {
            summary.ops += self.times.len() as u64;
            summary.rows += std::mem::take(&mut self.rows);
            summary.errors += std::mem::take(&mut self.errors);
            summary.retries += std::mem::take(&mut self.retries);
        }
        book.open(self.step);
        // What comes too late for its step's percentiles is in the whole all the same.
        let histograms = match self.step.checked_sub(book.first_open).and_then(|at| book.open.get_mut(at)) {
            Some(open) => open,
            None => &mut book.whole,
        };
        self.times.drain(..).for_each(|(service_ns, response_ns)| histograms.record(service_ns, response_ns));
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        self.pour();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    fn sample(ended_ns: u64, service_ns: u64) -> Sample {
        Sample { ended_ns, service_ns, response_ns: 2 * service_ns, rows: 3 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn nothing_is_lost_whoever_pours_when(
            sessions in proptest::collection::vec(
                proptest::collection::vec((0..20 * SECOND, 1..10_000_000u64), 0..400), 1..5),
        ) {
            let recorder = Recorder::new(Times::ServiceAndResponse, 20 * SECOND, SECOND);
            let (mut service, mut response) = (Histogram::new(), Histogram::new());
            let mut ops = [0u64; 20];
            // One after the other: all but the first pour into steps that are long over.
            for mut times in sessions {
                times.sort_unstable();
                let mut pen = recorder.pen();
                for (ended_ns, service_ns) in times {
                    pen.record(sample(ended_ns, service_ns));
                    service.record_ns(service_ns);
                    response.record_ns(2 * service_ns);
                    ops[(ended_ns / SECOND) as usize] += 1;
                }
            }
            let recorded = recorder.finish();
            prop_assert_eq!(recorded.service, service);
            prop_assert_eq!(recorded.response, Some(response));
            prop_assert_eq!(recorded.steps.iter().map(|s| s.ops).collect::<Vec<_>>(), ops);
            prop_assert!(recorded.steps.iter().all(|s| s.rows == 3 * s.ops));
        }
    }

    #[test]
    fn a_step_has_its_own_percentiles_and_counts() {
        let recorder = Recorder::new(Times::Service, 6 * SECOND, SECOND);
        let mut pen = recorder.pen();
        for step in [0, 1, 5] {
            for n in 1..=100 {
                pen.record(sample(step * SECOND + n, (step + 1) * n * 1_000));
            }
            pen.error(step * SECOND + 500);
            pen.retry(step * SECOND + 501);
        }
        drop(pen);
        let recorded = recorder.finish();
        assert_eq!(recorded.steps.len(), 6);
        assert!(recorded.response.is_none());
        for (step, summary) in recorded.steps.iter().enumerate() {
            let near = |ns: Option<u64>, aimed: u64| ns.is_some_and(|ns| ns.abs_diff(aimed) * 500 <= aimed);
            if [0, 1, 5].contains(&step) {
                let times = step as u64 + 1;
                assert_eq!((summary.ops, summary.errors, summary.retries), (100, 1, 1));
                assert!(near(summary.p50_ns, times * 50_000) && near(summary.p99_ns, times * 99_000), "{summary:?}");
            } else {
                assert_eq!(*summary, StepSummary::default());
            }
        }
    }

    #[test]
    fn what_has_not_ended_is_in_the_response_times_alone() {
        let recorder = Recorder::new(Times::ServiceAndResponse, SECOND, SECOND);
        recorder.pen().record(sample(5, 10));
        recorder.unfinished(500);
        let recorded = recorder.finish();
        assert_eq!((recorded.service.count(), recorded.steps[0].ops), (1, 1));
        let response = recorded.response.unwrap();
        assert_eq!((response.count(), response.max_ns()), (2, Some(500)));
    }

    #[test]
    fn the_steps_of_a_day_are_bounded() {
        let recorder = Recorder::new(Times::Service, 86_400 * SECOND, SECOND);
        let mut pen = recorder.pen();
        pen.record(sample(86_400 * SECOND - 1, 1));
        drop(pen);
        let recorded = recorder.finish();
        assert_eq!((recorded.steps.len(), recorded.step_ns), (3_600, 24 * SECOND));
        assert_eq!(recorded.steps[3_599].ops, 1);
    }
}
