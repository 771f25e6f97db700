//! The JSON document of a pair: two variants in alternation, and their ratios.

use crate::RunId;
use serde::{Deserialize, Serialize};

/// Version of the document. Readers ignore unknown keys; a change that breaks them raises this number.
pub const PAIR_VERSION: u32 = 1;

/// What a pair showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairJson {
    /// `PAIR_VERSION` of the writer.
    pub schema_version: u32,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// dbdyno's version.
    pub tool_version: String,
    /// What was measured.
    pub suite: String,
    /// The side that ratios are of.
    pub a: PairedRunJson,
    /// The other side, whose figures are divided by those of A.
    pub b: PairedRunJson,
    /// The most pairs of each test.
    pub planned_pairs: u32,
    /// The ratios.
    pub tests: Vec<PairTest>,
}

/// A side of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairedRunJson {
    /// Its label.
    pub label: Option<String>,
    /// Its target, without any password.
    pub target: String,
    /// Its run.
    pub run: RunId,
}

/// The ratio of a test at one degree of parallelism: B over A.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairTest {
    /// The test, or the workload.
    pub test: String,
    /// Nodes.
    pub nodes: u32,
    /// Jobs; users of a workload.
    pub jobs: u32,
    /// Threads.
    pub threads: u32,
    /// Rows of a transaction.
    pub rows_per_tx: u64,
    /// What was measured.
    pub metric: String,
    /// Pairs that have a ratio.
    pub pairs: u32,
    /// The ratio.
    pub ratio: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Whether they differ, all tests taken together.
    pub differs: bool,
    /// p value of "no difference".
    pub p_value: Option<f64>,
    /// Why there is no ratio.
    pub reason: Option<String>,
}
