//! The answer to a statement, read where it lies: its rows, or how many were changed.

use super::incoming::{self, Message};
use super::said::said;
use super::value::WireType;
use crate::errors::{Said, Trouble};
use dbdyno_engine::client::{Value, Values};

/// What a session of the server is doing between two statements, as it says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// No transaction is open.
    Idle,
    /// One is.
    InTransaction,
    /// One is that has failed, and waits to be rolled back.
    Failed,
}

/// How a statement was completed, as far as its answer has been read.
#[derive(Debug, Default)]
pub(crate) struct CommandResult {
    /// Rows, as the server numbers them.
    pub(crate) rows: u64,
    /// What the server committed or did, it has rolled back instead.
    pub(crate) rolled_back: bool,
    /// Why it did not do it.
    pub(crate) error: Option<Box<Said>>,
}

impl CommandResult {
    /// Takes the next message, and gives rows to `row`; the session's status when it was the last.
    #[inline]
    pub(crate) fn take(
        &mut self,
        message: Message<'_>,
        row: impl FnOnce(&[u8]) -> Result<(), Trouble>,
    ) -> Result<Option<Status>, Trouble> {
        match message.kind {
            incoming::DATA_ROW => row(message.body)?,
            incoming::COMMAND_COMPLETE => self.complete(message.body),
            // The first error is the reason; what follows is skipped by the server.
            incoming::ERROR if self.error.is_none() => self.error = Some(Box::new(said(message.body))),
            incoming::READY => return status(message.body).map(Some),
            // Bindings that worked, notices, parameters.
            _ => {}
        }
        Ok(None)
    }

    /// A command's tag: `SELECT 1`, `UPDATE 320`, `COMMIT`.
    fn complete(&mut self, tag: &[u8]) {
        let tag = tag.strip_suffix(&[0]).unwrap_or(tag);
        if tag == b"ROLLBACK" {
            self.rolled_back = true;
        }
        self.rows = self.rows.wrapping_add(rows_of(tag));
    }
}

/// The number at the end of a command's tag; 0 where there is none.
pub(super) fn rows_of(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(&[0]).unwrap_or(tag);
    let (mut rows, mut unit) = (0_u64, 1_u64);
    for digit in tag.iter().rev().take_while(|byte| byte.is_ascii_digit()) {
        rows = rows.wrapping_add(unit.wrapping_mul(u64::from(digit - b'0')));
        unit = unit.wrapping_mul(10);
    }
    rows
}

/// The values of a row, whose columns are of these kinds.
#[inline]
pub(super) fn values(body: &[u8], kinds: &[WireType], into: &mut Values) -> Result<(), Trouble> {
    let mut columns = Columns::of(body).filter(|columns| columns.left == kinds.len()).ok_or_else(unreadable)?;
    for kind in kinds {
        let bytes = columns.bytes().ok_or_else(unreadable)?;
        into.push(match (bytes, kind) {
            (None, _) => Value::Null,
            (Some(bytes), WireType::Int(_)) => Value::Int(number(bytes).ok_or_else(unreadable)?),
            (Some(bytes), WireType::Day | WireType::Text) => {
                Value::Text(str::from_utf8(bytes).map_err(|_| unreadable())?)
            }
        });
    }
    Ok(())
}

/// What a statement takes and gives, where the message says so: each list gets one more for each statement.
pub(super) fn described(message: Message<'_>, takes: &mut Vec<Vec<WireType>>, gives: &mut Vec<Vec<WireType>>) {
    let mut rest = message.body.get(2..).unwrap_or_default();
    let mut kinds = Vec::new();
    match message.kind {
        incoming::PARAMETERS_OF_STATEMENT => {
            while let Some((oid, after)) = rest.split_first_chunk() {
                kinds.push(WireType::taken(u32::from_be_bytes(*oid)));
                rest = after;
            }
            takes.push(kinds);
        }
        incoming::ROW_DESCRIPTION => {
            // A name, its table and column, the type, and its length, modifier and format.
            while let Some(end) = rest.iter().position(|byte| *byte == 0) {
                let Some((fields, after)) = rest[end + 1..].split_first_chunk::<18>() else { break };
                let [_, _, _, _, _, _, a, b, c, d, ..] = *fields;
                kinds.push(WireType::given(u32::from_be_bytes([a, b, c, d])));
                rest = after;
            }
            gives.push(kinds);
        }
        incoming::NO_DATA => gives.push(kinds),
        _ => {}
    }
}

/// What a session says that it is doing when it is ready.
pub(super) fn status(body: &[u8]) -> Result<Status, Trouble> {
    match body {
        b"I" => Ok(Status::Idle),
        b"T" => Ok(Status::InTransaction),
        b"E" => Ok(Status::Failed),
        _ => Err(Trouble::protocol("a status of a transaction that there is none of")),
    }
}

/// The texts of a row of a simple query.
pub(crate) fn texts(body: &[u8]) -> Option<Vec<Option<String>>> {
    let mut columns = Columns::of(body)?;
    let mut texts = Vec::with_capacity(columns.left);
    while columns.left > 0 {
        let bytes = columns.bytes()?;
        texts.push(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
    }
    Some(texts)
}

/// The columns of a row.
struct Columns<'a> {
    left: usize,
    rest: &'a [u8],
}

impl<'a> Columns<'a> {
    fn of(body: &'a [u8]) -> Option<Self> {
        let (count, rest) = body.split_first_chunk()?;
        Some(Self { left: usize::from(u16::from_be_bytes(*count)), rest })
    }

    /// The next value: `Some(None)` is NULL.
    fn bytes(&mut self) -> Option<Option<&'a [u8]>> {
        self.left = self.left.checked_sub(1)?;
        let (length, rest) = self.rest.split_first_chunk()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            self.rest = rest;
            return Some(None);
        };
        let (bytes, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(bytes))
    }
}

/// An integer of whichever width.
fn number(bytes: &[u8]) -> Option<i64> {
    match *bytes {
        [a, b] => Some(i16::from_be_bytes([a, b]).into()),
        [a, b, c, d] => Some(i32::from_be_bytes([a, b, c, d]).into()),
        [a, b, c, d, e, f, g, h] => Some(i64::from_be_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}

fn unreadable() -> Trouble {
    Trouble::protocol("a row that is not as the statement says")
}
