//! What sessions that call procedures do in PostgreSQL's way: their settings, and what is theirs of the server's
//! counts.

use super::connection::PostgresConnection;
use super::membership::Membership;
use super::procedure::commits_per_pass;
use super::wire::prepared::PreparedStatements;
use super::{describe, grants, plan, procedure, snapshot};
use crate::DIALECT;
use dbdyno_engine::client::{Statements, Values, unsupported};
use dbdyno_engine::procedure::{MadeName, ProcedureSpec};
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::server::{Job, SessionProduct, WorkConnection};
use dbdyno_engine::{Dialect, EngineError, PointSpec};
use dbdyno_model::{ErrorClass, ProcedureShape, Test};

/// A session's part in its node.
pub(super) struct PostgresSession(pub(super) Membership);

impl SessionProduct for PostgresSession {
    type Connection = PostgresConnection;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn procedure(test: &Test) -> Result<ProcedureSpec, EngineError> {
        procedure::of(test)
    }

    fn set_up(&mut self, connection: &mut PostgresConnection, job: &Job) -> Result<(), EngineError> {
        let settings = settings(connection, &job.procedure, &job.spec)?;
        connection.reset(&job.preparing, &settings)
    }

    fn set_up_statements(&mut self, _: &mut PostgresConnection, _: &Statements) -> Result<(), EngineError> {
        Err(unsupported())
    }

    fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError> {
        plan_of(rows)
    }

    fn after_call(&mut self, job: &Job, passes: u64) {
        self.0.claim(passes * commits_per_pass(&job.procedure));
    }

    fn call_error(&self, connection: &PostgresConnection, job: &Job, error: EngineError) -> EngineError {
        match job.spec.test.procedure.shape {
            ProcedureShape::File => grants::unmeasured(error, grants::CHECKPOINT, connection.version_num()),
            _ => error,
        }
    }

    fn account_work(&mut self, connection: &mut PostgresConnection) -> Result<(), EngineError> {
        snapshot::flush(connection, self.0.idle_since())?;
        self.0.settle(connection.transactions());
        Ok(())
    }

    /// The connection counts its transactions itself.
    fn account_overhead(&mut self, _: &mut PostgresConnection) -> Result<(), EngineError> {
        Ok(())
    }

    /// What the server has counted of tables is kept: it forgets that with them.
    fn before_discard(
        &mut self,
        connection: &mut PostgresConnection,
        job: &Job,
        made: &[MadeName],
        rows: u64,
    ) -> Result<(), EngineError> {
        if job.spec.test.procedure.shape == ProcedureShape::Load {
            let names: Vec<String> = made.iter().map(|(_, name)| name.clone()).collect();
            self.0.discarded(snapshot::rows_of(connection, &names, rows)?);
        }
        Ok(())
    }

    fn end_request(&mut self) {
        self.0.rest();
    }
}

impl WorkConnection for PostgresConnection {
    /// The statement, and what it is given.
    type Call = (PreparedStatements, Values);
    type Statement = ();

    fn prepare_call(&mut self, doing: &str, call: &str) -> Result<Self::Call, EngineError> {
        Ok((self.prepare(doing, &[call.into()])?, Values::new()))
    }

    fn call(
        &mut self,
        doing: &str,
        (call, values): &mut Self::Call,
        numbers: &[i64; ARGUMENTS],
    ) -> Result<[u64; SUMS], EngineError> {
        PostgresConnection::execute(self, doing, call, values.set(numbers))?;
        let mut sums = [0; SUMS];
        for (column, sum) in sums.iter_mut().enumerate() {
            let unclear = || format!("{doing}: the procedure's answer is not understood");
            let told = call.answer().sum_at(0, column);
            *sum = told.ok_or_else(|| EngineError::new(ErrorClass::Other, unclear()))?;
        }
        Ok(sums)
    }
}

/// A plan in one line, from the rows of an EXPLAIN.
///
/// # Errors
/// They are no plan.
pub(super) fn plan_of(rows: Vec<Vec<Option<String>>>) -> Result<String, EngineError> {
    let lines: Vec<String> = rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
    plan::compact(&lines.join("\n"))
}

/// What a session sets for a job, as SQL.
///
/// # Errors
/// The server is lost.
pub(super) fn settings(
    connection: &mut PostgresConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<String, EngineError> {
    let mut settings = procedure.settings(spec)?;
    settings.extend(procedure.settings_of_version(spec, connection.version_num().into())?);
    settings.extend(describe::commit_settings(connection, spec.commit)?);
    let rules = procedure.rules()?;
    Ok(settings.iter().map(|setting| format!("{}; ", rules.setting(setting))).collect())
}
