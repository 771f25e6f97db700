//! Rows as SQLite keeps them, both ways: days as text, amounts as 8-byte floats.

use super::connection::SqliteConnection;
use super::errors::Fault;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType, day_from_iso, first_day, iso_day};
use dbdyno_engine::server::damaged;
use dbdyno_model::Size;
use rusqlite::Row;
use std::borrow::Cow;

/// Every day that a test's row can be booked on, as text: making one takes longer than the rest of a row.
pub(super) struct Days {
    first: i64,
    texts: Vec<String>,
}

impl Days {
    pub(super) fn new() -> Self {
        let (first, end) = (first_day(0), first_day(Size::RANGES));
        Self { first, texts: (first..end).map(iso_day).collect() }
    }

    fn text(&self, day: i64) -> Cow<'_, str> {
        let known = usize::try_from(day - self.first).ok().and_then(|n| self.texts.get(n));
        known.map_or_else(|| iso_day(day).into(), |text| text.into())
    }
}

/// Binds the values of a row, and executes the statement that inserts it.
///
/// # Errors
/// SQLite's.
pub(super) fn insert<'v>(
    statement: &mut rusqlite::Statement<'_>,
    row: impl Iterator<Item = Value<'v>>,
    days: &Days,
) -> rusqlite::Result<()> {
    for (at, value) in (1..).zip(row) {
        match value {
            Value::Null => statement.raw_bind_parameter(at, rusqlite::types::Null)?,
            Value::Int(number) => statement.raw_bind_parameter(at, number)?,
            Value::Day(day) => statement.raw_bind_parameter(at, days.text(day.into()))?,
            Value::Cents(cents) => statement.raw_bind_parameter(at, cents as f64 / 100.0)?,
            Value::Text(text) => statement.raw_bind_parameter(at, text)?,
        }
    }
    statement.raw_execute().map(drop)
}

/// Hands over the rows of a query one by one: a value for each of these columns. What `each` answers ends it.
///
/// # Errors
/// SQLite's; `Corruption` where a column has a value that it cannot have; what `each` answers.
pub(super) fn each(
    connection: &SqliteConnection,
    (doing, sql): (&str, &str),
    parameters: impl rusqlite::Params,
    columns: &[Column],
    mut each: impl FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), Fault> {
    let mut values = Values::new();
    let mut statement = connection.raw.prepare_cached(sql)?;
    let mut found = statement.query(parameters)?;
    while let Some(row) = found.next()? {
        values.clear();
        for (at, column) in columns.iter().enumerate() {
            let Some(value) = read(row, at, column.kind) else {
                let id = if let Some(Value::Int(id)) = values.get(0) { Some(id) } else { None };
                return Err(damaged(doing, id, column).into());
            };
            values.push(value);
        }
        each(&values)?;
    }
    Ok(())
}

/// A value of a column; nothing where it is none.
fn read<'r>(row: &'r Row<'_>, at: usize, kind: ColumnType) -> Option<Value<'r>> {
    let text = || row.get_ref(at).ok().and_then(|value| value.as_str().ok());
    match kind {
        ColumnType::Int { .. } => row.get(at).ok().map(Value::Int),
        ColumnType::Day => text().and_then(day_from_iso).and_then(|day| i32::try_from(day).ok()).map(Value::Day),
        ColumnType::Cents => row.get::<_, f64>(at).ok().map(|amount| Value::Cents((amount * 100.0).round() as i64)),
        ColumnType::Text { .. } => text().and_then(|text| kind.text(text.as_bytes())),
    }
}
