//! What a report is made of.

use crate::verdict::Verdict;
use dbdyno_model::{Reading, RunJson};
use dbdyno_stats::Histogram;

/// A run, with the histograms of its points.
#[derive(Debug, Clone)]
pub struct Reported {
    /// The run.
    pub run: RunJson,
    /// Distributions of the client drive's times.
    pub times: Vec<PointTimes>,
    /// The verdict, if requirements were given.
    pub verdict: Option<Verdict>,
    /// The readings that were taken meanwhile, the oldest first; empty where none were kept.
    pub readings: Vec<Reading>,
}

impl Reported {
    /// A run alone.
    #[must_use]
    pub fn of(run: RunJson) -> Self {
        Self { run, times: Vec::new(), verdict: None, readings: Vec::new() }
    }
}

/// The times of one point of the client drive.
#[derive(Debug, Clone)]
pub struct PointTimes {
    /// The point's index in the run's document.
    pub point: usize,
    /// Whether these are response times (from the due moment).
    pub from_due: bool,
    /// The times.
    pub histogram: Histogram,
}
