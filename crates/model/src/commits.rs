//! What was found out about commits, as opposed to what was asked for.

use crate::{CommitMode, Flag, Point};
use serde::{Deserialize, Serialize};

/// What commits of a point were, by what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Commits {
    /// Each was on the device before it was acknowledged.
    Durable,
    /// They were as the engine makes them by default, which may not wait for the log.
    EngineDefault,
    /// They should have been durable, and nobody could see whether they were.
    NotProved,
    /// A crash could lose them: a setting says so, or the device was not told of them.
    Unsafe,
}

impl Commits {
    /// All, the best first.
    pub const ALL: [Self; 4] = [Self::Durable, Self::EngineDefault, Self::NotProved, Self::Unsafe];

    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// In a few words, after `commits`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::EngineDefault => "as the engine's default",
            Self::NotProved => "not proved durable",
            Self::Unsafe => "unsafe",
        }
    }

    /// In a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Durable => "durable commits, each waits for the log",
            Self::EngineDefault => "commits as the engine does them by default, which may not wait for the log",
            Self::NotProved => "commits that are said to be durable, which could not be proved",
            Self::Unsafe => "unsafe commits, which a crash can lose",
        }
    }
}

impl From<CommitMode> for Commits {
    fn from(mode: CommitMode) -> Self {
        match mode {
            CommitMode::Durable => Self::Durable,
            CommitMode::EngineDefault => Self::EngineDefault,
        }
    }
}

impl Point {
    /// What its commits were; none where nothing was written. Of older documents the settings decide.
    #[must_use]
    pub fn commits(&self) -> Option<Commits> {
        let mode = self.commit?;
        let by_settings = || match mode {
            CommitMode::Durable if self.has(Flag::UnsafeDurability) => Commits::Unsafe,
            mode => Commits::from(mode),
        };
        Some(self.commits_found.unwrap_or_else(by_settings))
    }
}

/// How a proof ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// What was seen allows for every commit.
    Proved,
    /// Fewer were brought to the device than were acknowledged.
    Refuted,
    /// It could not be seen.
    NotProved,
}

/// The proof that a run makes once: commits of one session, one after the other, against what was brought to the log
/// and to its devices meanwhile. No two of them can share a sync, so there is at least one for each but the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommitProof {
    /// How it ended.
    pub outcome: ProofOutcome,
    /// What was seen, in a sentence.
    pub seen: String,
    /// Write commits that the session was told of.
    pub commits: u64,
    /// Seconds that they took.
    pub elapsed_s: f64,
    /// Syncs of the log by the engine's own count; absent where it has none, or none that is independent of the
    /// commits.
    #[serde(default)]
    pub log_syncs: Option<u64>,
    /// Those of others, each second, in the second before.
    #[serde(default)]
    pub foreign_log_syncs_per_s: Option<f64>,
    /// Whole disks below the log.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Their flushes, or completed writes where nothing is flushed; absent where nothing was seen of them.
    #[serde(default)]
    pub device_count: Option<u64>,
    /// Which of the two was counted.
    #[serde(default)]
    pub device_counts: Option<DeviceCounts>,
    /// Those of others, each second, in the second before.
    #[serde(default)]
    pub foreign_device_per_s: Option<f64>,
}

/// What of a device tells that something was brought to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceCounts {
    /// Flushes of its cache.
    Flushes,
    /// Completed writes: it has no cache to flush, or each write of the log passes it.
    Writes,
}

impl DeviceCounts {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Flushes => "flushes",
            Self::Writes => "completed writes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestCode;

    #[test]
    fn names_are_those_of_json() {
        for found in Commits::ALL {
            assert_eq!(serde_json::to_value(found).unwrap(), found.name());
        }
    }

    #[test]
    fn what_was_found_goes_before_what_was_asked_for() {
        let mut point = Point::new(TestCode::new("T711").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(point.commits(), None);
        point.commit = Some(CommitMode::Durable);
        assert_eq!(point.commits(), Some(Commits::Durable));
        point.flag(Flag::UnsafeDurability, "fsync=off".to_owned());
        assert_eq!(point.commits(), Some(Commits::Unsafe), "an older document");
        point.commit = Some(CommitMode::EngineDefault);
        assert_eq!(point.commits(), Some(Commits::EngineDefault), "an older document");
        point.commits_found = Some(Commits::Unsafe);
        assert_eq!(point.commits(), Some(Commits::Unsafe));
    }
}
