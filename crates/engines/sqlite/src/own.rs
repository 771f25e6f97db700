//! Statements of a work's own, from the connection's cache of prepared ones. As with a test's, a statement that writes and is a
//! transaction of its own brings its BEGIN and COMMIT along, and a transaction of several keeps its turn to write, which it has
//! from its beginning on: SQLite lets nobody write who began by reading what has changed since.

use super::errors::Fault;
use super::link::Link;
use super::procedures::{Chunk, taken};
use super::writer::Turn;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, Values, placed};
use dbdyno_engine::{ChunkResult, EngineError};
use rusqlite::types::{Null, ValueRef};
use rusqlite::{CachedStatement, StatementStatus};

/// Room in the cache of prepared statements besides a work's own.
const OTHERS: usize = 16;

/// The statements of a work.
pub(super) struct Own {
    /// What errors call it.
    pub(super) doing: String,
    texts: Vec<String>,
    pub(super) answer: Answer,
}

impl Own {
    /// Prepares statements.
    ///
    /// # Errors
    /// SQLite's, where it does not understand one of them.
    pub(super) fn prepare(link: &Link, statements: &Statements) -> Result<Self, EngineError> {
        link.connection.set_prepared_statement_cache_capacity(statements.texts.len() + OTHERS);
        let texts: Vec<String> =
            statements.texts.iter().map(|text| placed(text, |number| format!("?{number}"))).collect();
        for text in &texts {
            let prepared = link.connection.prepare_cached(text);
            prepared.map_err(|error| link.says(&format!("preparing {}", statements.work), error))?;
        }
        Ok(Self { doing: statements.work.clone(), texts, answer: Answer::default() })
    }
}

impl<'a> Chunk<'a, &'a mut Own> {
    /// Executes a statement. Where it fails, its whole transaction is rolled back at once.
    pub(super) fn statement(&mut self, bound: &Bound<'_>, open: &mut Option<Turn>) -> Result<(), Fault> {
        self.go_on()?;
        self.work.answer.clear();
        let misused = |takes| Statements::misused(&self.work.doing, bound, takes);
        let text = self.work.texts.get(bound.statement).ok_or_else(|| misused(None))?;
        let mut statement = self.link.connection.prepare_cached(text)?;
        if statement.parameter_count() != bound.values.len() {
            return Err(misused(Some(statement.parameter_count())).into());
        }
        let goes_on = bound.opens || open.is_some();
        if statement.readonly() && !goes_on {
            let done = self.answered(&mut statement, bound.values)?;
            self.add(done);
            return Ok(());
        }
        let turn = match open.take() {
            Some(turn) => turn,
            None => self.open(&mut self.fixed("begin_write")?)?,
        };
        let done = self.answered(&mut statement, bound.values);
        self.keep(turn, goes_on, done, open)
    }

    fn answered(&mut self, statement: &mut CachedStatement<'_>, values: &Values) -> Result<ChunkResult, Fault> {
        let before = self.link.connection.total_changes();
        let done = answered(statement, values, &mut self.work.answer);
        self.own.executions += taken(statement, StatementStatus::Run);
        taken(statement, StatementStatus::FullscanStep);
        let rows = match done {
            Ok(()) if statement.column_count() > 0 => self.work.answer.rows() as u64,
            Ok(()) => self.link.connection.total_changes() - before,
            Err(error) => return Err(error.into()),
        };
        Ok(ChunkResult { rows, checksum: self.work.answer.sum(), ..ChunkResult::default() })
    }
}

fn answered(statement: &mut CachedStatement<'_>, values: &Values, answer: &mut Answer) -> rusqlite::Result<()> {
    for (n, value) in (1..).zip(values.iter()) {
        match value {
            Value::Null => statement.raw_bind_parameter(n, Null)?,
            Value::Int(number) => statement.raw_bind_parameter(n, number)?,
            Value::Text(text) => statement.raw_bind_parameter(n, text)?,
        }
    }
    let columns = statement.column_count();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let values = answer.begin_row();
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Null => values.push(Value::Null),
                ValueRef::Integer(number) => values.push(number),
                ValueRef::Real(number) => values.push(number.to_string().as_str()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => values.push(String::from_utf8_lossy(bytes).as_ref()),
            };
        }
    }
    Ok(())
}
