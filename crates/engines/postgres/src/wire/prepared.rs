//! Statements with their values, on their way to the server. What a message begins and ends with is written when they
//! are prepared, and the values in between. Where all values of a statement have the same length each time, its
//! messages are kept as they were sent last, and the next values are written over the last ones.

use super::answer::{self, described};
use super::stream::Wire;
use super::value::{WireType, be32, type_oid};
use crate::errors::Trouble;
use bytes::BytesMut;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Place, StatementText, Statements, Value, ValueType};
use dbdyno_engine::procedure::ClientText;
use dbdyno_model::ErrorClass;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use std::io;

/// The name of what opens a transaction: short, as names go over the wire each time.
const BEGIN: &str = "b";

/// A statement as the server is to prepare it: `$1`, `$2` ... stand for its values, and the types of these follow where
/// the server cannot tell.
pub(crate) struct ServerText {
    pub(crate) sql: String,
    pub(crate) type_oids: Vec<u32>,
    /// The output values of a call.
    pub(crate) outputs: Vec<ValueType>,
}

impl From<&str> for ServerText {
    fn from(sql: &str) -> Self {
        Self { sql: sql.to_owned(), type_oids: Vec::new(), outputs: Vec::new() }
    }
}

impl From<&ClientText> for ServerText {
    fn from(text: &ClientText) -> Self {
        Self { sql: text.sql.clone(), type_oids: text.types().iter().map(type_oid).collect(), outputs: Vec::new() }
    }
}

/// The texts of a work's statements, as the server is to prepare them. An output value is given no value: `CALL` wants
/// something there, and answers with a row of them.
///
/// # Errors
/// The places of output values are not as they must be.
pub(crate) fn texts(statements: &Statements) -> Result<Vec<ServerText>, EngineError> {
    let text = |text: &StatementText| {
        let sql = text.written(|place| match place {
            Place::Value(at) => format!("${}", at + 1),
            Place::Output(_) => "NULL".to_owned(),
        })?;
        let type_oids = text.types.iter().map(type_oid).collect();
        Ok(ServerText { sql, type_oids, outputs: text.outputs.clone() })
    };
    statements.texts.iter().map(text).collect()
}

/// Statements, prepared.
pub(crate) struct PreparedStatements {
    /// Those that are prepared when they are sent, by their number; empty where all are prepared.
    pub(crate) unprepared: Vec<Option<ServerText>>,
    statements: Vec<Statement>,
    /// What opens a transaction.
    opening: Vec<u8>,
    /// What executes a statement when its values are bound.
    executing: Vec<u8>,
    /// What the server answers to at last.
    ending: Vec<u8>,
    /// Messages that cannot be kept.
    messages: Vec<u8>,
    last: usize,
    answer: Answer,
}

/// A statement.
#[derive(Default)]
struct Statement {
    /// Binding it, up to the values.
    head: Vec<u8>,
    /// What each value is to the server.
    takes: Vec<WireType>,
    /// What follows the values: how columns come back.
    tail: Vec<u8>,
    gives: Vec<WireType>,
    /// The output values that its answer must be.
    outputs: Vec<ValueType>,
    kept: Kept,
}

/// The messages that a statement was last sent with, what opens a transaction before them.
#[derive(Default)]
struct Kept {
    messages: Vec<u8>,
    /// Where each value lies, and what it is; none where they cannot be kept.
    places: Vec<(usize, WireType)>,
    times: usize,
}

impl PreparedStatements {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(crate) fn new(wire: &mut Wire, texts: &[ServerText]) -> Result<Self, Trouble> {
        let mut out = preparing(texts).map_err(unwritable)?;
        let described = describe(wire, &mut out, texts.len())?;
        let mut prepared = Self::of(described.into_iter(), out).map_err(unwritable)?;
        for (statement, text) in prepared.statements.iter_mut().zip(texts) {
            statement.outputs.clone_from(&text.outputs);
        }
        Ok(prepared)
    }

    /// Prepares one more statement, of this number.
    ///
    /// # Errors
    /// As for [`PreparedStatements::new`].
    #[cold]
    pub(crate) fn add(&mut self, wire: &mut Wire, number: usize, text: &ServerText) -> Result<(), Trouble> {
        let mut out = BytesMut::new();
        prepare_text(number, text, &mut out).map_err(unwritable)?;
        frontend::sync(&mut out);
        let described = describe(wire, &mut out, 1)?;
        if self.statements.len() <= number {
            self.statements.resize_with(number + 1, Statement::default);
        }
        for (takes, gives) in described {
            self.statements[number] =
                Statement { outputs: text.outputs.clone(), ..Statement::new(number, takes, gives) };
        }
        Ok(())
    }

    fn of(described: impl Iterator<Item = Described>, mut out: BytesMut) -> io::Result<Self> {
        opening(&mut out)?;
        let opening = out.to_vec();
        out.clear();
        execute(&mut out)?;
        let executing = out.to_vec();
        out.clear();
        frontend::sync(&mut out);
        let statements = described.enumerate().map(|(number, (takes, gives))| Statement::new(number, takes, gives));
        let (statements, ending) = (statements.collect(), out.to_vec());
        let (messages, last, answer) = (Vec::new(), 0, Answer::default());
        Ok(Self { unprepared: Vec::new(), statements, opening, executing, ending, messages, last, answer })
    }

    /// The messages that execute a statement with its values.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values.
    #[inline(always)]
    pub(crate) fn fill(&mut self, bound: &Bound<'_>, work: &str) -> Result<&[u8], EngineError> {
        self.answer.clear();
        self.last = bound.statement;
        let Some(statement) = self.statements.get_mut(bound.statement) else {
            return Err(Statements::misused(work, bound, None));
        };
        let takes = statement.takes.len();
        if !bound.fits(takes) {
            return Err(Statements::misused(work, bound, Some(takes)));
        }
        if !statement.overwrite(bound) {
            self.write(bound, work)?;
        }
        let kept = &self.statements[bound.statement].kept;
        let messages = if kept.places.is_empty() { &self.messages } else { &kept.messages };
        Ok(&messages[if bound.opens { 0 } else { self.opening.len() }..])
    }

    /// Writes the messages anew, what opens a transaction before them.
    #[cold]
    fn write(&mut self, bound: &Bound<'_>, work: &str) -> Result<(), EngineError> {
        let (statement, out) = (&mut self.statements[bound.statement], &mut self.messages);
        Statements::refuse_repeated(work, bound, &statement.outputs)?;
        (statement.kept.times, statement.kept.places) = (bound.times, Vec::new());
        out.clear();
        out.extend(&self.opening);
        let mut places = Vec::with_capacity(bound.values.len());
        for execution in 0..bound.times {
            let at = out.len() + 1;
            out.extend(&statement.head);
            let values = bound.of_execution(execution, statement.takes.len());
            for (n, (kind, value)) in statement.takes.iter().zip(values).enumerate() {
                if !kind.write(value, out) {
                    let number = bound.statement;
                    let message = format!("{work}: value {} of statement {number} is no {kind:?}: {value:?}", n + 1);
                    return Err(EngineError::new(ErrorClass::Other, message));
                }
                let bytes = kind.bytes().filter(|_| value != Value::Null);
                places.extend(bytes.map(|bytes| (out.len() - bytes, *kind)));
            }
            out.extend(&statement.tail);
            let length = out.len() - at;
            out[at..at + 4].copy_from_slice(&be32(length));
            out.extend(&self.executing);
        }
        out.extend(&self.ending);
        if places.len() == bound.values.len() {
            statement.kept.places = places;
            statement.kept.messages.clone_from(out);
        }
        Ok(())
    }

    /// Takes a row of the answer to the last statement.
    #[inline(always)]
    pub(crate) fn row(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let gives = self.statements.get(self.last).map_or(&[][..], |statement| &statement.gives);
        answer::values(body, gives, self.answer.begin_row())
    }

    /// Reads the answer to the last statement, where that was a call with output values.
    ///
    /// # Errors
    /// It is not these values.
    #[inline]
    pub(crate) fn read_outputs(&mut self, work: &str) -> Result<(), EngineError> {
        let outputs = self.statements.get(self.last).map_or(&[][..], |statement| &statement.outputs);
        self.answer.read_outputs(outputs, work, self.last)
    }

    /// The answer to the last statement.
    pub(crate) fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Whether the last statement answers with rows, and not with a number of rows that it has changed.
    pub(crate) fn answers(&self) -> bool {
        self.statements.get(self.last).is_some_and(|statement| !statement.gives.is_empty())
    }
}

impl Statement {
    fn new(number: usize, takes: Vec<WireType>, gives: Vec<WireType>) -> Self {
        let formats = |kinds: &[WireType]| -> Vec<u8> {
            let count = kinds.len() as u16;
            std::iter::once(count).chain(kinds.iter().map(|kind| kind.format())).flat_map(u16::to_be_bytes).collect()
        };
        // The unnamed portal; the length is filled in with the values.
        let mut head = b"B\0\0\0\0\0".to_vec();
        head.extend(name(number).bytes().chain([0]));
        head.extend(formats(&takes));
        head.extend((takes.len() as u16).to_be_bytes());
        Self { head, tail: formats(&gives), takes, gives, ..Self::default() }
    }

    /// Writes values over those that were sent last; false where they have other lengths.
    #[inline]
    fn overwrite(&mut self, bound: &Bound<'_>) -> bool {
        let Kept { messages, places, times } = &mut self.kept;
        // A statement without values is written anew: it is short.
        if *times != bound.times || places.is_empty() {
            return false;
        }
        places.iter().zip(bound.values.iter()).all(|((at, kind), value)| kind.overwrite(value, &mut messages[*at..]))
    }
}

/// The messages that prepare statements, and what opens a transaction. A session may be prepared once more; what is not
/// there is closed without complaint.
fn preparing(texts: &[ServerText]) -> io::Result<BytesMut> {
    let mut out = BytesMut::new();
    frontend::close(b'S', BEGIN, &mut out)?;
    frontend::parse(BEGIN, "BEGIN", [], &mut out)?;
    texts.iter().enumerate().try_for_each(|(number, text)| prepare_text(number, text, &mut out))?;
    frontend::sync(&mut out);
    Ok(out)
}

/// The messages that prepare a statement.
fn prepare_text(number: usize, text: &ServerText, out: &mut BytesMut) -> io::Result<()> {
    let name = name(number);
    frontend::close(b'S', &name, out)?;
    frontend::parse(&name, &text.sql, text.type_oids.iter().copied(), out)?;
    frontend::describe(b'S', &name, out)
}

/// What the values of a statement and the columns of its answer are.
type Described = (Vec<WireType>, Vec<WireType>);

/// Sends messages that prepare so many statements, and reads what these are. Leaves no message in `out`.
fn describe(wire: &mut Wire, out: &mut BytesMut, statements: usize) -> Result<Vec<Described>, Trouble> {
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    wire.send(out)?;
    wire.until_ready(|message| described(message, &mut takes, &mut gives))?;
    if (takes.len(), gives.len()) != (statements, statements) {
        return Err(Trouble::protocol("a statement that is not described"));
    }
    out.clear();
    Ok(takes.into_iter().zip(gives).collect())
}

/// Executes what is bound, to its end.
fn execute(out: &mut BytesMut) -> io::Result<()> {
    frontend::execute("", 0, out)
}

/// Opens a transaction; no round trip of its own, as what follows is sent with it.
fn opening(out: &mut BytesMut) -> io::Result<()> {
    let bound = frontend::bind("", BEGIN, [], std::iter::empty::<()>(), |(), _| Ok(IsNull::Yes), [], out);
    bound.map_err(|_| io::Error::other("a name that cannot be sent"))?;
    execute(out)
}

/// The name of a prepared statement.
fn name(number: usize) -> String {
    number.to_string()
}

fn unwritable(error: io::Error) -> Trouble {
    Trouble::protocol(&format!("a statement that cannot be sent: {error}"))
}

#[cfg(test)]
mod tests;
