//! Metrics: what a figure is, its unit and which way is better. The list itself is data (catalogue/metrics.toml).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The id of a metric, as in `ops_per_s`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MetricId(pub String);

impl MetricId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for MetricId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Better {
    /// Rates.
    Higher,
    /// Times and costs.
    Lower,
}

/// One metric of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Its id; `Point::value` knows the figure by it.
    pub id: MetricId,
    /// The name for readers.
    pub title: String,
    /// Its unit: `1/s`, `s`, `MiB/s`, `%`.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
}
