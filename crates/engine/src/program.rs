//! What sessions do, over and over: a program knows transactions (types, weights, statements, values, pauses), what to
//! do again, and nothing of clocks, rates and retries. The client drive runs any program; a test is a program of one
//! type.

use crate::ChunkResult;
use crate::client::{Answer, Values};
pub use dbdyno_stats::TypeId;

/// A type of transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionType {
    /// What it is called.
    pub name: String,
    /// How often it comes, beside the weights of the other types.
    pub weight: u32,
}

/// What a transaction does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Execute a statement with [`Program::values`].
    Execute {
        /// Its number among those that its session is prepared for.
        statement: usize,
        /// How often, in one round trip where the engine can: the values of each execution follow those of the one
        /// before.
        times: usize,
        /// Whether a transaction of several statements begins with it, which [`Act::Commit`] or [`Act::Rollback`] ends.
        opens: bool,
    },
    /// Pause for so many nanoseconds, within the transaction.
    Think(u64),
    /// Commit what was opened.
    Commit,
    /// Roll it back, as the program wants it: the transaction has done what it is for.
    Rollback,
    /// Open a session of its own, as an application that logs on for each transaction does.
    LogOn,
    /// End that session.
    LogOff,
    /// Nothing more: it has ended.
    Ended,
}

/// How a transaction has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The database has acknowledged it.
    Committed,
    /// The database has none of it.
    RolledBack,
    /// The answer to what would have made it durable never came.
    Unknown,
}

/// What sessions do over and over; one value for each session.
pub trait Program: Send {
    /// The types of its transactions.
    fn types(&self) -> &[TransactionType];

    /// Begins the next transaction, and says of which type it is.
    fn begin(&mut self) -> TypeId;

    /// Goes back to the beginning of this transaction: the database wants it to be sent again, with the same values.
    fn again(&mut self);

    /// What to do next; `reply` is what came of the last act, where that was sent: what it did, and the rows of its
    /// answer.
    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act;

    /// The values of the statement that is to be executed.
    fn values(&self) -> &Values;

    /// What this transaction has done so far: its rows, and a sum over what it touched.
    fn did(&self) -> ChunkResult;

    /// Whether the statement under way would change the database if it is sent outside a transaction. Nothing is
    /// unknown of one that only reads.
    fn changes(&self) -> bool {
        true
    }

    /// The transaction has ended so.
    fn ended(&mut self, _: Outcome) {}
}

impl<P: Program + ?Sized> Program for Box<P> {
    fn types(&self) -> &[TransactionType] {
        (**self).types()
    }

    fn begin(&mut self) -> TypeId {
        (**self).begin()
    }

    fn again(&mut self) {
        (**self).again();
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        (**self).act(reply)
    }

    fn values(&self) -> &Values {
        (**self).values()
    }

    fn did(&self) -> ChunkResult {
        (**self).did()
    }

    fn changes(&self) -> bool {
        (**self).changes()
    }

    fn ended(&mut self, outcome: Outcome) {
        (**self).ended(outcome);
    }
}
