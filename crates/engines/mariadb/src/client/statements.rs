//! Statements with their values, each execution a round trip. Output values of a call are places that are sent as
//! nulls: the server sends what the procedure has put there as one more result, after those that the procedure itself
//! selects. It marks that with SERVER_PS_OUT_PARAMS, which the crate does not show; but its columns are also said to be
//! of the procedure.

use super::super::connection::MariaDbConnection;
use super::refuse_when_cancelled;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Place, StatementText, Statements, Value, ValueType, cents_text};
use dbdyno_engine::data::calendar;
use mysql::prelude::Queryable as _;
use mysql::{Binary, Params, QueryResult, Statement};

/// A statement as the server is to prepare it.
pub(super) struct ServerText {
    pub(super) sql: String,
    /// What stands at each place.
    pub(super) places: Vec<Place>,
    pub(super) outputs: Vec<ValueType>,
}

impl ServerText {
    /// # Errors
    /// The places of output values are not as they must be.
    pub(super) fn of(text: &StatementText) -> Result<Self, EngineError> {
        let mut places = Vec::new();
        let sql = text.written(|place| {
            places.push(place);
            "?".to_owned()
        })?;
        Ok(Self { sql, places, outputs: text.outputs.clone() })
    }

    /// One whose places are its values, one after the other.
    pub(super) fn in_order(sql: String, values: usize) -> Self {
        Self { sql, places: (0..values).map(Place::Value).collect(), outputs: Vec::new() }
    }
}

/// Statements, prepared.
#[derive(Default)]
pub(super) struct Prepared {
    statements: Vec<Sent>,
    pub(super) answer: Answer,
}

struct Sent {
    statement: Statement,
    text: ServerText,
    /// Values that it takes.
    takes: usize,
}

impl Prepared {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(super) fn new(
        connection: &mut MariaDbConnection,
        texts: impl Iterator<Item = Result<ServerText, EngineError>>,
        doing: &str,
    ) -> Result<Self, EngineError> {
        let mut prepared = Self::default();
        for text in texts {
            let text = text?;
            let statement = connection.control(doing).prep(&text.sql);
            let statement = statement.map_err(|error| connection.error(doing, &error))?;
            let values = text.places.iter().map(|place| if let Place::Value(at) = place { at + 1 } else { 0 });
            let takes = values.max().unwrap_or(0);
            prepared.statements.push(Sent { statement, text, takes });
        }
        Ok(prepared)
    }

    /// Executes a statement: the rows that it answered with or changed.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's; `Cancelled` once somebody has
    /// cancelled.
    pub(super) fn execute(
        &mut self,
        connection: &mut MariaDbConnection,
        bound: &Bound<'_>,
        doing: &str,
    ) -> Result<u64, EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let prepared = statements.get(bound.statement);
        let takes = prepared.map(|prepared| prepared.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let prepared = prepared.filter(|prepared| bound.fits(prepared.takes)).ok_or_else(misused)?;
        let outputs = &prepared.text.outputs;
        Statements::refuse_repeated(doing, bound, outputs)?;
        let outputs_of = (!outputs.is_empty()).then(|| procedure(&prepared.text.sql).unwrap_or_default());
        let mut rows = 0;
        for execution in 0..bound.times {
            refuse_when_cancelled(connection, doing)?;
            let value = |place: &Place| match place {
                Place::Value(at) => bound.values.get(execution * prepared.takes + at).map_or(mysql::Value::NULL, sent),
                Place::Output(_) => mysql::Value::NULL,
            };
            let parameters = Params::Positional(prepared.text.places.iter().map(value).collect());
            let done = connection.measured().exec_iter(&prepared.statement, parameters);
            let done = done.and_then(|found| answered(found, answer, outputs_of));
            rows += done.map_err(|error| connection.error(doing, &error))?;
            // As in a procedure: what is told to end may do nothing and say that all is well.
            refuse_when_cancelled(connection, doing)?;
        }
        answer.read_outputs(outputs, doing, bound.statement)?;
        Ok(rows)
    }

    /// Whether a statement is a call, which may leave a transaction of its own open when it fails.
    pub(super) fn is_call(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|sent| procedure(&sent.text.sql).is_some())
    }
}

/// The procedure that a text calls, without its schema; nothing where it is no call.
fn procedure(sql: &str) -> Option<&str> {
    let (word, call) = sql.trim_start().split_once(char::is_whitespace)?;
    let name = call.split('(').next()?.rsplit('.').next()?;
    word.eq_ignore_ascii_case("CALL").then(|| name.trim().trim_matches('`'))
}

/// Takes the rows of an execution, and gives their number or that of the rows that it changed. A call may have several
/// results, and fail after the first: its rows are those of the first one, or the output values of the procedure that
/// is named.
fn answered(
    mut found: QueryResult<'_, '_, '_, Binary>,
    answer: &mut Answer,
    outputs_of: Option<&str>,
) -> mysql::Result<u64> {
    let (changed, before) = (found.affected_rows(), answer.rows());
    let mut results = 0;
    while let Some(result) = found.iter() {
        let taken = result.columns().as_ref().first().map(|column| match outputs_of {
            Some(procedure) => column.org_table_ref().eq_ignore_ascii_case(procedure.as_bytes()),
            None => results == 0,
        });
        for row in result {
            let row = row?;
            if taken == Some(true) {
                let values = answer.begin_row();
                row.unwrap().into_iter().for_each(|value| take(value, values));
            }
        }
        results += usize::from(taken.is_some());
    }
    Ok(if results > 0 { (answer.rows() - before) as u64 } else { changed })
}

/// A value as the crate sends it.
pub(super) fn sent(value: Value<'_>) -> mysql::Value {
    match value {
        Value::Null => mysql::Value::NULL,
        Value::Int(number) => mysql::Value::Int(number),
        Value::Day(days) => {
            let (year, month, day) = calendar(days.into());
            mysql::Value::Date(u16::try_from(year).unwrap_or(u16::MAX), month, day, 0, 0, 0, 0)
        }
        Value::Cents(cents) => mysql::Value::Bytes(cents_text(cents).into_bytes()),
        Value::Text(text) => mysql::Value::Bytes(text.as_bytes().to_vec()),
    }
}

/// Takes a value that came back.
fn take(value: mysql::Value, into: &mut dbdyno_engine::client::Values) {
    match value {
        mysql::Value::NULL => into.push(Value::Null),
        mysql::Value::Int(number) => into.push(number),
        mysql::Value::Bytes(bytes) => into.push(String::from_utf8_lossy(&bytes).as_ref()),
        mysql::Value::UInt(number) => match i64::try_from(number) {
            Ok(number) => into.push(number),
            Err(_) => into.push(number.to_string().as_str()),
        },
        // Days and times, as the server would write them.
        other => into.push(other.as_sql(true).trim_matches('\'')),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::client::Values;

    #[test]
    fn calls_name_their_procedures() {
        for (sql, expected) in [
            ("CALL echo(?)", Some("echo")),
            (" call db.`echo` (?, 'a.b')", Some("echo")),
            ("CALL `db` . echo", Some("echo")),
            ("SELECT echo(?)", None),
            ("CALLED(?)", None),
        ] {
            assert_eq!(procedure(sql), expected, "{sql}");
        }
    }

    #[test]
    fn values_come_back_as_numbers_and_texts() {
        let mut values = Values::new();
        let day = mysql::Value::Date(2026, 1, 31, 0, 0, 0, 0);
        for value in [
            mysql::Value::Int(-1),
            mysql::Value::UInt(u64::MAX),
            mysql::Value::Bytes(b"12.50".to_vec()),
            mysql::Value::NULL,
            day,
        ] {
            take(value, &mut values);
        }
        let expected = [
            Value::Int(-1),
            Value::Text("18446744073709551615"),
            Value::Text("12.50"),
            Value::Null,
            Value::Text("2026-01-31"),
        ];
        assert_eq!(values.iter().collect::<Vec<_>>(), expected);
    }
}
