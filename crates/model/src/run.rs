//! A run, and the cells that its points make up.

use crate::{ClientLoad, Dop, Drive, Flag, MetricId, MetricValue, Point, RunId, StorageLoad, Subject};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Being measured.
    Running,
    /// Every planned point is recorded.
    Done,
    /// The user stopped it, or its process was killed.
    Interrupted,
    /// The target was lost.
    Lost,
}

/// One execution of a suite on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The run's id.
    pub id: RunId,
    /// The name that the user gave; runs that share a label are a sample.
    pub label: Option<String>,
    /// The suite, or the codes that were asked for.
    pub suite: String,
    /// The size class; for a workload how much data it has in words, as `scale 1`; empty where there was no database.
    pub size: String,
    /// Seed of data and keys.
    pub seed: u64,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// dbdyno's version.
    pub tool_version: String,
    /// The target, without any password. For a storage run, the paths.
    pub target: String,
    /// Its state.
    pub status: RunStatus,
}

impl Run {
    /// Whether it measured a workload.
    #[must_use]
    pub fn is_of_workload(&self) -> bool {
        // A size class is one word.
        self.size.contains(' ')
    }

    /// The amount of data in words: `size D`, or `scale 1`.
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
    /// Settings that affect figures: name -> value.
    pub parameters: BTreeMap<String, String>,
    /// Facts for readers: edition, options in use, location of the data.
    pub facts: BTreeMap<String, String>,
    /// A notice that every output shows: what has not been verified.
    pub notice: Option<String>,
}

impl Database {
    /// Whether there was no database, because I/O was measured without one.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.engine.is_empty() && self.version.is_empty() && self.parameters.is_empty() && self.facts.is_empty()
    }
}

/// The key of a cell, which its repeats share.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellKey {
    /// What is measured. For storage, also the requested load.
    #[serde(flatten)]
    pub subject: Subject<StorageLoad>,
    /// Who ran the loop.
    pub drive: Drive,
    /// The degree of parallelism: nodes, jobs, threads.
    #[serde(flatten)]
    pub dop: Dop,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// The load of the client drive: rate, pauses, queues, connections.
    #[serde(flatten)]
    pub load: ClientLoad,
    /// Processors that the server was held to , where a run goes through several numbers of them.
    /// Absent elsewhere, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Whether the points measure the best DOP of a ramp again. The points that selected it belong to another cell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl CellKey {
    /// The cell that a point belongs to.
    #[must_use]
    pub fn of(point: &Point) -> Self {
        let Point { drive, dop, rows_per_tx, load, cores, again, .. } = *point;
        Self { subject: point.subject.requested(), drive, dop, rows_per_tx, load, cores, again }
    }
}

/// One subject at one DOP, transaction size and load: the median of the key metric over its `ok` points, with its
/// uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The key.
    #[serde(flatten)]
    pub key: CellKey,
    /// The key metric of its points.
    pub metric: Option<MetricId>,
    /// Points that count: those with status `ok` and this metric.
    pub n: u32,
    /// The median of their values.
    pub median: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Flags of its points, and of the cell itself.
    pub flags: Vec<Flag>,
}

impl Cell {
    /// Makes the cells of a list of points, in the order in which they first appear. A cell without any `ok` point is
    /// in the list, too, without figures, so that no point disappears.
    #[must_use]
    pub fn of_points(points: &[Point]) -> Vec<Self> {
        let mut cells: Vec<(CellKey, Vec<&Point>)> = Vec::new();
        let mut places: HashMap<CellKey, usize> = HashMap::new();
        for point in points {
            let place = *places.entry(CellKey::of(point)).or_insert_with_key(|key| {
                cells.push((key.clone(), Vec::new()));
                cells.len() - 1
            });
            cells[place].1.push(point);
        }
        cells.into_iter().map(|(key, points)| Self::of_repeats(key, &points)).collect()
    }

    fn of_repeats(key: CellKey, points: &[&Point]) -> Self {
        let repeats: Vec<&Point> = points.iter().copied().filter(|p| p.status == crate::Status::Ok).collect();
        let metrics: Vec<&MetricValue> = repeats.iter().filter_map(|p| p.metric.as_ref()).collect();
        let metric = metrics.first().map(|m| m.id.clone());
        // A repeat without the key metric has another metric in its place, in another unit. It does not count.
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
            key,
            metric,
            n: u32::try_from(values.len()).unwrap_or(u32::MAX),
            median: estimate.as_ref().map(|e| e.median),
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            flags,
        }
    }
}
