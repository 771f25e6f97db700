//! Writing and reading rows as SQLite stores them: days as text, amounts as 8-byte floats.

use super::connection::SqliteConnection;
use super::errors::Fault;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Column, ColumnType, day_from_iso, first_day, iso_day};
use dbdyno_engine::server::damaged;
use dbdyno_model::Size;
use rusqlite::Row;
use std::borrow::Cow;

/// The texts of all days on which rows of tests are booked. They are made once, because making the text of a day takes
/// longer than the rest of a row.
pub(super) struct DayTexts {
    first_day: i64,
    texts: Vec<String>,
}

impl DayTexts {
    pub(super) fn new() -> Self {
        let (first, end) = (first_day(0), first_day(Size::RANGES));
        Self { first_day: first, texts: (first..end).map(iso_day).collect() }
    }

    fn text(&self, day: i64) -> Cow<'_, str> {
        let known = usize::try_from(day - self.first_day).ok().and_then(|n| self.texts.get(n));
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
    days: &DayTexts,
) -> rusqlite::Result<()> {
    for (parameter, value) in (1..).zip(row) {
        match value {
            Value::Null => statement.raw_bind_parameter(parameter, rusqlite::types::Null)?,
            Value::Int(number) => statement.raw_bind_parameter(parameter, number)?,
            Value::Day(day) => statement.raw_bind_parameter(parameter, days.text(day.into()))?,
            Value::Cents(cents) => statement.raw_bind_parameter(parameter, cents as f64 / 100.0)?,
            Value::Text(text) => statement.raw_bind_parameter(parameter, text)?,
        }
    }
    statement.raw_execute().map(drop)
}

/// Calls `read` with each row of a query: a value for each of these columns. An error of `read` ends the query.
///
/// # Errors
/// SQLite's; `Corruption` if a column has a value that it cannot have; the error of `read`.
pub(super) fn for_each(
    connection: &SqliteConnection,
    (doing, sql): (&str, &str),
    parameters: impl rusqlite::Params,
    columns: &[Column],
    mut read: impl FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), Fault> {
    let mut values = Values::new();
    let mut statement = connection.raw.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        values.clear();
        for (index, column) in columns.iter().enumerate() {
            let Some(value) = value_at(row, index, column.kind) else {
                // The first column has the row's id.
                let id = if let Some(Value::Int(id)) = values.get(0) { Some(id) } else { None };
                return Err(damaged(doing, id, column).into());
            };
            values.push(value);
        }
        read(&values)?;
    }
    Ok(())
}

/// The value in a column; `None` if it is not of the column's type.
fn value_at<'r>(row: &'r Row<'_>, index: usize, kind: ColumnType) -> Option<Value<'r>> {
    let text = || row.get_ref(index).ok().and_then(|value| value.as_str().ok());
    match kind {
        ColumnType::Int { .. } => row.get(index).ok().map(Value::Int),
        ColumnType::Day => text().and_then(day_from_iso).and_then(|day| i32::try_from(day).ok()).map(Value::Day),
        ColumnType::Cents => row.get::<_, f64>(index).ok().map(|amount| Value::Cents((amount * 100.0).round() as i64)),
        ColumnType::Text { .. } => text().and_then(|text| kind.text(text.as_bytes())),
    }
}
