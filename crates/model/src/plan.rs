//! The resolved plan: everything that a run will measure, decided before the first point. `resume` works from it.

use crate::{CommitMode, Dop, Drive, Load, Mapping, TestCode};
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
    /// Hash of the catalogue's definitions and the engine's SQL for all planned tests; `resume` compares it.
    pub definitions: String,
    /// The points, in order.
    pub points: Vec<PlannedPoint>,
}

/// One point to be measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedPoint {
    /// The test.
    pub test: TestCode,
    /// Who runs the loop.
    pub drive: Drive,
    /// Degree of parallelism.
    pub dop: Dop,
    /// When a client's transactions begin.
    #[serde(flatten)]
    pub load: Load,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// 1, 2, 3 …
    pub repeat: u32,
    /// The window that is aimed at.
    pub duration_s: f64,
    /// How commits behave.
    pub commit: CommitMode,
    /// How the engine realises the test.
    pub mapping: Mapping,
    /// Hash of this test's definition: catalogue entry and SQL.
    pub definition: String,
}
