//! The lines of the key metrics: the test, the figure and the unit, as `lines.toml` has them.

use crate::embedded::embedded;
use dbdyno_model::{Flag, RunJson};
use serde::Deserialize;
use std::sync::LazyLock;

/// One line.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SummaryLine {
    pub(crate) name: &'static str,
    /// The test; further ones replace it where it was not measured or is not supported. Empty for the workload.
    pub(crate) tests: Vec<&'static str>,
    /// The metric.
    pub(crate) metric: &'static str,
    /// The metric shown in parentheses where a point's figure is doubtful: the device's own rate is nearly zero when
    /// memory served the test.
    pub(crate) metric_in_doubt: Option<&'static str>,
    pub(crate) unit: &'static str,
    /// The metric for the time of one operation.
    pub(crate) time: Option<&'static str>,
    /// Whether it shows the figure at DOP 1 alone: a time, where less is better.
    pub(crate) speed_alone: bool,
    /// Flags with which a point has no such figure (design rule: pages that wait to be written are not writes).
    pub(crate) barred_by: Vec<Flag>,
    /// Whether it is also shown per core.
    pub(crate) per_core: bool,
    /// Whether a page shows it at a glance, too.
    pub(crate) tile: bool,
}

impl SummaryLine {
    /// The same line in another metric, which has no conditions of its own.
    pub(crate) fn in_metric(&self, metric: &'static str) -> Self {
        match metric == self.metric {
            true => self.clone(),
            false => Self { metric, metric_in_doubt: None, barred_by: Vec::new(), ..self.clone() },
        }
    }
}

/// A titled group of lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarySection {
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<SummaryLine>,
}

/// All lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct SummaryLines {
    /// Those of a platform, in the order of the layers.
    pub(crate) platform: Vec<SummarySection>,
    /// Those of a workload.
    pub(crate) workload: Vec<SummarySection>,
    /// The line for the test with the most redo.
    pub(crate) redo: SummaryLine,
}

pub(crate) static LINES: LazyLock<SummaryLines> = LazyLock::new(|| embedded(include_str!("lines.toml")));

/// The lines for a run.
pub(crate) fn sections(run: &RunJson) -> &'static [SummarySection] {
    if run.run.is_of_workload() { &LINES.workload } else { &LINES.platform }
}
