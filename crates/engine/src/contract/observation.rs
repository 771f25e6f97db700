//! What a server tells of itself and of everybody's work at one moment: the database's part of a reading.

use crate::EngineError;
use dbdyno_model::{Counters, SessionReading, SessionState};
use std::collections::BTreeMap;
use std::time::Instant;

/// How much is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Counters, sessions by state, waits: cheap enough for once a second.
    Counters,
    /// Statements and sessions one by one, too: for once in ten seconds.
    Statements,
}

/// What one node told. All counts are cumulative.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observation {
    /// When it was told, where it may be handed on later than that.
    pub at: Option<Instant>,
    /// What the server has counted for everybody, in all its databases. Among the waits is the time of sessions at work
    /// that waited for nothing, and time that was sampled grows by the time since the look before.
    pub counters: Counters,
    /// Commits among them that are those of the connection that looks, as far as the server counts these.
    pub own_commits: u64,
    /// Sessions of clients by state, without those that look; none where they are not seen.
    pub sessions: BTreeMap<SessionState, u32>,
    /// How far the standby that is furthest behind lags, where there is one.
    pub replication_lag_s: Option<f64>,
    /// Statements, where they were asked for.
    pub statements: Vec<StatementCount>,
    /// Sessions at work, that with the oldest statement first, where they were asked for.
    pub at_work: Vec<SessionReading>,
    /// JSON path below a reading's `database` (`sessions`, `waits`, `replication_lag_s`), or `top.statements`,
    /// `top.sessions` -> why it is absent.
    pub missing: BTreeMap<String, String>,
}

/// What a statement has cost so far. Its text has no literal in it: [`dbdyno_model::StatementReading`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementCount {
    /// The server's own number of it.
    pub digest: String,
    /// Its text.
    pub text: String,
    /// How often it was called.
    pub calls: u64,
    /// How long it took, in nanoseconds.
    pub time_ns: u64,
}

/// Looks at a server again and again, over connections of its own. It reads, and changes nothing. It needs none of
/// dbdyno's tables.
pub trait Observer: Send {
    /// The nodes' names, as in the target.
    fn nodes(&self) -> Vec<String>;

    /// What each node tells now, in the order of [`Observer::nodes`]. A node that does not answer is connected to anew
    /// at each look.
    fn look(&mut self, depth: Depth) -> Vec<Result<Observation, EngineError>>;

    /// Processor nanoseconds that the server has spent on this observer's own sessions, where that is to be seen.
    fn cost_ns(&self) -> Option<u64> {
        None
    }
}
