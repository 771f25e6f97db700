//! Rows as parameters of INSERTs on their way to the server, and as values on their way back. On a small machine this
//! work competes with the server's own: whole numbers and days are never texts.
//!
//! Rows go as parameters of a prepared INSERT, many in one message of MariaDB's own bulk protocol. Measured at size D
//! (10.11, two processors), a million rows into a table with its keys take the server 6.9 s of processor time this way,
//! 9.0 s by LOAD DATA LOCAL, and 8.6 s by INSERTs of a hundred rows, which go to servers that refuse the bulk protocol;
//! and unlike LOAD DATA LOCAL, which turns errors into warnings, it fails where a row is not taken. Over TLS every
//! server refuses it, because the client crate asks for TLS without saying that it speaks it (docs/upstream). To build
//! the keys afterwards takes as long, and in one session. With `unique_checks` off the server sorts each leaf through
//! temporary files and builds it at once: that was slower, and rows would have to fit a second time.

use super::connection::{InsertMethod, MariaDbConnection};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Value, Values, cents_from, cents_text};
use dbdyno_engine::data::{Column, ColumnType, calendar, day_number};
use dbdyno_engine::server::{Rows, damaged};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Params};

/// Rows of one message, about 350 KB. From 500 to 8,000 it makes no difference that could be measured.
const BULK_ROWS: usize = 1_000;
/// Rows of one INSERT where there is no bulk protocol; more take the server longer to prepare.
const INSERT_ROWS: usize = 100;
/// Bytes of a row in a message at most.
const ROW_BYTES: usize = 400;

impl InsertMethod {
    /// Asks the server.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn ask(connection: &mut MariaDbConnection) -> Result<Self, EngineError> {
        let doing = "asking how rows may be sent";
        let packet = connection.control(doing).query_first("SELECT @@max_allowed_packet");
        let packet: Option<usize> = packet.map_err(|error| connection.error(doing, &error))?;
        let fit = |rows: usize| rows.min(packet.unwrap_or(0) / ROW_BYTES / 2).max(1);
        let probe = &DIALECT.get("load/no_entry")?.text;
        let tried = if connection.version().mysql {
            None
        } else {
            Some(connection.control(doing).exec_batch(probe, [("at all",)]))
        };
        match tried.transpose().map_err(|error| connection.error(doing, &error)) {
            Ok(Some(())) => Ok(Self::Bulk(fit(BULK_ROWS))),
            Ok(None) => Ok(Self::Inserts(fit(INSERT_ROWS))),
            Err(error) if error.class == ErrorClass::Unsupported => Ok(Self::Inserts(fit(INSERT_ROWS))),
            Err(error) => Err(error),
        }
    }

    fn rows(self) -> usize {
        match self {
            Self::Bulk(rows) | Self::Inserts(rows) => rows,
        }
    }
}

/// Sends rows. See [`dbdyno_engine::server::Connection::insert`].
pub(super) fn insert(
    connection: &mut MariaDbConnection,
    (doing, sql): (&str, &str),
    method: InsertMethod,
    rows: &mut Rows<'_>,
) -> Result<(), EngineError> {
    while rows.has_more() {
        let before = rows.made();
        let mut conn = connection.control(doing);
        let sent = send(&mut conn, sql, method, rows);
        let (taken, warnings) = (conn.affected_rows(), conn.warnings());
        drop(conn);
        sent.map_err(|error| connection.error(doing, &error))?;
        Rows::must_be(doing, taken, rows.made() - before)?;
        if warnings > 0 {
            let message = format!("{doing}: the server took the rows with {warnings} warnings");
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        rows.sent(doing)?;
    }
    Ok(())
}

/// Sends the rows of one statement.
fn send(conn: &mut Conn, insert: &str, method: InsertMethod, rows: &mut Rows<'_>) -> mysql::Result<()> {
    let places = format!("({})", vec!["?"; rows.columns().len()].join(", "));
    let (columns, mut left) = (rows.columns().len(), method.rows());
    let mut next = || {
        left = left.checked_sub(1)?;
        Some(rows.next_row()?.iter().map(parameter).collect::<Vec<_>>())
    };
    match method {
        InsertMethod::Bulk(_) => {
            let all = std::iter::from_fn(|| next().map(Params::Positional));
            conn.exec_batch(format!("{insert} {places}"), all)
        }
        InsertMethod::Inserts(_) => {
            let values: Vec<mysql::Value> = std::iter::from_fn(next).flatten().collect();
            let all = vec![places; values.len() / columns.max(1)].join(", ");
            conn.exec_drop(format!("{insert} {all}"), Params::Positional(values))
        }
    }
}

/// Hands over the rows of a query. See [`dbdyno_engine::server::Connection::rows`].
pub(super) fn rows(
    connection: &mut MariaDbConnection,
    (doing, sql): (&str, &str),
    key: &Values,
    columns: &[Column],
    each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let key = if key.is_empty() { Params::Empty } else { Params::Positional(key.iter().map(parameter).collect()) };
    let mut asked = connection.control(doing);
    let (conn, asking) = asked.parts();
    let (mut values, mut ended) = (Values::new(), Ok(()));
    let read = || -> mysql::Result<()> {
        // Prepared, so that numbers and days come as such.
        for row in conn.exec_iter(sql, key)? {
            asking.heard();
            ended = decode(doing, &row?, columns, &mut values).and_then(|()| each(&values));
            if ended.is_err() {
                break;
            }
        }
        Ok(())
    };
    let read = read();
    drop(asked);
    read.map_err(|error| connection.error(doing, &error))?;
    ended
}

/// A value as the crate sends it.
pub(super) fn parameter(value: Value<'_>) -> mysql::Value {
    match value {
        Value::Null => mysql::Value::NULL,
        Value::Int(number) => mysql::Value::Int(number),
        Value::Day(days) => {
            let (year, month, day) = calendar(days.into());
            mysql::Value::Date(u16::try_from(year).unwrap_or(u16::MAX), month, day, 0, 0, 0, 0)
        }
        Value::Cents(cents) => mysql::Value::Bytes(cents_text(cents).into_bytes()),
        Value::Text(text) => mysql::Value::Bytes(text.into()),
    }
}

/// Reads a row of the server's in place of the values that are there.
fn decode(doing: &str, row: &mysql::Row, columns: &[Column], into: &mut Values) -> Result<(), EngineError> {
    into.clear();
    for (at, column) in columns.iter().enumerate() {
        let Some(value) = row.as_ref(at).and_then(|value| read(column.kind, value)) else {
            let id = if let Some(Value::Int(id)) = into.get(0) { Some(id) } else { None };
            return Err(damaged(doing, id, column));
        };
        into.push(value);
    }
    Ok(())
}

/// A value of a column; nothing where it is none.
fn read(kind: ColumnType, value: &mysql::Value) -> Option<Value<'_>> {
    Some(match (kind, value) {
        (ColumnType::Int { .. }, mysql::Value::Int(number)) => Value::Int(*number),
        (ColumnType::Day, value) => Value::Day(days(value)?),
        (ColumnType::Cents, mysql::Value::Bytes(digits)) => {
            Value::Cents(cents_from(std::str::from_utf8(digits).ok()?)?)
        }
        (ColumnType::Text { .. }, mysql::Value::NULL) => Value::Null,
        (kind, mysql::Value::Bytes(bytes)) => kind.text(bytes)?,
        _ => return None,
    })
}

/// Days since 1970-01-01, of a date without a time.
fn days(value: &mysql::Value) -> Option<i32> {
    let mysql::Value::Date(year, month, day, 0, 0, 0, 0) = *value else { return None };
    i32::try_from(day_number(year.into(), month.into(), day.into())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::data::{Generator, RowSource, first_day, iso_day, test_columns};
    use dbdyno_model::TableShape;
    use dbdyno_testkit::conformance::catalogue::size_t;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn amounts_keep_every_hundredth(cents_in in -999_999_999_999i64..=999_999_999_999, small in -200i64..200) {
            for cents_in in [cents_in, small, small * 1_000_000, 0] {
                let mysql::Value::Bytes(text) = parameter(Value::Cents(cents_in)) else { panic!("{cents_in}") };
                let text = String::from_utf8(text).unwrap();
                prop_assert_eq!(cents_from(&text), Some(cents_in));
                let (whole, part) = (cents_in.unsigned_abs() / 100, cents_in.unsigned_abs() % 100);
                let sign = if cents_in < 0 { "-" } else { "" };
                prop_assert_eq!(text, format!("{sign}{whole}.{part:02}"));
            }
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in first_day(0)..first_day(12 * 30) {
            let day = i32::try_from(day).unwrap();
            let sent = parameter(Value::Day(day));
            let mysql::Value::Date(year, month, number, 0, 0, 0, 0) = sent else { panic!("{day}") };
            assert_eq!(format!("{year:04}-{month:02}-{number:02}"), iso_day(day.into()));
            assert_eq!(days(&sent), Some(day));
        }
        let date = |year, month, day, hour| mysql::Value::Date(year, month, day, hour, 0, 0, 0);
        for wrong in [mysql::Value::NULL, date(2021, 2, 29, 0), date(0, 0, 0, 0), date(2020, 1, 1, 1)] {
            assert_eq!(days(&wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_row_is_the_same_on_both_ways() {
        let (mut generator, mut row, mut back) =
            (Generator::new(&size_t(), TableShape::Large, 42), Values::new(), Values::new());
        for id in [1, 64, 3_200, 3_201, 102_400] {
            RowSource::row(&mut generator, id, &mut row);
            back.clear();
            for (column, value) in test_columns().iter().zip(row.iter()) {
                back.push(read(column.kind, &parameter(value)).unwrap());
            }
            assert_eq!(back, row, "{id}");
        }
        assert_eq!(read(ColumnType::Int { bytes: 8 }, &mysql::Value::NULL), None);
        assert_eq!(read(ColumnType::Text { chars: 1 }, &mysql::Value::Bytes(b"xy".to_vec())), None);
    }
}
