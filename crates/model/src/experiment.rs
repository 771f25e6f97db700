//! What is kept beside runs: what a crash loses, and profiles. Each leaves one document, which is kept among the runs.

use crate::RunId;
use serde::{Deserialize, Serialize};

/// The kind of an experiment, which says what its document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ExperimentKind {
    /// What a crash loses.
    Durability,
    /// What a database does under its own load.
    Profile,
}

impl ExperimentKind {
    /// What it is, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Durability => "a crash test",
            Self::Profile => "a profile",
        }
    }
}

/// An experiment, without its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// Its id, of the same form as those of runs.
    pub id: RunId,
    /// What it is.
    pub kind: ExperimentKind,
    /// The name that the user gave.
    pub label: Option<String>,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// What was tested, without any password.
    pub target: String,
    /// Whether it ended as it was planned.
    pub complete: bool,
}
