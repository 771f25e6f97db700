//! Rows in the server's binary COPY format, both ways: into one reused buffer, and from the server's answer back.
//! Nothing is allocated for a row: on a small machine this work competes with the server's own.

mod decode;
mod numeric;

use super::connection::copy::CopyIn;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType, iso_day};
use dbdyno_engine::server::Rows;
pub(super) use decode::Decoder;
use decode::{DAY_ZERO, HEADER};
use numeric::Numeric;

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

/// Sends rows by a COPY that has begun. See [`dbdyno_engine::server::Connection::insert`].
pub(super) fn send_rows(mut copy: CopyIn<'_>, doing: &str, rows: &mut Rows<'_>) -> Result<(), EngineError> {
    let (mut encoder, columns) = (Encoder::new(SEND_BYTES), rows.columns());
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

/// A COPY with a key in the place of its `$1`, `$2` ...: it has no parameters.
pub(super) fn with_key(sql: &str, key: &Values) -> String {
    let mut sql = sql.to_owned();
    // From the last to the first, so that $1 is not found in $10.
    for (at, value) in key.iter().enumerate().collect::<Vec<_>>().into_iter().rev() {
        sql = sql.replace(&format!("${}", at + 1), &literal(value));
    }
    sql
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
