//! Rows in the server's binary COPY format, both ways: into one reused buffer, and from the server's answer back.
//! Nothing is allocated for a row: on a small machine this work competes with the server's own.

mod decode;
mod numeric;

use super::connection::PostgresConnection;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType, iso_day};
use dbdyno_engine::server::Rows;
use dbdyno_model::ErrorClass;
use decode::{CopyError, Decoder};
use numeric::Numeric;

/// Signature, flags and length of the header's extension (none).
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
const DAY_ZERO: i32 = 10_957;
/// Bytes that are handed to the connection at once. Less costs more round trips to the kernel, more leaves the
/// processor's caches: from 32 to 128 KiB it makes no difference that could be measured.
const SEND_BYTES: usize = 64 << 10;
/// Room for the row that fills the buffer.
const ROW_BYTES: usize = 1 << 10;

/// Puts rows into a buffer.
#[derive(Debug)]
struct Encoder {
    buffer: Vec<u8>,
    limit: usize,
}

impl Encoder {
    /// A buffer that is full at `limit` bytes, and begins with the header.
    fn new(limit: usize) -> Self {
        let mut buffer = Vec::with_capacity(limit + ROW_BYTES);
        buffer.extend_from_slice(HEADER);
        Self { buffer, limit }
    }

    /// Adds a row.
    fn row(&mut self, columns: &[Column], row: &Values) {
        self.buffer.extend_from_slice(&(columns.len() as i16).to_be_bytes());
        for (column, value) in columns.iter().zip(row.iter()) {
            self.field(column.kind, value);
        }
    }

    fn field(&mut self, kind: ColumnType, value: Value<'_>) {
        match (kind, value) {
            (ColumnType::Int { bytes: 8 }, Value::Int(number)) => self.fixed(number.to_be_bytes()),
            (ColumnType::Int { .. }, Value::Int(number)) => self.fixed((number as i32).to_be_bytes()),
            (ColumnType::Day, Value::Day(days)) => self.fixed((days - DAY_ZERO).to_be_bytes()),
            (ColumnType::Cents, Value::Cents(cents)) => Numeric::of_cents(cents).write(&mut self.buffer),
            (ColumnType::Text { .. }, Value::Text(text)) => {
                self.buffer.extend_from_slice(&(text.len() as i32).to_be_bytes());
                self.buffer.extend_from_slice(text.as_bytes());
            }
            // Where the column takes none, the server says so.
            _ => self.buffer.extend_from_slice(&(-1i32).to_be_bytes()),
        }
    }

    fn fixed<const N: usize>(&mut self, value: [u8; N]) {
        self.buffer.extend_from_slice(&(N as i32).to_be_bytes());
        self.buffer.extend_from_slice(&value);
    }

    /// Ends the COPY.
    fn end(&mut self) {
        self.buffer.extend_from_slice(&(-1i16).to_be_bytes());
    }

    /// Whether the buffer wants to be sent.
    fn is_full(&self) -> bool {
        self.buffer.len() >= self.limit
    }
}

/// Why rows are read no further.
#[derive(Debug)]
enum Broken {
    /// What came is no row of ours.
    Damaged(CopyError),
    /// Whoever takes the rows.
    Ended(EngineError),
}

impl From<EngineError> for Broken {
    fn from(error: EngineError) -> Self {
        Self::Ended(error)
    }
}

impl Broken {
    /// The error in words.
    fn in_words(self, doing: &str) -> EngineError {
        match self {
            Self::Damaged(how) => EngineError::new(ErrorClass::Corruption, format!("{doing}: {how}")),
            Self::Ended(error) => error,
        }
    }
}

/// Sends rows by a COPY. See [`dbdyno_engine::server::Connection::insert`].
pub(super) fn insert(
    connection: &mut PostgresConnection,
    doing: &str,
    sql: &str,
    rows: &mut Rows<'_>,
) -> Result<(), EngineError> {
    let (mut encoder, columns) = (Encoder::new(SEND_BYTES), rows.columns());
    // What is dropped before its end the server forgets.
    let mut copy = connection.copy_in(doing, sql)?;
    while let Some(row) = rows.next_row() {
        encoder.row(columns, row);
        if encoder.is_full() {
            copy.send(&encoder.buffer)?;
            encoder.buffer.clear();
            rows.sent(doing)?;
        }
    }
    encoder.end();
    copy.send(&encoder.buffer)?;
    let taken = copy.finish()?;
    rows.sent(doing)?;
    Rows::must_be(doing, taken, rows.made())
}

/// Hands over the rows that a COPY gives. See [`dbdyno_engine::server::Connection::rows`].
pub(super) fn rows(
    connection: &mut PostgresConnection,
    (doing, sql): (&str, &str),
    key: &Values,
    columns: &[Column],
    each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    // A COPY has no parameters. From the last to the first, so that $1 is not found in $10.
    let mut sql = sql.to_owned();
    for (at, value) in key.iter().enumerate().collect::<Vec<_>>().into_iter().rev() {
        sql = sql.replace(&format!("${}", at + 1), &literal(value));
    }
    let mut decoder = Decoder::new(columns);
    connection.copy_out(doing, &sql, |rows| decoder.take(rows, each).map_err(|broken| broken.in_words(doing)))?;
    decoder.finish().map_err(|how| Broken::Damaged(how).in_words(doing))
}

/// A part of a key in SQL; texts are none.
fn literal(value: Value<'_>) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Day(days) => format!("DATE '{}'", iso_day(days.into())),
        Value::Null | Value::Cents(_) | Value::Text(_) => "NULL".to_owned(),
    }
}

#[cfg(test)]
mod tests;
