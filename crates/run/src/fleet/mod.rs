//! Several hosts that share a point. One coordinates: it prepares the point, reads the server's counters, merges what
//! the hosts did, and judges it as it judges its own. The others are agents: each runs the sessions of its share
//! ([`measure_part`]). How they speak to each other is none of this room's business: [`Fleet`] and [`Starts`].

mod agent;
mod check;
mod contract;
mod coordinator;
mod part;
mod share;

pub use agent::measure_part;
pub use contract::{AgentPart, AgentReady, Fleet, Member, PartOrder, Ready, Starts};
pub(crate) use coordinator::SharedPoint;
pub use part::Part;
pub(crate) use part::{PartWork, ServerPart};
pub use share::Share;
