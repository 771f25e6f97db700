//! What engines with a server of their own have in common: targets, connections that are kept and opened again,
//! sessions that load side by side, the leaves that they load, and how long that took.

pub mod algorithms;
pub mod call;
pub mod contents;
mod engine;
pub mod example;
pub mod grants;
mod facts;
mod fill;
pub mod held;
mod inspect;
mod leaf;
mod loader_pool;
pub mod load;
mod location;
pub mod namespace;
mod node;
mod nodes;
mod plan;
mod product;
mod quiet;
mod remove;
mod rows;
mod run_lock;
mod sent;
mod silence;
mod socket;
mod tables;
mod times;
pub mod url;
mod verify;
mod vigil;
mod watch;
mod watches;
mod within;

pub use held::Held;
pub use facts::expected;
pub use leaf::month_name;
pub use leaf::{Leaf, leaf_name, leaves};
pub use loader_pool::{LoaderPool, Stop, Tally};
pub use location::ServerLocation;
pub use node::Node;
use nodes::{add_seen, sum};
pub use nodes::{node_count, statistics};
pub use plan::fits;
pub use product::{Product, ServerEngine};
pub use quiet::caught;
pub use rows::{Rows, damaged};
pub use sent::{between, without_variables};
pub use silence::answers;
pub use socket::{copy_of, has_hung_up};
pub use tables::{Load, LoadRequest, NodeOf, ProductTables, ProductTarget};
pub use times::{Clock, Phase, Times};
use verify::prove;
pub use verify::checksum;
pub use vigil::Asked;
pub use vigil::{Post, Told, Vigil, Wait, look_after};
pub use watch::{Seen, Watch};
pub use watches::{NodeStatistics, Watches, no_point};
pub use within::fell_silent;
pub use within::{NO_THREAD, within};

use crate::client::Values;
use crate::data::Column;
use crate::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
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

    /// Runs one statement with texts at its places (`$1`, `:1` or `?`, as the product writes them).
    ///
    /// # Errors
    /// As for [`Connection::batch`].
    fn execute_with(&mut self, doing: &str, _sql: &str, _texts: &[&str]) -> Result<(), EngineError> {
        Err(no_bulk_path(doing))
    }

    /// Runs a query, with the values of a key at its places, and hands over its rows one by one: a value for each of
    /// these columns. What `each` answers ends the query.
    ///
    /// # Errors
    /// As for [`Connection::batch`]; `Corruption` where a column has a value that it cannot have; what `each` answers.
    fn rows(
        &mut self,
        doing: &str,
        _sql: &str,
        _key: &Values,
        _columns: &[Column],
        _each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        Err(no_bulk_path(doing))
    }

    /// Sends rows by the product's bulk path, as many at once as that takes. Does not commit.
    ///
    /// # Errors
    /// As for [`Connection::batch`]; `Corruption` where the server took others; `Cancelled` once the rows say so.
    fn insert(&mut self, doing: &str, _sql: &str, _rows: &mut Rows<'_>) -> Result<(), EngineError> {
        Err(no_bulk_path(doing))
    }

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

/// The error of a connection that is made for a session alone.
fn no_bulk_path(doing: &str) -> EngineError {
    EngineError::new(ErrorClass::Unsupported, format!("{doing}: this connection has no bulk path"))
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
