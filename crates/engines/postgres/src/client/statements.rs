//! Statements with their values, on their way to the server. What a message begins and ends with is written when they
//! are prepared, and the values in between. Where all values of a statement have the same length each time, its
//! messages are kept as they were sent last, and the next values are written over the last ones.
//!
//! What values are and what comes back the server tells: whole numbers and days go in binary, and all else as text,
//! which the server reads and writes for every type.

use super::super::errors::Trouble;
use super::super::procedure::client::ServerText;
use super::super::wire::Wire;
use super::super::wire::answer::{self, described};
use bytes::BytesMut;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Place, StatementText, Statements, Value, ValueType, cents_text};
use dbdyno_engine::data::{day_from_iso, iso_day};
use dbdyno_model::ErrorClass;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use std::io::{self, Write as _};

/// The name of what opens a transaction: short, as names go over the wire each time.
const BEGIN: &str = "b";
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
const DAY_ZERO: i32 = 10_957;
const INT8: u32 = 20;
const TEXT: u32 = 25;
const DATE: u32 = 1082;
const NUMERIC: u32 = 1700;

/// The texts of a work's statements, as the server is to prepare them. An output value is given no value: `CALL` wants
/// something there, and answers with a row of them.
///
/// # Errors
/// The places of output values are not as they must be.
pub(super) fn texts(statements: &Statements) -> Result<Vec<ServerText>, EngineError> {
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

fn type_oid(of: &ValueType) -> u32 {
    match of {
        ValueType::Int => INT8,
        ValueType::Day => DATE,
        ValueType::Cents => NUMERIC,
        ValueType::Text => TEXT,
    }
}

/// Statements, prepared.
pub(super) struct Prepared {
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
    takes: Vec<Kind>,
    /// What follows the values: how columns come back.
    tail: Vec<u8>,
    gives: Vec<Kind>,
    /// The output values that its answer must be.
    outputs: Vec<ValueType>,
    kept: Kept,
}

/// The messages that a statement was last sent with, what opens a transaction before them.
#[derive(Default)]
struct Kept {
    messages: Vec<u8>,
    /// Where each value lies; none where they cannot be kept.
    places: Vec<usize>,
    times: usize,
}

/// How a value goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// A whole number of so many bytes.
    Int(u8),
    /// A day.
    Day,
    /// A text.
    Text,
}

impl Kind {
    /// That of a value that is sent, by its type's number in the server's catalogue.
    pub(in super::super) fn taken(type_oid: u32) -> Self {
        match type_oid {
            INT8 => Self::Int(8),
            21 => Self::Int(2),
            23 => Self::Int(4),
            DATE => Self::Day,
            _ => Self::Text,
        }
    }

    /// That of a value that comes back: days are read as text, as everywhere.
    pub(in super::super) fn given(type_oid: u32) -> Self {
        match Self::taken(type_oid) {
            Self::Day => Self::Text,
            kind => kind,
        }
    }

    fn format(self) -> u16 {
        u16::from(self != Self::Text)
    }

    /// How many bytes it always has, unless it is null.
    fn bytes(self) -> Option<usize> {
        match self {
            Self::Int(bytes) => Some(usize::from(bytes)),
            Self::Day => Some(4),
            Self::Text => None,
        }
    }

    /// A value as a number of that many bytes; none where it is null, or does not fit.
    #[inline]
    fn number(self, value: Value<'_>) -> Option<i64> {
        let number = match (self, value) {
            (Self::Int(8), Value::Int(number)) => return Some(number),
            (Self::Int(_), Value::Int(number)) => number,
            (Self::Int(_), Value::Text(text)) => text.parse().ok()?,
            (Self::Day, Value::Day(days)) => return Some(i64::from(days) - i64::from(DAY_ZERO)),
            (Self::Day, Value::Text(text)) => day_from_iso(text)? - i64::from(DAY_ZERO),
            _ => return None,
        };
        let width = 8 * self.bytes()? as u32;
        let fits = width == 64 || number >> (width - 1) == 0 || number >> (width - 1) == -1;
        fits.then_some(number)
    }

    /// Writes a value over another one; false where it has another length.
    #[inline]
    fn overwrite(self, value: Value<'_>, at: &mut [u8]) -> bool {
        let Some(number) = self.number(value) else { return false };
        // Lengths that the compiler knows need no call.
        match self {
            Self::Int(8) => at[..8].copy_from_slice(&number.to_be_bytes()),
            Self::Int(4) | Self::Day => at[..4].copy_from_slice(&(number as i32).to_be_bytes()),
            Self::Int(_) => at[..2].copy_from_slice(&(number as i16).to_be_bytes()),
            Self::Text => return false,
        }
        true
    }

    /// Writes a value with its length before it; false where the type cannot hold it.
    fn write(self, value: Value<'_>, out: &mut Vec<u8>) -> bool {
        if value == Value::Null {
            out.extend((-1_i32).to_be_bytes());
            return true;
        }
        if let Some(bytes) = self.bytes() {
            let Some(number) = self.number(value) else { return false };
            out.extend(be32(bytes));
            out.extend(&number.to_be_bytes()[8 - bytes..]);
            return true;
        }
        let at = out.len();
        out.extend([0; 4]);
        match value {
            Value::Text(text) => out.extend(text.as_bytes()),
            // To memory everything can be written.
            Value::Int(number) => _ = write!(out, "{number}"),
            Value::Day(days) => out.extend(iso_day(days.into()).as_bytes()),
            Value::Cents(cents) => out.extend(cents_text(cents).as_bytes()),
            Value::Null => {}
        }
        let length = out.len() - at - 4;
        out[at..at + 4].copy_from_slice(&be32(length));
        true
    }
}

impl Prepared {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(super) fn new(wire: &mut Wire, texts: &[ServerText]) -> Result<Self, Trouble> {
        let mut out = preparing(texts).map_err(unwritable)?;
        let (mut takes, mut gives) = (Vec::new(), Vec::new());
        wire.ask(&out, |message| described(message, &mut takes, &mut gives))?;
        if (takes.len(), gives.len()) != (texts.len(), texts.len()) {
            return Err(Trouble::protocol("a statement that is not described"));
        }
        out.clear();
        let mut prepared = Self::of(takes.into_iter().zip(gives), out).map_err(unwritable)?;
        for (statement, text) in prepared.statements.iter_mut().zip(texts) {
            statement.outputs.clone_from(&text.outputs);
        }
        Ok(prepared)
    }

    fn of(described: impl Iterator<Item = (Vec<Kind>, Vec<Kind>)>, mut out: BytesMut) -> io::Result<Self> {
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
        Ok(Self { statements, opening, executing, ending, messages, last, answer })
    }

    /// The messages that execute a statement with its values.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values.
    #[inline]
    pub(super) fn fill(&mut self, bound: &Bound<'_>, work: &str) -> Result<&[u8], EngineError> {
        self.answer.clear();
        self.last = bound.statement;
        let statement = self.statements.get(bound.statement);
        let takes = statement.map(|statement| statement.takes.len());
        if !takes.is_some_and(|takes| bound.fits(takes)) {
            return Err(Statements::misused(work, bound, takes));
        }
        let from = if bound.opens { 0 } else { self.opening.len() };
        if !self.statements[bound.statement].overwrite(bound) {
            self.write(bound, work)?;
            let kept = &mut self.statements[bound.statement].kept;
            if kept.places.is_empty() {
                return Ok(&self.messages[from..]);
            }
            kept.messages.clone_from(&self.messages);
        }
        Ok(&self.statements[bound.statement].kept.messages[from..])
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
                places.extend(kind.bytes().filter(|_| value != Value::Null).map(|bytes| out.len() - bytes));
            }
            out.extend(&statement.tail);
            let length = out.len() - at;
            out[at..at + 4].copy_from_slice(&be32(length));
            out.extend(&self.executing);
        }
        out.extend(&self.ending);
        if places.len() == bound.values.len() {
            statement.kept.places = places;
        }
        Ok(())
    }

    /// Takes a row of the answer to the last statement.
    #[inline]
    pub(super) fn row(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let gives = self.statements.get(self.last).map_or(&[][..], |statement| &statement.gives);
        answer::values(body, gives, self.answer.begin_row())
    }

    /// Reads the answer to the last statement, where that was a call with output values.
    ///
    /// # Errors
    /// It is not these values.
    #[inline]
    pub(super) fn read_outputs(&mut self, work: &str) -> Result<(), EngineError> {
        let outputs = self.statements.get(self.last).map_or(&[][..], |statement| &statement.outputs);
        self.answer.read_outputs(outputs, work, self.last)
    }

    /// The answer to the last statement.
    pub(super) fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Whether the last statement answers with rows, and not with a number of rows that it has changed.
    pub(super) fn answers(&self) -> bool {
        self.statements.get(self.last).is_some_and(|statement| !statement.gives.is_empty())
    }
}

impl Statement {
    fn new(number: usize, takes: Vec<Kind>, gives: Vec<Kind>) -> Self {
        let formats = |kinds: &[Kind]| -> Vec<u8> {
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
        let kinds = self.takes.iter().cycle();
        places
            .iter()
            .zip(kinds)
            .zip(bound.values.iter())
            .all(|((at, kind), value)| kind.overwrite(value, &mut messages[*at..]))
    }
}

/// The messages that prepare statements, and what opens a transaction. A session may be prepared once more; what is not
/// there is closed without complaint.
fn preparing(texts: &[ServerText]) -> io::Result<BytesMut> {
    let mut out = BytesMut::new();
    frontend::close(b'S', BEGIN, &mut out)?;
    frontend::parse(BEGIN, "BEGIN", [], &mut out)?;
    for (number, text) in texts.iter().enumerate() {
        let name = name(number);
        frontend::close(b'S', &name, &mut out)?;
        frontend::parse(&name, &text.sql, text.type_oids.iter().copied(), &mut out)?;
        frontend::describe(b'S', &name, &mut out)?;
    }
    frontend::sync(&mut out);
    Ok(out)
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

fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

fn unwritable(error: io::Error) -> Trouble {
    Trouble::protocol(&format!("a statement that cannot be sent: {error}"))
}

#[cfg(test)]
mod tests;
