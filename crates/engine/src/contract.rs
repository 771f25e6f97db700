//! The contract that every engine keeps. The conformance suite (`dbdyno_testkit::conformance`) holds each of them to
//! it.

mod load;
mod observation;
mod point;
mod repository;
mod session;
mod told;
mod workloads;

pub use load::{LoadReport, LoadWatch, TableLoad};
pub use observation::{Depth, Observation, Observer, StatementCount};
pub use point::{PointSpec, ProgramSpec, Sampling};
pub use repository::{SnapshotsTaken, WorkloadRepository};
pub use session::{Canceller, Executor, Prepared, Request, Session, SessionAccount};
pub use told::finding;
pub use told::{
    BlockWrites, ChunkResult, Difference, Durability, DurablePlaces, Failure, Features, Finding, FindingLevel,
    Inspection, Loaded, Settled,
};
pub use workloads::{FillTimes, RowPart, TableRows, Workloads};

use crate::data::{Columns, Sample};
use crate::{AloneAnyway, EngineError, Hold, PointStatistics, Pump, ThreadPump};
use dbdyno_model::{CommitMode, Counters, Database, Drive, Size, TableName};
use std::collections::BTreeMap;
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
    fn begin_point(&self, spec: &PointSpec) -> Result<(), EngineError>;

    /// Cleans up after a point, also after one that failed.
    ///
    /// # Errors
    /// Something is left behind.
    fn end_point(&self, spec: &PointSpec) -> Result<(), EngineError>;

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

    /// Looks at the nodes of the point that has begun while its sessions work, over the connections that watch these:
    /// what they ask is accounted for as dbdyno's own. Waits are those of dbdyno's sessions and of the server's own
    /// processes.
    ///
    /// # Errors
    /// No point has begun whose sessions are watched, or the engine runs inside dbdyno and tells nothing.
    fn observe_point(&self, _: Depth) -> Result<Vec<Result<Observation, EngineError>>, EngineError> {
        Err(EngineError::new(
            dbdyno_model::ErrorClass::Unsupported,
            "the engine runs inside dbdyno, and has no counters",
        ))
    }

    /// What looks at the server all the time, whoever works there.
    ///
    /// # Errors
    /// The engine has no server, or it cannot be reached.
    fn observer(&self) -> Result<Box<dyn Observer>, EngineError> {
        Err(EngineError::new(dbdyno_model::ErrorClass::Unsupported, "the engine has no server that could be looked at"))
    }

    /// This process's sessions and what they have done, by node, as far as their statistics are visible. Empty where
    /// counters need no account.
    fn accounts(&self) -> Vec<SessionAccount> {
        Vec::new()
    }

    /// Sessions of other processes of dbdyno's, by node, work on the point that has begun: they are its own, and what
    /// they have done since the last call counts with its own.
    fn include(&self, _: &[SessionAccount]) {}

    /// These sessions of other processes have ended.
    fn exclude(&self, _: &[SessionAccount]) {}

    /// Ends sessions of a process that is lost, as far as the server lets us: nobody else will.
    fn end_sessions(&self, _: &[SessionAccount]) {}

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
    fn pace_writes(&self, _: &PointSpec) -> Result<BTreeMap<String, String>, EngineError> {
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

    /// The server's own workload repository, where the product has one.
    fn repository(&self) -> Option<Box<dyn WorkloadRepository + '_>> {
        None
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

    /// The main process of its standby, where dbdyno runs that beside it.
    fn standby_pid(&self) -> Option<u32> {
        None
    }

    /// The processors that the server was to be held to; none where it may use all.
    fn held_cpus(&self) -> &[u32] {
        &[]
    }

    /// Bytes that the page cache of the server's files may take, where something limits its memory.
    fn page_cache_room_bytes(&self) -> Option<u64> {
        None
    }

    /// What of the server is not as dbdyno has started it, in words: it may use other processors, or does not
    /// replicate.
    fn not_as_started(&self) -> Option<String> {
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
