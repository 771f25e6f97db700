//! What a page is made of.

use crate::verdict::Verdict;
use dbdyno_model::RunJson;
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

/// A time, with the micro sign, which a terminal may lack.
pub(super) fn duration(seconds: impl Into<Option<f64>>) -> String {
    crate::numbers::duration(seconds).replace(" us", " µs")
}
