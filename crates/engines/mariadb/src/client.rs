//! What a client sends: prepared statements, each a round trip of its own; so are START TRANSACTION and COMMIT. What a
//! procedure does by several statements of its own (a search that begins in the middle of the months, a join that looks
//! rows up one by one) takes a round trip for each of them here.

mod statements;
#[cfg(test)]
mod tests;

use super::connection::MariaDbConnection;
use super::procedure::ProcedureSpec;
use dbdyno_engine::client::{Answer, Bound, Parameter, Reads, Statements, TestForm, TestProgram, Value};
use dbdyno_engine::program::{Act, Outcome, Program as _};
use dbdyno_engine::server::{Connection as _, without_variables};
use dbdyno_engine::{ChunkResult, EngineError, PointSpec};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use statements::{Prepared, ServerText};

/// Statements of an example's transaction that stand for all.
pub(super) const SHOWN: u64 = 2;
const BEGIN: &str = "START TRANSACTION";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// The variables of procedures, and what a client has for each.
const VARIABLES: [(&str, Parameter); 5] = [
    ("v_key", Parameter::Key),
    ("v_id", Parameter::Id),
    ("v_source", Parameter::Source),
    ("v_from", Parameter::From),
    ("v_to", Parameter::To),
];

/// A statement, and what its parameters are given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text {
    /// As in the procedure.
    variables: String,
    sql: String,
    parameters: Vec<Parameter>,
}

impl Text {
    fn new(variables: String) -> Result<Self, EngineError> {
        let mut parameters = Vec::new();
        let sql = without_variables(&variables, &VARIABLES, |parameter| {
            parameters.push(parameter);
            "?".to_owned()
        })?;
        Ok(Self { variables, sql, parameters })
    }

    /// The statement with values in the place of its parameters.
    fn with<'v>(&self, mut values: impl Iterator<Item = Value<'v>>) -> Result<String, EngineError> {
        without_variables(&self.variables, &VARIABLES, |_| {
            match statements::sent(values.next().unwrap_or(Value::Null)) {
                day @ mysql::Value::Date(..) => format!("DATE {}", day.as_sql(true)),
                number => number.as_sql(true),
            }
        })
    }
}

/// What a test's statements are for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Finds the rows that the statement under test looks for, one after the other.
    finds: Option<Text>,
    test: Text,
    writes: bool,
}

impl Form {
    /// The form of a test.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub(super) fn of(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Self, EngineError> {
        let (finds, test) = procedure.sent()?;
        let finds = finds.map(Text::new).transpose()?;
        Ok(Self { finds, test: Text::new(test)?, writes: spec.test.procedure.writes() })
    }

    /// The statements, in the order of their numbers.
    fn texts(&self) -> impl Iterator<Item = &Text> {
        self.finds.iter().chain([&self.test])
    }

    fn test_form(&self) -> TestForm {
        TestForm {
            parameters: self.test.parameters.clone(),
            reads: if self.writes { Reads::Changes } else { Reads::Sums },
            in_two: self.test.parameters.contains(&Parameter::To),
            finds: self.finds.as_ref().map(|finds| finds.parameters.clone()),
        }
    }

    /// A transaction of a task, with its values: the second, as the script's procedure has inserted the rows of the
    /// first. [`SHOWN`] statements stand for all, and one lookup for those of all rows that were found.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn example(&self, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
        let texts: Vec<&Text> = self.texts().collect();
        let (mut program, mut sent, mut shown) = (TestProgram::new(spec, 0, self.test_form()), Vec::new(), 0);
        let (done, mut found) = (ChunkResult::default(), Answer::default());
        found.begin_row().push(1);
        program.ended(Outcome::Committed);
        program.begin();
        let mut act = program.act(None);
        loop {
            match act {
                Act::Execute { statement, times, opens } => {
                    sent.extend(opens.then(|| BEGIN.to_owned()));
                    shown += u64::from(statement == 0);
                    let bound = Bound { statement, values: program.values(), times, opens };
                    let takes = bound.values.len() / times.max(1);
                    for execution in (0..times).filter(|_| shown <= SHOWN) {
                        sent.push(texts[statement].with(bound.of_execution(execution, takes))?);
                    }
                }
                Act::Commit => sent.push(COMMIT.to_owned()),
                _ => return Ok(sent),
            }
            act = program.act(Some((&done, &found)));
        }
    }
}

/// What a client sends, prepared in a session, and the transaction that it is in.
pub(super) struct Client {
    /// What errors call it.
    doing: String,
    sends: Prepared,
    /// Whether a transaction is open.
    open: bool,
}

impl Client {
    /// Prepares a test's statements; says what they are given.
    ///
    /// # Errors
    /// `Unsupported` where no client would send them; the server's.
    pub(super) fn prepare(
        connection: &mut MariaDbConnection,
        procedure: &ProcedureSpec,
        spec: &PointSpec,
        job: u32,
    ) -> Result<(Self, TestForm), EngineError> {
        let form = Form::of(procedure, spec)?;
        let doing = format!("{} job {}", spec.test.code, job + 1);
        let text = |text: &Text| Ok(ServerText::in_order(text.sql.clone(), text.parameters.len()));
        let sends = Prepared::new(connection, form.texts().map(text), &doing)?;
        Ok((Self { doing, sends, open: false }, form.test_form()))
    }

    /// Prepares statements of a work's own.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn prepare_own(
        connection: &mut MariaDbConnection,
        statements: &Statements,
    ) -> Result<Self, EngineError> {
        let texts = statements.texts.iter().map(ServerText::of);
        let sends = Prepared::new(connection, texts, &format!("preparing {}", statements.work))?;
        Ok(Self { doing: statements.work.clone(), sends, open: false })
    }

    /// Executes a statement. Where it fails, its whole transaction is rolled back at once: after a deadlock the server
    /// has done so itself, after other errors its locks would stay.
    ///
    /// # Errors
    /// The server's; `Cancelled` once somebody has cancelled.
    pub(super) fn statement(
        &mut self,
        connection: &mut MariaDbConnection,
        bound: &Bound<'_>,
    ) -> Result<ChunkResult, EngineError> {
        if bound.opens {
            connection.measure(&self.doing, BEGIN)?;
            self.open = true;
        }
        let done = self.sends.execute(connection, bound, &self.doing);
        let rows = done.inspect_err(|_| {
            self.open |= self.sends.is_call(bound.statement);
            self.undo(connection);
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
    pub(super) fn commit(&mut self, connection: &mut MariaDbConnection) -> Result<ChunkResult, EngineError> {
        if self.open {
            connection.measure(&self.doing, COMMIT).inspect_err(|_| self.undo(connection))?;
            self.open = false;
        }
        Ok(ChunkResult::default())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`Client::statement`].
    pub(super) fn roll_back(&mut self, connection: &mut MariaDbConnection) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            connection.measure(&self.doing, ROLLBACK)?;
        }
        Ok(ChunkResult::default())
    }

    /// Lets go of a transaction in which something failed. What fails here as well has lost its session.
    fn undo(&mut self, connection: &mut MariaDbConnection) {
        if std::mem::take(&mut self.open) && !connection.is_closed() {
            drop(connection.measured().query_drop(ROLLBACK));
        }
    }
}

fn refuse_when_cancelled(connection: &MariaDbConnection, doing: &str) -> Result<(), EngineError> {
    if !connection.cancelled() {
        return Ok(());
    }
    Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")))
}
