//! Why a fleet cannot be used.

use crate::network::NetworkError;
use crate::seal::KeyError;

/// Why a fleet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// NATS cannot be reached.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The fleet's key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// No agent answers.
    #[error(
        "no agent of the fleet {0} answers: start `dbdyno agent` on each driver host, with the same NATS server, fleet and key"
    )]
    Nobody(String),
    /// Too few answer.
    #[error("{wanted} agents of the fleet {fleet} were asked for, and {} answered: {}", found.len(), names(found))]
    TooFew {
        /// The fleet.
        fleet: String,
        /// How many were asked for.
        wanted: usize,
        /// The agents that answered.
        found: Vec<String>,
    },
    /// Two agents have one name.
    #[error("two agents are named {0}: give each a name of its own (`dbdyno agent --name`)")]
    Twice(String),
    /// An agent belongs to another run.
    #[error("agent {0} measures another run: wait for its end, or use another fleet")]
    Busy(String),
    /// An agent is of another version or build.
    #[error("{agent} has dbdyno {theirs}, and this is {ours}: all hosts of a fleet need the same")]
    Unlike {
        /// The agent.
        agent: String,
        /// Its version and build.
        theirs: String,
        /// The version and build of this dbdyno.
        ours: String,
    },
    /// An agent cannot take part.
    #[error("{agent} cannot take part: {why}")]
    Refused {
        /// The agent.
        agent: String,
        /// Why.
        why: String,
    },
    /// An agent is lost.
    #[error("agent {0} is lost: nothing has been heard from it for too long")]
    Lost(String),
    /// Some have not opened what the run works on.
    #[error(
        "{agents} did not open what the run works on within {limit_s} s: the output of `dbdyno agent` on their hosts says what they wait for"
    )]
    Slow {
        /// Their names.
        agents: String,
        /// How long was waited, in seconds.
        limit_s: u64,
    },
    /// The user stopped the command.
    #[error("stopped")]
    Stopped,
}

fn names(found: &[String]) -> String {
    if found.is_empty() { "none".to_owned() } else { found.join(", ") }
}
