//! A session: one connection that is prepared for a job of a point. It calls the test's procedure, or sends a client's
//! statements.

use super::call::arguments;
use super::client::{Client, PreparedText};
use super::{Connection as _, WorkConnection, first};
use crate::client::{Answer, Bound, PrepareWhen, Statements, TestProgram};
use crate::data::altered_quantities;
use crate::procedure::{MadeName, ProcedureDialect, ProcedureSpec};
use crate::program::{Act, Program as _};
use crate::{Canceller, ChunkResult, Dialect, EngineError, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::{Drive, ErrorClass, ProcedureShape, RowsBy, Size, TableName};
use std::sync::Arc;

/// What errors call the removal of what a piece has made.
const DISCARDING: &str = "removing what a piece has made";

/// What differs between the sessions of products. A value belongs to one session. It keeps account of what the server
/// has counted for this session.
pub trait SessionProduct: Send + 'static {
    /// The product's connections.
    type Connection: WorkConnection + 'static;

    /// The product's dialect.
    fn dialect() -> &'static Dialect;

    /// The procedure of a test.
    ///
    /// # Errors
    /// `Unsupported` where the product has no such procedure or table.
    fn procedure(test: &dbdyno_model::Test) -> Result<ProcedureSpec, EngineError>;

    /// Resets the session's settings, and then makes those of a job.
    ///
    /// # Errors
    /// The server's.
    fn set_up(&mut self, connection: &mut Self::Connection, job: &Job) -> Result<(), EngineError>;

    /// Does the same for the statements of a workload.
    ///
    /// # Errors
    /// The server's; `Unsupported` if another kind of session sends them.
    fn set_up_statements(
        &mut self,
        connection: &mut Self::Connection,
        statements: &Statements,
    ) -> Result<(), EngineError>;

    /// The passes of a call that is made before the point; `None` for no call. A client makes no call. It sends its
    /// first statement once if this is more than 0.
    fn passes_beforehand(&self, _: &Job) -> Option<u64> {
        None
    }

    /// The plan of the statement under test, and whether it is the one that the statement must have.
    ///
    /// # Errors
    /// The server does not explain the statement, or the plan cannot be read.
    fn plan(&mut self, connection: &mut Self::Connection, job: &Job) -> Result<Prepared, EngineError> {
        let Some(explain) = job.procedure.explain(&job.spec)? else { return Ok(Prepared::default()) };
        let rows = connection.texts(&job.preparing, &explain)?;
        compare_plan(Self::plan_of(rows)?, job)
    }

    /// The plan in one line, from the rows of the server's explanation.
    ///
    /// # Errors
    /// The rows are no plan.
    fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError>;

    /// Whether each pass must be a call of its own.
    fn splits_calls(&self, _: &Job) -> bool {
        false
    }

    /// Does what a pass must do outside the procedure. It is called after each pass that is a call of its own. It gets
    /// what the call did, and returns what the pass did.
    ///
    /// # Errors
    /// The server's.
    fn after_pass(&mut self, _: &mut Self::Connection, _: &Job, done: ChunkResult) -> Result<ChunkResult, EngineError> {
        Ok(done)
    }

    /// Notes that a call of so many passes has succeeded.
    fn after_call(&mut self, _: &Job, _passes: u64) {}

    /// Adds the product's advice to the error of a failed call.
    fn call_error(&self, _: &Self::Connection, _: &Job, error: EngineError) -> EngineError {
        error
    }

    /// Adds what the session did since it was last accounted for to the test's work.
    ///
    /// # Errors
    /// The server is lost.
    fn account_work(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError>;

    /// Counts what the session did since it was last accounted for as overhead: it is not the test's work, but its
    /// commits are dbdyno's own.
    ///
    /// # Errors
    /// The server is lost.
    fn account_overhead(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError>;

    /// Is called before what a piece has made, with so many rows, is dropped.
    ///
    /// # Errors
    /// The server is lost.
    fn before_discard(
        &mut self,
        connection: &mut Self::Connection,
        _: &Job,
        _made: &[MadeName],
        _rows: u64,
    ) -> Result<(), EngineError> {
        self.account_work(connection)
    }

    /// Makes the session's statistics visible.
    ///
    /// # Errors
    /// The server is lost, or the test's statement was executed by another plan than it must have.
    fn flush(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError> {
        self.account_work(connection)
    }

    /// Notes that the session begins to execute a request.
    fn begin_request(&mut self) {}

    /// Notes that the session has ended a request or its preparation, and is idle until the next one.
    fn end_request(&mut self) {}
}

/// A job of a point, with its procedure.
#[derive(Debug, Clone)]
pub struct Job {
    /// The point.
    pub spec: PointSpec,
    /// The number of the job among all jobs of the point, from 0.
    pub number: u32,
    /// The test's procedure.
    pub procedure: ProcedureSpec,
    /// What errors call the preparation.
    pub preparing: String,
    /// What errors call the work. The text is made once, because a call may be as short as one commit.
    pub doing: String,
}

impl Job {
    /// The job of this number of a point.
    #[must_use]
    pub fn new(spec: &PointSpec, number: u32, procedure: ProcedureSpec) -> Self {
        let preparing = format!("preparing {}", spec.test.code);
        let doing = format!("{} job {}", spec.test.code, number + 1);
        Self { spec: spec.clone(), number, procedure, preparing, doing }
    }

    /// Whether it is the first of the jobs that this process runs for the point.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.number == self.spec.jobs_before
    }
}

/// Compares a plan with the one that the job's statement must have.
///
/// # Errors
/// A note of the procedure cannot be filled in.
pub fn compare_plan(plan: String, job: &Job) -> Result<Prepared, EngineError> {
    let problem = job.procedure.plan_problem(&job.spec, &plan)?;
    Ok(Prepared { plan: Some(plan), problems: problem.into_iter().collect(), form: None })
}

/// The work of a session that calls a procedure.
struct CallWork<C: WorkConnection> {
    job: Job,
    call: C::Call,
    splits_calls: bool,
    /// Bytes that one operation reads by scanning; 0 if it does not scan.
    scanned_bytes: u64,
    /// Passes since the last discard.
    piece_passes: u64,
    /// Rows that these passes touched.
    piece_rows: u64,
}

/// A session of a server engine.
pub struct ServerSession<P: SessionProduct> {
    /// Dropped before the connection: once that has ended, its number may be another session's.
    product: P,
    connection: P::Connection,
    work: Option<CallWork<P::Connection>>,
    client: Option<Client<P::Connection>>,
}

/// The error of a request that the session was not prepared for.
fn unprepared() -> EngineError {
    EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared")
}

impl<P: SessionProduct> ServerSession<P> {
    /// A session over a connection of its own.
    pub fn new(connection: P::Connection, product: P) -> Self {
        Self { connection, product, work: None, client: None }
    }

    /// Drops what the session was prepared for, and rolls back an open transaction.
    fn drop_preparation(&mut self) -> Result<(), EngineError> {
        self.work = None;
        self.client.take().map_or(Ok(()), |mut client| client.roll_back(&mut self.connection).map(drop))
    }

    fn prepare_job(&mut self, spec: &PointSpec, number: u32) -> Result<Prepared, EngineError> {
        self.drop_preparation()?;
        let job = Job::new(spec, number, P::procedure(&spec.test)?);
        let client_form = (spec.drive == Drive::Client).then(|| job.procedure.client_form()).transpose()?;
        self.product.set_up(&mut self.connection, &job)?;
        let mut form = None;
        if let Some(client) = client_form {
            let texts = client.texts.iter().map(|text| Ok(PreparedText::from(text)));
            let preparing = (job.preparing.as_str(), PrepareWhen::Beforehand);
            let prepared = Client::new(&mut self.connection, job.doing.clone(), preparing, texts)?;
            (self.client, form) = (Some(prepared), Some(client.form));
        } else {
            let scanned_bytes = self.scanned_bytes(&job)?;
            let call = self.connection.prepare_call(&job.preparing, &job.procedure.call()?)?;
            let splits_calls = self.product.splits_calls(&job);
            let job = job.clone();
            self.work = Some(CallWork { job, call, splits_calls, scanned_bytes, piece_passes: 0, piece_rows: 0 });
        }
        match (self.product.passes_beforehand(&job), &form) {
            (Some(passes), None) => _ = self.call(0, passes)?,
            (Some(1..), Some(form)) => self.send_first_statement(TestProgram::new(spec, number, form.clone()))?,
            _ => {}
        }
        let mut prepared = self.product.plan(&mut self.connection, &job)?;
        prepared.form = form;
        prepared.problems.extend(self.altered_source(&job)?);
        self.product.account_overhead(&mut self.connection)?;
        Ok(prepared)
    }

    /// Sends the first statement of a program.
    fn send_first_statement(&mut self, mut program: TestProgram) -> Result<(), EngineError> {
        program.begin();
        let Act::Execute { statement, times, opens } = program.act(None) else { return Ok(()) };
        let bound = Bound { statement, values: program.values(), times, opens };
        let client = self.client.as_mut().ok_or_else(unprepared)?;
        client.statement(&mut self.connection, &bound).map(drop)
    }

    /// What is wrong with the table that a bulk load copies, if anything. A call is given the sum that it must copy, as
    /// adding it up would be timed; so it is added up here, before the point, by the first job.
    fn altered_source(&mut self, job: &Job) -> Result<Option<String>, EngineError> {
        let spec = &job.spec;
        if spec.test.procedure.shape != ProcedureShape::Load || !job.is_first() {
            return Ok(None);
        }
        let sql = &P::dialect().get("statistics/source_quantities")?.text;
        // An empty table has no sum, which the server says by nothing.
        let sum = first(self.connection.texts(&job.preparing, sql)?).unwrap_or_default();
        let found = if sum.is_empty() { Ok(0) } else { sum.parse() };
        let found = found.map_err(|_| {
            EngineError::other(format!("{}: the sum of quantities is '{sum}', which is no number", job.preparing))
        })?;
        Ok(altered_quantities(&spec.size, TableName::SmallHeap, spec.seed, 1, found))
    }

    /// Bytes that one operation reads by scanning, from the server's statistics of its tables.
    fn scanned_bytes(&mut self, job: &Job) -> Result<u64, EngineError> {
        let procedure = job.spec.test.procedure;
        if procedure.shape != ProcedureShape::Statement {
            return Ok(0);
        }
        let mut bytes = 0;
        for table in job.spec.test.reads() {
            let sql = P::dialect().fill("statistics/table_bytes", &[("table", table.name())])?;
            let told = first(self.connection.texts(&job.preparing, &sql)?);
            bytes += told.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(if procedure.rows_by == Some(RowsBy::RangePartition) { bytes / Size::RANGES } else { bytes })
    }

    /// Runs passes of the test: in one call, or in a call for each if calls must be split.
    fn run_passes(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, Failure> {
        if !self.work.as_ref().ok_or_else(unprepared)?.splits_calls {
            return Ok(self.call(first_pass, passes)?);
        }
        let mut done = ChunkResult::default();
        for pass in first_pass..first_pass + passes {
            let one = self.call(pass, 1).and_then(|one| {
                let job = &self.work.as_ref().ok_or_else(unprepared)?.job;
                self.product.after_pass(&mut self.connection, job, one)
            });
            let one = one.map_err(|error| Failure { done, error })?;
            done.ops += one.ops;
            done.rows += one.rows;
            done.bytes += one.bytes;
            done.checksum = done.checksum.wrapping_add(one.checksum);
        }
        Ok(done)
    }

    fn call(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, EngineError> {
        let Self { connection, product, work, .. } = self;
        let work = work.as_mut().ok_or_else(unprepared)?;
        let job = &work.job;
        let numbers = arguments(&job.spec, job.number, first_pass, passes);
        work.piece_passes = first_pass + passes;
        let sums = connection.call(&job.doing, &mut work.call, &numbers);
        let [ops, rows, bytes, checksum] = sums.map_err(|error| product.call_error(connection, job, error))?;
        product.after_call(job, passes);
        work.piece_rows += rows;
        Ok(ChunkResult { ops, rows, bytes: bytes + ops * work.scanned_bytes, checksum })
    }

    /// Drops what the last piece has made. This is not work, so it returns no operations.
    fn discard(&mut self) -> Result<ChunkResult, EngineError> {
        let Some(work) = &mut self.work else { return Ok(ChunkResult::default()) };
        let (passes, rows) = (std::mem::take(&mut work.piece_passes), std::mem::take(&mut work.piece_rows));
        let job = &work.job;
        let made = job.procedure.made_by(job.number, job.spec.jobs_in_all(), passes)?;
        if !made.is_empty() {
            self.product.before_discard(&mut self.connection, job, &made, rows)?;
            for sql in job.procedure.discards(&made)? {
                self.connection.batch(DISCARDING, &sql)?;
            }
            self.product.account_overhead(&mut self.connection)?;
        }
        Ok(ChunkResult::default())
    }

    fn handle(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let connection = &mut self.connection;
        let done = match (request, &mut self.client) {
            (Request::Statement(bound), Some(client)) => client.statement(connection, bound),
            (Request::Commit, Some(client)) => client.commit(connection),
            (Request::Rollback, Some(client)) => client.roll_back(connection),
            (Request::Chunk { first_pass, passes }, _) => return self.run_passes(*first_pass, *passes),
            (Request::Discard, _) => self.discard(),
            (Request::LogOn | Request::LogOff, _) | (_, None) => Err(unprepared()),
        };
        Ok(done?)
    }

    fn rules() -> Result<&'static ProcedureDialect, EngineError> {
        P::dialect().procedures()
    }
}

impl<P: SessionProduct> Session for ServerSession<P> {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        let prepared = self.prepare_job(spec, job);
        self.product.end_request();
        prepared
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.drop_preparation()?;
        self.product.set_up_statements(&mut self.connection, statements)?;
        let (rules, doing) = (Self::rules()?, format!("preparing {}", statements.work));
        let texts = statements.texts.iter().map(|text| PreparedText::of(text, rules));
        let preparing = (doing.as_str(), statements.prepared);
        self.client = Some(Client::new(&mut self.connection, statements.work.clone(), preparing, texts)?);
        self.product.account_overhead(&mut self.connection)
    }

    fn answer(&self) -> &Answer {
        self.client.as_ref().map_or(Answer::NONE, Client::answer)
    }

    /// A failed call does not report what it did before it failed, because the server returns a procedure's sums only
    /// at its end. If each pass is a call of its own, the failure reports what the passes before it did.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        self.product.begin_request();
        let done = self.handle(request);
        self.product.end_request();
        done
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.product.flush(&mut self.connection)
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }
}
