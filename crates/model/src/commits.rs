//! How durable commits were: what was requested ([`CommitMode`]), and what was observed.

use serde::{Deserialize, Serialize};

/// How durable the commits of a point were, as far as that was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Commits {
    /// Each commit was on the device before it was acknowledged.
    Durable,
    /// The engine's default, which may not wait for the log.
    EngineDefault,
    /// The commits should have been durable, but nobody could observe whether they were.
    NotProved,
    /// A crash could lose them: a setting allows it, or the device was not flushed.
    Unsafe,
}

impl Commits {
    /// All values, the best first.
    pub const ALL: [Self; 4] = [Self::Durable, Self::EngineDefault, Self::NotProved, Self::Unsafe];

    /// Words that may follow `commits`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::EngineDefault => "as the engine's default",
            Self::NotProved => "not proved durable",
            Self::Unsafe => "unsafe",
        }
    }

    /// An explanation that stands by itself.
    #[must_use]
    pub fn explanation(self) -> &'static str {
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

/// The result of a proof of durability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// There were enough syncs for all commits.
    Proved,
    /// Fewer syncs reached the device than commits were acknowledged.
    Refuted,
    /// The syncs could not be observed.
    #[default]
    NotProved,
}

/// The proof of durability that a run makes once. One session commits one transaction after the other. The syncs of the
/// log and the flushes of its devices are counted meanwhile. Commits of one session cannot share a sync, so there must
/// be at least one sync for each commit but the last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitProof {
    /// The result.
    pub outcome: ProofOutcome,
    /// What was observed, in a sentence.
    pub seen: String,
    /// Writing commits that were acknowledged to the session.
    pub commits: u64,
    /// Seconds that these commits took.
    pub elapsed_s: f64,
    /// Syncs of the log as the engine counts them. Absent where the engine has no count, or none that is independent of
    /// its commits.
    pub log_syncs: Option<u64>,
    /// Syncs of other sessions per second, measured in the second before.
    pub foreign_log_syncs_per_s: Option<f64>,
    /// Whole disks below the log.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Flushes of these disks, or completed writes where nothing is flushed. Absent where the disks could not be
    /// observed.
    pub device_count: Option<u64>,
    /// Whether `device_count` has flushes or writes.
    pub device_counts: Option<DeviceCounts>,
    /// Flushes or writes of others per second, measured in the second before.
    pub foreign_device_per_s: Option<f64>,
}

/// Which counter of a device shows that data reached it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceCounts {
    /// Flushes of the device's cache.
    Flushes,
    /// Completed writes: the device has no cache to flush, or each write of the log bypasses the cache.
    Writes,
}

impl DeviceCounts {
    /// What is counted, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Flushes => "flushes",
            Self::Writes => "completed writes",
        }
    }
}

/// Whether each commit waits for the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitMode {
    /// Each commit waits until it is on the device.
    #[default]
    Durable,
    /// The engine's own default within a procedure.
    EngineDefault,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flag, Point, TestCode};

    #[test]
    fn names_are_those_of_json() {
        for found in Commits::ALL {
            assert_eq!(serde_json::to_value(found).unwrap(), found.name());
        }
    }

    #[test]
    fn observed_commits_take_precedence_over_requested_ones() {
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
