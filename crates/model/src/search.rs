//! Searches: what a run asks for that chooses its next point by what it measured so far. What comes next, and what was
//! found, are functions of the plan and of the points, so nothing of a search is stored beside these.

mod asked;
mod judged;
mod limit;
mod outcome;
mod replay;
mod saturation;
mod state;
mod within_limits;

pub use asked::{Search, SearchGoal};
pub use limit::{Limit, Limited, LimitedPercentile};
pub use outcome::{SearchFinding, SearchKind, SearchOutcome, SearchPoint, SearchUnit, SearchVerdict};
