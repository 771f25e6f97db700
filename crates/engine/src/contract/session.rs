//! A session at work: what it found when it prepared itself, what it is asked, and what stops it.

use super::{ChunkResult, Failure, PointSpec};
use crate::EngineError;
use crate::client::{Answer, Bound, Statements, TestForm, unsupported};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a session found when it prepared itself for a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The plan of the statement under test, as the engine explains it.
    pub plan: Option<String>,
    /// What is other than the test needs; makes the point invalid.
    pub problems: Vec<String>,
    /// In the client drive: what the test's statements are given, and what their answers say.
    pub form: Option<TestForm>,
}

/// The sessions of one process on a node, and what they have done, for another process that reads the node's counters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionAccount {
    /// Those that are open, as the server numbers them.
    pub sessions: BTreeSet<u64>,
    /// What all have done, by names of the engine's own: sums, which only grow.
    pub done: BTreeMap<String, u64>,
}

impl SessionAccount {
    /// What was done since an earlier account. The sessions are those of now.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = |name: &String| earlier.done.get(name).copied().unwrap_or(0);
        let done = self.done.iter().map(|(name, n)| (name.clone(), n.saturating_sub(before(name))));
        Self { sessions: self.sessions.clone(), done: done.collect() }
    }
}

/// One connection at work.
pub trait Session: Send {
    /// Prepares statements, checks plans, warms this session's cache for job `job` of the task. In the client drive
    /// [`Request::Statement`] names the statement under test by its number, as [`TestForm`] says.
    ///
    /// # Errors
    /// The work cannot be done.
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError>;

    /// Prepares statements of a work's own, instead of a test's: [`Request::Statement`] names them by their number.
    ///
    /// # Errors
    /// `Unsupported` where the engine has no client drive; the server's, where it does not understand one of them.
    fn prepare_statements(&mut self, _: &Statements) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Does what is asked, and returns when it is done.
    ///
    /// # Errors
    /// The engine's error, with its class and what was done before it.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure>;

    /// The rows that the last [`Request::Statement`] answered with.
    fn answer(&self) -> &Answer {
        Answer::NONE
    }

    /// What executes requests with less work for each than the session itself, as it may keep at hand what borrows from
    /// it. Whoever has it uses it alone, and drops it before the session is used again.
    fn executor(&mut self) -> Option<Box<dyn Executor + '_>> {
        None
    }

    /// Makes this session's statistics visible to [`crate::Engine::evidence`].
    ///
    /// # Errors
    /// The target is lost.
    fn flush(&mut self) -> Result<(), EngineError>;

    /// Ends the session, whose statistics are visible then; nothing is asked of it any more. It is dropped next.
    ///
    /// # Errors
    /// As for [`Session::flush`].
    fn end(&mut self) -> Result<(), EngineError> {
        self.flush()
    }

    /// A handle with which another thread can stop what this session is doing.
    fn canceller(&self) -> Arc<dyn Canceller>;

    /// What it is, for the pump that its engine brings.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }
}

/// What executes requests: a session, or what a session lends for that.
pub trait Executor {
    /// As [`Session::execute`].
    ///
    /// # Errors
    /// As there.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure>;

    /// As [`Session::answer`].
    fn answer(&self) -> &Answer;
}

impl Executor for dyn Session + '_ {
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        Session::execute(self, request)
    }

    fn answer(&self) -> &Answer {
        Session::answer(self)
    }
}

/// Stops a session's current statement from another thread.
pub trait Canceller: Send + Sync {
    /// Asks once; the session's call then returns with class `Cancelled`.
    fn cancel(&self);
}

impl<F: Fn() + Send + Sync> Canceller for F {
    fn cancel(&self) {
        self();
    }
}

/// What a session is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request<'a> {
    /// Server drive: run the task's procedure for passes `first_pass .. first_pass + passes`.
    Chunk {
        /// Ordinal of the first pass; keys are a pure function of (seed, job, pass).
        first_pass: u64,
        /// Passes to run.
        passes: u64,
    },
    /// Server drive: remove what this job's chunks have made until now (files, tables, indexes), so that the next piece
    /// begins as the first did, its passes numbered from 0 again. What the engine has counted of them stays counted;
    /// nothing is done that counts as work.
    Discard,
    /// Client drive: execute a statement that the session is prepared for, a test's or one of
    /// [`Session::prepare_statements`]. The rows are those that it answered with, which stay in [`Session::answer`]
    /// until the next request, or else those that it changed; the checksum is the sum of the whole numbers in the
    /// answer. An operation is whole when its transaction is, so `ops` stays 0.
    Statement(Bound<'a>),
    /// Client drive: commit the transaction that a statement which `opens` began.
    Commit,
    /// Client drive: roll it back, so that it can be sent again or left.
    Rollback,
    /// Client drive: open a session, prepared for the same statements. Sessions of engines do not know it, as it is
    /// asked of what stands for them.
    LogOn,
    /// Client drive: end it.
    LogOff,
}
