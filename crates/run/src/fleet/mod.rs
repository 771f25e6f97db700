//! Several hosts that share a point. One coordinates: it prepares the point, reads the server's counters, merges what
//! the hosts did, and judges it as it judges its own. The others are agents: each runs the sessions of its share
//! ([`measure_part`]), or does its share of the I/O ([`measure_storage_part`]). How they speak to each other is none of
//! this room's business: [`Fleet`] and [`Starts`].

mod agent;
mod check;
mod contract;
mod coordinator;
mod part;
mod share;
mod storage_part;

pub use agent::measure_part;
pub(crate) use check::{PlannedWindow, check};
pub use contract::{AgentReady, Fleet, Member, PartOrder, Ready, SessionsOrder, Starts, StorageOrder};
pub(crate) use coordinator::{LEAD_NS, PARTS_LIMIT_NS, SharedPoint, agent_use, gather_parts};
pub use part::{AgentPart, Part};
pub(crate) use part::{MergedWork, PartWork, ServerPart};
pub use share::Share;
pub use storage_part::measure_storage_part;
