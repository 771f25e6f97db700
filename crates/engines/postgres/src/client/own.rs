//! Statements of a work's own. What a message begins and ends with is written when they are prepared, and their values in
//! between, each time into the same memory. What they are and what comes back the server tells: whole numbers go in binary,
//! and all else as text, which the server reads and writes for every type.

use super::super::errors::Trouble;
use super::super::wire::Wire;
use super::super::wire::answer::{self, described};
use super::form;
use bytes::BytesMut;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, placed};
use dbdyno_model::ErrorClass;
use postgres_protocol::message::frontend;
use std::io::Write as _;

/// The statements of a work, prepared.
pub(super) struct Own {
    statements: Vec<Prepared>,
    /// What opens a transaction.
    opening: Vec<u8>,
    /// What executes a statement when its values are bound.
    executing: Vec<u8>,
    /// The messages that were filled in last, and for which statement.
    messages: Vec<u8>,
    last: usize,
    pub(super) answer: Answer,
}

/// A statement.
#[derive(Default)]
struct Prepared {
    /// Binding it, up to the values.
    head: Vec<u8>,
    /// What each value is to the server.
    takes: Vec<Kind>,
    /// What follows the values: how columns come back.
    tail: Vec<u8>,
    gives: Vec<Kind>,
}

/// How a value goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// A whole number of so many bytes.
    Int(u8),
    /// A text.
    Text,
}

impl Kind {
    /// That of a type, by its number in the server's catalogue.
    pub(in super::super) fn of(type_oid: u32) -> Self {
        match type_oid {
            20 => Self::Int(8),
            21 => Self::Int(2),
            23 => Self::Int(4),
            _ => Self::Text,
        }
    }

    fn format(self) -> u16 {
        u16::from(self != Self::Text)
    }

    /// Writes a value with its length before it; false where the type cannot hold it.
    fn write(self, value: Value<'_>, out: &mut Vec<u8>) -> bool {
        let (number, bytes) = match (self, value) {
            (_, Value::Null) => {
                out.extend((-1_i32).to_be_bytes());
                return true;
            }
            (Self::Int(bytes), Value::Int(number)) => (number, usize::from(bytes)),
            (Self::Int(bytes), Value::Text(text)) => match text.parse() {
                Ok(number) => (number, usize::from(bytes)),
                Err(_) => return false,
            },
            (Self::Text, value) => {
                let at = out.len();
                out.extend([0; 4]);
                match value {
                    Value::Text(text) => out.extend(text.as_bytes()),
                    // To memory everything can be written.
                    Value::Int(number) => _ = write!(out, "{number}"),
                    Value::Null => {}
                }
                let length = out.len() - at - 4;
                out[at..at + 4].copy_from_slice(&be32(length));
                return true;
            }
        };
        let width = 8 * bytes as u32;
        let fits = number >> (width - 1) == 0 || number >> (width - 1) == -1;
        out.extend(be32(bytes));
        out.extend(&number.to_be_bytes()[8 - bytes..]);
        fits
    }
}

impl Own {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(super) fn prepare(wire: &mut Wire, statements: &Statements) -> Result<Self, Trouble> {
        let unwritable =
            |error: std::io::Error| Trouble::protocol(&format!("a statement that cannot be sent: {error}"));
        let mut out = BytesMut::new();
        form::opening(&mut out).map_err(unwritable)?;
        let opened = out.len();
        form::execute(&mut out).map_err(unwritable)?;
        frontend::sync(&mut out);
        let (opening, executing) = (out[..opened].to_vec(), out[opened..].to_vec());
        out.clear();
        form::prepare_opening(&mut out).map_err(unwritable)?;
        for (number, text) in statements.texts.iter().enumerate() {
            let name = name(number);
            // A session may be prepared once more; what is not there is closed without complaint.
            frontend::close(b'S', &name, &mut out).map_err(unwritable)?;
            let text = placed(text, |number| format!("${number}"));
            frontend::parse(&name, &text, [], &mut out).map_err(unwritable)?;
            frontend::describe(b'S', &name, &mut out).map_err(unwritable)?;
        }
        frontend::sync(&mut out);
        let (mut takes, mut gives) = (Vec::new(), Vec::new());
        wire.ask(&out, |message| described(message, &mut takes, &mut gives))?;
        if (takes.len(), gives.len()) != (statements.texts.len(), statements.texts.len()) {
            return Err(Trouble::protocol("a statement that is not described"));
        }
        let described = takes.into_iter().zip(gives).enumerate();
        let statements = described.map(|(number, (takes, gives))| Prepared::new(number, takes, gives)).collect();
        Ok(Self { statements, opening, executing, messages: Vec::new(), last: 0, answer: Answer::default() })
    }

    /// The messages that execute a statement with its values.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values.
    pub(super) fn fill(&mut self, bound: &Bound<'_>, work: &str) -> Result<&[u8], EngineError> {
        self.answer.clear();
        self.last = bound.statement;
        let statement = self.statements.get(bound.statement);
        let takes = statement.map(|statement| statement.takes.len());
        let misused = || Statements::misused(work, bound, takes);
        let statement = statement.filter(|_| takes == Some(bound.values.len())).ok_or_else(misused)?;
        let out = &mut self.messages;
        out.clear();
        if bound.opens {
            out.extend(&self.opening);
        }
        let at = out.len() + 1;
        out.extend(&statement.head);
        for (n, (kind, value)) in statement.takes.iter().zip(bound.values.iter()).enumerate() {
            if !kind.write(value, out) {
                let number = bound.statement;
                let message = format!("{work}: value {} of statement {number} is no {kind:?}: {value:?}", n + 1);
                return Err(EngineError::new(ErrorClass::Other, message));
            }
        }
        out.extend(&statement.tail);
        let length = out.len() - at;
        out[at..at + 4].copy_from_slice(&be32(length));
        out.extend(&self.executing);
        Ok(out)
    }

    /// Takes a row of the answer to the last statement.
    pub(super) fn row(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let gives = self.statements.get(self.last).map_or(&[][..], |statement| &statement.gives);
        answer::values(body, gives, self.answer.begin_row())
    }
}

impl Prepared {
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
        Self { head, tail: formats(&gives), takes, gives }
    }
}

/// The name of a prepared statement: short, as it goes over the wire each time.
fn name(number: usize) -> String {
    number.to_string()
}

fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::client::Values;
    use proptest::prelude::*;

    fn own(takes: &[Kind], gives: &[Kind]) -> Own {
        let statements = vec![Prepared::new(0, takes.to_vec(), gives.to_vec())];
        let (mut opening, mut executing) = (BytesMut::new(), BytesMut::new());
        form::opening(&mut opening).unwrap();
        form::execute(&mut executing).unwrap();
        frontend::sync(&mut executing);
        let (opening, executing) = (opening.to_vec(), executing.to_vec());
        Own { statements, opening, executing, messages: Vec::new(), last: 0, answer: Answer::default() }
    }

    /// The same by the crate.
    fn expected(values: &Values, takes: &[Kind], gives: &[Kind]) -> Vec<u8> {
        let mut out = BytesMut::new();
        let write = |(value, kind): (Value<'_>, Kind), out: &mut BytesMut| {
            match (value, kind) {
                (Value::Null, _) => return Ok(postgres_protocol::IsNull::Yes),
                (Value::Int(number), Kind::Int(bytes)) => out.extend(&number.to_be_bytes()[8 - usize::from(bytes)..]),
                (Value::Int(number), Kind::Text) => out.extend(number.to_string().as_bytes()),
                (Value::Text(text), _) => out.extend(text.as_bytes()),
            }
            Ok(postgres_protocol::IsNull::No)
        };
        let formats = |kinds: &[Kind]| kinds.iter().map(|kind| kind.format().cast_signed()).collect::<Vec<_>>();
        let given = values.iter().zip(takes.iter().copied());
        let bound = frontend::bind("", "0", formats(takes), given, write, formats(gives), &mut out);
        assert!(bound.is_ok());
        form::execute(&mut out).unwrap();
        frontend::sync(&mut out);
        out.to_vec()
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let mut values = Values::new();
        for (kind, value, fits) in [
            (Kind::Int(4), i64::from(i32::MAX), true),
            (Kind::Int(4), i64::from(i32::MIN), true),
            (Kind::Int(4), i64::from(i32::MAX) + 1, false),
            (Kind::Int(2), -32_769, false),
            (Kind::Int(8), i64::MIN, true),
        ] {
            let bound = Bound { statement: 0, values: values.set(&[value]), opens: false };
            assert_eq!(own(&[kind], &[]).fill(&bound, "w").is_ok(), fits, "{kind:?} {value}");
        }
        values.clear();
        values.push("x");
        let said = |bound: &Bound<'_>| own(&[Kind::Int(8)], &[]).fill(bound, "w").unwrap_err().message;
        let bound = Bound { statement: 0, values: &values, opens: false };
        assert!(said(&bound).contains("value 1 of statement 0 is no Int(8)"), "{}", said(&bound));
        assert!(said(&Bound { statement: 1, ..bound }).contains("there is none of that number"));
        assert!(said(&Bound { values: &Values::new(), ..bound }).contains("takes 1 values and was given 0"));
    }

    proptest! {
        #[test]
        fn messages_are_those_that_the_crate_would_write(
            numbers in prop::collection::vec((any::<i16>(), 0..5_usize, ".{0,9}"), 0..9), gives in 0..4_usize, opens in any::<bool>()
        ) {
            let (mut values, mut takes) = (Values::new(), Vec::new());
            for (number, kind, text) in &numbers {
                takes.push([Kind::Int(2), Kind::Int(4), Kind::Int(8), Kind::Text, Kind::Text][*kind]);
                match kind {
                    4 => values.push(text.as_str()),
                    _ if *number == 0 => values.push(Value::Null),
                    _ => values.push(i64::from(*number)),
                };
            }
            let gives = &[Kind::Text, Kind::Int(8), Kind::Text][..gives.min(3)];
            let mut own = own(&takes, gives);
            let opening = if opens { own.opening.clone() } else { Vec::new() };
            for _ in 0..2 {
                let filled = own.fill(&Bound { statement: 0, values: &values, opens }, "w").unwrap();
                prop_assert_eq!(filled, [opening.clone(), expected(&values, &takes, gives)].concat());
            }
        }
    }
}
