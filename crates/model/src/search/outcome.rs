//! What a search found: a part of the JSON contract.

use super::limit::Limit;
use crate::{Drive, Flag, MetricId, StorageLoad, Subject};
use serde::{Deserialize, Serialize};

/// The kinds of searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// For the fewest users who saturate the platform.
    Saturation,
    /// For the highest rate that holds limits.
    Limits,
}

/// A search and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOutcome {
    /// What was measured.
    #[serde(flatten)]
    pub subject: Subject<StorageLoad>,
    /// Who ran the loop.
    pub drive: Drive,
    /// What was searched for.
    pub kind: SearchKind,
    /// The metric of what was reached.
    pub metric: MetricId,
    /// The limits; none for saturation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Users at every point of a search within limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<u32>,
    /// The most users that were allowed, for saturation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_users: Option<u32>,
    /// The points, in the order in which they were measured.
    pub points: Vec<SearchPoint>,
    /// What was found; `None` where nothing was.
    pub finding: Option<SearchFinding>,
    /// Why nothing was found, or what limits the finding.
    pub reason: Option<String>,
}

/// A point of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchPoint {
    /// Its place in the plan, from 0.
    pub place: usize,
    /// Users at work at once.
    pub users: u32,
    /// The rate that was asked for; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_per_s: Option<f64>,
    /// What was reached.
    pub per_s: Option<f64>,
    /// Length of the window.
    pub window_s: Option<f64>,
    /// How it was judged.
    pub verdict: SearchVerdict,
    /// Why it was judged so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a search judges a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SearchVerdict {
    /// It gave a figure.
    Measured,
    /// It gave none.
    NoFigure,
    /// It held every limit.
    Holds,
    /// It broke a limit.
    Breaks,
    /// It had too few transactions to judge the limits.
    TooFew,
}

/// The unit of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchUnit {
    /// Users at work at once.
    #[serde(rename = "users")]
    Users,
    /// Transactions per second.
    #[serde(rename = "1/s")]
    PerS,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchFinding {
    /// The fewest users at saturation, or the highest rate.
    pub value: f64,
    /// Its unit.
    pub unit: SearchUnit,
    /// The lower end of the interval in which the truth lies, as far as it was searched.
    pub low: f64,
    /// The upper end; `None` where nothing higher broke a limit.
    pub high: Option<f64>,
    /// Whether both ends were confirmed by repeats.
    pub confirmed: bool,
    /// What was reached there.
    pub per_s: Option<f64>,
    /// The maximum throughput, for saturation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_s: Option<f64>,
    /// Flags of the points at both ends: what limits the trust.
    pub flags: Vec<Flag>,
}
