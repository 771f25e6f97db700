//! A session: one connection, prepared for a job of a point, that calls the test's procedure or sends what a client
//! sends.

use super::call::arguments;
use super::client::{Client, PreparedText};
use super::{Connection as _, WorkConnection, first};
use crate::client::{Answer, Bound, Statements, TestProgram};
use crate::procedure::{MadeName, ProcedureDialect, ProcedureSpec};
use crate::program::{Act, Program as _};
use crate::{Canceller, ChunkResult, Dialect, EngineError, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::{Drive, ErrorClass, ProcedureShape, RowsBy, Size};
use std::sync::Arc;

const DISCARDING: &str = "removing what a piece has made";

/// What a session of a product does in its own way. A value belongs to one session, and keeps account of what the
/// server has counted for it.
pub trait SessionProduct: Send + 'static {
    /// Its connections.
    type Connection: WorkConnection + 'static;

    /// Its files.
    fn dialect() -> &'static Dialect;

    /// The procedure of a test.
    ///
    /// # Errors
    /// `Unsupported` where the product has no such procedure or table.
    fn procedure(test: &dbdyno_model::Test) -> Result<ProcedureSpec, EngineError>;

    /// Takes back what the session has set, and makes the settings of a job.
    ///
    /// # Errors
    /// The server's.
    fn set_up(&mut self, connection: &mut Self::Connection, job: &Job) -> Result<(), EngineError>;

    /// The same for statements of a work's own.
    ///
    /// # Errors
    /// The server's; `Unsupported` where such sessions send none.
    fn set_up_statements(
        &mut self,
        connection: &mut Self::Connection,
        statements: &Statements,
    ) -> Result<(), EngineError>;

    /// Passes of a call that is made before the point, if there is one; a client then sends the first statement where
    /// they are not 0.
    fn first_passes(&self, _: &Job) -> Option<u64> {
        None
    }

    /// The plan of the statement under test, compared with what it must be.
    ///
    /// # Errors
    /// The server does not explain it, or the explanation is not understood.
    fn plan(&mut self, connection: &mut Self::Connection, job: &Job) -> Result<Prepared, EngineError> {
        let Some(explain) = job.procedure.explain()? else { return Ok(Prepared::default()) };
        let rows = connection.texts(&job.preparing, &explain)?;
        compared(Self::plan_of(rows)?, job)
    }

    /// A plan in one line, from what the server explains.
    ///
    /// # Errors
    /// It is no plan.
    fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError>;

    /// Whether each pass must be a call of its own.
    fn splits_calls(&self, _: &Job) -> bool {
        false
    }

    /// What comes after a pass that is a call of its own, outside the procedure.
    ///
    /// # Errors
    /// The server's.
    fn end_pass(&mut self, _: &mut Self::Connection, _: &Job, done: ChunkResult) -> Result<ChunkResult, EngineError> {
        Ok(done)
    }

    /// So many passes were called.
    fn called(&mut self, _: &Job, _passes: u64) {}

    /// The error of a call that failed, in the product's words.
    fn call_error(&self, _: &Self::Connection, _: &Job, error: EngineError) -> EngineError {
        error
    }

    /// Adds what was done since the last time to the account of the test's work.
    ///
    /// # Errors
    /// The server is lost.
    fn account(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError>;

    /// Nothing that was done since the last time is the test's work; its commits are dbdyno's all the same.
    ///
    /// # Errors
    /// The server is lost.
    fn account_others(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError>;

    /// Something that a piece made, with so many rows, is about to go.
    ///
    /// # Errors
    /// The server is lost.
    fn discarding(
        &mut self,
        connection: &mut Self::Connection,
        _: &Job,
        _made: &[MadeName],
        _rows: u64,
    ) -> Result<(), EngineError> {
        self.account(connection)
    }

    /// Makes the session's statistics visible.
    ///
    /// # Errors
    /// The server is lost, or the work was not done by the plan that it must have.
    fn flush(&mut self, connection: &mut Self::Connection) -> Result<(), EngineError> {
        self.account(connection)
    }

    /// Something is asked.
    fn work(&mut self) {}

    /// Nothing more is asked for the time being.
    fn rest(&mut self) {}
}

/// A job of a point, understood.
#[derive(Debug, Clone)]
pub struct Job {
    /// The point.
    pub spec: PointSpec,
    /// Which of its jobs this is.
    pub number: u32,
    /// The test's procedure.
    pub procedure: ProcedureSpec,
    /// What errors call the preparation.
    pub preparing: String,
    /// What errors call the work: put in words once, as a call may be one short commit.
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

    /// Whether it is the first of the point's jobs here.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.number == self.spec.jobs_before
    }
}

/// A plan, compared with what it must be.
///
/// # Errors
/// A note cannot be filled in.
pub fn compared(plan: String, job: &Job) -> Result<Prepared, EngineError> {
    let problem = job.procedure.plan_problem(&job.spec, &plan)?;
    Ok(Prepared { plan: Some(plan), problems: problem.into_iter().collect(), form: None })
}

/// The work of a session that calls a procedure.
struct CallWork<C: WorkConnection> {
    job: Job,
    call: C::Call,
    splits: bool,
    /// Bytes that one operation reads by scanning; 0 where it does not scan.
    scanned_bytes: u64,
    /// Passes of the last piece, and the rows that it touched.
    made: (u64, u64),
}

/// One connection at work.
pub struct ServerSession<P: SessionProduct> {
    connection: P::Connection,
    product: P,
    work: Option<CallWork<P::Connection>>,
    client: Option<Client<P::Connection>>,
}

/// The error of a session that nobody has prepared for what it is asked.
fn unprepared() -> EngineError {
    EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared")
}

impl<P: SessionProduct> ServerSession<P> {
    /// A session of its own connection.
    pub fn new(connection: P::Connection, product: P) -> Self {
        Self { connection, product, work: None, client: None }
    }

    /// Forgets what it was prepared for.
    fn forget(&mut self) -> Result<(), EngineError> {
        self.work = None;
        self.client.take().map_or(Ok(()), |mut client| client.roll_back(&mut self.connection).map(drop))
    }

    fn prepare_job(&mut self, spec: &PointSpec, number: u32) -> Result<Prepared, EngineError> {
        self.forget()?;
        let job = Job::new(spec, number, P::procedure(&spec.test)?);
        let client_form = (spec.drive == Drive::Client).then(|| job.procedure.client_form()).transpose()?;
        self.product.set_up(&mut self.connection, &job)?;
        let mut form = None;
        if let Some(client) = client_form {
            let texts = client.texts.iter().map(|text| Ok(PreparedText::from(text)));
            let sends = Client::prepare(&mut self.connection, job.doing.clone(), &job.preparing, texts)?;
            (self.client, form) = (Some(sends), Some(client.form));
        } else {
            let scanned_bytes = self.scanned_bytes(&job)?;
            let call = self.connection.prepare_call(&job.preparing, &job.procedure.call()?)?;
            let splits = self.product.splits_calls(&job);
            self.work = Some(CallWork { job: job.clone(), call, splits, scanned_bytes, made: (0, 0) });
        }
        match (self.product.first_passes(&job), &form) {
            (Some(passes), None) => _ = self.call(0, passes)?,
            (Some(1..), Some(form)) => self.send_first(TestProgram::new(spec, number, form.clone()))?,
            _ => {}
        }
        let mut prepared = self.product.plan(&mut self.connection, &job)?;
        prepared.form = form;
        self.product.account_others(&mut self.connection)?;
        Ok(prepared)
    }

    /// Sends the first statement of a program.
    fn send_first(&mut self, mut program: TestProgram) -> Result<(), EngineError> {
        program.begin();
        let Act::Execute { statement, times, opens } = program.act(None) else { return Ok(()) };
        let bound = Bound { statement, values: program.values(), times, opens };
        let client = self.client.as_mut().ok_or_else(unprepared)?;
        client.statement(&mut self.connection, &bound).map(drop)
    }

    /// Bytes of what one operation scans, as the server's statistics have them.
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

    /// Passes of the test, as many in a call as may be.
    fn passes(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, Failure> {
        if !self.work.as_ref().ok_or_else(unprepared)?.splits {
            return Ok(self.call(first_pass, passes)?);
        }
        let mut done = ChunkResult::default();
        for pass in first_pass..first_pass + passes {
            let one = self.call(pass, 1).and_then(|one| {
                let job = &self.work.as_ref().ok_or_else(unprepared)?.job;
                self.product.end_pass(&mut self.connection, job, one)
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
        work.made.0 = first_pass + passes;
        let sums = connection.call(&job.doing, &mut work.call, &numbers);
        let [ops, rows, bytes, checksum] = sums.map_err(|error| product.call_error(connection, job, error))?;
        product.called(job, passes);
        work.made.1 += rows;
        Ok(ChunkResult { ops, rows, bytes: bytes + ops * work.scanned_bytes, checksum })
    }

    /// Drops what the last piece has made, which counts for nothing.
    fn discard(&mut self) -> Result<ChunkResult, EngineError> {
        let Some(work) = &mut self.work else { return Ok(ChunkResult::default()) };
        let (passes, rows) = std::mem::take(&mut work.made);
        let job = &work.job;
        let made = job.procedure.made_by(job.number, job.spec.jobs_in_all(), passes)?;
        if !made.is_empty() {
            self.product.discarding(&mut self.connection, job, &made, rows)?;
            for sql in job.procedure.discards(&made)? {
                self.connection.batch(DISCARDING, &sql)?;
            }
            self.product.account_others(&mut self.connection)?;
        }
        Ok(ChunkResult::default())
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let connection = &mut self.connection;
        let done = match (request, &mut self.client) {
            (Request::Statement(bound), Some(client)) => client.statement(connection, bound),
            (Request::Commit, Some(client)) => client.commit(connection),
            (Request::Rollback, Some(client)) => client.roll_back(connection),
            (Request::Chunk { first_pass, passes }, _) => return self.passes(*first_pass, *passes),
            (Request::Discard, _) => self.discard(),
            (_, None) => Err(unprepared()),
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
        self.product.rest();
        prepared
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.forget()?;
        self.product.set_up_statements(&mut self.connection, statements)?;
        let (rules, doing) = (Self::rules()?, format!("preparing {}", statements.work));
        let texts = statements.texts.iter().map(|text| PreparedText::of(text, rules));
        self.client = Some(Client::prepare(&mut self.connection, statements.work.clone(), &doing, texts)?);
        self.product.account_others(&mut self.connection)
    }

    fn answer(&self) -> &Answer {
        self.client.as_ref().map_or(Answer::NONE, Client::answer)
    }

    /// A call that fails gives no account of what it did before: the server returns a procedure's sums at its end.
    /// Where each pass is a call, what the others did is told.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        self.product.work();
        let done = self.ask(request);
        self.product.rest();
        done
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.product.flush(&mut self.connection)
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }
}
