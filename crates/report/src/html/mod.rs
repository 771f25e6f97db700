//! The HTML report: one file that needs nothing but a browser, and no network. Charts are SVG with classes in place of
//! colours, so that one page reads on paper, on a phone and in the dark; every text that is not dbdyno's own is escaped
//! (`maud`), and the browser is told to run the page's own script alone.

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

/// A run, and what was recorded of its points besides.
#[derive(Debug, Clone)]
pub struct Reported {
    /// The run.
    pub run: RunJson,
    /// Distributions of its clients' times.
    pub times: Vec<Times>,
    /// Whether it meets what a project needs, where somebody said what that is.
    pub verdict: Option<Verdict>,
}

/// All times of one point of the client drive.
#[derive(Debug, Clone)]
pub struct Times {
    /// The point's place in the run's document.
    pub point: usize,
    /// Whether they run from the moment at which a transaction was due: response times.
    pub from_due: bool,
    /// The times.
    pub histogram: Histogram,
}

/// The page of a run, or of a published result.
#[must_use]
pub fn page(reported: &Reported, catalogue: &Catalogue) -> String {
    one::page(reported, catalogue).into_string()
}

/// The page of a comparison. `sides` are what was compared, `verdicts` what was judged of them.
#[must_use]
pub fn comparison(comparison: &Comparison, sides: &[Side], verdicts: &[Verdict], catalogue: &Catalogue) -> String {
    sides::page(comparison, sides, verdicts, catalogue).into_string()
}

/// A time, with the sign for micro that a terminal may not have.
fn duration(seconds: impl Into<Option<f64>>) -> String {
    crate::numbers::duration(seconds).replace(" us", " µs")
}

/// What a run is called beside others.
fn name(run: &RunJson) -> String {
    run.name().to_owned()
}
