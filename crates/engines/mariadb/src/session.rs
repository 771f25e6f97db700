//! A session: one connection, prepared for a job of a point, that calls the test's procedure or sends what a client
//! sends.

use super::check::grants;
use super::client::Client;
use super::connection::MariaDbConnection;
use super::procedure::ProcedureSpec;
use super::snapshot::{self, Done};
use super::{Node, settle};
use crate::DIALECT;
use dbdyno_engine::client::{Answer, Statements};
use dbdyno_engine::server::call::arguments;
use dbdyno_engine::server::{Connection as _, first, recover};
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, PointSpec, Prepared, Request, Session, modulo_2_64};
use dbdyno_model::{CommitMode, Drive, ErrorClass, Procedure, Size};
use mysql::prelude::Queryable as _;
use mysql::{Params, Row, Statement, Value};
use std::sync::Arc;

/// A job's work, understood.
struct Work {
    spec: PointSpec,
    job: u32,
    /// What errors call it: put in words once, as a call may be one short commit.
    doing: String,
    call: Statement,
    /// What comes after each pass, outside the procedure, and what then tells how many bytes it wrote.
    after_pass: Option<[String; 2]>,
    /// Bytes that one operation reads by scanning; 0 where it does not scan.
    scanned_bytes: u64,
    procedure: ProcedureSpec,
    /// Passes of the last piece.
    made_passes: u64,
}

impl Work {
    /// Whether each pass must be a call of its own so that its commit waits for the device. Inside a procedure it need
    /// not: where another session is writing the log just then, InnoDB (from 10.6 on) lets the procedure go on, and
    /// only the answer to the call waits. With 4 jobs, 49 commits of one call shared a write of the log.
    fn waits_for_each(&self) -> bool {
        let commits = matches!(
            self.spec.test.procedure,
            Procedure::Insert | Procedure::UpdatePrimary | Procedure::UpdateSecondary
        );
        commits && self.spec.commit == CommitMode::Durable
    }
}

/// One connection at work.
pub(super) struct MariaDbSession {
    connection: MariaDbConnection,
    node: Arc<Node>,
    work: Option<Work>,
    client: Option<Client>,
    /// What the server has counted for this session, as far as the node has it in its account.
    accounted: Done,
}

impl MariaDbSession {
    /// A session of its own connection.
    ///
    /// # Errors
    /// Another of our sessions has the same number: a proxy stands between.
    pub(super) fn new(connection: MariaDbConnection, node: Arc<Node>) -> Result<Self, EngineError> {
        if !recover(&node.ours).insert(connection.session_id()) {
            let message = "two sessions share one session of the server: a proxy stands between, and settings and counts \
                           of one would be those of the other; name the server itself as the target";
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        Ok(Self { connection, node, work: None, client: None, accounted: Done::default() })
    }

    fn prepare_work(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        (self.work, self.client) = (None, None);
        let procedure = ProcedureSpec::of(&spec.test)?;
        let doing = format!("preparing {}", spec.test.code);
        let set: Vec<String> = procedure
            .settings(spec.drive)
            .iter()
            .map(|(name, value)| format!("SET SESSION {name} = {value}"))
            .collect();
        self.connection.reset(&doing, &set.join("; "))?;
        // The reset has let go of it.
        let sql = DIALECT.get("statistics/job")?.text.replace("{job}", &job.to_string());
        self.connection.batch(&doing, &sql)?;
        let mut prepared = self.plan(&procedure, &doing)?;
        match spec.drive {
            Drive::Server => self.prepare_call(&procedure, spec, job, &doing)?,
            Drive::Client => {
                let (client, form) = Client::prepare(&mut self.connection, &procedure, spec, job)?;
                (self.client, prepared.form) = (Some(client), Some(form));
            }
        }
        self.account_commits()?;
        Ok(prepared)
    }

    /// None of what was done until now is the test's work; its commits are ours all the same.
    fn account_commits(&mut self) -> Result<(), EngineError> {
        let now = snapshot::done(&mut self.connection)?;
        self.node.account.add_commits(now.since(&self.accounted));
        self.accounted = now;
        Ok(())
    }

    fn prepare_call(
        &mut self,
        procedure: &ProcedureSpec,
        spec: &PointSpec,
        job: u32,
        doing: &str,
    ) -> Result<(), EngineError> {
        let scanned_bytes = self.scanned_bytes(procedure, spec, doing)?;
        let call = self.connection.control(doing).prep(procedure.call());
        let call = call.map_err(|e| self.connection.error(doing, &e))?;
        self.work = Some(Work {
            spec: spec.clone(),
            job,
            doing: format!("{} job {}", spec.test.code, job + 1),
            call,
            after_pass: procedure.after_pass(job)?,
            scanned_bytes,
            procedure: procedure.clone(),
            made_passes: 0,
        });
        // The first call of a session reads the procedure from a table of the server's, which counts.
        self.call(0, 0).map(drop)
    }

    /// Explains the statement under test under the session's settings, and compares.
    fn plan(&mut self, procedure: &ProcedureSpec, doing: &str) -> Result<Prepared, EngineError> {
        let Some(explain) = procedure.explain()? else { return Ok(Prepared::default()) };
        let json = first(self.connection.texts(doing, &explain)?).unwrap_or_default();
        let plan = super::plan::compact(&json)?;
        let problem = procedure.plan_problem(&plan)?;
        Ok(Prepared { plan: Some(plan), problems: problem.into_iter().collect(), form: None })
    }

    /// Bytes of what one operation scans, as the server's statistics have them.
    fn scanned_bytes(&mut self, procedure: &ProcedureSpec, spec: &PointSpec, doing: &str) -> Result<u64, EngineError> {
        let share = match spec.test.procedure {
            Procedure::Scan | Procedure::Sort | Procedure::Group | Procedure::Report => 1,
            Procedure::ScanRange => Size::RANGES,
            _ => return Ok(0),
        };
        let mut bytes = 0;
        for table in procedure.reads() {
            let sql = DIALECT.fill("statistics/table_bytes", &[("table", table.name())])?;
            bytes += first(self.connection.texts(doing, &sql)?).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(bytes / share)
    }

    /// Passes of the test, as many in a call as may be.
    fn passes(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, Failure> {
        let work = self.work.as_ref().ok_or_else(unprepared)?;
        if work.after_pass.is_none() && !work.waits_for_each() {
            return Ok(self.call(first_pass, passes)?);
        }
        let mut done = ChunkResult::default();
        for pass in first_pass..first_pass + passes {
            let one = self.call(pass, 1).and_then(|one| self.end_pass(one)).map_err(|error| Failure { done, error })?;
            done.ops += one.ops;
            done.rows += one.rows;
            done.bytes += one.bytes;
            done.checksum = done.checksum.wrapping_add(one.checksum);
        }
        Ok(done)
    }

    /// Drops what the last piece has made, which counts for nothing.
    fn discard(&mut self) -> Result<(), EngineError> {
        let Some(work) = &mut self.work else { return Ok(()) };
        let passes = std::mem::take(&mut work.made_passes);
        let drops = work.procedure.discards(work.job, work.spec.jobs_in_all(), passes)?;
        self.flush()?;
        drops.iter().try_for_each(|sql| self.connection.batch("removing what a piece has made", sql))?;
        self.account_commits()
    }

    /// What comes after a pass, outside the procedure.
    fn end_pass(&mut self, mut done: ChunkResult) -> Result<ChunkResult, EngineError> {
        let Some([end, bytes]) = self.work.as_ref().and_then(|work| work.after_pass.clone()) else { return Ok(done) };
        let doing = "bringing a file to the device";
        let connection = &mut self.connection;
        connection.measure(doing, &end).map_err(|error| grants::unmeasured(connection, error, &settle::FLUSHING))?;
        let written =
            connection.measure(doing, &bytes).map_err(|error| grants::unmeasured(connection, error, &["PROCESS"]))?;
        let written = first(written).and_then(|n| n.parse::<u64>().ok());
        let unknown = || EngineError::new(ErrorClass::Other, format!("{doing}: the server does not tell its length"));
        done.bytes = written.ok_or_else(unknown)?;
        done.checksum = done.bytes;
        Ok(done)
    }

    fn call(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, EngineError> {
        let work = self.work.as_ref().ok_or_else(unprepared)?;
        let doing = work.doing.as_str();
        if self.connection.cancelled() {
            return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped before a call")));
        }
        // The sums begin at 0.
        let numbers = arguments(&work.spec, work.job, first_pass, passes)
            .into_iter()
            .chain([0; dbdyno_engine::server::call::SUMS]);
        let parameters = Params::Positional(numbers.map(Value::Int).collect());
        let answer: Result<Option<Row>, _> = self.connection.measured().exec_first(&work.call, parameters);
        let row = answer.map_err(|e| self.connection.error(doing, &e))?;
        // A statement that is told to end while its plan is made may change nothing and say that all is well; if the
        // kill is then forgotten at the COMMIT, so does the procedure (seen on 11.4: 28 of 32 rows).
        if self.connection.cancelled() {
            let message =
                format!("{doing}: stopped; what the server says of a call that was to end cannot be relied on");
            return Err(EngineError::new(ErrorClass::Cancelled, message));
        }
        let unclear =
            || EngineError::new(ErrorClass::Other, format!("{doing}: the procedure's answer is not understood"));
        let [ops, rows, bytes, checksum] = row.as_ref().and_then(sums).ok_or_else(unclear)?;
        Ok(ChunkResult { ops, rows, bytes: bytes + ops * work.scanned_bytes, checksum })
    }
}

/// The sums that a procedure or a statement gives back.
pub(super) fn sums<const N: usize>(row: &Row) -> Option<[u64; N]> {
    let mut sums = [0; N];
    for (n, sum) in sums.iter_mut().enumerate() {
        *sum = match row.as_ref(n)? {
            Value::Int(number) => modulo_2_64(*number)?,
            Value::UInt(number) => *number,
            Value::Bytes(digits) => modulo_2_64(digits.as_slice())?,
            _ => return None,
        };
    }
    Some(sums)
}

/// The error of a session that nobody has prepared for what it is asked.
fn unprepared() -> EngineError {
    EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared")
}

impl Session for MariaDbSession {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.prepare_work(spec, job)
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        (self.work, self.client) = (None, None);
        self.connection.reset(&format!("preparing {}", statements.work), "")?;
        self.client = Some(Client::prepare_own(&mut self.connection, statements)?);
        self.account_commits()
    }

    fn answer(&self) -> &Answer {
        self.client.as_ref().map_or(Answer::NONE, Client::answer)
    }

    /// A call that fails gives no account of what it did before: the server returns a procedure's sums at its end.
    /// Where each pass is a call, what the others did is told.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let done = match (request, &mut self.client) {
            (Request::Chunk { first_pass, passes }, _) => {
                if let Some(work) = &mut self.work {
                    work.made_passes = first_pass + passes;
                }
                return self.passes(*first_pass, *passes);
            }
            (Request::Discard, _) => self.discard().map(|()| ChunkResult::default()),
            (Request::Statement(bound), Some(client)) => client.statement(&mut self.connection, bound),
            (Request::Commit, Some(client)) => client.commit(&mut self.connection),
            (Request::Rollback, Some(client)) => client.roll_back(&mut self.connection),
            (_, None) => Err(unprepared()),
        };
        Ok(done?)
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        let now = snapshot::done(&mut self.connection)?;
        self.node.account.add(now.since(&self.accounted));
        self.accounted = now;
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }
}

impl Drop for MariaDbSession {
    fn drop(&mut self) {
        recover(&self.node.ours).remove(&self.connection.session_id());
    }
}
