//! What the sessions of a point measured together.

use super::counts::Executed;
use crate::WorkLog;
use dbdyno_engine::EngineError;
use dbdyno_model::{OpenLoop, Outcomes, Series};
use dbdyno_stats::Histogram;

/// The result of all sessions, ready to be judged.
#[derive(Debug)]
pub struct ClientResult {
    /// The work: before the window, in each of its seconds, and after it.
    pub log: WorkLog,
    /// How transactions ended, inside and outside the window.
    pub outcomes: Outcomes,
    /// The same for each type, with its times.
    pub types: Vec<TypeResult>,
    /// What was executed, inside and outside the window.
    pub(crate) executed: Executed,
    /// The error that ended the point, if there was one.
    pub error: Option<EngineError>,
    /// The first error that ended a transaction and not the point.
    pub(crate) first_failure: Option<EngineError>,
    /// Service times inside the window.
    pub service: Histogram,
    /// Response times inside the window, where a rate was set; for transactions that were due and had not ended, their
    /// age at its end.
    pub response: Option<Histogram>,
    /// How long each of these transactions waited for a connection, where jobs share connections. Waiting for one's own
    /// user is left out.
    pub connection_wait: Option<Histogram>,
    /// How the timetable was kept, where a rate was set.
    pub open_loop: Option<OpenLoop>,
    /// The window, second by second.
    pub series: Series,
}

/// The result of one transaction type.
#[derive(Debug)]
pub struct TypeResult {
    /// Service times inside the window.
    pub service: Histogram,
    /// Response times inside the window, where a rate was set; for transactions that had begun and not ended, their age
    /// at its end. Transactions that never began have no type.
    pub response: Option<Histogram>,
    /// Transactions that failed inside the window.
    pub failed: u64,
    /// How transactions ended, inside and outside the window.
    pub outcomes: Outcomes,
    /// Transactions for which it is unknown whether the database has them.
    pub unknown: u64,
    /// The sum of what the program said of those that succeeded, modulo 2^64.
    pub sum: u64,
}
