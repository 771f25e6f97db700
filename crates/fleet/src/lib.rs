//! Several driver hosts drive one point together, over NATS. A coordinator (`dbdyno run … --fleet`) has agents
//! (`dbdyno agent`) run the sessions of a point and merges what they did; what that is, `dbdyno_run` says.
//!
//! Each end of the conversation is a machine without a network (`agent_link`, `coordinator_link`), which makes
//! messages of messages and of time; `network` carries them. Nothing relies on a message to arrive: both sides tell
//! again and again, several times a second, what they want and where they are. That is also how each knows that the
//! other is there.

mod agent;
mod agent_link;
mod coordinator;
mod coordinator_link;
mod fleet_error;
mod found;
mod message;
mod network;
mod parts;
mod seal;
mod sent_target;
#[cfg(test)]
mod simulation;

use std::time::Duration;

pub use agent::{Agent, AgentWork};
pub use coordinator::Coordinator;
pub use fleet_error::FleetError;
pub use found::Found;
pub use message::{AgentInfo, DataRun, RunOn, RunOrder, StorageRun, is_name};
pub use network::{NatsAccess, NetworkError, without_login};
pub use parts::PartFolder;
pub use seal::{FleetKey, KeyError};
pub use sent_target::{SealedTarget, SentTarget};

/// How often each side tells where it is.
const BEAT_NS: u64 = 400_000_000;
/// Whoever has said nothing for so long is lost. Both sides have to notice within 2 s.
const LOST_NS: u64 = 1_600_000_000;

/// The longest rest of the network thread while a point is measured.
const TICK_NS: u64 = 100_000_000;
/// The same outside a run.
const IDLE_NS: u64 = 1_000_000_000;

/// How long a part that is measured may stay away, with its agent or with NATS.
const AWAY_NS: u64 = 60_000_000_000;

/// A message to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Out {
    pub(crate) subject: String,
    pub(crate) payload: Vec<u8>,
}

/// One end of the conversation, without a network.
pub(crate) trait Link: Send + 'static {
    /// A server that says nothing is asked this often whether it is there.
    const PING: Duration;

    /// A message has come. Returns whether those who wait at this end should look. Most messages repeat what is known.
    fn receive(&mut self, now_ns: u64, subject: &str, payload: &[u8]) -> bool;

    /// Some time has passed.
    fn tick(&mut self, now_ns: u64);

    /// How long the clock need not be looked at where nothing happens.
    fn rests_ns(&self, now_ns: u64) -> u64;

    /// What is to be sent.
    fn take_out(&mut self) -> Vec<Out>;
}
