//! The JSON document of a crash test: the contract of `durability --json`.

use crate::{CrashReport, RunId};
use serde::{Deserialize, Serialize};

/// Version of the document. Readers ignore unknown keys; a change that breaks them raises this number.
pub const DURABILITY_VERSION: u32 = 1;

/// What a crash lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DurabilityJson {
    /// `DURABILITY_VERSION` of the writer.
    pub schema_version: u32,
    /// Its id among what is kept.
    pub id: RunId,
    /// The name that the user gave.
    #[serde(default)]
    pub label: Option<String>,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// dbdyno's version.
    pub tool_version: String,
    /// The target, without any password.
    pub target: String,
    /// The engine.
    pub engine: String,
    /// Its version, where its programs say it.
    pub version: Option<String>,
    /// How it was cut.
    pub cut_by: String,
    /// What that loses.
    pub loses: String,
    /// Why it was not cut in a stronger way.
    pub not_stronger: Option<String>,
    /// The kind of the standby that was promoted, where one was.
    #[serde(default)]
    pub standby: Option<String>,
    /// How long what goes to it was held before each cut.
    #[serde(default)]
    pub link_held_s: Option<f64>,
    /// Whether the log that standbys read was compared, too.
    #[serde(default)]
    pub replication_log: bool,
    /// Sessions that committed at the same time.
    pub sessions: u32,
    /// What decided the moments of the cuts.
    pub seed: u64,
    /// Cuts that were asked for.
    pub planned_cuts: u32,
    /// Why it ended before all of them were made and judged; absent where they were.
    #[serde(default)]
    pub ended_early: Option<String>,
    /// Commits that were acknowledged.
    pub acknowledged: u64,
    /// Those of them that are lost.
    pub lost: u64,
    /// Cuts after which something was lost or wrong.
    pub lossy_cuts: usize,
    /// Where no cut lost anything: at most so many of a hundred do, with a confidence of 95 %.
    pub at_most_lossy_pct: Option<f64>,
    /// What was found, cut by cut.
    #[serde(flatten)]
    pub report: CrashReport,
    /// Whether a control was asked for.
    #[serde(default)]
    pub control_asked: bool,
    /// The same with commits that were made unsafe on purpose.
    pub control: Option<DurabilityControl>,
}

/// A crash test with commits that were made unsafe on purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DurabilityControl {
    /// Its name.
    pub name: String,
    /// What it makes unsafe, in words.
    pub means: String,
    /// Whether this way of cutting can show its losses.
    pub can_be_seen: bool,
    /// Commits that were acknowledged.
    pub acknowledged: u64,
    /// Those of them that are lost.
    pub lost: u64,
    /// Cuts after which commits were missing.
    pub lossy_cuts: usize,
    /// What was found, cut by cut.
    #[serde(flatten)]
    pub report: CrashReport,
}

impl DurabilityControl {
    /// What is wrong if it came out otherwise than it must; absent where it did as it must.
    #[must_use]
    pub fn contradicts(&self) -> Option<&'static str> {
        match (self.can_be_seen, self.lossy_cuts) {
            (true, 0) => Some("lost nothing, so this test proves nothing here"),
            (false, 1..) => Some("lost commits that this way of cutting cannot take away"),
            _ => None,
        }
    }
}
