//! A session: one connection, prepared for a job of a point, that calls the test's procedure.

use super::connection::PostgresConnection;
use super::membership::Membership;
use super::procedure::ProcedureSpec;
use super::wire::prepared::PreparedStatements;
use super::{Node, grants, snapshot};
use crate::DIALECT;
use dbdyno_engine::client::Values;
use dbdyno_engine::server::Connection;
use dbdyno_engine::server::call::arguments;
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::{ErrorClass, Procedure, Size};
use std::sync::Arc;

/// A job's work, understood.
struct Work {
    spec: PointSpec,
    job: u32,
    procedure: ProcedureSpec,
    call: PreparedStatements,
    /// What it is given.
    arguments: Values,
    /// Bytes that one operation reads by scanning; 0 where it does not scan.
    scanned_bytes: u64,
    /// Passes of the last piece, and the rows that it changed.
    made: (u64, u64),
}

/// One connection at work.
pub(super) struct PostgresSession {
    connection: PostgresConnection,
    part: Membership,
    work: Option<Work>,
}

impl PostgresSession {
    /// A session of its own connection.
    ///
    /// # Errors
    /// Another of our sessions has the same server process.
    pub(super) fn new(connection: PostgresConnection, node: Arc<Node>) -> Result<Self, EngineError> {
        let part = Membership::new(node, &connection)?;
        Ok(Self { connection, part, work: None })
    }

    fn prepare_work(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.work = None;
        let procedure = ProcedureSpec::of(&spec.test)?;
        let doing = format!("preparing {}", spec.test.code);
        let version_num = self.connection.version_num();
        let settings = settings(&mut self.connection, version_num, &procedure, spec)?;
        self.connection.reset(&doing, &settings)?;
        let prepared = match procedure.explain()? {
            Some(explain) => plan(&mut self.connection, &procedure, spec, &doing, &explain)?,
            None => Prepared::default(),
        };
        let call = self.connection.prepare(&doing, &[procedure.call().as_str().into()])?;
        let scanned_bytes = self.scanned_bytes(&procedure, spec, &doing)?;
        self.work = Some(Work {
            spec: spec.clone(),
            job,
            procedure,
            call,
            arguments: Values::new(),
            scanned_bytes,
            made: (0, 0),
        });
        Ok(prepared)
    }

    /// Bytes of what one operation scans, as the server's files have them.
    fn scanned_bytes(&mut self, procedure: &ProcedureSpec, spec: &PointSpec, doing: &str) -> Result<u64, EngineError> {
        let share = match spec.test.procedure {
            Procedure::Scan | Procedure::Sort | Procedure::Group | Procedure::Report => 1,
            Procedure::ScanRange => Size::RANGES,
            _ => return Ok(0),
        };
        let mut bytes = 0;
        for table in procedure.reads() {
            let sql = DIALECT.fill("statistics/table_bytes", &[("table", table.name())])?;
            let rows = self.connection.texts(doing, &sql)?;
            let first = rows.first().and_then(|row| row.first()).cloned().flatten();
            bytes += first.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(bytes / share)
    }

    fn call(&mut self, first_pass: u64, passes: u64) -> Result<ChunkResult, EngineError> {
        let unprepared = || EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared");
        let work = self.work.as_mut().ok_or_else(unprepared)?;
        let doing = format!("{} job {}", work.spec.test.code, work.job + 1);
        work.arguments.set(&arguments(&work.spec, work.job, first_pass, passes));
        let called = self.connection.execute(&doing, &mut work.call, &work.arguments);
        called.map_err(|error| match work.spec.test.procedure {
            Procedure::WriteFile => grants::unmeasured(error, grants::CHECKPOINT, self.connection.version_num()),
            _ => error,
        })?;
        self.part.claim(passes * work.procedure.commits_per_pass());
        let sum = |column| {
            let unclear = || format!("{doing}: the procedure's answer is not understood");
            work.call.answer().sum_at(0, column).ok_or_else(|| EngineError::new(ErrorClass::Other, unclear()))
        };
        let (ops, rows, bytes, checksum) = (sum(0)?, sum(1)?, sum(2)?, sum(3)?);
        work.made = (first_pass + passes, work.made.1 + rows);
        Ok(ChunkResult { ops, rows, bytes: bytes + ops * work.scanned_bytes, checksum })
    }

    /// Drops what the last piece has made. What the server has counted of it is kept: it forgets that with the tables.
    fn discard(&mut self) -> Result<(), EngineError> {
        let Some(work) = &mut self.work else { return Ok(()) };
        let (passes, rows) = std::mem::take(&mut work.made);
        let Some((kind, names)) = work.procedure.made(work.job, work.spec.jobs_in_all(), passes) else { return Ok(()) };
        if names.is_empty() {
            return Ok(());
        }
        if work.spec.test.procedure == Procedure::BulkLoad {
            self.part.discarded(snapshot::rows_of(&mut self.connection, &names, rows)?);
        }
        let named: Vec<String> = names.iter().map(|name| format!("dbdyno.{name}")).collect();
        self.connection.batch("removing what a piece has made", &format!("DROP {kind} IF EXISTS {}", named.join(", ")))
    }
}

/// What a session sets for a task, as SQL.
///
/// # Errors
/// The server is lost.
pub(super) fn settings(
    connection: &mut dyn Connection,
    version_num: u32,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<String, EngineError> {
    let mut settings = procedure.settings(spec);
    settings.extend(procedure.settings_of_version(version_num));
    settings.extend(super::describe::commit_settings(connection, spec.commit)?);
    Ok(setting(&settings))
}

/// The SQL that makes settings.
pub(super) fn setting(settings: &[(&'static str, String)]) -> String {
    settings.iter().map(|(name, value)| format!("SET {name} = '{value}'; ")).collect()
}

/// Explains the statement under test under the session's settings, and compares.
///
/// # Errors
/// The server does not explain it, or the explanation is not understood.
pub(super) fn plan(
    connection: &mut dyn Connection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
    doing: &str,
    explain: &str,
) -> Result<Prepared, EngineError> {
    let rows = connection.texts(doing, explain)?;
    let json = rows.iter().filter_map(|row| row.first().cloned().flatten()).collect::<Vec<_>>().join("\n");
    let plan = super::plan::compact(&json)?;
    let problem = procedure.plan_problem(spec, &plan)?;
    Ok(Prepared { plan: Some(plan), problems: problem.into_iter().collect(), form: None })
}

impl Session for PostgresSession {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        let prepared = self.prepare_work(spec, job);
        self.part.rest();
        prepared
    }

    /// A call that fails gives no account of what it did before: the server returns a procedure's results at its end.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let done = match *request {
            Request::Chunk { first_pass, passes } => self.call(first_pass, passes),
            Request::Discard => self.discard().map(|()| ChunkResult::default()),
            _ => return Err(dbdyno_engine::client::unsupported().into()),
        };
        self.part.rest();
        Ok(done?)
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        snapshot::flush(&mut self.connection, self.part.idle_since())?;
        self.part.settle(self.connection.transactions());
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }
}
