//! Which rows the transactions of a test touch, in which order.

use crate::PointSpec;
use crate::data::Keys;
use dbdyno_model::{Procedure, Shape, Size, TableName};

/// What a statement of a test touches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    /// The key that rows are looked up by, or the number (from 0) of the row that is inserted.
    pub(super) key: u64,
    /// What more it needs: for an insert the row that is copied; for a search through all months the one that it begins
    /// with.
    pub(super) other: u64,
}

/// What the transactions of one job touch, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Touches {
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

impl Touches {
    /// Those of a job of a task.
    pub(super) fn new(spec: &PointSpec, job: u32) -> Self {
        let work = spec.test.procedure;
        // A join begins with a customer of the small table.
        let shape = match work {
            Procedure::Join => Shape::Small,
            _ => spec.test.table.map_or(Shape::Small, TableName::shape),
        };
        let keys = Keys::at(spec.key_seed, job, 0);
        Self {
            work,
            keys,
            begun: keys,
            number: 0,
            statements: spec.test.executions_per_op(spec.rows_per_tx).max(1),
            rows: spec.size.rows(shape),
            values: spec.size.values(shape),
            small_rows: spec.size.small_rows,
            job: job.into(),
            jobs: spec.jobs_in_all().into(),
        }
    }

    /// Statements of a transaction.
    #[inline]
    pub(super) fn statements(&self) -> u64 {
        self.statements
    }

    /// Goes on to the next transaction.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.number += 1;
        self.begun = self.keys;
    }

    /// Goes back to the beginning of this one.
    pub(super) fn again(&mut self) {
        self.keys = self.begun;
    }

    /// What statement `i` touches, 0 first. They are asked for in order.
    #[inline]
    pub(super) fn statement(&mut self, i: u64) -> Touch {
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
                (key, self.keys.state % Size::RANGES)
            }
        };
        Touch { key, other }
    }
}
