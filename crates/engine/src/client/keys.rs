//! Which rows the transactions of a test touch, in which order.

use crate::PointSpec;
use crate::data::Keys;
use dbdyno_model::{ProcedureShape, RowsBy, Size};

/// What a statement of a test touches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    /// The key that rows are looked up by, or the number (from 0) of the row that is inserted.
    pub(super) key: u64,
    /// What more it needs: for an insert the row that is copied; for a range of keys the last one; for a search through
    /// all months the one that it begins with.
    pub(super) other: u64,
}

/// What the transactions of one job touch, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Touches {
    shape: ProcedureShape,
    rows_by: Option<RowsBy>,
    keys: Keys,
    /// The keys when the current transaction began, for those that are sent again.
    begun: Keys,
    number: u64,
    statements: u64,
    rows_per_tx: u64,
    rows: u64,
    values: u64,
    small_rows: u64,
    job: u64,
    jobs: u64,
}

impl Touches {
    /// Those of a job of a task.
    pub(super) fn new(spec: &PointSpec, job: u32) -> Self {
        let (procedure, table) = (spec.test.procedure, spec.test.key_shape());
        let keys = Keys::at(spec.key_seed, job, 0);
        Self {
            shape: procedure.shape,
            rows_by: procedure.rows_by,
            keys,
            begun: keys,
            number: 0,
            statements: spec.test.executions_per_op(spec.rows_per_tx).max(1),
            rows_per_tx: spec.rows_per_tx.max(1),
            rows: spec.size.rows(table),
            values: spec.size.values(table),
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
        if self.shape == ProcedureShape::Insert {
            let number = (self.number * self.statements + i) * jobs + job;
            return Touch { key: number, other: number % self.small_rows + 1 };
        }
        // A session that only reads need not own what it reads.
        let (job, jobs) = if self.shape == ProcedureShape::Update { (job, jobs) } else { (0, 1) };
        let (key, other) = match self.rows_by {
            Some(RowsBy::PrimaryKey) => (self.keys.primary(self.rows, i, self.statements, job, jobs), 0),
            Some(RowsBy::PrimaryKeyRange) => {
                let first = self.keys.range(self.rows, self.rows_per_tx);
                (first, first + self.rows_per_tx - 1)
            }
            _ => (self.keys.secondary(self.values, job, jobs), self.keys.state % Size::RANGES),
        };
        Touch { key, other }
    }
}
