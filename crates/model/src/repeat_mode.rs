//! How a point repeats its work until its time has passed.

use serde::{Deserialize, Serialize};

/// How a point repeats its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatMode {
    /// Calibrated chunks of 50-200 ms, again and again.
    Chunks,
    /// Whole statements, at least three, until the duration has passed.
    Statements,
    /// Whole pieces of a fixed volume: a load, an index, a file. One is enough, and further ones begin until the
    /// duration has passed. The window ends with the last job.
    Once,
}
