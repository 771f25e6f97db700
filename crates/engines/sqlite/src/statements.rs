//! What a client sends, one statement a call. There is no network here, so a statement that writes and is a transaction
//! of its own brings its BEGIN and COMMIT along: only so can its commit be counted and timed. Writers queue as in the
//! server drive. A transaction of several statements gets its permit to write at its beginning and keeps it until it
//! ends: SQLite lets nobody write who began by reading what has changed since.

use super::chunk::{Brackets, Chunk, taken, unprepared};
use super::connection::SqliteConnection;
use super::errors::Fault;
use super::writer::WriterPermit;
use dbdyno_engine::client::{Answer, Bound, PrepareWhen, Statements, Value, cents_text};
use dbdyno_engine::data::iso_day;
use dbdyno_engine::{ChunkResult, EngineError, Executor, Failure, Request};
use rusqlite::types::{Null, ValueRef};
use rusqlite::{CachedStatement, StatementStatus};

/// Room in the cache of prepared statements besides a client's.
const OTHERS: usize = 16;

/// What a client sends.
pub(super) struct Sends {
    /// What errors call it.
    doing: String,
    /// In which `?1`, `?2` ... stand for values.
    texts: Vec<String>,
    pub(super) answer: Answer,
}

impl Sends {
    /// Prepares statements.
    ///
    /// # Errors
    /// SQLite's, where it does not understand one of them.
    pub(super) fn new(
        connection: &SqliteConnection,
        doing: String,
        texts: Vec<String>,
        when: PrepareWhen,
    ) -> Result<Self, EngineError> {
        connection.raw.set_prepared_statement_cache_capacity(texts.len() + OTHERS);
        for text in texts.iter().filter(|_| when == PrepareWhen::Beforehand) {
            let prepared = connection.raw.prepare_cached(text);
            prepared.map_err(|error| connection.says(&format!("preparing {doing}"), error))?;
        }
        Ok(Self { doing, texts, answer: Answer::default() })
    }
}

/// A statement, and what SQLite says of it: that does not change, and asking takes a call each time.
struct Sent<'s> {
    statement: CachedStatement<'s>,
    /// Values that it takes.
    takes: usize,
    /// Columns of its answer; none where it only changes rows.
    columns: usize,
    reads_only: bool,
}

/// A client at work: it keeps the statements that it has sent at hand, so that none is looked up for each request.
pub(super) struct Client<'s> {
    chunk: Chunk<'s, ()>,
    sends: &'s mut Sends,
    statements: Vec<Option<Sent<'s>>>,
    brackets: Brackets<'s>,
    /// Its transaction that is open.
    open: &'s mut Option<WriterPermit>,
}

impl<'s> Client<'s> {
    /// A client that sends this.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn new(
        chunk: Chunk<'s, ()>,
        sends: &'s mut Sends,
        open: &'s mut Option<WriterPermit>,
    ) -> Result<Self, EngineError> {
        let brackets = chunk.brackets().map_err(|fault| chunk.connection.says(&sends.doing, fault))?;
        let statements = sends.texts.iter().map(|_| None).collect();
        Ok(Self { chunk, sends, statements, brackets, open })
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
            _ => Err(unprepared().into()),
        }
    }

    /// Executes a statement. Where it fails, its whole transaction is rolled back at once.
    fn statement(&mut self, bound: &Bound<'_>) -> Result<(), Fault> {
        self.chunk.go_on()?;
        self.sends.answer.clear();
        let reads_only = self.at_hand(bound)?;
        let goes_on = bound.opens || self.open.is_some();
        if reads_only && !goes_on {
            let done = self.answered(bound)?;
            self.chunk.add(done);
            return Ok(());
        }
        let permit = match self.open.take() {
            Some(permit) => permit,
            None => self.chunk.open(&mut self.brackets)?,
        };
        match self.answered(bound) {
            Ok(done) if goes_on => {
                self.chunk.add(done);
                *self.open = Some(permit);
                Ok(())
            }
            done => self.chunk.close(&mut self.brackets, permit, done),
        }
    }

    /// Has a statement at hand, which has such values. Says whether it only reads.
    fn at_hand(&mut self, bound: &Bound<'_>) -> Result<bool, Fault> {
        let (doing, number) = (&self.sends.doing, bound.statement);
        let (Some(text), Some(kept)) = (self.sends.texts.get(number), self.statements.get_mut(number)) else {
            return Err(Statements::misused(doing, bound, None).into());
        };
        let sent = match kept {
            Some(sent) => sent,
            None => kept.insert(Sent::new(self.chunk.connection, text)?),
        };
        if !bound.fits(sent.takes) {
            return Err(Statements::misused(doing, bound, Some(sent.takes)).into());
        }
        Ok(sent.reads_only)
    }

    /// Commits what is open.
    fn commit(&mut self) -> Result<(), Fault> {
        let Some(permit) = self.open.take() else { return Ok(()) };
        let so_far = self.chunk.go_on().map(|()| ChunkResult::default());
        self.chunk.close(&mut self.brackets, permit, so_far)
    }

    fn answered(&mut self, bound: &Bound<'_>) -> Result<ChunkResult, Fault> {
        let connection = &self.chunk.connection.raw;
        let Some(sent) = &mut self.statements[bound.statement] else { return Err(unprepared().into()) };
        let answer = &mut self.sends.answer;
        let before = if sent.columns == 0 { connection.total_changes() } else { 0 };
        (0..bound.times).try_for_each(|n| sent.execute(bound.of_execution(n, sent.takes), answer))?;
        let rows = if sent.columns > 0 { answer.rows() as u64 } else { connection.total_changes() - before };
        Ok(ChunkResult { rows, checksum: answer.sum(), ..ChunkResult::default() })
    }
}

impl Executor for Client<'_> {
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let outcome = self.perform(request);
        self.chunk.ended(&self.sends.doing, outcome)
    }

    fn answer(&self) -> &Answer {
        &self.sends.answer
    }
}

impl Drop for Client<'_> {
    /// Executions are counted by SQLite, for each statement as long as it is prepared.
    fn drop(&mut self) {
        let executions = self.statements.iter().flatten().map(|sent| taken(&sent.statement, StatementStatus::Run));
        self.chunk.own.executions += executions.sum::<u64>();
    }
}

impl<'s> Sent<'s> {
    /// Takes a statement from the cache, or prepares it.
    fn new(connection: &'s SqliteConnection, text: &str) -> rusqlite::Result<Self> {
        let statement = connection.raw.prepare_cached(text)?;
        // Another work's, of the same text.
        taken(&statement, StatementStatus::Run);
        let (takes, columns) = (statement.parameter_count(), statement.column_count());
        Ok(Sent { takes, columns, reads_only: statement.readonly(), statement })
    }

    /// Executes it once; what it answers with is added to `answer`.
    fn execute<'v>(&mut self, values: impl Iterator<Item = Value<'v>>, answer: &mut Answer) -> rusqlite::Result<()> {
        let statement = &mut self.statement;
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
            for column in 0..self.columns {
                match row.get_ref(column)? {
                    ValueRef::Null => values.push(Value::Null),
                    ValueRef::Integer(number) => values.push(number),
                    ValueRef::Real(number) => values.push(number.to_string().as_str()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                        values.push(String::from_utf8_lossy(bytes).as_ref())
                    }
                };
            }
        }
        Ok(())
    }
}
