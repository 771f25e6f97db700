//! What everything in this room asks of a connection to a server, whatever the product.

use super::rows::Rows;
use crate::client::Values;
use crate::data::Column;
use crate::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use std::sync::Arc;

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

    /// Whether somebody has cancelled this connection's work.
    fn cancelled(&self) -> bool;

    /// A handle that stops this connection's statement from another thread.
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
