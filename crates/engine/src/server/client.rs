//! A client over prepared statements: each execution is a round trip, and so are the commit and whatever opens a
//! transaction. It holds its thread until the answer is there.

pub use super::prepared::{Execution, PreparedText};

use super::WorkConnection;
use crate::client::{Answer, Bound, PrepareWhen, Statements};
use crate::{ChunkResult, EngineError};

/// What a client sends in a session, and the transaction that it is in.
pub struct Client<C: WorkConnection> {
    /// What errors call it.
    doing: String,
    statements: Vec<Sent<C::Statement>>,
    answer: Answer,
    /// Whether a transaction is open.
    open: bool,
}

struct Sent<S> {
    /// None before it is prepared.
    statement: Option<S>,
    text: PreparedText,
    takes: usize,
}

impl<C: WorkConnection> Client<C> {
    /// A client of these statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one that is prepared beforehand.
    pub fn new(
        connection: &mut C,
        doing: String,
        (preparing, when): (&str, PrepareWhen),
        texts: impl Iterator<Item = Result<PreparedText, EngineError>>,
    ) -> Result<Self, EngineError> {
        let sent = |text: Result<PreparedText, EngineError>| {
            let text = text?;
            let beforehand = when == PrepareWhen::Beforehand;
            let statement = beforehand.then(|| connection.prepare_statement(preparing, &text)).transpose()?;
            let takes = text.takes();
            Ok(Sent { statement, text, takes })
        };
        let statements = texts.map(sent).collect::<Result<_, EngineError>>()?;
        Ok(Self { doing, statements, answer: Answer::default(), open: false })
    }

    /// Executes a statement. Where it fails, its whole transaction is rolled back at once: its locks would stay.
    ///
    /// # Errors
    /// The server's; `Cancelled` once somebody has cancelled.
    pub fn statement(&mut self, connection: &mut C, bound: &Bound<'_>) -> Result<ChunkResult, EngineError> {
        if bound.opens {
            connection.begin(&self.doing)?;
            self.open = true;
        }
        let rows = self.execute(connection, bound).inspect_err(|_| {
            let sent = self.statements.get(bound.statement).and_then(|sent| sent.statement.as_ref());
            if self.open || sent.is_some_and(|statement| connection.may_leave_open(statement)) {
                self.open = false;
                connection.undo(&self.doing);
            }
        })?;
        Ok(ChunkResult { rows, checksum: self.answer.sum(), ..ChunkResult::default() })
    }

    fn execute(&mut self, connection: &mut C, bound: &Bound<'_>) -> Result<u64, EngineError> {
        let Self { doing, statements, answer, open } = self;
        answer.clear();
        let sent = statements.get_mut(bound.statement);
        let takes = sent.as_ref().map(|sent| sent.takes);
        let sent = sent.filter(|sent| bound.fits(sent.takes));
        let Sent { statement, text, takes } = sent.ok_or_else(|| Statements::misused(doing, bound, takes))?;
        Statements::refuse_repeated(doing, bound, &text.outputs)?;
        let statement = match statement {
            Some(statement) => statement,
            None => statement.insert(connection.prepare_statement(doing, text)?),
        };
        let mut changed = 0;
        for number in 0..bound.times {
            let execution = Execution { bound, text, first: number * *takes };
            changed += connection.execute(doing, statement, &execution, !*open, answer)?;
        }
        if !*open && connection.needs_commit(statement) {
            connection.commit(doing)?;
        }
        answer.read_outputs(&text.outputs, doing, bound.statement)?;
        Ok(changed + answer.rows() as u64)
    }

    /// What the last statement answered with.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Commits what is open.
    ///
    /// # Errors
    /// As for [`Client::statement`].
    pub fn commit(&mut self, connection: &mut C) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            connection.commit(&self.doing).inspect_err(|_| connection.undo(&self.doing))?;
        }
        Ok(ChunkResult::default())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`Client::statement`].
    pub fn roll_back(&mut self, connection: &mut C) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            connection.roll_back(&self.doing)?;
        }
        Ok(ChunkResult::default())
    }
}
