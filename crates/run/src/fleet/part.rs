//! What one host did of a point, as it is stored, sent and merged.

use crate::client::Gathered;
use crate::{Span, WorkLog};
use dbdyno_engine::{EngineError, SessionAccount};
use dbdyno_model::{HostUse, Outcomes, PumpKind, PumpUse};
use dbdyno_stats::{PartError, Recording, RecordingPart};
use serde::{Deserialize, Serialize};

/// What one host did of a point. Times are those of the host's clock until [`Part::shifted`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    pub(crate) work: PartWork,
    /// When its first job began.
    pub began_ns: u64,
    /// Its window, which is the planned one unless a job needed longer.
    pub window: Span,
    /// What carried its sessions.
    pub pump: PumpUse,
    /// What its sessions have done, by node, without what they did to prepare themselves.
    pub accounts: Vec<SessionAccount>,
    /// How busy the host was.
    pub host: HostUse,
}

/// The work of a host's sessions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartWork {
    Server(ServerPart),
    Client { recording: Box<RecordingPart>, gathered: Box<Gathered> },
}

/// What the jobs of the server drive did.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ServerPart {
    pub(crate) log: WorkLog,
    pub(crate) outcomes: Outcomes,
    /// The shortest time that a job spent on removing what its pieces had made.
    pub(crate) discarding_ns: u64,
    pub(crate) error: Option<EngineError>,
}

impl Part {
    /// The same by a clock that shows this much more.
    #[must_use]
    pub fn shifted(self, by_ns: i64) -> Self {
        let work = match self.work {
            PartWork::Server(part) => PartWork::Server(ServerPart { log: part.log.shifted(by_ns), ..part }),
            PartWork::Client { recording, gathered } => {
                PartWork::Client { recording, gathered: Box::new(gathered.shifted(by_ns)) }
            }
        };
        let (began_ns, window) = (self.began_ns.saturating_add_signed(by_ns), self.window.shifted(by_ns));
        Self { work, began_ns, window, ..self }
    }

    /// Operations of its sessions, warm-up and tail included.
    #[must_use]
    pub fn total_ops(&self) -> u64 {
        match &self.work {
            PartWork::Server(part) => part.log.total_ops(),
            PartWork::Client { gathered, .. } => gathered.outcomes().ok,
        }
    }
}

/// The work of several hosts, merged.
pub(crate) enum MergedWork {
    Server(ServerPart),
    Client { recording: Box<Recording>, gathered: Box<Gathered> },
}

/// Merges the work of hosts, each with its name.
///
/// # Errors
/// There is no part, or parts are of different work.
pub(crate) fn merge(parts: impl IntoIterator<Item = (String, PartWork)>) -> Result<MergedWork, MergeError> {
    let mut merged: Option<PartWork> = None;
    for (host, part) in parts {
        let part = named(part, &host);
        match (&mut merged, part) {
            (None, part) => merged = Some(part),
            (Some(PartWork::Server(ours)), PartWork::Server(theirs)) => {
                ours.log.merge(theirs.log);
                ours.outcomes.merge(&theirs.outcomes);
                ours.discarding_ns = ours.discarding_ns.min(theirs.discarding_ns);
                ours.error = ours.error.take().or(theirs.error);
            }
            (
                Some(PartWork::Client { recording, gathered }),
                PartWork::Client { recording: their_recording, gathered: theirs },
            ) => {
                recording.merge(*their_recording)?;
                gathered.merge(*theirs);
            }
            _ => return Err(MergeError::Unlike),
        }
    }
    match merged.ok_or(MergeError::Nothing)? {
        PartWork::Server(part) => Ok(MergedWork::Server(part)),
        PartWork::Client { recording, gathered } => {
            Ok(MergedWork::Client { recording: Box::new(recording.finish()?), gathered })
        }
    }
}

fn named(part: PartWork, host: &str) -> PartWork {
    match part {
        PartWork::Server(part) => {
            let error = part.error.map(|error| error.while_doing(host));
            PartWork::Server(ServerPart { error, ..part })
        }
        PartWork::Client { recording, gathered } => {
            PartWork::Client { recording, gathered: Box::new(gathered.named(host)) }
        }
    }
}

/// What carried the sessions of all hosts: the most expensive way of waiting, and all threads.
pub(crate) fn pumps(parts: impl IntoIterator<Item = PumpUse>) -> PumpUse {
    let none = PumpUse { kind: PumpKind::IoUring, threads: 0, sessions_follow: false };
    parts.into_iter().fold(none, |all, pump| PumpUse {
        kind: all.kind.min(pump.kind),
        threads: all.threads + pump.threads,
        sessions_follow: all.sessions_follow || pump.sessions_follow,
    })
}

/// Why parts are not those of one point.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MergeError {
    #[error("no host has sent a part")]
    Nothing,
    #[error("some hosts have called chunks, and others have sent statements")]
    Unlike,
    #[error(transparent)]
    Recording(#[from] PartError),
}
