//! What a client sends, one statement a call, from the connection's cache of prepared ones. There is no network here,
//! so a statement that writes and is a transaction of its own brings its BEGIN and COMMIT along: only so can its commit
//! be counted and timed. Writers queue as in the server drive; a transaction of several statements keeps its turn to
//! write, which it has from its beginning on, until it ends: SQLite lets nobody write who began by reading what has
//! changed since.

use super::PROCEDURES;
use super::errors::Fault;
use super::link::Link;
use super::procedures::{Chunk, taken};
use super::writer::Turn;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, cents_text};
use dbdyno_engine::data::iso_day;
use dbdyno_engine::{ChunkResult, EngineError};
use rusqlite::types::{Null, ValueRef};
use rusqlite::{CachedStatement, StatementStatus};

/// Room in the cache of prepared statements besides a client's.
const OTHERS: usize = 16;

/// What a client sends.
pub(super) struct Sends {
    /// What errors call it.
    pub(super) doing: String,
    statements: Vec<Sent>,
    pub(super) answer: Answer,
}

/// A statement, and what SQLite says of it: that does not change, and asking takes a call each time.
struct Sent {
    /// Its text, in which `?1`, `?2` ... stand for values.
    text: String,
    /// Values that it takes.
    takes: usize,
    /// Columns of its answer; none where it only changes rows.
    columns: usize,
    reads_only: bool,
}

impl Sends {
    /// Prepares statements.
    ///
    /// # Errors
    /// SQLite's, where it does not understand one of them.
    pub(super) fn new(link: &Link, doing: String, texts: Vec<String>) -> Result<Self, EngineError> {
        link.connection.set_prepared_statement_cache_capacity(texts.len() + OTHERS);
        let statement = |text: String| {
            let prepared = link.connection.prepare_cached(&text);
            let prepared = prepared.map_err(|error| link.says(&format!("preparing {doing}"), error))?;
            let (takes, columns, reads_only) =
                (prepared.parameter_count(), prepared.column_count(), prepared.readonly());
            // Another work's, of the same text.
            taken(&prepared, StatementStatus::Run);
            drop(prepared);
            Ok(Sent { text, takes, columns, reads_only })
        };
        let statements = texts.into_iter().map(statement).collect::<Result<_, EngineError>>()?;
        Ok(Self { doing, statements, answer: Answer::default() })
    }

    /// Executions since this was last asked, as SQLite counts them.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn take_executions(&self, link: &Link) -> Result<u64, EngineError> {
        let of = |sent: &Sent| Ok(taken(&*link.connection.prepare_cached(&sent.text)?, StatementStatus::Run));
        let all: rusqlite::Result<u64> = self.statements.iter().map(of).sum();
        all.map_err(|error| link.says(&format!("counting what {} did", self.doing), error))
    }
}

impl<'a> Chunk<'a, &'a mut Sends> {
    /// Executes a statement. Where it fails, its whole transaction is rolled back at once.
    pub(super) fn statement(&mut self, bound: &Bound<'_>, open: &mut Option<Turn>) -> Result<(), Fault> {
        self.go_on()?;
        self.work.answer.clear();
        let misused = |takes| Statements::misused(&self.work.doing, bound, takes);
        let sent = self.work.statements.get(bound.statement).ok_or_else(|| misused(None))?;
        if !bound.fits(sent.takes) {
            return Err(misused(Some(sent.takes)).into());
        }
        let goes_on = bound.opens || open.is_some();
        if sent.reads_only && !goes_on {
            let done = self.answered(bound)?;
            self.add(done);
            return Ok(());
        }
        let turn = match open.take() {
            Some(turn) => turn,
            None => self.open(&mut self.fixed("begin_write")?)?,
        };
        let done = self.answered(bound);
        self.keep(turn, goes_on, done, open)
    }

    fn answered(&mut self, bound: &Bound<'_>) -> Result<ChunkResult, Fault> {
        let connection = &self.link.connection;
        let Sends { statements, answer, .. } = &mut *self.work;
        let sent = &statements[bound.statement];
        let mut statement = connection.prepare_cached(&sent.text)?;
        let before = if sent.columns == 0 { connection.total_changes() } else { 0 };
        let done = (0..bound.times)
            .try_for_each(|n| answered(&mut statement, sent.columns, bound.of_execution(n, sent.takes), answer));
        done?;
        let rows = if sent.columns > 0 { answer.rows() as u64 } else { connection.total_changes() - before };
        Ok(ChunkResult { rows, checksum: answer.sum(), ..ChunkResult::default() })
    }
}

fn answered<'v>(
    statement: &mut CachedStatement<'_>,
    columns: usize,
    values: impl Iterator<Item = Value<'v>>,
    answer: &mut Answer,
) -> rusqlite::Result<()> {
    for (n, value) in (1..).zip(values) {
        match value {
            Value::Null => statement.raw_bind_parameter(n, Null)?,
            Value::Int(number) => statement.raw_bind_parameter(n, number)?,
            Value::Day(days) => statement.raw_bind_parameter(n, iso_day(days.into()))?,
            Value::Cents(cents) => statement.raw_bind_parameter(n, cents_text(cents))?,
            Value::Text(text) => statement.raw_bind_parameter(n, text)?,
        }
    }
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

impl<'a, W> Chunk<'a, W> {
    /// Keeps the turn of a transaction that goes on and in which this was done; ends one that does not, or has failed.
    pub(super) fn keep(
        &mut self,
        turn: Turn,
        goes_on: bool,
        done: Result<ChunkResult, Fault>,
        open: &mut Option<Turn>,
    ) -> Result<(), Fault> {
        if !goes_on {
            return self.close(&mut self.fixed("commit")?, turn, done);
        }
        match done {
            Ok(done) => {
                self.add(done);
                *open = Some(turn);
                Ok(())
            }
            Err(fault) => {
                self.undo(turn);
                Err(fault)
            }
        }
    }

    /// Commits what is open.
    pub(super) fn commit(&mut self, open: &mut Option<Turn>) -> Result<(), Fault> {
        let Some(turn) = open.take() else { return Ok(()) };
        let so_far = self.go_on().map(|()| ChunkResult::default());
        self.close(&mut self.fixed("commit")?, turn, so_far)
    }

    /// Rolls back what is open.
    pub(super) fn roll_back(&mut self, open: &mut Option<Turn>) -> Result<(), Fault> {
        if let Some(turn) = open.take() {
            self.undo(turn);
        }
        Ok(())
    }

    /// A statement that is always the same.
    pub(super) fn fixed(&self, name: &str) -> Result<CachedStatement<'a>, Fault> {
        Ok(self.link.connection.prepare_cached(&PROCEDURES.get(name)?.text)?)
    }
}
