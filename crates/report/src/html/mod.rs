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
mod reported;
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
pub use reported::{PointTimes, Reported};

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
