//! Statements of a work's own, each a round trip.

use super::super::link::Link;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, placed};
use mysql::prelude::Queryable as _;
use mysql::{Params, Statement};

/// The statements of a work, prepared.
#[derive(Default)]
pub(super) struct Own {
    statements: Vec<Prepared>,
    pub(super) answer: Answer,
}

struct Prepared {
    statement: Statement,
    /// Which value stands in each place, 0 first.
    places: Vec<usize>,
    /// Values that it takes.
    takes: usize,
}

impl Own {
    /// Prepares statements.
    ///
    /// # Errors
    /// The server's, where it does not understand one of them.
    pub(super) fn prepare(link: &mut Link, statements: &Statements, doing: &str) -> Result<Self, EngineError> {
        let mut own = Self::default();
        for text in &statements.texts {
            let mut places = Vec::new();
            let sql = placed(text, |number| {
                places.push(number - 1);
                "?".to_owned()
            });
            let statement = link.control(doing).prep(sql);
            let statement = statement.map_err(|error| link.error(doing, &error))?;
            let takes = places.iter().max().map_or(0, |last| last + 1);
            own.statements.push(Prepared { statement, places, takes });
        }
        Ok(own)
    }

    /// Executes a statement: the rows that it answered with or changed, and what is in the answer.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's.
    pub(super) fn execute(&mut self, link: &mut Link, bound: &Bound<'_>, doing: &str) -> Result<[u64; 2], EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let prepared = statements.get(bound.statement);
        let takes = prepared.map(|prepared| prepared.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let prepared = prepared.filter(|_| takes == Some(bound.values.len())).ok_or_else(misused)?;
        let values = prepared.places.iter().filter_map(|place| bound.values.get(*place)).map(sent);
        let done = link.measured().exec_iter(&prepared.statement, Params::Positional(values.collect())).and_then(
            |mut rows| {
                let (changed, answers) = (rows.affected_rows(), !rows.columns().as_ref().is_empty());
                for row in rows.by_ref() {
                    let values = answer.begin_row();
                    for value in row?.unwrap() {
                        take(value, values);
                    }
                }
                Ok(if answers { answer.rows() as u64 } else { changed })
            },
        );
        let rows = done.map_err(|error| link.error(doing, &error))?;
        Ok([rows, answer.sum()])
    }
}

/// A value as the crate sends it.
fn sent(value: Value<'_>) -> mysql::Value {
    match value {
        Value::Null => mysql::Value::NULL,
        Value::Int(number) => mysql::Value::Int(number),
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
