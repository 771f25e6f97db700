//! A database file as an engine: what each part of the contract does.

use super::connection::SqliteConnection;
use super::monitor::Monitor;
use super::options::{Journal, Options};
use super::totals::{self, Totals};
use super::{
    DIALECT, Shared, TABLE_NAMES, describe, hold, inspect, load, meta, no_monitor, point, remove, session, verify,
};
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Checksum, Columns, Sample};
use dbdyno_engine::server::{LoadRequest, recover};
use dbdyno_engine::{
    Durability, Engine, EngineError, Features, FillTimes, Finding, Hold, Inspection, LoadReport, LoadWatch, Loaded,
    PointSpec, PointStatistics, ProgramSpec, Session, Settled, TableRows, Workloads, for_everybody,
};
use dbdyno_model::{CommitMode, Counter, Counters, Database, Drive, Size, TableName};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A database file.
pub(super) struct SqliteEngine {
    shared: Arc<Shared>,
}

impl SqliteEngine {
    /// The engine on a target, with the cache of a size class.
    pub(super) fn new(options: Options, size: &Size) -> Self {
        let shared = Shared {
            options,
            cache_bytes: size.engine_cache_bytes,
            writer: Arc::default(),
            pending_pages: AtomicU64::new(0),
            checkpointing: Mutex::default(),
            totals: Mutex::default(),
            monitor: Mutex::new(no_monitor()),
        };
        Self { shared: Arc::new(shared) }
    }

    fn options(&self) -> &Options {
        &self.shared.options
    }

    /// What sessions of this process have counted, who are all that this engine has.
    fn counters(&self, totals: &Totals) -> Counters {
        let pending_pages = self.shared.pending_pages.load(Ordering::Relaxed);
        totals.counters(pending_pages, self.options())
    }

    /// A connection of the engine itself.
    fn connection(&self) -> Result<SqliteConnection, EngineError> {
        SqliteConnection::open_for_work(self.options(), self.shared.cache_bytes)
    }

    /// Counts from now on, and watches for commits of others.
    fn begin_counting(&self) {
        let own_commits = recover(&self.shared.totals).begin_point();
        let monitor = Monitor::open(&self.options().path, own_commits);
        *recover(&self.shared.monitor) = monitor.map_err(|error| error.message);
    }
}

impl Workloads for SqliteEngine {
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(meta::look(&self.options().path)?.ours()?.unwrap_or_default())
    }

    fn note(&self, entries: &[(String, String)]) -> Result<(), EngineError> {
        load::note(self.options(), self.shared.cache_bytes, entries)
    }

    fn fill(&self, tables: &[TableRows], _: u32, watch: &dyn LoadWatch) -> Result<FillTimes, EngineError> {
        load::fill(self.options(), self.shared.cache_bytes, tables, watch)
    }

    fn run_each(&self, what: &str, statements: &[String], _: u32, watch: &dyn LoadWatch) -> Result<(), EngineError> {
        load::run_each((self.options(), self.shared.cache_bytes), what, statements, watch)
    }

    fn begin_program(&self, spec: &ProgramSpec) -> Result<(), EngineError> {
        self.end_program(spec)?;
        self.begin_counting();
        Ok(())
    }

    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        *recover(&self.shared.monitor) = no_monitor();
        point::end(&self.shared, &self.connection()?)
    }
}

impl Engine for SqliteEngine {
    fn name(&self) -> &'static str {
        DIALECT.engine
    }

    fn features(&self) -> Features {
        Features {
            in_process: true,
            local: true,
            loads_on_demand: true,
            single_writer: true,
            nodes: 1,
            block_bytes: totals::PAGE_BYTES,
        }
    }

    fn describe(&self) -> Result<Database, EngineError> {
        describe::database(&self.shared)
    }

    fn durability(&self, _: CommitMode, _: Drive) -> Result<Durability, EngineError> {
        // What the engine does by default (synchronous=full) is durable: both modes are one here.
        describe::durability(&self.connection()?)
    }

    fn check(&self, size: &Size) -> Vec<Finding> {
        describe::findings(self.options(), size)
    }

    fn loaded(&self) -> Result<Loaded, EngineError> {
        Ok(meta::look(&self.options().path)?.loaded(&TABLE_NAMES))
    }

    fn tables(&self) -> Vec<TableName> {
        TABLE_NAMES.to_vec()
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        describe::space_needed_bytes(size)
    }

    fn load(
        &self,
        size: &Size,
        seed: u64,
        jobs: u32,
        verify: bool,
        watch: &dyn LoadWatch,
    ) -> Result<LoadReport, EngineError> {
        load::load(self.options(), LoadRequest { size, seed, jobs, verify }, watch)
    }

    fn checksum(&self, table: TableName, columns: Columns, watch: &dyn LoadWatch) -> Result<Checksum, EngineError> {
        let rows = meta::look(&self.options().path)?.ours()?.map_or(0, |meta| meta::rows_done(&meta, table));
        verify::checksum(&self.options().path, table, (columns, rows), 1, None, watch)
    }

    fn inspect(&self, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError> {
        inspect::inspect(&self.options().path, table, sample)
    }

    fn drop_all(&self) -> Result<bool, EngineError> {
        remove::drop_all(self.options())
    }

    fn hold(&self, _: &dyn LoadWatch) -> Result<Arc<dyn Hold>, EngineError> {
        Ok(Arc::new(hold::take(&self.options().path)?))
    }

    fn settle(&self, limit: Duration) -> Result<Settled, EngineError> {
        if self.options().journal != Journal::Wal {
            return Ok(Settled::AtRest);
        }
        let (connection, started) = (self.connection()?, Instant::now());
        let sql = &DIALECT.get("statistics/checkpoint_truncate")?.text;
        loop {
            let wait = limit.saturating_sub(started.elapsed()).min(Duration::from_secs(1));
            connection.raw.busy_timeout(wait).map_err(|e| connection.says("settling", e))?;
            if connection.row("settling", sql, |row| row.get::<_, i64>(0))? == 0 {
                return Ok(Settled::AtRest);
            }
            if started.elapsed() >= limit {
                return Ok(Settled::Busy);
            }
        }
    }

    fn begin_point(&self, spec: &PointSpec) -> Result<(), EngineError> {
        point::begin(&self.shared, &self.connection()?, spec)?;
        self.begin_counting();
        Ok(())
    }

    fn end_point(&self, _: &PointSpec) -> Result<(), EngineError> {
        *recover(&self.shared.monitor) = no_monitor();
        point::end(&self.shared, &self.connection()?)
    }

    fn session(&self, _: u32, _: u32) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(session::SqliteSession::open(Arc::clone(&self.shared))?))
    }

    fn statistics(&self) -> Result<Counters, EngineError> {
        Ok(for_everybody(self.counters(&recover(&self.shared.totals).clone())))
    }

    fn point_statistics(&self, _: Option<&PointStatistics>) -> Result<PointStatistics, EngineError> {
        let totals = recover(&self.shared.totals).clone();
        let mut counters = self.counters(&totals);
        let foreign = match &mut *recover(&self.shared.monitor) {
            Ok(monitor) => monitor.foreign_commits(totals.own_commits()),
            Err(why) => Err(why.clone()),
        };
        counters.note(Counter::ForeignCommits, foreign);
        Ok(counters.into())
    }

    fn data_place(&self) -> Option<PathBuf> {
        Some(self.options().path.clone())
    }

    fn data_files(&self) -> Vec<PathBuf> {
        let path = &self.options().path;
        [path.clone(), meta::beside(path, "-wal")].into_iter().filter(|file| file.exists()).collect()
    }
}
