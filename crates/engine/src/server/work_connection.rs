//! What a session at work asks of its connection: the call of a procedure, and prepared statements of a client.

use super::Connection;
use super::call::{ARGUMENTS, SUMS};
use super::prepared::{Execution, PreparedText};
use crate::EngineError;
use crate::client::{Answer, unsupported};

/// A connection over which a session works.
pub trait WorkConnection: Connection {
    /// A prepared call of a procedure.
    type Call: Send;
    /// A prepared statement of a client.
    type Statement: Send;

    /// Prepares the call of a procedure.
    ///
    /// # Errors
    /// The server's.
    fn prepare_call(&mut self, doing: &str, call: &str) -> Result<Self::Call, EngineError>;

    /// Calls a procedure, which may take as long as it needs: the four sums that it gives back.
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    fn call(
        &mut self,
        doing: &str,
        call: &mut Self::Call,
        numbers: &[i64; ARGUMENTS],
    ) -> Result<[u64; SUMS], EngineError>;

    /// Prepares a statement of a client.
    ///
    /// # Errors
    /// The server's, where it does not understand it; `Unsupported` where no client is driven over such a connection.
    fn prepare_statement(&mut self, _doing: &str, _text: &PreparedText) -> Result<Self::Statement, EngineError> {
        Err(unsupported())
    }

    /// Executes a statement once, in one round trip: the rows that it changed; those that it answers with go into
    /// `answer`. `alone` says that it is a transaction of its own.
    ///
    /// # Errors
    /// As for [`WorkConnection::call`].
    fn execute(
        &mut self,
        _doing: &str,
        _statement: &Self::Statement,
        _execution: &Execution<'_>,
        _alone: bool,
        _answer: &mut Answer,
    ) -> Result<u64, EngineError> {
        Err(unsupported())
    }

    /// Whether a statement that is a transaction of its own needs a commit after it.
    fn needs_commit(&self, _: &Self::Statement) -> bool {
        false
    }

    /// Whether a statement that fails may leave a transaction of its own open.
    fn may_leave_open(&self, _: &Self::Statement) -> bool {
        false
    }

    /// Opens a transaction, where that takes a statement.
    ///
    /// # Errors
    /// As for [`WorkConnection::call`].
    fn begin(&mut self, _doing: &str) -> Result<(), EngineError> {
        Ok(())
    }

    /// Commits what is open.
    ///
    /// # Errors
    /// As for [`WorkConnection::call`].
    fn commit(&mut self, _doing: &str) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`WorkConnection::call`].
    fn roll_back(&mut self, _doing: &str) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Rolls back a transaction in which something failed. A session that cannot do this either is lost.
    fn undo(&mut self, doing: &str) {
        drop(self.roll_back(doing));
    }
}
