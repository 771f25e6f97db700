//! A session: one connection, prepared for a job of a point.

use super::Shared;
use super::counters::take_page_counts;
use super::errors::Fault;
use super::link::Link;
use super::meta;
use super::procedures::Chunk;
use super::recipe::Recipe;
use super::statements::{Client, Sends};
use super::totals::Totals;
use super::writer::Turn;
use super::{TABLES, table_name};
use dbdyno_engine::client::{Answer, Parameter, Reads, Statements, TestForm, placed};
use dbdyno_engine::data::Generator;
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Executor, Failure, Prepared, Request, Session, Task};
use dbdyno_model::{Cache, Drive, ErrorClass, Organisation, Procedure, Shape, TableName};
use rusqlite::InterruptHandle;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A job's work, understood.
pub(super) struct Work {
    /// What to do.
    pub(super) task: Task,
    /// Which of the task's jobs this is.
    pub(super) job: u32,
    /// Its statements.
    pub(super) recipe: Recipe,
    /// The statement under test.
    pub(super) sql: String,
    /// Knows what the rows copied by insert tests hold.
    pub(super) small: Generator,
}

/// Tells a session to stop.
pub(super) struct Stop {
    asked: Arc<AtomicBool>,
    interrupt: InterruptHandle,
}

impl Canceller for Stop {
    fn cancel(&self) {
        // The flag first: a statement that begins after the interrupt is then not begun at all.
        self.asked.store(true, Ordering::Relaxed);
        self.interrupt.interrupt();
    }
}

/// One connection at work.
pub(super) struct SqliteSession {
    shared: Arc<Shared>,
    link: Link,
    work: Option<Work>,
    /// What a client sends, where it is prepared for that instead.
    sends: Option<Sends>,
    /// A client's transaction that is open, by its turn to write. Dropped after the connection, which rolls it back.
    open: Option<Turn>,
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
        let link = Link::open_for_work(&shared.options, shared.cache_bytes)?;
        let (own, stop) = (Totals::default(), Arc::default());
        Ok(Self { shared, link, work: None, sends: None, open: None, own, changes: 0, unverified: false, stop })
    }

    /// The plan of a statement, line by line.
    fn plan(&self, sql: &str) -> rusqlite::Result<String> {
        let mut statement = self.link.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut rows = statement.raw_query();
        let mut plan = Vec::new();
        while let Some(row) = rows.next()? {
            plan.push(row.get::<_, String>(3)?);
        }
        Ok(plan.join("; "))
    }

    /// Reads a table and its indexes into this connection's cache. An interrupt ends only the statement that it meets,
    /// so that the flag is looked at before each.
    fn warm(&self, table: TableName) -> Result<(), EngineError> {
        let name = table_name(table);
        let mut statements = vec!["warm_table", "warm_customer"];
        if table.organisation() != Organisation::Iot {
            statements.push("warm_primary");
        }
        for statement in statements {
            if self.stop.load(Ordering::Relaxed) {
                let message = format!("stopped while {table} was read into the cache");
                return Err(EngineError::new(ErrorClass::Cancelled, message));
            }
            let sql = TABLES.fill(statement, &[("table", &name)])?;
            let read = self.link.connection.query_row(&sql, [], |_| Ok(()));
            read.map_err(|e| self.link.says(&format!("reading {table} into the cache"), e))?;
        }
        Ok(())
    }

    /// Whether the index of the last pass holds what the table holds.
    fn verify(&self, work: &Work, statement: &str) -> Result<(), EngineError> {
        let doing = format!("verifying what {} job {} made", work.task.test.code, work.job);
        let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<[i64; 4]> {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        };
        let sql = work.recipe.fill(statement)?;
        let found = self.link.connection.query_row(&sql, [], read).map_err(|e| self.link.says(&doing, e))?;
        let [indexed, index_total, rows, total] = found;
        let expected = work.task.test.table.map_or(0, |table| table.rows(&work.task.size)).cast_signed();
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
        self.link.set("threads", &wanted.to_string())?;
        let granted = self.link.pragma("threads")?;
        let less = granted != wanted.to_string();
        Ok(less.then(|| format!("asked for {wanted} helper threads, and this build of SQLite grants {granted}")))
    }
}

/// A connection's cache for a task. What is to be cached gets the size class's whole cache. What is to come from the
/// device, and what sorts, gets a sixteenth: large enough for the upper levels of every index, too small to keep rows
/// (about 1 % of a large table at any size), and small enough that sorts go through runs, as sorts larger than memory
/// do.
fn cache_bytes(task: &Task) -> u64 {
    let whole = task.size.engine_cache_bytes;
    match (task.test.cache, task.test.procedure) {
        (Cache::Cached, _) => whole,
        (Cache::Any, p) if !sorts(p) => whole,
        _ => whole / 16,
    }
}

fn sorts(procedure: Procedure) -> bool {
    matches!(
        procedure,
        Procedure::IndexUnique | Procedure::IndexNonUnique | Procedure::Sort | Procedure::Group | Procedure::Report
    )
}

/// What a client gives the statement of a test, and what its answer says.
fn test_form(procedure: Procedure) -> TestForm {
    let (parameters, reads) = match procedure {
        Procedure::Insert => (vec![Parameter::Id, Parameter::Source], Reads::Changes),
        Procedure::UpdatePrimary | Procedure::UpdateSecondary => (vec![Parameter::Key], Reads::Changes),
        Procedure::SelectPrimary => (vec![Parameter::Key], Reads::Quantities),
        _ => (vec![Parameter::Key], Reads::Sums),
    };
    TestForm { parameters, reads, ..TestForm::default() }
}

/// Whether there are keys enough for each job to own some.
fn enough_keys(task: &Task) -> Result<(), EngineError> {
    let (jobs, shape) = (u64::from(task.jobs_in_all()), task.test.table.map_or(Shape::Small, TableName::shape));
    let (keys, needed) = match task.test.procedure {
        Procedure::UpdatePrimary => (task.size.rows(shape), jobs * task.rows_per_tx.max(1)),
        Procedure::SelectPrimary => (task.size.rows(shape), task.rows_per_tx.max(1)),
        Procedure::UpdateSecondary => (task.size.values(shape), jobs),
        _ => return Ok(()),
    };
    if needed <= keys {
        return Ok(());
    }
    let message = format!(
        "{} at {jobs} jobs needs {needed} keys of their own, and a table of size {} has {keys}; use fewer jobs or a larger size",
        task.test.code, task.size.id
    );
    Err(EngineError::new(ErrorClass::Unsupported, message))
}

impl SqliteSession {
    fn prepare_work(&mut self, task: &Task, job: u32) -> Result<Prepared, EngineError> {
        self.forget()?;
        let recipe = Recipe::of(&task.test, job)?;
        if task.drive == Drive::Client && !task.test.procedure.has_client_form() {
            return Err(dbdyno_engine::client::unsupported());
        }
        enough_keys(task)?;
        self.link.set_cache(cache_bytes(task))?;
        let doing = format!("preparing {}", task.test.code);
        self.link.connection.release_memory().map_err(|e| self.link.says(&doing, e))?;
        // EXPLAIN reads nothing, and so would go by a schema that another connection has changed since.
        meta::objects(&self.link)?;
        let problem = self.helper_threads(task.threads)?;
        let mut prepared = Prepared { problems: problem.into_iter().collect(), ..Prepared::default() };
        let sql = recipe.sql()?;
        if task.test.procedure != Procedure::WriteFile {
            let plan = self.plan(&sql).map_err(|e| self.link.says(&doing, e))?;
            if let Some(expected) = recipe.expected_plan()?.filter(|expected| *expected != plan) {
                let problem =
                    format!("{} must run as [{expected}], and SQLite would run it as [{plan}]", task.test.code);
                prepared.problems.push(problem);
            }
            prepared.plan = Some(plan).filter(|plan| !plan.is_empty());
        }
        if task.test.cache == Cache::Cached || task.test.procedure == Procedure::Insert {
            recipe.reads.iter().try_for_each(|table| self.warm(*table))?;
        }
        if task.drive == Drive::Client {
            prepared.form = Some(test_form(task.test.procedure));
            self.sends = Some(Sends::new(&self.link, format!("{} job {job}", task.test.code), vec![sql])?);
        } else {
            let small = Generator::new(&task.size, Shape::Small, task.seed);
            self.work = Some(Work { task: task.clone(), job, recipe, sql, small });
        }
        self.account();
        Ok(prepared)
    }

    fn prepare_own(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.forget()?;
        self.link.set_cache(self.shared.cache_bytes)?;
        if statements.texts.iter().any(|text| !text.outputs.is_empty()) {
            let message = format!("{}: SQLite has no stored procedures", statements.work);
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        let texts = statements.texts.iter().map(|text| placed(&text.sql, |number| format!("?{number}")));
        self.sends = Some(Sends::new(&self.link, statements.work.clone(), texts.collect())?);
        self.account();
        Ok(())
    }

    /// Forgets what it was prepared for.
    fn forget(&mut self) -> Result<(), EngineError> {
        (self.work, self.sends, self.unverified) = (None, None, false);
        if self.open.is_some() {
            self.link.run("rolling back what a client left open", "ROLLBACK")?;
            self.open = None;
        }
        Ok(())
    }

    /// Takes what SQLite has counted for this connection since the last time.
    fn account(&mut self) {
        let changes = self.link.connection.total_changes();
        self.own.rows_changed += changes - std::mem::replace(&mut self.changes, changes);
        self.own.add_pages(take_page_counts(&self.link.connection));
    }
}

impl Session for SqliteSession {
    fn prepare(&mut self, task: &Task, job: u32) -> Result<Prepared, EngineError> {
        self.prepare_work(task, job).inspect_err(|error| obeyed(&self.stop, error))
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
            self.changes = self.link.connection.total_changes();
            take_page_counts(&self.link.connection);
            return discarded;
        }
        self.perform(request)
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.account();
        self.shared.add(&std::mem::take(&mut self.own));
        let Some(work) = self.work.as_ref().filter(|_| std::mem::take(&mut self.unverified)) else { return Ok(()) };
        if let Some(statement) = work.recipe.verify {
            self.verify(work, statement)?;
            // No work of the test: nothing of it is counted.
            take_page_counts(&self.link.connection);
        }
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        let interrupt = self.link.connection.get_interrupt_handle();
        Arc::new(Stop { asked: Arc::clone(&self.stop), interrupt })
    }
}

impl SqliteSession {
    fn client(&mut self) -> Result<Client<'_>, EngineError> {
        let (link, shared, stop, own) = (&self.link, &*self.shared, &*self.stop, &mut self.own);
        let sends = self.sends.as_mut().ok_or_else(unprepared)?;
        Client::new(Chunk { link, work: (), shared, stop, own, done: ChunkResult::default() }, sends, &mut self.open)
    }

    fn perform(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        if self.sends.is_some() {
            return self.client()?.execute(request);
        }
        let (link, shared, stop, own) = (&self.link, &*self.shared, &*self.stop, &mut self.own);
        let work = self.work.as_ref().ok_or_else(unprepared)?;
        let mut chunk = Chunk { link, work, shared, stop, own, done: ChunkResult::default() };
        let outcome = match *request {
            Request::Chunk { first_pass, passes } => chunk.run(first_pass, passes),
            Request::Discard => chunk.discard(),
            Request::Statement(_) | Request::Commit | Request::Rollback => Err(unprepared().into()),
        };
        let done = chunk.done;
        self.unverified |= done.ops > 0;
        outcome.map(|()| done).map_err(|fault| {
            let error = self.link.says(&format!("{} job {}", work.task.test.code, work.job), fault);
            obeyed(&self.stop, &error);
            Failure { done, error }
        })
    }
}

/// The error of a session that was told to work before it was told on what.
pub(super) fn unprepared() -> EngineError {
    EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared")
}

/// Told to stop and stopped: what is asked for next is another matter.
pub(super) fn obeyed(stop: &AtomicBool, error: &EngineError) {
    if error.class == ErrorClass::Cancelled {
        stop.store(false, Ordering::Relaxed);
    }
}

/// The error of a session that was told to stop.
pub(super) fn stopped() -> Fault {
    Fault::Engine(EngineError::new(ErrorClass::Cancelled, "stopped between two operations"))
}
