//! What engines with a server of their own have in common: targets, connections that are kept and opened again,
//! sessions that load side by side, the leaves that they load, and how long that took.

pub mod algorithms;
pub mod call;
mod engine;
pub mod example;
pub mod grants;
pub mod held;
mod leaf;
mod loader_pool;
pub mod loading;
mod location;
pub mod namespace;
mod node;
mod nodes;
mod plan;
mod product;
mod quiet;
mod sent;
mod silence;
mod socket;
mod times;
pub mod url;
mod verify;
mod vigil;
mod watch;
mod watches;
mod within;

pub use engine::{NodeOf, ServerEngine};
pub use held::Held;
pub use leaf::month_name;
pub use leaf::{Leaf, leaf_name, leaves};
pub use loader_pool::{LoaderPool, Stop, Tally};
pub use location::ServerLocation;
pub use node::Node;
use nodes::{add_seen, sum};
pub use nodes::{node_count, statistics};
pub use plan::fits;
pub use product::Product;
pub use quiet::caught;
pub use sent::{between, without_variables};
pub use silence::answers;
pub use socket::{copy_of, has_hung_up};
pub use times::{Clock, Phase, Times};
pub use verify::{Reading, checksum, prove};
pub use vigil::Asked;
pub use vigil::{Post, Told, Vigil, Wait, look_after};
pub use watch::{Seen, Watch};
pub use watches::{NodeStatistics, Watches, no_point};
pub use within::fell_silent;
pub use within::{NO_THREAD, within};

use crate::{Canceller, EngineError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A connection to a server.
pub trait Connection: Send {
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
    /// As for [`Connection::batch`].
    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError>;

    /// Whether the connection is known to have ended.
    fn is_closed(&self) -> bool;

    /// Whether the other side has ended the connection while it was idle, as far as that shows without asking it
    /// anything.
    fn has_ended(&mut self) -> bool {
        self.is_closed()
    }

    /// Whether somebody has cancelled this link's work.
    fn cancelled(&self) -> bool;

    /// A handle that stops this link's statement from another thread.
    fn canceller(&self) -> Arc<dyn Canceller>;
}

/// The first value of the first row.
pub fn first(rows: Vec<Vec<Option<String>>>) -> Option<String> {
    rows.into_iter().next()?.into_iter().next()?
}

/// What a lock holds, also where a thread has panicked while it held it: everything behind these locks is whole at
/// every moment.
pub fn recover<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
