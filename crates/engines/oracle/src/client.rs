//! What a client sends: the statement under test with its values bound, then a commit, which is a round trip of its
//! own. A transaction begins by itself. An insert is sent with the values of its row, as applications do; the procedure
//! reads the row that it copies before.

mod statements;
#[cfg(test)]
mod tests;

use super::connection::OracleConnection;
use super::procedure::ProcedureSpec;
use dbdyno_engine::client::{Answer, Bound, Parameter, Reads, Statements, TestForm};
use dbdyno_engine::server::without_variables;
use dbdyno_engine::{ChunkResult, EngineError, PointSpec};
use dbdyno_model::{CommitMode, Procedure};
use statements::{Sends, ServerText};

/// The variables of procedures, and what a client has for each.
const VARIABLES: [(&str, Parameter); 10] = [
    ("v_key", Parameter::Key),
    ("v_region", Parameter::Region),
    ("v_id", Parameter::Id),
    ("v_customer_id", Parameter::CustomerId),
    ("v_ref_id", Parameter::RefId),
    ("v_booked_on", Parameter::BookedOn),
    ("v_quantity", Parameter::Quantity),
    ("v_amount", Parameter::Amount),
    ("v_status", Parameter::Status),
    ("v_filler", Parameter::Filler),
];

/// The settings of a session whose commits are to be durable, whatever the server's are.
const DURABLE: [&str; 2] = ["ALTER SESSION SET commit_logging = IMMEDIATE", "ALTER SESSION SET commit_wait = WAIT"];

/// The statement under test as a client sends it.
#[derive(Debug, Clone)]
pub(super) struct Form {
    sql: String,
    parameters: Vec<Parameter>,
    work: Procedure,
    commit: CommitMode,
}

impl Form {
    /// The form of a test.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub(super) fn of(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Self, EngineError> {
        let work = spec.test.procedure;
        let text =
            procedure.tested()?.filter(|_| work.has_client_form()).ok_or_else(dbdyno_engine::client::unsupported)?;
        let mut parameters = Vec::new();
        let sql = without_variables(&text, &VARIABLES, |parameter| {
            parameters.push(parameter);
            format!(":{}", parameters.len())
        })?;
        Ok(Self { sql, parameters, work, commit: spec.commit })
    }

    /// The statement.
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// What a session sets before it sends it.
    pub(super) fn settings(&self) -> &'static [&'static str] {
        if self.work.writes() { settings(self.commit) } else { &[] }
    }

    /// What it is given, and what its answer says.
    fn test_form(&self) -> TestForm {
        let reads = match self.work {
            Procedure::SelectPrimary => Reads::Quantities,
            work if work.writes() => Reads::Changes,
            _ => Reads::Sums,
        };
        TestForm { parameters: self.parameters.clone(), reads, ..TestForm::default() }
    }
}

/// What a session sets before it sends what writes.
fn settings(commit: CommitMode) -> &'static [&'static str] {
    if commit == CommitMode::Durable { &DURABLE } else { &[] }
}

/// What a client sends in a session, and the transaction that it is in.
pub(super) struct Client {
    /// What errors call it.
    doing: String,
    sends: Sends,
    /// Whether a transaction of several statements is under way.
    open: bool,
}

impl Client {
    /// Prepares a session for a test; says what its statement is given.
    ///
    /// # Errors
    /// `Unsupported` where no client would send its statement; the server's.
    pub(super) fn prepare(
        connection: &mut OracleConnection,
        procedure: &ProcedureSpec,
        spec: &PointSpec,
        job: u32,
    ) -> Result<(Self, TestForm), EngineError> {
        let form = Form::of(procedure, spec)?;
        let doing = format!("{} job {}", spec.test.code, job + 1);
        form.settings().iter().try_for_each(|sql| connection.run_block(&doing, sql, &[]))?;
        let text = ServerText::in_order(form.sql.clone(), form.parameters.len());
        Ok((Self { doing, sends: Sends::new(std::iter::once(text)), open: false }, form.test_form()))
    }

    /// Prepares a session for statements of a work's own.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn prepare_own(connection: &mut OracleConnection, statements: &Statements) -> Result<Self, EngineError> {
        let doing = statements.work.clone();
        settings(statements.commit).iter().try_for_each(|sql| connection.run_block(&doing, sql, &[]))?;
        let texts = statements.texts.iter().map(ServerText::of).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { doing, sends: Sends::new(texts.into_iter()), open: false })
    }

    /// Executes a statement. Where it fails, its whole transaction is rolled back at once: its locks would stay.
    ///
    /// # Errors
    /// The server's; `Cancelled` once somebody has cancelled.
    pub(super) fn statement(
        &mut self,
        connection: &mut OracleConnection,
        bound: &Bound<'_>,
    ) -> Result<ChunkResult, EngineError> {
        self.open |= bound.opens;
        // A query within a transaction may have locked what it found.
        let writes = self.open || !self.sends.asks(bound.statement);
        let done = self.sends.execute(connection, bound, !self.open, &self.doing).and_then(|rows| {
            if writes && !self.open && !self.sends.calls(bound.statement) {
                connection.commit(&self.doing)?;
            }
            Ok(rows)
        });
        let rows = done.inspect_err(|_| {
            if writes {
                self.open = false;
                // A session that cannot do this either is lost, and the server rolls back.
                drop(connection.roll_back(&self.doing));
            }
        })?;
        Ok(ChunkResult { rows, checksum: self.sends.answer.sum(), ..ChunkResult::default() })
    }

    /// What the last statement answered with.
    pub(super) fn answer(&self) -> &Answer {
        &self.sends.answer
    }

    /// Commits what is open.
    ///
    /// # Errors
    /// As for [`Client::statement`].
    pub(super) fn commit(&mut self, connection: &mut OracleConnection) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            connection.commit(&self.doing).inspect_err(|_| drop(connection.roll_back(&self.doing)))?;
        }
        Ok(ChunkResult::default())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`Client::statement`].
    pub(super) fn roll_back(&mut self, connection: &mut OracleConnection) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            connection.roll_back(&self.doing)?;
        }
        Ok(ChunkResult::default())
    }
}
