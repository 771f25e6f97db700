//! How hosts that share a point speak to each other, whatever carries it.

use super::part::{AgentPart, Part};
use super::share::Share;
use crate::{HostProgress, StopSwitch};
use dbdyno_engine::{EngineError, SessionAccount};
use dbdyno_model::PlannedPoint;
use dbdyno_storage::{BackendKind, IoLoad};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a host is asked to do of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartOrder {
    /// To run sessions.
    Sessions(Box<SessionsOrder>),
    /// To read and write devices and files.
    Storage(StorageOrder),
}

/// The part of a storage point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StorageOrder {
    /// The host's share of the load.
    pub load: IoLoad,
    /// How the I/O is done.
    pub backend: BackendKind,
}

/// The part of a point on a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionsOrder {
    /// The whole point.
    pub planned: PlannedPoint,
    /// The host's share of it.
    pub share: Share,
    /// The rate of all jobs on all hosts together, where one is set.
    pub asked_per_s: Option<f64>,
    /// The node that its sessions work on; none where they take turns over all.
    pub node: Option<u32>,
}

/// A host that is prepared: its sessions are open, or its threads for I/O are there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// The plan of the statement under test, where there is one.
    pub plan: Option<String>,
    /// What is other than the test needs.
    pub problems: Vec<String>,
    /// What could not be proved.
    pub doubts: Vec<String>,
    /// Its sessions, by node.
    pub sessions: Vec<SessionAccount>,
}

/// Who lets a host's share begin.
pub trait Starts {
    /// The host is prepared. Waits until it is known when the first jobs are to begin, by this host's clock; none
    /// where they are not to begin at all.
    fn ready(&mut self, ready: Ready) -> Option<u64>;

    /// Its part has ended. Waits until the coordinator has it, and has read the server's counters: sessions are open
    /// until then, as what they do when they end counts, too.
    ///
    /// # Errors
    /// The part cannot be kept.
    fn ended(&mut self, part: Part) -> Result<(), EngineError>;
}

/// A host that takes part.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// How much of a point it takes, beside the others.
    pub weight: f64,
    /// The node that its sessions work on; none where they take turns over all.
    pub node: Option<u32>,
    /// Its process, where it runs on the coordinator's machine.
    pub pid_here: Option<u32>,
}

/// A member whose sessions are open and prepared.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentReady {
    /// Its place among the members.
    pub member: usize,
    /// What it found.
    pub ready: Ready,
    /// What its clock shows more than the coordinator's, in nanoseconds.
    pub offset_ns: i64,
    /// By how much that may be wrong.
    pub bound_ns: u64,
}

/// The hosts that share the points of a run.
pub trait Fleet: Send + Sync {
    /// The hosts, in the order in which jobs are dealt out.
    fn members(&self) -> Vec<Member>;

    /// Has each member that gets an order prepare itself. Returns when all have.
    ///
    /// # Errors
    /// A member is lost or cannot; or the user stops the waiting.
    fn prepare(&self, orders: &[Option<PartOrder>], stop: &StopSwitch) -> Result<Vec<AgentReady>, EngineError>;

    /// Lets all of them begin at a moment of the coordinator's clock. `ends_ns` is the end of the window, where that is
    /// planned.
    fn start(&self, starts_ns: u64, ends_ns: Option<u64>);

    /// What each host has done in the window so far, by its name; those that have told nothing of it are left out.
    fn progress(&self) -> BTreeMap<String, HostProgress>;

    /// Some of the parts that have come and were not given before; waits so long where there are none.
    ///
    /// # Errors
    /// A member is lost, or its sessions did not come to their end.
    fn parts(&self, limit: Duration) -> Result<Vec<AgentPart>, EngineError>;

    /// The point is over, however it ended: sessions are ended, and what is still at work is cancelled.
    fn end(&self);

    /// The point is recorded: members may forget their parts.
    fn recorded(&self);

    /// Which members are lost, in words, if any.
    fn lost(&self) -> Option<String>;

    /// Whether a member is lost.
    fn is_lost(&self, member: usize) -> bool;
}
