//! What a client sends. For a transaction of a test: which keys, in which order, statement by statement; an engine knows how
//! the statement reads, the drive when it is sent, and keys are those of the server drive, so that both do the same work. An
//! application's work has statements of its own and brings their values.

mod statements;
mod values;

use crate::data::Keys;
use crate::{EngineError, Task};
use dbdyno_model::{ErrorClass, Procedure, Shape, TableName};
pub use statements::placed;
pub use statements::{Bound, Statements};
pub use values::{Answer, Value, Values};

/// What a statement of a test touches. Its text is the engine's, prepared beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touch {
    /// The key that rows are looked up by, or the number (from 0) of the row that is inserted.
    pub key: u64,
    /// What more it needs: for an insert the row that is copied; for a search through all months the one that it begins with.
    pub other: u64,
    /// Whether a transaction of several statements begins with it; [`crate::Request::Commit`] ends that.
    pub opens: bool,
}

/// The transactions of one job, one after the other.
#[derive(Debug, Clone)]
pub struct Transactions {
    work: Procedure,
    keys: Keys,
    /// The keys when the current transaction began, for those that are sent again.
    begun: Keys,
    number: u64,
    statements: u64,
    rows: u64,
    values: u64,
    small_rows: u64,
    job: u64,
    jobs: u64,
}

/// Months that the large table has rows of.
const MONTHS: u64 = dbdyno_model::Size::RANGES;

impl Transactions {
    /// The transactions of a job of a task.
    #[must_use]
    pub fn new(task: &Task, job: u32) -> Self {
        let work = task.test.procedure;
        // A join begins with a customer of the small table.
        let shape = match work {
            Procedure::Join => Shape::Small,
            _ => task.test.table.map_or(Shape::Small, TableName::shape),
        };
        let keys = Keys::at(task.key_seed, job, 0);
        Self {
            work,
            keys,
            begun: keys,
            number: 0,
            statements: task.test.executions_per_op(task.rows_per_tx).max(1),
            rows: task.size.rows(shape),
            values: task.size.values(shape),
            small_rows: task.size.small_rows,
            job: job.into(),
            jobs: task.jobs.into(),
        }
    }

    /// Statements of a transaction.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements
    }

    /// Whether a commit is sent after the statements: a single statement is a transaction of its own, and statements that
    /// only read need none.
    #[must_use]
    pub fn commits(&self) -> bool {
        self.work.writes() && self.statements > 1
    }

    /// Goes on to the next transaction.
    pub fn advance(&mut self) {
        self.number += 1;
        self.begun = self.keys;
    }

    /// Goes back to the beginning of this one.
    pub fn again(&mut self) {
        self.keys = self.begun;
    }

    /// Statement `i`, 0 first. They are asked for in order.
    pub fn statement(&mut self, i: u64) -> Touch {
        let opens = i == 0 && self.commits();
        let (job, jobs) = (self.job, self.jobs);
        let (key, other) = match self.work {
            Procedure::Insert => {
                let number = (self.number * self.statements + i) * jobs + job;
                (number, number % self.small_rows + 1)
            }
            Procedure::UpdatePrimary => (self.keys.primary(self.rows, i, self.statements, job, jobs), 0),
            Procedure::UpdateSecondary => (self.keys.secondary(self.values, job, jobs), 0),
            // Whoever only reads need not own what it reads.
            Procedure::SelectPrimary => (self.keys.primary(self.rows, i, self.statements, 0, 1), 0),
            _ => {
                let key = self.keys.secondary(self.values, 0, 1);
                (key, self.keys.state % MONTHS)
            }
        };
        Touch { key, other, opens }
    }
}

/// What an engine answers that has no client drive, or none for the work of a test.
pub fn unsupported() -> EngineError {
    EngineError::new(ErrorClass::Unsupported, "this work has no client drive")
}
