//! What engines with a server of their own have in common: targets, connections that are kept and opened again, sessions that load
//! side by side, the leaves that they load, and how long that took.

#[cfg(any(feature = "mariadb", feature = "oracle"))]
pub(crate) mod algorithms;
pub(crate) mod call;
mod crew;
pub(crate) mod example;
pub(crate) mod grants;
pub(crate) mod held;
mod leaf;
pub(crate) mod loading;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
pub(crate) mod namespace;
mod node;
mod nodes;
mod plan;
#[cfg(any(feature = "mariadb", feature = "oracle"))]
mod quiet;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(any(feature = "mariadb", feature = "oracle"))]
mod sent;
mod silence;
mod times;
pub(crate) mod url;
mod verify;
mod vigil;
mod watch;
mod within;

pub(crate) use crew::{Crew, Stop, Tally};
pub(crate) use held::Held;
#[cfg(feature = "postgres")]
pub(crate) use leaf::month_name;
pub(crate) use leaf::{Leaf, leaf_name, leaves};
pub(crate) use node::Node;
pub(crate) use nodes::{add_seen, node_count, sum};
pub(crate) use plan::fits;
#[cfg(any(feature = "mariadb", feature = "oracle"))]
pub(crate) use quiet::caught;
#[cfg(any(feature = "mariadb", feature = "oracle"))]
pub(crate) use sent::{between, without_variables};
pub(crate) use silence::answers;
pub(crate) use times::{Clock, Phase, Times};
pub(crate) use verify::{Reading, checksum, prove};
#[cfg(any(feature = "postgres", feature = "mariadb"))]
pub(crate) use vigil::Asked;
pub(crate) use vigil::{Post, Told, Vigil, Wait, look_after};
pub(crate) use watch::{Seen, Watch};
#[cfg(any(feature = "postgres", feature = "mariadb"))]
pub(crate) use within::fell_silent;
pub(crate) use within::{NO_THREAD, within};

use crate::{Canceller, EngineError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A connection to a server.
pub(crate) trait ServerLink: Send {
    /// The number under which the server lists this session.
    fn session_id(&self) -> u64;

    /// Runs statements that have no answer, or none that matters.
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError>;

    /// Runs a statement and gives its rows as text.
    ///
    /// # Errors
    /// As for [`ServerLink::batch`].
    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError>;

    /// Whether the connection is known to have ended.
    fn is_closed(&self) -> bool;

    /// Whether somebody has cancelled this link's work.
    fn cancelled(&self) -> bool;

    /// A handle that stops this link's statement from another thread.
    fn canceller(&self) -> Arc<dyn Canceller>;
}

/// The first value of the first row.
pub(crate) fn first(rows: Vec<Vec<Option<String>>>) -> Option<String> {
    rows.into_iter().next()?.into_iter().next()?
}

/// What a lock holds, also where a thread has panicked while it held it: everything behind these locks is whole at every
/// moment.
pub(crate) fn recover<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
