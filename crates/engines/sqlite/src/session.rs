//! A session: one connection, prepared for a job of a point.

use super::chunk::{Chunk, ProcedureWork, obeyed, unprepared};
use super::connection::SqliteConnection;
use super::counters::take_page_counts;
use super::statements::{Client, Sends};
use super::totals::Totals;
use super::writer::WriterPermit;
use super::{DIALECT, Shared, about_table, meta, procedure, table_name};
use dbdyno_engine::client::{Answer, Parameter, PrepareWhen, Reads, Statements, TestForm, placed};
use dbdyno_engine::data::{Generator, altered_quantities};
use dbdyno_engine::server::{Job, recover};
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Executor, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::{Cache, Drive, ErrorClass, Organisation, Procedure, ProcedureShape, RowsBy, TableName, TableShape};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One connection at work.
pub(super) struct SqliteSession {
    shared: Arc<Shared>,
    connection: SqliteConnection,
    work: Option<ProcedureWork>,
    /// What a client sends, where it is prepared for that instead.
    sends: Option<Sends>,
    /// A client's transaction that is open, by its permit to write. Dropped after the connection, which rolls it back.
    open: Option<WriterPermit>,
    own: Totals,
    /// SQLite's change counter as far as it is among our own counts.
    changes: u64,
    /// Whether something was done since the last flush that is verified then.
    unverified: bool,
    stop: Arc<AtomicBool>,
}

impl SqliteSession {
    /// A session of its own connection.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn open(shared: Arc<Shared>) -> Result<Self, EngineError> {
        let connection = SqliteConnection::open_for_work(&shared.options, shared.cache_bytes)?;
        let (own, stop) = (Totals::default(), Arc::default());
        Ok(Self { shared, connection, work: None, sends: None, open: None, own, changes: 0, unverified: false, stop })
    }

    /// The plan of a statement, line by line.
    fn plan(&self, doing: &str, sql: &str) -> Result<String, EngineError> {
        let lines = self.connection.rows(doing, &format!("EXPLAIN QUERY PLAN {sql}"), |row| row.get::<_, String>(3))?;
        Ok(lines.join("; "))
    }

    /// Reads a table and its indexes into this connection's cache. An interrupt ends only the statement that it meets,
    /// so that the flag is looked at before each.
    fn warm(&self, table: TableName) -> Result<(), EngineError> {
        let name = table_name(table);
        let primary = (table.organisation() != Organisation::Iot).then_some("warm_primary");
        for statement in ["warm_table", "warm_customer"].into_iter().chain(primary) {
            if self.stop.load(Ordering::Relaxed) {
                let message = format!("stopped while {table} was read into the cache");
                return Err(EngineError::new(ErrorClass::Cancelled, message));
            }
            let sql = about_table(statement, &name)?;
            self.connection.row(&format!("reading {table} into the cache"), &sql, |_| Ok(()))?;
        }
        Ok(())
    }

    /// Whether the index of the last pass holds what the table holds.
    fn verify(&self, work: &ProcedureWork, sql: &str) -> Result<(), EngineError> {
        let Job { spec, doing, .. } = &work.job;
        let doing = format!("verifying what {doing} made");
        let (indexed, index_total, rows, total) =
            self.connection.row(&doing, sql, |row| <(i64, i64, i64, i64)>::try_from(row))?;
        let expected = spec.test.table.map_or(0, |table| table.rows(&spec.size)).cast_signed();
        if (indexed, index_total, rows) == (expected, total, expected) {
            return Ok(());
        }
        let message = format!(
            "the index has {indexed} rows whose keys add up to {index_total} hundredths, the table {rows} and {total}, and it \
             should have {expected} rows; the file is damaged, or another process has changed it: drop it and load again"
        );
        Err(EngineError::new(ErrorClass::Corruption, message).while_doing(&doing))
    }

    fn helper_threads(&self, threads: u32) -> Result<Option<String>, EngineError> {
        // One thread is a serial statement: no helpers. More are that many helpers beside the job's own thread.
        let wanted = if threads > 1 { threads } else { 0 };
        self.connection.set("threads", &wanted.to_string())?;
        let granted = self.connection.pragma("threads")?;
        let less = granted != wanted.to_string();
        Ok(less.then(|| format!("asked for {wanted} helper threads, and this build of SQLite grants {granted}")))
    }

    fn prepare_work(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.forget()?;
        let job = Job::new(spec, job, procedure::of(&spec.test, job)?);
        let (procedure, doing) = (&job.procedure, &job.preparing);
        if spec.drive == Drive::Client && !spec.test.procedure.has_client_form() {
            return Err(dbdyno_engine::client::unsupported());
        }
        enough_keys(spec)?;
        self.connection.set_cache(cache_bytes(spec))?;
        self.connection.raw.release_memory().map_err(|e| self.connection.says(doing, e))?;
        // EXPLAIN reads nothing, and so would go by a schema that another connection has changed since.
        meta::objects(&self.connection)?;
        let problem = self.helper_threads(spec.threads)?;
        let mut prepared = Prepared { problems: problem.into_iter().collect(), ..Prepared::default() };
        let sql = procedure.text()?;
        if spec.test.procedure.shape != ProcedureShape::File {
            let plan = self.plan(doing, &sql)?;
            if let Some(expected) = procedure.note("plan")?.filter(|expected| *expected != plan) {
                let problem =
                    format!("{} must run as [{expected}], and SQLite would run it as [{plan}]", spec.test.code);
                prepared.problems.push(problem);
            }
            prepared.plan = Some(plan).filter(|plan| !plan.is_empty());
        }
        spec.warm_tables().into_iter().try_for_each(|table| self.warm(table))?;
        prepared.problems.extend(self.altered_source(&job)?);
        if spec.drive == Drive::Client {
            prepared.form = Some(test_form(spec.test.procedure));
            self.sends = Some(Sends::new(&self.connection, job.doing, vec![sql], PrepareWhen::Beforehand)?);
        } else {
            let small = Generator::new(&spec.size, TableShape::Small, spec.seed);
            self.work = Some(ProcedureWork { job, sql, small });
        }
        self.account();
        Ok(prepared)
    }

    /// What is wrong with the table that a bulk load copies, if anything: its sum is none of the timed work.
    fn altered_source(&self, job: &Job) -> Result<Option<String>, EngineError> {
        let spec = &job.spec;
        if spec.test.procedure.shape != ProcedureShape::Load || !job.is_first() {
            return Ok(None);
        }
        let sql = &DIALECT.get("procedures/source_quantities")?.text;
        let found = self.connection.row(&job.preparing, sql, |row| row.get::<_, Option<i64>>(0))?;
        // An empty table has no sum.
        let found = found.unwrap_or(0).cast_unsigned();
        Ok(altered_quantities(&spec.size, TableName::SmallHeap, spec.seed, 1, found))
    }

    fn prepare_own(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.forget()?;
        self.connection.set_cache(self.shared.cache_bytes)?;
        if statements.texts.iter().any(|text| !text.outputs.is_empty()) {
            let message = format!("{}: SQLite has no stored procedures", statements.work);
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        let texts = statements.texts.iter().map(|text| placed(&text.sql, |number| format!("?{number}")));
        let (work, prepared) = (statements.work.clone(), statements.prepared);
        self.sends = Some(Sends::new(&self.connection, work, texts.collect(), prepared)?);
        self.account();
        Ok(())
    }

    /// Forgets what it was prepared for.
    fn forget(&mut self) -> Result<(), EngineError> {
        (self.work, self.sends, self.unverified) = (None, None, false);
        if self.open.is_some() {
            self.connection.run("rolling back what a client left open", "ROLLBACK")?;
            self.open = None;
        }
        Ok(())
    }

    /// Takes what SQLite has counted for this connection since the last time.
    fn account(&mut self) {
        let changes = self.connection.raw.total_changes();
        self.own.rows_changed += changes - std::mem::replace(&mut self.changes, changes);
        self.own.add_pages(take_page_counts(&self.connection.raw));
    }

    fn client(&mut self) -> Result<Client<'_>, EngineError> {
        let (connection, shared, stop, own) = (&self.connection, &*self.shared, &*self.stop, &mut self.own);
        let sends = self.sends.as_mut().ok_or_else(unprepared)?;
        let chunk = Chunk { connection, work: (), shared, stop, own, done: ChunkResult::default() };
        Client::new(chunk, sends, &mut self.open)
    }

    fn perform(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        if self.sends.is_some() {
            return self.client()?.execute(request);
        }
        let (connection, shared, stop, own) = (&self.connection, &*self.shared, &*self.stop, &mut self.own);
        let work = self.work.as_ref().ok_or_else(unprepared)?;
        let mut chunk = Chunk { connection, work, shared, stop, own, done: ChunkResult::default() };
        let outcome = match *request {
            Request::Chunk { first_pass, passes } => chunk.run(first_pass, passes),
            Request::Discard => chunk.discard(),
            _ => Err(unprepared().into()),
        };
        self.unverified |= chunk.done.ops > 0;
        chunk.ended(&work.job.doing, outcome)
    }
}

impl Session for SqliteSession {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.prepare_work(spec, job).inspect_err(|error| obeyed(&self.stop, error))
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.prepare_own(statements).inspect_err(|error| obeyed(&self.stop, error))
    }

    fn answer(&self) -> &Answer {
        self.sends.as_ref().map_or(Answer::NONE, |sends| &sends.answer)
    }

    fn executor(&mut self) -> Option<Box<dyn Executor + '_>> {
        // Where it cannot be had, the session's own way says why.
        let client = self.client().ok()?;
        Some(Box::new(client))
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        if matches!(request, Request::Discard) {
            // What was made is verified before it goes, and what SQLite counts from here on is none of the work.
            self.flush()?;
            let discarded = self.perform(request);
            self.changes = self.connection.raw.total_changes();
            take_page_counts(&self.connection.raw);
            return discarded;
        }
        self.perform(request)
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.account();
        recover(&self.shared.totals).merge(&std::mem::take(&mut self.own));
        let Some(work) = self.work.as_ref().filter(|_| std::mem::take(&mut self.unverified)) else { return Ok(()) };
        if let Some((_, sql)) = procedure::verifies(&work.job.procedure)? {
            self.verify(work, &sql)?;
            // No work of the test: nothing of it is counted.
            take_page_counts(&self.connection.raw);
        }
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        let (stop, interrupt) = (Arc::clone(&self.stop), self.connection.raw.get_interrupt_handle());
        Arc::new(move || {
            // The flag first: a statement that begins after the interrupt is then not begun at all.
            stop.store(true, Ordering::Relaxed);
            interrupt.interrupt();
        })
    }
}

/// A connection's cache for a task. What is to be cached gets the size class's whole cache. What is to come from the
/// device, and what sorts, gets a sixteenth: large enough for the upper levels of every index, too small to keep rows
/// (about 1 % of a large table at any size), and small enough that sorts go through runs, as sorts larger than memory
/// do.
fn cache_bytes(spec: &PointSpec) -> u64 {
    let whole = spec.size.engine_cache_bytes;
    match (spec.test.cache, spec.test.procedure) {
        (Cache::Cached, _) => whole,
        (Cache::Any, p) if !p.sorts => whole,
        _ => whole / 16,
    }
}

/// What a client gives the statement of a test, and what its answer says.
fn test_form(procedure: Procedure) -> TestForm {
    let (parameters, reads) = match (procedure.shape, procedure.rows_by) {
        (ProcedureShape::Insert, _) => (vec![Parameter::Id, Parameter::Source], Reads::Changes),
        (ProcedureShape::Update, _) => (vec![Parameter::Key], Reads::Changes),
        (_, Some(RowsBy::PrimaryKey)) => (vec![Parameter::Key], Reads::Quantities),
        (_, Some(RowsBy::PrimaryKeyRange)) => (vec![Parameter::Key, Parameter::LastKey], Reads::Quantities),
        _ => (vec![Parameter::Key], Reads::Sums),
    };
    TestForm { parameters, reads, ..TestForm::default() }
}

/// Whether there are keys enough for each job to own some.
fn enough_keys(spec: &PointSpec) -> Result<(), EngineError> {
    let (jobs, shape) = (u64::from(spec.jobs_in_all()), spec.test.table.map_or(TableShape::Small, TableName::shape));
    let (keys, needed) = match (spec.test.procedure.shape, spec.test.procedure.takes_rows_per_tx()) {
        (ProcedureShape::Update, true) => (spec.size.rows(shape), jobs * spec.rows_per_tx.max(1)),
        (ProcedureShape::Update, false) => (spec.size.values(shape), jobs),
        (ProcedureShape::Select, true) => (spec.size.rows(shape), spec.rows_per_tx.max(1)),
        _ => return Ok(()),
    };
    if needed <= keys {
        return Ok(());
    }
    let message = format!(
        "{} at {jobs} jobs needs {needed} keys of their own, and a table of size {} has {keys}; use fewer jobs or a larger size",
        spec.test.code, spec.size.id
    );
    Err(EngineError::new(ErrorClass::Unsupported, message))
}
