//! The HTML report: one file that needs a browser and no network. Charts are SVG with classes in place of colours, so
//! that one page works on paper, on a phone and in dark mode. Every text from outside is escaped (`maud`), and a policy
//! lets the browser run only the page's own script.

mod cells;
mod charts;
mod keys;
mod latency;
mod marks;
mod method;
mod one;
mod pace;
mod page;
mod published;
mod ramps;
mod scaling;
mod sheet;
mod sides;
mod storage;
mod table;
mod verdict;
mod waits;

use crate::compare::{Comparison, Side};
use crate::verdict::Verdict;
use dbdyno_catalogue::Catalogue;
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

/// The page of a run, or of a published result.
#[must_use]
pub fn page(reported: &Reported, catalogue: &Catalogue) -> String {
    one::page(reported, catalogue).into_string()
}

/// The page of a comparison. `verdicts` are those of the sides, if requirements were given.
#[must_use]
pub fn comparison(comparison: &Comparison, sides: &[Side], verdicts: &[Verdict], catalogue: &Catalogue) -> String {
    sides::page(comparison, sides, verdicts, catalogue).into_string()
}

/// A time, with the micro sign, which a terminal may lack.
fn duration(seconds: impl Into<Option<f64>>) -> String {
    crate::numbers::duration(seconds).replace(" us", " µs")
}

/// The name of a run beside others.
fn name(run: &RunJson) -> String {
    run.name().to_owned()
}
