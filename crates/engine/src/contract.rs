//! The contract that every engine keeps. The conformance suite (`dbdyno_testkit::conformance`) holds each of them to
//! it.

mod told;
mod workloads;

pub use told::finding;
pub use told::{
    BlockWrites, Difference, Durability, DurablePlaces, Features, Finding, FindingLevel, Inspection, LoadReport,
    Loaded, Settled, TableLoad,
};
pub use workloads::{ProgramTask, Workloads};

use crate::client::{Answer, Bound, Statements, TestForm};
use crate::data::{Columns, Sample};
use crate::{AloneAnyway, EngineError, Hold, PointStatistics, Pump, ThreadPump};
use dbdyno_model::{CommitMode, Counters, Database, Drive, Size, TableName, Test};
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A database that can be measured. One value serves a whole run; it is shared by all threads.
pub trait Engine: Workloads + Send + Sync {
    /// The engine's name as in targets and mappings.
    fn name(&self) -> &'static str;

    /// What the measuring must know about the engine.
    fn features(&self) -> Features;

    /// Version, settings that decide figures, facts. Changes nothing.
    ///
    /// # Errors
    /// The target cannot be reached.
    fn describe(&self) -> Result<Database, EngineError>;

    /// How durable commits are with the settings in force, in this drive: those of a procedure may wait less than a
    /// client's.
    ///
    /// # Errors
    /// The target cannot be reached.
    fn durability(&self, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError>;

    /// Looks at the target without changing it: can it be reached, are privileges there, what stands in the way.
    fn check(&self, size: &Size) -> Vec<Finding>;

    /// Which data the target holds.
    ///
    /// # Errors
    /// The target cannot be reached, or what it holds cannot be read.
    fn loaded(&self) -> Result<Loaded, EngineError>;

    /// The tables that this engine needs for its mappings, in loading order.
    fn tables(&self) -> Vec<TableName>;

    /// Bytes that loading this size takes, work space for index builds and inserts included.
    fn space_needed_bytes(&self, size: &Size) -> u64;

    /// Creates and fills all tables, going on where an interrupted load of the same size and seed stopped; verifies
    /// every table's checksum against the generator's unless told otherwise. `jobs` load at the same time where the
    /// engine can. Ends settled: indexed, analysed, written out.
    ///
    /// # Errors
    /// Anything that ends the load; what was committed stays, for the next attempt.
    fn load(
        &self,
        size: &Size,
        seed: u64,
        jobs: u32,
        verify: bool,
        watch: &dyn LoadWatch,
    ) -> Result<LoadReport, EngineError>;

    /// The checksum over columns of a table's rows as the database gives them back: [`crate::data::Checksum`].
    ///
    /// # Errors
    /// The table cannot be read.
    fn checksum(
        &self,
        table: TableName,
        columns: Columns,
        watch: &dyn LoadWatch,
    ) -> Result<crate::data::Checksum, EngineError>;

    /// Looks at a table that was loaded some time ago, and changes nothing: whether its kind, columns, partitions,
    /// keys, triggers and whatever else decides how it works are those that this engine makes, and whether the rows of
    /// the sample are the generator's.
    ///
    /// # Errors
    /// The target is lost, or does not tell.
    fn inspect(&self, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError>;

    /// Drops everything that belongs to dbdyno, and nothing else. Returns whether there was anything.
    ///
    /// # Errors
    /// Something could not be dropped, or the schema is not dbdyno's.
    fn drop_all(&self) -> Result<bool, EngineError>;

    /// Makes sure that no other dbdyno measures, loads or drops here while what it answers lives, and waits for what an
    /// earlier one has left at work, because a server may outlive its client by long. Whoever measures does this first.
    ///
    /// # Errors
    /// Another dbdyno is at work here; `Cancelled` once the watch says so.
    fn hold(&self, _: &dyn LoadWatch) -> Result<Arc<dyn Hold>, EngineError> {
        Ok(Arc::new(AloneAnyway))
    }

    /// Brings the engine to rest (checkpoint, vacuum, purge) within a limit.
    ///
    /// # Errors
    /// The target is lost.
    fn settle(&self, limit: Duration) -> Result<Settled, EngineError>;

    /// Prepares a point that all jobs share: empty tables for inserts, caches warmed.
    ///
    /// # Errors
    /// The point cannot be prepared.
    fn begin_point(&self, task: &Task) -> Result<(), EngineError>;

    /// Cleans up after a point, also after one that failed.
    ///
    /// # Errors
    /// Something is left behind.
    fn end_point(&self, task: &Task) -> Result<(), EngineError>;

    /// Opens a session for a job of a point in the server drive. `job` counts from 0; jobs take turns over the first
    /// `nodes` of the target's nodes.
    ///
    /// # Errors
    /// The target refuses.
    fn session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError>;

    /// The same for the client drive, where that needs another kind of session.
    ///
    /// # Errors
    /// The target refuses.
    fn client_session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        self.session(job, nodes)
    }

    /// What the server has counted for everybody until now, on all nodes together; where it counts by database, in
    /// dbdyno's own. Needs no point and waits for no session: what these have not made visible yet is not in it. Cheap
    /// enough for once a second; none of its counters runs backwards while the server is up. It goes over dbdyno's own
    /// connection, so that it comes after what the engine itself is doing there.
    ///
    /// # Errors
    /// The target is lost.
    fn statistics(&self) -> Result<Counters, EngineError>;

    /// What was counted until now for the point that has begun, exact: waits until what dbdyno's sessions have flushed
    /// is visible where servers are late, for which `earlier` is a reading of the same point.
    ///
    /// # Errors
    /// The target is lost, or no point has begun.
    fn point_statistics(&self, earlier: Option<&PointStatistics>) -> Result<PointStatistics, EngineError>;

    /// What the point that has begun did since, and what the server did meanwhile. Sessions have flushed their
    /// statistics.
    ///
    /// # Errors
    /// As for [`Engine::point_statistics`].
    fn evidence(&self, before: &PointStatistics) -> Result<Counters, EngineError> {
        Ok(self.point_statistics(Some(before))?.since(before))
    }

    /// Has the writing of the point that has begun keep up with its dirtying, where the target is dbdyno's own (a
    /// private instance) and such settings are needed: those of the point alone, which its end takes back. Where there
    /// are any, [`Engine::last_checkpoint`] and [`Engine::block_writes`] answer, and the window is to begin and end
    /// with checkpoints.
    ///
    /// # Errors
    /// The target is lost.
    fn pace_writes(&self, _: &Task) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    /// The last checkpoint that has ended, by a name that differs from one to the next.
    ///
    /// # Errors
    /// The target is lost, or has no checkpoints.
    fn last_checkpoint(&self) -> Result<String, EngineError> {
        Err(EngineError::new(dbdyno_model::ErrorClass::Unsupported, "the engine does not tell of checkpoints"))
    }

    /// What has been written to data files until now, and what waits.
    ///
    /// # Errors
    /// The target is lost, or does not count them.
    fn block_writes(&self) -> Result<BlockWrites, EngineError> {
        Err(EngineError::new(dbdyno_model::ErrorClass::Unsupported, "the engine does not tell of blocks that wait"))
    }

    /// Where the data lies or will lie, if on this machine: a file or a folder, existing or not.
    fn data_place(&self) -> Option<PathBuf>;

    /// Files that hold the data now, where they are on this machine; empty for remote targets.
    fn data_files(&self) -> Vec<PathBuf>;

    /// Where commits and tables lie, as far as that is on this machine.
    fn durable_places(&self) -> DurablePlaces {
        let place: Vec<PathBuf> = self.data_place().into_iter().collect();
        DurablePlaces { log: place.clone(), data: place, synced_by_writing: false }
    }

    /// A handle that stops what the engine itself is doing (settling, preparing, cleaning up), where that can take
    /// long.
    fn canceller(&self) -> Option<Arc<dyn Canceller>> {
        None
    }

    /// Whether the server still answers anybody: false where its processes stand still, and where a new connection is
    /// not answered in time. Whoever was stopped does not wait for one that does not.
    fn answers(&self) -> bool {
        true
    }

    /// Has somebody told, once, when an answer that is waited for in control of the work will not come any more: the
    /// server stands still, or what is in between has lost it. What asked for it waits for ever; measured statements
    /// are not looked after.
    fn on_lost(&self, _: LostTarget) {}

    /// The server's main process, where it and its children run on this machine and are not dbdyno itself: so that its
    /// processor time can be told from that of others.
    fn server_pid(&self) -> Option<u32> {
        None
    }

    /// The pump that runs this engine's sessions of a drive; a thread each unless the engine brings its own. Its
    /// sessions may follow their server processes where points of so many jobs and more are measured, and not at all
    /// without a number: what carries sessions must not change within a ramp.
    fn pump(&self, _: Drive, _may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        Box::new(ThreadPump)
    }
}

/// Is told that a target is lost: what was asked, for how long, and why no answer will come.
pub type LostTarget = Box<dyn Fn(EngineError) + Send>;

/// Hears how far a load has come, and may stop it.
pub trait LoadWatch: Sync {
    /// `rows` of `of` rows of `what` are done.
    fn progress(&self, what: &str, rows: u64, of: u64);
    /// Whether to stop as soon as possible.
    fn cancelled(&self) -> bool;
}

/// What the jobs of one point have to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The test.
    pub test: Test,
    /// Size class of the data.
    pub size: Size,
    /// Seed of the data.
    pub seed: u64,
    /// Seed of the keys that jobs draw: differs from point to point, so that no cache below the engine has seen a
    /// point's keys before.
    pub key_seed: u64,
    /// Nodes that the jobs are spread over.
    pub nodes: u32,
    /// Jobs at work here.
    pub jobs: u32,
    /// Jobs on other hosts that share the point, and whose numbers come before theirs.
    pub jobs_before: u32,
    /// Those whose numbers come after.
    pub jobs_after: u32,
    /// Parallel workers per statement.
    pub threads: u32,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// How commits behave.
    pub commit: CommitMode,
    /// Who runs the loop: a procedure, or a client that sends each statement.
    pub drive: Drive,
    /// Whether the engine watches its sessions while they work.
    pub sampling: Sampling,
}

impl Task {
    /// The numbers of the jobs at work here.
    #[must_use]
    pub fn job_numbers(&self) -> Range<u32> {
        self.jobs_before..self.jobs_before + self.jobs
    }

    /// Jobs on all hosts: keys, numbers of new rows and names of what jobs make are dealt out among them.
    #[must_use]
    pub fn jobs_in_all(&self) -> u32 {
        self.jobs_before + self.jobs + self.jobs_after
    }
}

/// Whether an engine looks at its sessions while a point is measured: what they wait for, and who else is at work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sampling {
    /// A few times a second.
    #[default]
    On,
    /// Not at all; only what the server counts anyway is read, before and after.
    Off,
}

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

/// One connection at work.
pub trait Session: Send {
    /// Prepares statements, checks plans, warms this session's cache for job `job` of the task. In the client drive
    /// [`Request::Statement`] names the statement under test by its number, as [`TestForm`] says.
    ///
    /// # Errors
    /// The work cannot be done.
    fn prepare(&mut self, task: &Task, job: u32) -> Result<Prepared, EngineError>;

    /// Prepares statements of a work's own, instead of a test's: [`Request::Statement`] names them by their number.
    ///
    /// # Errors
    /// `Unsupported` where the engine has no client drive; the server's, where it does not understand one of them.
    fn prepare_statements(&mut self, _: &Statements) -> Result<(), EngineError> {
        Err(crate::client::unsupported())
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

    /// Makes this session's statistics visible to [`Engine::evidence`].
    ///
    /// # Errors
    /// The target is lost.
    fn flush(&mut self) -> Result<(), EngineError>;

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
}

/// A request that failed on the way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// What had succeeded before.
    pub done: ChunkResult,
    /// Why it did not go on.
    pub error: EngineError,
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { done: ChunkResult::default(), error }
    }
}

/// What a chunk did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkResult {
    /// Operations, as the test counts them.
    pub ops: u64,
    /// Rows touched.
    pub rows: u64,
    /// Bytes of the test's own work (files written), 0 where that has no meaning.
    pub bytes: u64,
    /// A sum over what was touched, so that no work can be left out unseen; adds up over chunks (wrapping).
    pub checksum: u64,
}
