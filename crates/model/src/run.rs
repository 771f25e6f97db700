//! A run, and the cells that its points make up.

use crate::{Dop, Drive, Flag, Load, MetricId, MetricValue, Point, RunId, StorageLoad, Subject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Being measured.
    Running,
    /// Every planned point is there.
    Done,
    /// The user stopped it, or its process was killed.
    Interrupted,
    /// The target was lost.
    Lost,
}

impl RunStatus {
    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One execution of a suite on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// What the user calls it; runs that share a label are a sample.
    pub label: Option<String>,
    /// The suite, or the codes that were asked for.
    pub suite: String,
    /// Size class, of a workload `scale` and its number; empty where there was no database.
    pub size: String,
    /// Seed of data and keys.
    pub seed: u64,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// dbdyno's version.
    pub tool_version: String,
    /// The target, without any password; of a storage run the paths.
    pub target: String,
    /// How far it has come.
    pub status: RunStatus,
}

/// What the size of a workload's run begins with: it has a scale instead.
const SCALE: &str = "scale ";

impl Run {
    /// Whether it measured a workload, whose data has a scale in place of a size class.
    #[must_use]
    pub fn is_of_workload(&self) -> bool {
        self.size.starts_with(SCALE)
    }

    /// How much data there was, in words: `size D`, or `scale 1`.
    #[must_use]
    pub fn data_words(&self) -> String {
        if self.is_of_workload() { self.size.clone() } else { format!("size {}", self.size) }
    }
}

/// The database under test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Database {
    /// The engine's name.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Settings that decide figures: name -> value.
    pub parameters: BTreeMap<String, String>,
    /// Facts that a reader should know (edition, options in use, where its data lies).
    pub facts: BTreeMap<String, String>,
    /// A notice that goes with every output: what has not been verified.
    pub notice: Option<String>,
}

impl Database {
    /// Whether there was none: I/O was measured below any.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.engine.is_empty() && self.version.is_empty() && self.parameters.is_empty() && self.facts.is_empty()
    }
}

/// What makes points repeats of each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellKey {
    /// What is measured, and what is asked of it where that is storage.
    #[serde(flatten)]
    pub subject: Subject<StorageLoad>,
    /// Who ran the loop.
    pub drive: Drive,
    /// Nodes, jobs, threads.
    #[serde(flatten)]
    pub dop: Dop,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// When the transactions began.
    #[serde(flatten)]
    pub load: Load,
    /// Whether it is the best of its ramp, measured again. What selected is no repeat of that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl CellKey {
    /// The cell that a point belongs to.
    #[must_use]
    pub fn of(point: &Point) -> Self {
        let Point { drive, dop, rows_per_tx, load, again, .. } = *point;
        Self { subject: point.subject.asked(), drive, dop, rows_per_tx, load, again }
    }
}

/// One subject at one DOP, transaction size and load: the median of its `ok` points' key metric, with its doubt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it is a cell of.
    #[serde(flatten)]
    pub key: CellKey,
    /// The metric.
    pub metric: Option<MetricId>,
    /// Points that count (status ok).
    pub n: u32,
    /// Their median.
    pub median: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Flags of its points, and its own.
    pub flags: Vec<Flag>,
}

impl Cell {
    /// Makes the cells of a list of points, in the order in which they first appear. Points that are not `ok` make a
    /// cell without figures, so that nothing disappears.
    #[must_use]
    pub fn of_points(points: &[Point]) -> Vec<Self> {
        let mut keys: Vec<CellKey> = Vec::new();
        for key in points.iter().map(CellKey::of) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys.into_iter().map(|key| Self::of_repeats(&key, points)).collect()
    }

    fn of_repeats(key: &CellKey, points: &[Point]) -> Self {
        let repeats = points.iter().filter(|p| CellKey::of(p) == *key && p.status == crate::Status::Ok);
        let repeats: Vec<&Point> = repeats.collect();
        let metrics: Vec<&MetricValue> = repeats.iter().filter_map(|p| p.metric.as_ref()).collect();
        let metric = metrics.first().map(|m| m.id.clone());
        // A repeat that lacks the key metric has another one in its place, in another unit: it is no repeat of the
        // rest.
        let values: Vec<f64> = metrics.iter().filter(|m| Some(&m.id) == metric.as_ref()).map(|m| m.value).collect();
        let mut flags: Vec<Flag> = Vec::new();
        for flag in repeats.iter().flat_map(|p| &p.flags) {
            if !flags.contains(flag) {
                flags.push(*flag);
            }
        }
        let estimate = dbdyno_stats::Estimate::of(&values);
        if let Some(estimate) = &estimate {
            match estimate.interval {
                None => flags.push(Flag::NoInterval),
                Some(_) if estimate.is_noisy() => flags.push(Flag::Noisy),
                Some(_) => {}
            }
        }
        flags.sort_unstable();
        let interval = estimate.as_ref().and_then(|e| e.interval);
        Self {
            key: key.clone(),
            metric,
            n: u32::try_from(values.len()).unwrap_or(u32::MAX),
            median: estimate.as_ref().map(|e| e.median),
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            flags,
        }
    }
}
