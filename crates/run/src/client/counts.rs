//! The counts of one session of the client drive, apart from the times in its recorder.

use crate::{LostWork, Span};
use dbdyno_engine::EngineError;
use dbdyno_model::Outcomes;
use dbdyno_stats::Histogram;
use serde::{Deserialize, Serialize};

/// A number of operations and rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpsAndRows {
    pub(crate) ops: u64,
    pub(crate) rows: u64,
}

/// How a timetable was kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimetableCounts {
    /// Taken, and due inside the window.
    pub(crate) due: u64,
    /// Due by the window's end, and not ended then.
    pub(crate) unfinished: u64,
    /// Due by the window's end, and not begun then.
    pub(crate) waiting: u64,
    /// Time of the window's second half in which nothing was due for the session.
    pub(crate) idle_ns: u64,
}

/// What became of the transactions of one type.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TypeCounts {
    pub(crate) outcomes: Outcomes,
    /// Transactions of which it is unknown whether the database has them.
    pub(crate) unknown: u64,
    /// The sum of what the program said of those that succeeded, modulo 2^64.
    pub(crate) sum: u64,
}

/// What was executed and acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Executed {
    /// Executions of each statement, by its number.
    pub(crate) by_statement: Vec<u64>,
    pub(crate) commits: u64,
    pub(crate) rollbacks: u64,
    pub(crate) logons: u64,
}

impl Executed {
    #[inline]
    pub(crate) fn statement(&mut self, statement: usize, times: u64) {
        if self.by_statement.len() <= statement {
            self.by_statement.resize(statement + 1, 0);
        }
        self.by_statement[statement] += times;
    }

    fn merge(&mut self, other: &Self) {
        for (statement, times) in other.by_statement.iter().enumerate() {
            self.statement(statement, *times);
        }
        self.commits += other.commits;
        self.rollbacks += other.rollbacks;
        self.logons += other.logons;
    }
}

/// The counts of one session, apart from the times in its recorder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Done before the window began.
    pub(crate) before: OpsAndRows,
    /// Done after the window ended.
    pub(crate) after: OpsAndRows,
    pub(crate) last_ended_ns: u64,
    /// How transactions ended.
    pub outcomes: Outcomes,
    /// The same by transaction type.
    pub(crate) types: Vec<TypeCounts>,
    pub(crate) executed: Executed,
    pub(crate) lost: LostWork,
    /// How its timetable was kept, in an open loop.
    pub(crate) timetable: TimetableCounts,
    /// Ages at the window's end of transactions that were taken from a timetable and never begun. Their type is
    /// unknown.
    pub(crate) never_begun_ns: Vec<u64>,
    /// How long transactions waited for a connection; only in the counts of `WaitingUsers`.
    pub(crate) waits: Option<Histogram>,
    /// The error that ended the job.
    pub(crate) error: Option<EngineError>,
    /// The first error that did not end the job.
    pub(crate) first_failure: Option<EngineError>,
}

impl Counts {
    /// Empty counts for a program with this number of types.
    pub(crate) fn of_types(types: usize) -> Self {
        Self { types: vec![Default::default(); types], ..Self::default() }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (ours, theirs) in [(&mut self.before, other.before), (&mut self.after, other.after)] {
            ours.ops += theirs.ops;
            ours.rows += theirs.rows;
        }
        self.last_ended_ns = self.last_ended_ns.max(other.last_ended_ns);
        self.outcomes.merge(&other.outcomes);
        self.types.resize(self.types.len().max(other.types.len()), Default::default());
        for (ours, theirs) in self.types.iter_mut().zip(&other.types) {
            ours.outcomes.merge(&theirs.outcomes);
            ours.unknown += theirs.unknown;
            ours.sum = ours.sum.wrapping_add(theirs.sum);
        }
        self.executed.merge(&other.executed);
        self.lost.merge(other.lost);
        let (ours, theirs) = (&mut self.timetable, other.timetable);
        ours.due += theirs.due;
        ours.unfinished += theirs.unfinished;
        ours.waiting += theirs.waiting;
        ours.idle_ns += theirs.idle_ns;
        self.never_begun_ns.extend(other.never_begun_ns);
        self.waits = match (self.waits.take(), other.waits) {
            (Some(mut ours), Some(theirs)) => {
                ours.merge(&theirs);
                Some(ours)
            }
            (ours, theirs) => ours.or(theirs),
        };
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }

    /// The error of a point in which nothing was done.
    pub(crate) fn nothing_done(&self, span: Option<Span>) -> EngineError {
        let failed: u64 = self.outcomes.errors.values().sum();
        match &self.first_failure {
            Some(first) => EngineError::new(
                first.class,
                format!(
                    "every transaction failed ({failed} of {}); the first said: {}",
                    self.outcomes.requests, first.message
                ),
            ),
            None => {
                let seconds = span.map_or(0.0, Span::seconds);
                let message = format!("no transaction ended inside the window of {seconds} s; use a longer --duration");
                EngineError::other(message)
            }
        }
    }
}
