//! Rows in the server's binary COPY format, both ways: into one reused buffer, and from the server's answer back.
//! Nothing is allocated for a row: on a small machine this work competes with the server's own.

mod decode;
mod numeric;

use super::connection::PostgresConnection;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType, iso_day};
use dbdyno_engine::server::{Asked, Rows};
use dbdyno_model::ErrorClass;
use decode::{CopyError, Decoder};
use numeric::Numeric;
use postgres::Client;
use std::io::{self, BufRead as _, Write as _};

/// Signature, flags and length of the header's extension (none).
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
const DAY_ZERO: i32 = 10_957;
/// Bytes that are handed to the connection at once. Less costs more round trips to the kernel, more leaves the
/// processor's caches: from 32 to 128 KiB it makes no difference that could be measured.
const SEND_BYTES: usize = 64 << 10;
/// Room for the row that fills the buffer.
const ROW_BYTES: usize = 1 << 10;
/// Rows of one COPY at most: the server tells of an error (a full disk) only at its end.
const COPY_ROWS: u64 = 500_000;

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

    /// Begins a new COPY in the same buffer.
    fn begin(&mut self) {
        self.buffer.clear();
        self.buffer.extend_from_slice(HEADER);
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

/// Why a COPY ended early.
#[derive(Debug)]
enum Broken {
    /// The server or the connection to it.
    Server(postgres::Error),
    /// The connection.
    Io(io::Error),
    /// What came is no row of ours.
    Damaged(CopyError),
    /// Whoever makes or takes the rows.
    Ended(EngineError),
}

impl From<postgres::Error> for Broken {
    fn from(error: postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        // The crate hands its own errors through here, too.
        match error.downcast::<postgres::Error>() {
            Ok(error) => Self::Server(error),
            Err(error) => Self::Io(error),
        }
    }
}

impl From<EngineError> for Broken {
    fn from(error: EngineError) -> Self {
        Self::Ended(error)
    }
}

impl Broken {
    /// The error in words.
    fn in_words(self, connection: &PostgresConnection, doing: &str) -> EngineError {
        let error = |class, what: String| EngineError::new(class, format!("{doing}: {what}"));
        match self {
            Self::Server(error) => connection.error(doing, &error),
            Self::Io(io) => error(ErrorClass::ConnectionLost, io.to_string()),
            Self::Damaged(how) => error(ErrorClass::Corruption, how.to_string()),
            Self::Ended(error) => error,
        }
    }
}

/// Sends rows by COPYs. See [`dbdyno_engine::server::Connection::insert`].
pub(super) fn insert(
    connection: &mut PostgresConnection,
    doing: &str,
    sql: &str,
    rows: &mut Rows<'_>,
) -> Result<(), EngineError> {
    let mut encoder = Encoder::new(SEND_BYTES);
    while rows.has_more() {
        let before = rows.made();
        let taken = copy_in(connection.control(doing), (doing, sql), &mut encoder, rows);
        let taken = taken.map_err(|broken| broken.in_words(connection, doing))?;
        Rows::must_be(doing, taken, rows.made() - before)?;
    }
    Ok(())
}

/// Sends one COPY. Returns the rows that the server took.
fn copy_in(
    mut client: Asked<'_, Client>,
    (doing, sql): (&str, &str),
    encoder: &mut Encoder,
    rows: &mut Rows<'_>,
) -> Result<u64, Broken> {
    let (client, asking) = client.parts();
    let (columns, last) = (rows.columns(), rows.made() + COPY_ROWS);
    // A writer that is dropped makes the server abandon the COPY.
    let mut writer = client.copy_in(sql)?;
    encoder.begin();
    while rows.made() < last
        && let Some(row) = rows.next_row()
    {
        encoder.row(columns, row);
        if encoder.is_full() {
            writer.write_all(&encoder.buffer)?;
            asking.heard();
            encoder.buffer.clear();
            rows.sent(doing)?;
        }
    }
    encoder.end();
    writer.write_all(&encoder.buffer)?;
    let taken = writer.finish()?;
    rows.sent(doing)?;
    Ok(taken)
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
    let read = copy_out(connection.control(doing), &sql, columns, each);
    read.map_err(|broken| broken.in_words(connection, doing))?;
    connection.count_transactions(2);
    Ok(())
}

/// A part of a key in SQL; texts are none.
fn literal(value: Value<'_>) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Day(days) => format!("DATE '{}'", iso_day(days.into())),
        Value::Null | Value::Cents(_) | Value::Text(_) => "NULL".to_owned(),
    }
}

fn copy_out(
    mut client: Asked<'_, Client>,
    sql: &str,
    columns: &[Column],
    each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), Broken> {
    let (client, asking) = client.parts();
    let mut reader = client.copy_out(sql)?;
    let mut decoder = Decoder::new(columns);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return decoder.finish().map_err(Broken::Damaged);
        }
        let taken = chunk.len();
        decoder.take(chunk, each)?;
        reader.consume(taken);
        asking.heard();
    }
}

#[cfg(test)]
mod tests;
