//! What sessions do in MariaDB's way: their settings, what the server counts for each, and calls that are split.

use super::connection::MariaDbConnection;
use super::product::Node;
use super::snapshot::{self, Account, Done};
use super::{plan, privileges, procedure, settle};
use crate::DIALECT;
use dbdyno_engine::client::Statements;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, Job, Member, SessionProduct, first};
use dbdyno_engine::{ChunkResult, Dialect, EngineError};
use dbdyno_model::{CommitMode, ErrorClass, ProcedureShape, Test};
use std::sync::Arc;

/// A session's part in its node.
pub(super) struct MariaDbSession {
    member: Member<MariaDbConnection, Account>,
    /// What the server has counted for this session, as far as the node has it in its account.
    accounted: Done,
}

impl MariaDbSession {
    /// Notes a session among dbdyno's own.
    ///
    /// # Errors
    /// Another of our sessions has the same number: a proxy stands between.
    pub(super) fn new(connection: &MariaDbConnection, node: Arc<Node>) -> Result<Self, EngineError> {
        let twice = "two sessions share one session of the server: a proxy stands between, and settings and counts of one \
                     would be those of the other; name the server itself as the target";
        Ok(Self { member: Member::new(node, connection, twice)?, accounted: Done::default() })
    }

    /// What was done since the last time.
    fn done(&mut self, connection: &mut MariaDbConnection) -> Result<Done, EngineError> {
        let now = snapshot::done(connection)?;
        Ok(now.since(&std::mem::replace(&mut self.accounted, now)))
    }
}

impl SessionProduct for MariaDbSession {
    type Connection = MariaDbConnection;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn procedure(test: &Test) -> Result<ProcedureSpec, EngineError> {
        procedure::of(test)
    }

    fn set_up(&mut self, connection: &mut MariaDbConnection, job: &Job) -> Result<(), EngineError> {
        connection.reset(&job.preparing, &job.procedure.set(&job.spec)?.join("; "))?;
        // The reset has let go of it.
        let sql = DIALECT.get("statistics/job")?.text.replace("{job}", &job.number.to_string());
        connection.batch(&job.preparing, &sql)
    }

    fn set_up_statements(
        &mut self,
        connection: &mut MariaDbConnection,
        statements: &Statements,
    ) -> Result<(), EngineError> {
        connection.reset(&format!("preparing {}", statements.work), "")
    }

    /// The first call of a session reads the procedure from a table of the server's, which counts.
    fn passes_beforehand(&self, _: &Job) -> Option<u64> {
        Some(0)
    }

    fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError> {
        plan::compact(&first(rows).unwrap_or_default())
    }

    /// A commit waits for the device only at the end of a call. Inside a procedure it need not: where another session
    /// is writing the log just then, InnoDB (from 10.6 on) lets the procedure go on, and only the answer to the call
    /// waits. With 4 jobs, 49 commits of one call shared a write of the log. And a file is brought to the device
    /// between calls.
    fn splits_calls(&self, job: &Job) -> bool {
        let procedure = job.spec.test.procedure;
        procedure.shape == ProcedureShape::File || (procedure.commits() && job.spec.commit == CommitMode::Durable)
    }

    fn after_pass(
        &mut self,
        connection: &mut MariaDbConnection,
        job: &Job,
        mut done: ChunkResult,
    ) -> Result<ChunkResult, EngineError> {
        let Some([end, bytes]) = procedure::after_pass(&job.procedure, job.number)? else { return Ok(done) };
        let doing = "bringing a file to the device";
        connection
            .measure(doing, &end)
            .map_err(|error| privileges::unmeasured(connection, error, &settle::FLUSHING))?;
        let written = connection
            .measure(doing, &bytes)
            .map_err(|error| privileges::unmeasured(connection, error, &["PROCESS"]))?;
        let written = first(written).and_then(|n| n.parse::<u64>().ok());
        let unknown = || EngineError::new(ErrorClass::Other, format!("{doing}: the server does not tell its length"));
        done.bytes = written.ok_or_else(unknown)?;
        done.checksum = done.bytes;
        Ok(done)
    }

    fn account_work(&mut self, connection: &mut MariaDbConnection) -> Result<(), EngineError> {
        let done = self.done(connection)?;
        self.member.node.account.add(done);
        Ok(())
    }

    fn account_overhead(&mut self, connection: &mut MariaDbConnection) -> Result<(), EngineError> {
        let done = self.done(connection)?;
        self.member.node.account.add_commits(done);
        Ok(())
    }
}
