//! What is recorded, and its layout.

use super::types::{TypeId, Types};
use crate::Histogram;

/// One operation that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Its transaction type. A type that the recorder does not know counts as the last one.
    pub type_id: TypeId,
    /// When it ended, in nanoseconds since the window began.
    pub ended_ns: u64,
    /// How long it took.
    pub service_ns: u64,
    /// Response time: from the moment it was due until it ended. Ignored where nothing was due.
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
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        let add = |ours: &mut u64, theirs: u64| *ours = ours.saturating_add(theirs);
        add(&mut self.ops, other.ops);
        add(&mut self.rows, other.rows);
        add(&mut self.errors, other.errors);
        add(&mut self.retries, other.retries);
    }
}

impl StepCounts {
    /// What was counted since `earlier`.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let [ops, rows, errors, retries]: [u64; 4] = (*self).into();
        let before: [u64; 4] = (*earlier).into();
        let since = |now: u64, at: usize| now.saturating_sub(before[at]);
        Self { ops: since(ops, 0), rows: since(rows, 1), errors: since(errors, 2), retries: since(retries, 3) }
    }
}

impl From<[u64; 4]> for StepCounts {
    fn from([ops, rows, errors, retries]: [u64; 4]) -> Self {
        Self { ops, rows, errors, retries }
    }
}

/// Percentiles of one step, of all types together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Percentiles {
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
}

impl Percentiles {
    pub(super) fn of(histogram: &Histogram) -> Self {
        Self { p50_ns: histogram.percentile_ns(50.0), p99_ns: histogram.percentile_ns(99.0) }
    }
}

/// One step of the window, all types together.
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
    /// Median time of the operations that succeeded: response time where there is one, else service time.
    pub p50_ns: Option<u64>,
    /// 99th percentile of the same time.
    pub p99_ns: Option<u64>,
}

/// Which times are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedTimes {
    /// Service times alone: there is no timetable.
    Service,
    /// Service times, and response times.
    ServiceAndResponse,
}

/// The recording of one transaction type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeRecording {
    /// Service times.
    pub service: Histogram,
    /// Response times, where they are recorded.
    pub response: Option<Histogram>,
    /// Counts of each step of the window, from the first to the last.
    pub steps: Vec<StepCounts>,
}

/// Everything that was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Each transaction type, by its number.
    pub types: Vec<TypeRecording>,
    /// The steps of the window, from the first to the last, including steps without operations.
    pub steps: Vec<StepSummary>,
    /// Length of a step.
    pub step_ns: u64,
}

impl Recording {
    pub(super) fn new(layout: RecordingLayout, types: Vec<TypeRecording>, percentiles: Vec<Percentiles>) -> Self {
        let step = |(step, Percentiles { p50_ns, p99_ns }): (usize, Percentiles)| {
            let mut all = StepCounts::default();
            types.iter().for_each(|of_type| all.add(&of_type.steps[step]));
            let StepCounts { ops, rows, errors, retries } = all;
            StepSummary { ops, rows, errors, retries, p50_ns, p99_ns }
        };
        let steps = percentiles.into_iter().enumerate().map(step).collect();
        Self { types, steps, step_ns: layout.step_ns }
    }

    /// Service and response times of all types together.
    #[must_use]
    pub fn together(&self) -> (Histogram, Option<Histogram>) {
        together(&self.types)
    }
}

/// What is recorded, and how the window is divided into steps. Parts with the same layout can be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordingLayout {
    pub(super) times: RecordedTimes,
    pub(super) types: Types,
    pub(super) window_ns: u64,
    pub(super) step_ns: u64,
}

impl RecordingLayout {
    /// The most steps; in longer windows a step is longer than asked for.
    const MOST_STEPS: u64 = 3_600;

    /// A layout with steps of about `step_ns`.
    pub(super) fn new(times: RecordedTimes, types: Types, window_ns: u64, step_ns: u64) -> Self {
        let step_ns = step_ns.max(1);
        let step_ns = step_ns.saturating_mul(window_ns.div_ceil(step_ns).div_ceil(Self::MOST_STEPS).max(1));
        Self { times, types, window_ns, step_ns }
    }

    pub(super) fn steps(&self) -> usize {
        self.window_ns.div_ceil(self.step_ns).max(1) as usize
    }

    /// The step of a moment in the window. Moments after the window belong to the last step.
    pub(super) fn step_of(&self, at_ns: u64) -> usize {
        ((at_ns / self.step_ns) as usize).min(self.steps() - 1)
    }

    /// When a step ends for writers; the last step never ends.
    pub(super) fn step_end_ns(&self, step: usize) -> u64 {
        if step + 1 == self.steps() { u64::MAX } else { (step as u64 + 1) * self.step_ns }
    }
}

impl From<StepCounts> for [u64; 4] {
    fn from(StepCounts { ops, rows, errors, retries }: StepCounts) -> Self {
        [ops, rows, errors, retries]
    }
}

pub(super) fn together(types: &[TypeRecording]) -> (Histogram, Option<Histogram>) {
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
