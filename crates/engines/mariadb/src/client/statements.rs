//! Statements with their values, each execution a round trip.

use super::super::link::Link;
use super::refuse_when_cancelled;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, StatementText, Statements, Value, cents_text, placed};
use dbdyno_engine::data::calendar;
use mysql::prelude::Queryable as _;
use mysql::{Params, Statement};

/// A statement as the server is to prepare it.
pub(super) struct ServerText {
    pub(super) sql: String,
    /// Which value stands in each place, 0 first.
    pub(super) places: Vec<usize>,
}

impl ServerText {
    pub(super) fn of(text: &StatementText) -> Self {
        let mut places = Vec::new();
        let sql = placed(&text.sql, |number| {
            places.push(number - 1);
            "?".to_owned()
        });
        Self { sql, places }
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
    places: Vec<usize>,
    /// Values that it takes.
    takes: usize,
}

impl Prepared {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(super) fn new(
        link: &mut Link,
        texts: impl Iterator<Item = ServerText>,
        doing: &str,
    ) -> Result<Self, EngineError> {
        let mut prepared = Self::default();
        for ServerText { sql, places } in texts {
            let statement = link.control(doing).prep(sql);
            let statement = statement.map_err(|error| link.error(doing, &error))?;
            let takes = places.iter().max().map_or(0, |last| last + 1);
            prepared.statements.push(Sent { statement, places, takes });
        }
        Ok(prepared)
    }

    /// Executes a statement: the rows that it answered with or changed.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's; `Cancelled` once somebody has cancelled.
    pub(super) fn execute(&mut self, link: &mut Link, bound: &Bound<'_>, doing: &str) -> Result<u64, EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let prepared = statements.get(bound.statement);
        let takes = prepared.map(|prepared| prepared.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let prepared = prepared.filter(|prepared| bound.fits(prepared.takes)).ok_or_else(misused)?;
        let mut rows = 0;
        for execution in 0..bound.times {
            refuse_when_cancelled(link, doing)?;
            let values = prepared.places.iter().map(|place| execution * prepared.takes + place);
            let values = values.filter_map(|at| bound.values.get(at)).map(sent);
            let parameters = Params::Positional(values.collect());
            let done = link.measured().exec_iter(&prepared.statement, parameters).and_then(|mut found| {
                let (changed, before) = (found.affected_rows(), answer.rows());
                let answers = !found.columns().as_ref().is_empty();
                for row in found.by_ref() {
                    let values = answer.begin_row();
                    for value in row?.unwrap() {
                        take(value, values);
                    }
                }
                Ok(if answers { (answer.rows() - before) as u64 } else { changed })
            });
            rows += done.map_err(|error| link.error(doing, &error))?;
            // As in a procedure: what is told to end may do nothing and say that all is well.
            refuse_when_cancelled(link, doing)?;
        }
        Ok(rows)
    }
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
