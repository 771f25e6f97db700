//! Times of many sessions, recorded while they work: cheap for each operation, bounded in memory however many sessions
//! there are and however long the window is.
//!
//! A session writes into a [`Pen`], a small buffer of its own, which finds for each time the cell of a histogram that
//! it belongs to. What it holds is poured into the shared [`Recorder`] when it is full, when a step of the window is
//! over, or when an operation was so slow that a lock costs nothing beside it. There each operation is counted in the
//! cells of its transaction type, for the whole window, and in those of its step, for all types together. A step that
//! is over is reduced to two percentiles; its counts stay apart by type.
//!
//! Several recorders may serve one window: each gives a [`Part`], and parts merge exactly.

mod book;
mod part;
mod pen;
#[cfg(test)]
mod tests;
mod types;

use crate::Histogram;
use book::Book;
pub use part::{Part, PartError};
pub use pen::Pen;
use std::sync::{Mutex, MutexGuard, PoisonError};
pub use types::{MOST_TYPES, TypeId, Types, TypesError};

/// One operation that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The transaction type that it is of. One that the recorder was not made for counts as its last one.
    pub type_id: TypeId,
    /// When it ended, in nanoseconds since the window began.
    pub ended_ns: u64,
    /// How long it took.
    pub service_ns: u64,
    /// How long after the moment at which it was due it ended; ignored where nothing was due.
    pub response_ns: u64,
    /// Rows that it touched.
    pub rows: u64,
}

/// What was counted of one transaction type in one step of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "[u64; 4]", into = "[u64; 4]")]
pub struct StepCounts {
    /// Operations that succeeded.
    pub ops: u64,
    /// Rows that they touched.
    pub rows: u64,
    /// Operations that failed for good.
    pub errors: u64,
    /// Attempts after the first.
    pub retries: u64,
}

impl StepCounts {
    fn add(&mut self, other: &Self) {
        let add = |ours: &mut u64, theirs: u64| *ours = ours.saturating_add(theirs);
        add(&mut self.ops, other.ops);
        add(&mut self.rows, other.rows);
        add(&mut self.errors, other.errors);
        add(&mut self.retries, other.retries);
    }
}

impl From<[u64; 4]> for StepCounts {
    fn from([ops, rows, errors, retries]: [u64; 4]) -> Self {
        Self { ops, rows, errors, retries }
    }
}

impl From<StepCounts> for [u64; 4] {
    fn from(StepCounts { ops, rows, errors, retries }: StepCounts) -> Self {
        [ops, rows, errors, retries]
    }
}

/// Times of one step, of all types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Percentiles {
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
}

impl Percentiles {
    fn of(histogram: &Histogram) -> Self {
        Self { p50_ns: histogram.percentile_ns(50.0), p99_ns: histogram.percentile_ns(99.0) }
    }
}

/// What happened in one step of the window, all types together.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    /// Service times alone: nothing is due at a moment.
    Service,
    /// Service times, and response times.
    ServiceAndResponse,
}

/// What was recorded of one transaction type.
#[derive(Debug, Clone, PartialEq)]
pub struct OfType {
    /// Service times.
    pub service: Histogram,
    /// Response times, where there are such.
    pub response: Option<Histogram>,
    /// Counts of each step of the window, first to last.
    pub steps: Vec<StepCounts>,
}

/// All that was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Each transaction type, by its number.
    pub types: Vec<OfType>,
    /// The steps of the window, first to last, those without any operation too.
    pub steps: Vec<StepSummary>,
    /// Length of a step.
    pub step_ns: u64,
}

impl Recorded {
    fn new(shape: Shape, types: Vec<OfType>, percentiles: Vec<Percentiles>) -> Self {
        let step = |(step, Percentiles { p50_ns, p99_ns }): (usize, Percentiles)| {
            let mut all = StepCounts::default();
            types.iter().for_each(|of_type| all.add(&of_type.steps[step]));
            let StepCounts { ops, rows, errors, retries } = all;
            StepSummary { ops, rows, errors, retries, p50_ns, p99_ns }
        };
        let steps = percentiles.into_iter().enumerate().map(step).collect();
        Self { types, steps, step_ns: shape.step_ns }
    }

    /// Service and response times of all types together.
    #[must_use]
    pub fn together(&self) -> (Histogram, Option<Histogram>) {
        together(&self.types)
    }
}

fn together(types: &[OfType]) -> (Histogram, Option<Histogram>) {
    let mut service = Histogram::new();
    let mut response: Option<Histogram> = None;
    for of_type in types {
        service.merge(&of_type.service);
        if let Some(theirs) = &of_type.response {
            response.get_or_insert_default().merge(theirs);
        }
    }
    (service, response)
}

/// What is recorded of which window. Parts merge where it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    times: Times,
    types: Types,
    window_ns: u64,
    step_ns: u64,
}

impl Shape {
    /// More steps than anybody looks at: in longer windows a step is longer than asked for.
    const MOST_STEPS: u64 = 3_600;

    /// In steps of about `step_ns`.
    fn new(times: Times, types: Types, window_ns: u64, step_ns: u64) -> Self {
        let step_ns = step_ns.max(1);
        let step_ns = step_ns.saturating_mul(window_ns.div_ceil(step_ns).div_ceil(Self::MOST_STEPS).max(1));
        Self { times, types, window_ns, step_ns }
    }

    fn steps(&self) -> usize {
        self.window_ns.div_ceil(self.step_ns).max(1) as usize
    }

    /// The step that a moment of the window belongs to; what comes after the window belongs to the last.
    fn step_of(&self, at_ns: u64) -> usize {
        ((at_ns / self.step_ns) as usize).min(self.steps() - 1)
    }

    /// When a step ends for those who write into it: the last one never.
    fn step_end_ns(&self, step: usize) -> u64 {
        if step + 1 == self.steps() { u64::MAX } else { (step as u64 + 1) * self.step_ns }
    }
}

/// What all sessions of a point record into.
///
/// It takes 0.65 MB for each transaction type, or 0.39 MB without response times, and 1.5 MB for the steps of all
/// together.
#[derive(Debug)]
pub struct Recorder {
    shape: Shape,
    book: Mutex<Book>,
}

impl Recorder {
    /// A recorder for a window of this length, in steps of about `step_ns`.
    #[must_use]
    pub fn new(times: Times, types: Types, window_ns: u64, step_ns: u64) -> Self {
        Self::of(Shape::new(times, types, window_ns, step_ns), false)
    }

    /// The same for one of several recorders that serve a window together: it also keeps the times of each step, as
    /// [`Part`] says.
    #[must_use]
    pub fn for_part(times: Times, types: Types, window_ns: u64, step_ns: u64) -> Self {
        Self::of(Shape::new(times, types, window_ns, step_ns), true)
    }

    fn of(shape: Shape, for_part: bool) -> Self {
        Self { shape, book: Mutex::new(Book::new(shape, for_part)) }
    }

    /// A pen for one session.
    #[must_use]
    pub fn pen(&self) -> Pen<'_> {
        Pen::new(self)
    }

    /// Enters a response time of what has not ended, of which no more is known than that it is longer; no step of the
    /// window is its own. For few, or when the window is over: it takes a lock.
    pub fn unfinished(&self, type_id: TypeId, response_ns: u64) {
        self.book().unfinished(type_id, response_ns);
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn into_book(self) -> Book {
        self.book.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything, after all pens were dropped.
    #[must_use]
    pub fn finish(self) -> Recorded {
        self.into_book().finish()
    }

    /// The same as a part, which merges with those of other recorders.
    ///
    /// # Errors
    /// The recorder was not made [for a part](Self::for_part), or the library refuses to store a histogram.
    pub fn into_part(self) -> Result<Part, PartError> {
        self.into_book().into_part()
    }
}
