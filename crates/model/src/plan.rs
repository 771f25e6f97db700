//! The resolved plan: everything that a run will measure, decided before the first point. `resume` works from it. A run
//! that searches adds each further point to it before that is measured.

use crate::{Pairing, PlannedPoint, Search};
use serde::{Deserialize, Serialize};

/// The plan of a run, stored first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The suite's name, or the test codes as the user gave them.
    pub suite: String,
    /// Size class.
    pub size: String,
    /// Seed of the data and of the keys.
    pub seed: u64,
    /// Hash of the catalogue's definitions and of the engine's SQL for all planned tests. `resume` compares it.
    pub definitions: String,
    /// The points, in order.
    pub points: Vec<PlannedPoint>,
    /// Searches that choose further points by what was measured. Absent where all points are planned at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// The run that it is measured in turn with. Absent for runs alone, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing: Option<Pairing>,
}
