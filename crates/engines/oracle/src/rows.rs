//! Rows on their way to the server as arrays of bound values, one message for many of them, and on their way back.
//! Whole numbers and days are never texts.

use super::connection::{Bind, OracleConnection, Version, days};
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values, cents_from};
use dbdyno_engine::data::{Column, ColumnType};
use dbdyno_engine::server::{Connection as _, Rows, damaged};
use oracledb::OracleTimestamp;

/// Rows of one array the conventional way.
pub(super) const INSERTED_ROWS: u64 = 2_000;
/// Rows of one round trip where all of a table are read, about 350 KB.
const FETCH_ROWS: u32 = 1_000;
/// The same before release 23, about 35 KB: an answer then ends where its packets end, and the driver begins to read it
/// anew with each packet that comes.
const FETCH_ROWS_BEFORE_23: u32 = 100;

/// Sends rows in arrays of so many, with a commit after each where that is wanted. See
/// [`dbdyno_engine::server::Connection::insert`].
///
/// # Errors
/// The server's; `Cancelled` once the rows say so.
pub(super) fn insert(
    connection: &mut OracleConnection,
    (doing, sql): (&str, &str),
    (most, commit_each): (u64, bool),
    rows: &mut Rows<'_>,
) -> Result<(), EngineError> {
    let (columns, mut batch) = (rows.columns().len(), Values::new());
    while rows.has_more() {
        let before = rows.made();
        batch.clear();
        while rows.made() - before < most
            && let Some(row) = rows.next_row()
        {
            for value in row.iter() {
                batch.push(value);
            }
        }
        let binds: Vec<Bind<'_>> = batch.iter().map(Bind::from).collect();
        let taken = connection.insert_rows(doing, sql, columns, &binds)?;
        Rows::must_be(doing, taken, rows.made() - before)?;
        if commit_each {
            connection.batch(doing, "COMMIT")?;
        }
        rows.sent(doing)?;
    }
    Ok(())
}

/// Hands over the rows of a query. See [`dbdyno_engine::server::Connection::rows`].
///
/// # Errors
/// The server's; what `each` answers.
pub(super) fn rows(
    connection: &mut OracleConnection,
    (doing, sql): (&str, &str),
    key: &Values,
    columns: &[Column],
    each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let binds: Vec<Bind<'_>> = key.iter().map(Bind::from).collect();
    let fetch_rows = match (key.is_empty(), connection.version() < Version::of(23, 0)) {
        (false, _) => 2,
        (true, true) => FETCH_ROWS_BEFORE_23,
        (true, false) => FETCH_ROWS,
    };
    let mut values = Values::new();
    connection.each_row(doing, sql, &binds, fetch_rows, |row| {
        values.clear();
        for (at, column) in columns.iter().enumerate() {
            if read(row, at, column.kind, &mut values).is_none() {
                let id = if let Some(Value::Int(id)) = values.get(0) { Some(id) } else { None };
                return Err(damaged(doing, id, column));
            }
        }
        each(&values)
    })
}

/// Reads a value of a column; nothing where it is none.
fn read(row: &oracledb::Row, at: usize, kind: ColumnType, into: &mut Values) -> Option<()> {
    match kind {
        ColumnType::Int { .. } => into.push(row.get::<i64>(at).ok()?),
        ColumnType::Day => {
            let day = row.get::<OracleTimestamp>(at).ok().and_then(|time| days(&time))?;
            into.push(Value::Day(i32::try_from(day).ok()?))
        }
        ColumnType::Cents => into.push(Value::Cents(cents_from(&row.get::<String>(at).ok()?)?)),
        ColumnType::Text { .. } => match row.get::<&str>(at) {
            Ok(text) => into.push(kind.text(text.as_bytes())?),
            // An empty text is none on this server.
            Err(_) => match row.get::<Option<String>>(at) {
                Ok(None) => into.push(Value::Null),
                _ => return None,
            },
        },
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::data::{Generator, RowSource};
    use dbdyno_model::TableShape;
    use dbdyno_testkit::conformance::catalogue::size_t;

    #[test]
    fn a_row_is_bound_as_it_is() {
        let (mut generator, mut row) = (Generator::new(&size_t(), TableShape::Large, 42), Values::new());
        for id in [1, 64, 3_200, 102_400] {
            RowSource::row(&mut generator, id, &mut row);
            for value in row.iter() {
                match (value, Bind::from(value)) {
                    (Value::Int(number), Bind::Int(sent)) => assert_eq!(sent, number),
                    (Value::Day(day), Bind::Time(sent)) => assert_eq!(days(&sent), Some(day.into())),
                    (Value::Cents(amount), Bind::Number(sent)) => {
                        assert_eq!(cents_from(&sent.to_string()), Some(amount))
                    }
                    (Value::Text(text), Bind::Text(sent)) => assert_eq!(sent, text),
                    (value, sent) => panic!("{value:?} as {sent:?}"),
                }
            }
        }
    }
}
