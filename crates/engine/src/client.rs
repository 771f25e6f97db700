//! What a client sends. For a transaction of a test: which keys, in which order, statement by statement; an engine knows how
//! the statement reads, the drive when it is sent, and keys are those of the server drive, so that both do the same work. An
//! application's work has statements of its own and brings their values.

mod statements;
mod values;

use crate::data::Keys;
use crate::{EngineError, Task};
use dbdyno_model::{ErrorClass, Procedure, Shape, TableName};
#[cfg(any(feature = "postgres", feature = "mariadb", feature = "sqlite", feature = "oracle"))]
pub(crate) use statements::placed;
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
pub(crate) fn unsupported() -> EngineError {
    EngineError::new(ErrorClass::Unsupported, "this work has no client drive")
}

#[cfg(test)]
#[cfg(any(feature = "postgres", feature = "mariadb", feature = "oracle"))]
mod tests {
    use super::*;
    use crate::server::samples;
    use std::collections::BTreeSet;

    fn task(procedure: Procedure) -> Task {
        let test = samples::tests().into_iter().find(|test| test.procedure == procedure).unwrap();
        Task { jobs: 3, rows_per_tx: 4, ..samples::task(&test, 1) }
    }

    /// Keys of the first transactions of each job.
    fn keys(task: &Task) -> Vec<Vec<u64>> {
        let of_job = |job| {
            let mut transactions = Transactions::new(task, job);
            let mut keys = Vec::new();
            for _ in 0..50 {
                keys.extend((0..transactions.statements()).map(|i| transactions.statement(i).key));
                transactions.advance();
            }
            keys
        };
        (0..task.jobs).map(of_job).collect()
    }

    #[test]
    fn jobs_that_write_never_meet() {
        for procedure in [Procedure::Insert, Procedure::UpdatePrimary, Procedure::UpdateSecondary] {
            let jobs: Vec<BTreeSet<u64>> = keys(&task(procedure)).into_iter().map(BTreeSet::from_iter).collect();
            assert!(jobs[0].is_disjoint(&jobs[1]) && jobs[1].is_disjoint(&jobs[2]), "{procedure:?}");
        }
    }

    #[test]
    fn rows_are_inserted_without_a_gap() {
        let mut numbers: Vec<u64> = keys(&task(Procedure::Insert)).concat();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..600).collect::<Vec<_>>());
    }

    #[test]
    fn a_transaction_that_is_sent_again_is_the_same() {
        for test in samples::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
            let mut transactions = Transactions::new(&samples::task(&test, 1), 0);
            for _ in 0..3 {
                let send = |all: &mut Transactions| (0..all.statements()).map(|i| all.statement(i)).collect::<Vec<_>>();
                let first = send(&mut transactions);
                transactions.again();
                assert_eq!(send(&mut transactions), first, "{}", test.code);
                transactions.advance();
            }
        }
    }

    #[test]
    fn what_ends_with_a_commit_begins_with_its_first_statement() {
        for test in samples::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
            let mut transactions = Transactions::new(&samples::task(&test, 1), 0);
            let opens: Vec<bool> = (0..transactions.statements()).map(|i| transactions.statement(i).opens).collect();
            assert_eq!(opens[0], transactions.commits(), "{}", test.code);
            assert!(opens[1..].iter().all(|opens| !opens), "{}", test.code);
        }
    }
}
