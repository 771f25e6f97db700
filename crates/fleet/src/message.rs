//! What hosts of a fleet tell each other. Both sides tell again and again what they want and where they are, so that a
//! message that is lost, late or there twice changes nothing: the newest counts.

use crate::seal::{FleetKey, SessionKey};
use crate::sent_target::SealedTarget;
use dbdyno_engine::EngineError;
use dbdyno_run::{HostProgress, PartOrder, Ready};
use dbdyno_storage::LunPrint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The version of the protocol.
const VERSION: u32 = 1;

/// Names the point of a run that is measured, at one attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct PointKey {
    /// The coordinator's session, which no other process has.
    pub session: String,
    /// Points that the session has begun until this one.
    pub attempt: u64,
}

/// Who an agent is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentInfo {
    /// Its version of dbdyno.
    pub version: String,
    /// How it was built: two builds of one version may measure differently.
    pub build: String,
    /// How much of a point it takes, beside the others.
    pub weight: f64,
    /// The node that its sessions work on; none where they take turns over all.
    pub node: Option<u32>,
    /// Its process.
    pub pid: u32,
    /// What tells its machine, as long as that runs, from others.
    pub machine: String,
    /// The name of its machine, its processor and so on.
    pub platform: serde_json::Value,
}

/// A run, and what it works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOrder {
    /// The run.
    pub run: String,
    /// What it works on.
    pub on: RunOn,
}

/// What a run works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOn {
    /// A database.
    Data(DataRun),
    /// Devices and files.
    Storage(StorageRun),
}

/// The devices and files that a run works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StorageRun {
    /// What tells each of them from others, as the coordinator sees them.
    pub prints: Vec<LunPrint>,
    /// What the places follow from that they were looked at.
    pub seed: u64,
    /// Whether the run writes.
    pub writes: bool,
    /// Processes that share them, by what tells their machines from others.
    pub sharers: Vec<(String, u32)>,
}

/// The data that a run works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataRun {
    /// The name of the engine.
    pub engine: String,
    /// The size class of the data, or of a workload's.
    pub size: String,
    /// Its seed.
    pub seed: u64,
    /// A workload, where the run is of one.
    pub workload: Option<String>,
    /// What the coordinator has noted beside the data, so that agents find it there; none where there is no such place.
    pub token: Option<String>,
    /// Whether servers look at their sessions.
    pub is_sampled: bool,
    /// The target, where the coordinator gives it.
    pub target: Option<SealedTarget>,
}

/// What the coordinator wants of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    /// It belongs to this run, and has nothing to do.
    Joined(RunOrder),
    /// Its sessions for a point are open and prepared.
    Prepared {
        /// The point.
        key: PointKey,
        /// What it does of it.
        order: Box<PartOrder>,
    },
    /// They begin.
    Started {
        /// The point.
        key: PointKey,
        /// When, by the coordinator's clock.
        starts_ns: u64,
    },
    /// These pieces of its part are sent again.
    Sent {
        /// The point.
        key: PointKey,
        /// Which.
        pieces: Vec<u32>,
    },
    /// The point is over: its sessions are ended, and its part may be forgotten if it is recorded.
    Over {
        /// The point.
        key: PointKey,
        /// Whether the coordinator has it in its results.
        is_recorded: bool,
    },
    /// The run is over.
    Left,
}

/// Where an agent is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It opens its target.
    Joining,
    /// It waits for points.
    Joined,
    /// It cannot take part.
    Refused(String),
    /// It opens and prepares its sessions.
    Preparing(PointKey),
    /// Its sessions are prepared, and its clock is compared.
    Ready {
        /// The point.
        key: PointKey,
        /// What it found.
        ready: Box<Ready>,
        /// What its clock shows more than the coordinator's.
        offset: Offset,
    },
    /// Its sessions work, or wait for the beginning.
    Working(PointKey),
    /// Its part is stored.
    Done {
        /// The point.
        key: PointKey,
        /// Pieces that it is sent in.
        pieces: u32,
        /// What its clock showed more after the window; none where nobody answered any more.
        offset: Option<Offset>,
    },
    /// It has no part, and is not at work.
    NoPart {
        /// The point.
        key: PointKey,
        /// Why, in words.
        why: String,
    },
    /// It did not come to its end.
    Failed {
        /// The point.
        key: PointKey,
        /// Why.
        error: EngineError,
    },
    /// It leaves.
    Leaving,
}

/// What a clock shows more than the coordinator's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offset {
    /// In nanoseconds.
    pub offset_ns: i64,
    /// By how much that may be wrong: half the round trip of the shortest exchange.
    pub bound_ns: u64,
}

/// A message of the coordinator's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToAgent {
    /// Who is there?
    Seek,
    /// What it wants.
    Wanted(Wanted),
    /// The answer to an exchange of clocks.
    Pong { n: u32, now_ns: u64 },
}

/// A message of an agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromAgent {
    /// It is there.
    Here(Box<AgentInfo>),
    /// It is there, and belongs to another run.
    Busy,
    /// Where it is.
    State(State),
    /// What it has done in the window of a point so far.
    Progress { key: PointKey, done: HostProgress },
    /// An exchange of clocks.
    Ping { n: u32 },
    /// A piece of its part.
    Piece { key: PointKey, n: u32, of: u32, data: String },
}

/// A message with what makes it fresh: who sent it, in which session, and its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Envelope<M> {
    v: u32,
    /// The coordinator's session.
    pub(crate) session: String,
    /// The number that the agent has taken for itself in this session; empty where it is not known yet. A recorded
    /// message of the coordinator's has that of an agent of the past.
    pub(crate) agent: String,
    /// Counts the sender's messages.
    pub(crate) n: u64,
    pub(crate) message: M,
}

impl<M: Serialize + DeserializeOwned> Envelope<M> {
    pub(crate) fn new(session: &str, agent: &str, n: u64, message: M) -> Self {
        Self { v: VERSION, session: session.to_owned(), agent: agent.to_owned(), n, message }
    }

    /// The message as it is sent to a subject.
    pub(crate) fn sealed(&self, key: &SessionKey, subject: &str) -> Vec<u8> {
        // These types have no map with keys that JSON lacks, and no number that it lacks.
        key.seal(subject, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// A message, if it was made with the fleet's key for this subject.
    pub(crate) fn open(
        fleet: &FleetKey,
        known: Option<&(String, SessionKey)>,
        subject: &str,
        sealed: &[u8],
    ) -> Option<Self> {
        // Which key it is, the message itself says; nothing else of it is believed before that key has opened it.
        let claim: Claim = serde_json::from_slice(sealed.get(32..)?).ok()?;
        let body = match known {
            Some((session, key)) if *session == claim.session => key.open(subject, sealed)?,
            _ => fleet.of_session(&claim.session).open(subject, sealed)?,
        };
        serde_json::from_slice(body).ok().filter(|envelope: &Self| envelope.v == VERSION)
    }
}

#[derive(Deserialize)]
struct Claim {
    session: String,
}

/// Where messages go: `dbdyno.FLEET.to.AGENT` is the coordinator's word to an agent, `dbdyno.FLEET.all` to all, and
/// `dbdyno.FLEET.from.AGENT` an agent's. So accounts can be held to what they need.
#[derive(Debug, Clone)]
pub(crate) struct Subjects {
    fleet: String,
}

impl Subjects {
    pub(crate) fn new(fleet: &str) -> Self {
        Self { fleet: fleet.to_owned() }
    }

    pub(crate) fn all(&self) -> String {
        format!("dbdyno.{}.all", self.fleet)
    }

    pub(crate) fn to(&self, agent: &str) -> String {
        format!("dbdyno.{}.to.{agent}", self.fleet)
    }

    pub(crate) fn from(&self, agent: &str) -> String {
        format!("dbdyno.{}.from.{agent}", self.fleet)
    }

    /// The agent that a message is from, by its subject.
    pub(crate) fn sender<'s>(&self, subject: &'s str) -> Option<&'s str> {
        subject.strip_prefix(&self.from("")).filter(|name| is_name(name))
    }
}

/// Whether a text may be the name of a fleet or of an agent: it is a token of a subject.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=64).contains(&text.len()) && text.chars().all(is_fit)
}

/// Which messages of a sender are new: each number counts once, and what is older than the last thousand is too old.
#[derive(Debug, Clone, Default)]
pub(crate) struct Freshness {
    newest: u64,
    /// Those of the last thousand that were there.
    seen: BTreeSet<u64>,
}

impl Freshness {
    const KEPT: u64 = 1_024;

    /// Notes a number. False where it was there before, or is too old to tell.
    pub(crate) fn is_new(&mut self, n: u64) -> bool {
        if n + Self::KEPT <= self.newest || !self.seen.insert(n) {
            return false;
        }
        self.newest = self.newest.max(n);
        while self.seen.first().is_some_and(|oldest| oldest + Self::KEPT <= self.newest) {
            self.seen.pop_first();
        }
        true
    }

    /// Whether it is the newest number so far.
    pub(crate) fn is_newest(&self, n: u64) -> bool {
        n == self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_counts_once() {
        let mut fresh = Freshness::default();
        assert!(fresh.is_new(1) && fresh.is_new(3) && fresh.is_new(2));
        assert!(!fresh.is_new(2) && fresh.is_newest(3) && !fresh.is_newest(2));
        assert!(fresh.is_new(5_000) && !fresh.is_new(3), "too old to tell");
    }

    #[test]
    fn names_are_tokens_of_subjects() {
        assert!(is_name("host-1_a"));
        for text in ["", "a.b", "a b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(!is_name(text), "{text}");
        }
        let subjects = Subjects::new("f");
        assert_eq!(subjects.sender("dbdyno.f.from.a"), Some("a"));
        assert_eq!(subjects.sender("dbdyno.f.from.a.b"), None);
        assert_eq!(subjects.sender("dbdyno.g.from.a"), None);
    }

    #[test]
    fn a_message_opens_in_its_session_alone() {
        let fleet = FleetKey::new(&"k".repeat(40)).unwrap();
        let key = fleet.of_session("s");
        let envelope = Envelope::new("s", "", 1, ToAgent::Seek);
        let sealed = envelope.sealed(&key, "x");
        assert_eq!(Envelope::open(&fleet, None, "x", &sealed), Some(envelope.clone()));
        assert_eq!(Envelope::open(&fleet, Some(&("s".to_owned(), key)), "x", &sealed), Some(envelope));
        let other = FleetKey::new(&"o".repeat(40)).unwrap();
        assert_eq!(Envelope::<ToAgent>::open(&other, None, "x", &sealed), None);
    }
}
