//! What a client sends, one statement a call. There is no network here, so a statement that writes and is a transaction
//! of its own brings its BEGIN and COMMIT along: only so can its commit be counted and timed. Writers queue as in the
//! server drive. A transaction of several statements gets its permit to write at its beginning and keeps it until it
//! ends: SQLite lets nobody write who began by reading what has changed since.

use super::chunk::{Chunk, obeyed, taken, unprepared};
use super::connection::SqliteConnection;
use super::errors::Fault;
use super::writer::WriterPermit;
use crate::DIALECT;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, cents_text};
use dbdyno_engine::data::iso_day;
use dbdyno_engine::{ChunkResult, EngineError, Executor, Failure, Request};
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
    pub(super) fn new(connection: &SqliteConnection, doing: String, texts: Vec<String>) -> Result<Self, EngineError> {
        connection.connection.set_prepared_statement_cache_capacity(texts.len() + OTHERS);
        let statement = |text: String| {
            let prepared = connection.connection.prepare_cached(&text);
            let prepared = prepared.map_err(|error| connection.says(&format!("preparing {doing}"), error))?;
            let (takes, columns, reads_only) =
                (prepared.parameter_count(), prepared.column_count(), prepared.readonly());
            drop(prepared);
            Ok(Sent { text, takes, columns, reads_only })
        };
        let statements = texts.into_iter().map(statement).collect::<Result<_, EngineError>>()?;
        Ok(Self { doing, statements, answer: Answer::default() })
    }
}

/// A client at work: it has its statements at hand, so that none is looked up for each request.
pub(super) struct Client<'s> {
    chunk: Chunk<'s, ()>,
    sends: &'s mut Sends,
    statements: Vec<CachedStatement<'s>>,
    begin: CachedStatement<'s>,
    commit: CachedStatement<'s>,
    /// Its transaction that is open.
    open: &'s mut Option<WriterPermit>,
}

impl<'s> Client<'s> {
    /// A client that sends this.
    ///
    /// # Errors
    /// SQLite's, where it understands a statement no more.
    pub(super) fn new(
        chunk: Chunk<'s, ()>,
        sends: &'s mut Sends,
        open: &'s mut Option<WriterPermit>,
    ) -> Result<Self, EngineError> {
        let connection = chunk.connection;
        let prepare = |text: &str| {
            let prepared =
                connection.connection.prepare_cached(text).map_err(|error| connection.says(&sends.doing, error))?;
            // Another work's, of the same text.
            taken(&prepared, StatementStatus::Run);
            Ok(prepared)
        };
        let statements = sends.statements.iter().map(|sent| prepare(&sent.text)).collect::<Result<_, EngineError>>()?;
        let fixed = |name: &str| prepare(&DIALECT.get(&format!("procedures/{name}"))?.text);
        let (begin, commit) = (fixed("begin_write")?, fixed("commit")?);
        Ok(Self { chunk, sends, statements, begin, commit, open })
    }

    fn perform(&mut self, request: &Request<'_>) -> Result<(), Fault> {
        match request {
            Request::Statement(bound) => self.statement(bound),
            Request::Commit => self.commit(),
            Request::Rollback => {
                if let Some(permit) = self.open.take() {
                    self.chunk.undo(permit);
                }
                Ok(())
            }
            Request::Chunk { .. } | Request::Discard => Err(unprepared().into()),
        }
    }

    /// Executes a statement. Where it fails, its whole transaction is rolled back at once.
    fn statement(&mut self, bound: &Bound<'_>) -> Result<(), Fault> {
        self.chunk.go_on()?;
        self.sends.answer.clear();
        let misused = |takes| Statements::misused(&self.sends.doing, bound, takes);
        let sent = self.sends.statements.get(bound.statement).ok_or_else(|| misused(None))?;
        if !bound.fits(sent.takes) {
            return Err(misused(Some(sent.takes)).into());
        }
        let goes_on = bound.opens || self.open.is_some();
        if sent.reads_only && !goes_on {
            let done = self.answered(bound)?;
            self.chunk.add(done);
            return Ok(());
        }
        let permit = match self.open.take() {
            Some(permit) => permit,
            None => self.chunk.open(&mut self.begin)?,
        };
        let done = self.answered(bound);
        if !goes_on {
            return self.chunk.close(&mut self.commit, permit, done);
        }
        match done {
            Ok(done) => {
                self.chunk.add(done);
                *self.open = Some(permit);
                Ok(())
            }
            Err(fault) => {
                self.chunk.undo(permit);
                Err(fault)
            }
        }
    }

    /// Commits what is open.
    fn commit(&mut self) -> Result<(), Fault> {
        let Some(permit) = self.open.take() else { return Ok(()) };
        let so_far = self.chunk.go_on().map(|()| ChunkResult::default());
        self.chunk.close(&mut self.commit, permit, so_far)
    }

    fn answered(&mut self, bound: &Bound<'_>) -> Result<ChunkResult, Fault> {
        let connection = &self.chunk.connection.connection;
        let Sends { statements, answer, .. } = &mut *self.sends;
        let (sent, statement) = (&statements[bound.statement], &mut self.statements[bound.statement]);
        let before = if sent.columns == 0 { connection.total_changes() } else { 0 };
        let done = (0..bound.times)
            .try_for_each(|n| answered(statement, sent.columns, bound.of_execution(n, sent.takes), answer));
        done?;
        let rows = if sent.columns > 0 { answer.rows() as u64 } else { connection.total_changes() - before };
        Ok(ChunkResult { rows, checksum: answer.sum(), ..ChunkResult::default() })
    }
}

impl Executor for Client<'_> {
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let outcome = self.perform(request);
        let done = std::mem::take(&mut self.chunk.done);
        outcome.map(|()| done).map_err(|fault| {
            let error = self.chunk.connection.says(&self.sends.doing, fault);
            obeyed(self.chunk.stop, &error);
            Failure { done, error }
        })
    }

    fn answer(&self) -> &Answer {
        &self.sends.answer
    }
}

impl Drop for Client<'_> {
    /// Executions are counted by SQLite, for each statement as long as it is prepared.
    fn drop(&mut self) {
        let executions = self.statements.iter().map(|statement| taken(statement, StatementStatus::Run));
        self.chunk.own.executions += executions.sum::<u64>();
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
