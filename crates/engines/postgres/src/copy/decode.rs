//! From the server's answer back into rows.

use super::numeric::cents;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType};
use dbdyno_model::ErrorClass;

/// Signature, flags and length of the header's extension (none).
pub(super) const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
pub(super) const DAY_ZERO: i32 = 10_957;

/// Why rows are read no further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CopyError {
    /// The stream does not begin as a COPY in binary format does.
    #[error("the server's COPY has no binary header that is known")]
    Header,
    /// A row with other columns.
    #[error("a row has {0} columns where {1} were asked for")]
    Columns(i16, usize),
    /// A column that cannot be what was written.
    #[error("row {id}: {column} is not as it was written")]
    Value {
        /// The row's first column, as far as it is known.
        id: i64,
        /// The column.
        column: String,
    },
    /// The stream ended within a row, or went on after its end.
    #[error("the server's COPY ended before its last row")]
    Torn,
    /// Whoever takes the rows.
    #[error(transparent)]
    Ended(#[from] EngineError),
}

impl CopyError {
    /// The error in words.
    pub(crate) fn in_words(self, doing: &str) -> EngineError {
        match self {
            Self::Ended(error) => error,
            damaged => EngineError::new(ErrorClass::Corruption, format!("{doing}: {damaged}")),
        }
    }
}

/// Takes each row that is whole.
type Each<'e> = dyn FnMut(&Values) -> Result<(), EngineError> + 'e;

/// Takes rows out of a stream of chunks, however they are cut.
#[derive(Debug)]
pub(crate) struct Decoder<'c> {
    columns: &'c [Column],
    /// The row that is being read, in the memory of the one before it.
    row: Values,
    /// What the last chunk left over.
    rest: Vec<u8>,
    begun: bool,
    ended: bool,
}

impl<'c> Decoder<'c> {
    /// Rows with these columns.
    pub(crate) fn new(columns: &'c [Column]) -> Self {
        Self { columns, row: Values::new(), rest: Vec::new(), begun: false, ended: false }
    }

    /// Takes a chunk, and gives every row that is whole now to `each`.
    ///
    /// # Errors
    /// The bytes are no rows of ours; what `each` answers.
    pub(crate) fn take(&mut self, chunk: &[u8], each: &mut Each<'_>) -> Result<(), CopyError> {
        // The server sends row by row, so that mostly nothing is left over and nothing has to be copied.
        if self.rest.is_empty() {
            let used = self.rows(chunk, each)?;
            self.rest.extend_from_slice(&chunk[used..]);
        } else {
            let mut all = std::mem::take(&mut self.rest);
            all.extend_from_slice(chunk);
            let used = self.rows(&all, each)?;
            all.drain(..used);
            self.rest = all;
        }
        Ok(())
    }

    /// Whether all was read.
    ///
    /// # Errors
    /// It was not.
    pub(crate) fn finish(&self) -> Result<(), CopyError> {
        if self.ended && self.rest.is_empty() { Ok(()) } else { Err(CopyError::Torn) }
    }

    /// The bytes that were used.
    fn rows(&mut self, bytes: &[u8], each: &mut Each<'_>) -> Result<usize, CopyError> {
        let mut cursor = Cursor { bytes, at: 0 };
        if !self.begun {
            let Some(signature) = cursor.take(HEADER.len()) else { return Ok(0) };
            if signature != HEADER {
                return Err(CopyError::Header);
            }
            self.begun = true;
        }
        loop {
            let before = cursor.at;
            if self.ended {
                return if before == bytes.len() { Ok(before) } else { Err(CopyError::Torn) };
            }
            match cursor.count() {
                Some(-1) => {
                    self.ended = true;
                    continue;
                }
                Some(count) if usize::try_from(count) == Ok(self.columns.len()) => {}
                Some(other) => return Err(CopyError::Columns(other, self.columns.len())),
                None => return Ok(before),
            }
            self.row.clear();
            for column in self.columns {
                if !cursor.value(column, &mut self.row)? {
                    return Ok(before);
                }
            }
            each(&self.row)?;
        }
    }
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn count(&mut self) -> Option<i16> {
        self.take(2).and_then(|b| b.try_into().ok()).map(i16::from_be_bytes)
    }

    /// Reads a value into a row; false where the chunk ends within it.
    fn value(&mut self, column: &Column, row: &mut Values) -> Result<bool, CopyError> {
        let Some(length) = self.take(4).and_then(|b| b.try_into().ok()).map(i32::from_be_bytes) else {
            return Ok(false);
        };
        let id = if let Some(Value::Int(id)) = row.get(0) { id } else { 0 };
        let damaged = || CopyError::Value { id, column: column.name.clone() };
        let value = match (usize::try_from(length), column.kind) {
            (Err(_), ColumnType::Text { .. }) if length == -1 => Value::Null,
            (Ok(length), kind) if fits(kind, length) => {
                let Some(bytes) = self.take(length) else { return Ok(false) };
                read(kind, bytes).ok_or_else(damaged)?
            }
            _ => return Err(damaged()),
        };
        row.push(value);
        Ok(true)
    }
}

/// Whether a value may have so many bytes, which is asked before they have come.
fn fits(kind: ColumnType, length: usize) -> bool {
    match kind {
        ColumnType::Int { bytes } => length == usize::from(bytes),
        ColumnType::Day => length == 4,
        ColumnType::Cents => (8..=32).contains(&length),
        // A character may have four bytes.
        ColumnType::Text { chars } => length <= 4 * chars,
    }
}

fn read(kind: ColumnType, bytes: &[u8]) -> Option<Value<'_>> {
    let long = || bytes.try_into().ok().map(i64::from_be_bytes);
    let short = || bytes.try_into().ok().map(i32::from_be_bytes);
    Some(match kind {
        ColumnType::Int { bytes: 8 } => Value::Int(long()?),
        ColumnType::Int { .. } => Value::Int(short()?.into()),
        ColumnType::Day => Value::Day(short()?.checked_add(DAY_ZERO)?),
        ColumnType::Cents => Value::Cents(cents(bytes)?),
        ColumnType::Text { .. } => kind.text(bytes)?,
    })
}
