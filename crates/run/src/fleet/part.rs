//! What one host did of a point, as it is stored, sent and merged.

use crate::client::Gathered;
use crate::{Span, WorkLog};
use dbdyno_engine::{EngineError, SessionAccount};
use dbdyno_model::{HostUse, Outcomes, PumpKind, PumpUse};
use dbdyno_stats::{PartError, Recording, RecordingPart};
use dbdyno_storage::StorageMeasurement;
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
    Storage(Box<StorageMeasurement>),
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
            // Its times are durations.
            PartWork::Storage(measured) => PartWork::Storage(measured),
        };
        let (began_ns, window) = (self.began_ns.saturating_add_signed(by_ns), self.window.shifted(by_ns));
        Self { work, began_ns, window, ..self }
    }

    /// What it did to devices and files, where it is such a part.
    pub(crate) fn storage(&self) -> Option<&StorageMeasurement> {
        if let PartWork::Storage(measured) = &self.work { Some(measured) } else { None }
    }

    /// Operations, warm-up and tail included.
    #[must_use]
    pub fn total_ops(&self) -> u64 {
        match &self.work {
            PartWork::Server(part) => part.log.total_ops(),
            PartWork::Client { gathered, .. } => gathered.outcomes().ok,
            PartWork::Storage(measured) => measured.total,
        }
    }
}

/// The part of a member.
#[derive(Debug, Clone)]
pub struct AgentPart {
    /// Its place among the members.
    pub member: usize,
    /// Its part, by its own clock.
    pub part: Part,
    /// What its clock showed more than the coordinator's after the window, in nanoseconds, and by how much that may be
    /// wrong; none where it could not be compared again.
    pub offset_after: Option<(i64, u64)>,
    /// The longest time for which the coordinator heard nothing of it while it was at work.
    pub silence_ns: u64,
}

/// The work of several hosts, merged.
pub(crate) enum MergedWork {
    Server(ServerPart),
    Client { recording: Box<Recording>, gathered: Box<Gathered> },
    Storage(Box<StorageMeasurement>),
}

/// What is known of a host's part besides its work.
#[derive(Debug, Clone)]
pub(crate) struct PartFacts {
    /// Its place among the members.
    pub(crate) member: usize,
    /// When its first job began.
    pub(crate) began_ns: u64,
    /// Its window.
    pub(crate) window: Span,
    /// What carried its sessions.
    pub(crate) pump: PumpUse,
    /// What its sessions have done, by node.
    pub(crate) accounts: Vec<SessionAccount>,
    /// How busy the host was.
    pub(crate) host: HostUse,
    /// Operations, warm-up and tail included.
    pub(crate) total_ops: u64,
    /// What its clock showed more after its part, and by how much that may be wrong; none where nobody knows.
    pub(crate) offset_after: Option<(i64, u64)>,
    /// The longest time for which nothing was heard of it.
    pub(crate) silence_ns: u64,
}

/// Parts that are merged as they come, so that not all of them are held at once. The order does not matter.
#[derive(Default)]
pub(crate) struct MergedParts {
    work: Option<PartWork>,
    facts: Vec<PartFacts>,
}

impl MergedParts {
    /// Parts so far.
    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether the part of a member is among them.
    pub(crate) fn has(&self, member: usize) -> bool {
        self.facts.iter().any(|facts| facts.member == member)
    }

    /// When the last window ended.
    pub(crate) fn last_ns(&self) -> Option<u64> {
        self.facts.iter().map(|facts| facts.window.end_ns).max()
    }

    /// Adds the part of a host, by the coordinator's clock.
    ///
    /// # Errors
    /// It is of other work than the others.
    pub(crate) fn add(&mut self, host: &str, of: AgentPart) -> Result<(), MergeError> {
        let AgentPart { member, part, offset_after, silence_ns } = of;
        let total_ops = part.total_ops();
        let Part { work, began_ns, window, pump, accounts, host: used } = part;
        self.add_work(named(work, host))?;
        let host = used;
        self.facts.push(PartFacts {
            member,
            began_ns,
            window,
            pump,
            accounts,
            host,
            total_ops,
            offset_after,
            silence_ns,
        });
        Ok(())
    }

    fn add_work(&mut self, work: PartWork) -> Result<(), MergeError> {
        match (&mut self.work, work) {
            (None, work) => self.work = Some(work),
            (Some(PartWork::Server(ours)), PartWork::Server(theirs)) => {
                ours.log.merge(theirs.log);
                ours.outcomes.merge(&theirs.outcomes);
                ours.discarding_ns = ours.discarding_ns.min(theirs.discarding_ns);
                // Texts begin with the host's name.
                let errors = ours.error.take().into_iter().chain(theirs.error);
                ours.error = errors.min_by(|one, other| one.message.cmp(&other.message));
            }
            (
                Some(PartWork::Client { recording, gathered }),
                PartWork::Client { recording: their_recording, gathered: theirs },
            ) => {
                recording.merge(*their_recording)?;
                gathered.merge(*theirs);
            }
            (Some(PartWork::Storage(ours)), PartWork::Storage(theirs)) => ours.merge(*theirs),
            _ => return Err(MergeError::Unlike),
        }
        Ok(())
    }

    /// All of them, and what is known of each in the order of the members.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn finish(mut self) -> Result<(MergedWork, Vec<PartFacts>), MergeError> {
        let work = match self.work.ok_or(MergeError::Nothing)? {
            PartWork::Server(part) => MergedWork::Server(part),
            PartWork::Client { recording, gathered } => {
                MergedWork::Client { recording: Box::new(recording.finish()?), gathered }
            }
            PartWork::Storage(measured) => MergedWork::Storage(measured),
        };
        self.facts.sort_by_key(|facts| facts.member);
        Ok((work, self.facts))
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
        PartWork::Storage(measured) => PartWork::Storage(Box::new(measured.named(host))),
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
    #[error("some hosts have done another kind of work than others")]
    Unlike,
    #[error(transparent)]
    Recording(#[from] PartError),
}

impl From<MergeError> for EngineError {
    fn from(error: MergeError) -> Self {
        Self::other(format!("the parts of the hosts: {error}"))
    }
}
