//! What sessions at work ask of a connection: calls and statements, prepared, each execution a round trip of its own;
//! so are START TRANSACTION and COMMIT. What a procedure does by several statements of its own (a search that begins in
//! the middle of the months, a join that looks rows up one by one) takes a round trip for each of them here.
//!
//! Output values of a call are places that are sent as nulls: the server sends what the procedure has put there as one
//! more result, after those that the procedure itself selects. It marks that with SERVER_PS_OUT_PARAMS, which the crate
//! does not show; but its columns are also said to be of the procedure.

#[cfg(test)]
mod tests;

use super::connection::MariaDbConnection;
use super::rows::parameter;
use dbdyno_engine::client::{Answer, Value, Values};
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::server::client::{Execution, PreparedText};
use dbdyno_engine::server::{Connection as _, WorkConnection};
use dbdyno_engine::{EngineError, modulo_2_64};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use mysql::{Binary, Params, QueryResult, Row, Statement};

pub(super) const BEGIN: &str = "START TRANSACTION";
pub(super) const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// A statement, prepared.
pub(super) struct Sent {
    statement: Statement,
    /// The procedure that it calls.
    calls: Option<String>,
    has_outputs: bool,
}

impl WorkConnection for MariaDbConnection {
    type Call = Statement;
    type Statement = Sent;

    fn prepare_call(&mut self, doing: &str, call: &str) -> Result<Statement, EngineError> {
        let prepared = self.control(doing).prep(call);
        prepared.map_err(|error| self.error(doing, &error))
    }

    fn call(
        &mut self,
        doing: &str,
        call: &mut Statement,
        numbers: &[i64; ARGUMENTS],
    ) -> Result<[u64; SUMS], EngineError> {
        refuse_when_cancelled(self, doing, "stopped before a call")?;
        // The sums begin at 0.
        let numbers = numbers.iter().copied().chain([0; SUMS]);
        let parameters = Params::Positional(numbers.map(mysql::Value::Int).collect());
        let answer: Result<Option<Row>, _> = self.measured().exec_first(&*call, parameters);
        let row = answer.map_err(|error| self.error(doing, &error))?;
        // A statement that is told to end while its plan is made may change nothing and say that all is well; if the
        // kill is then forgotten at the COMMIT, so does the procedure (seen on 11.4: 28 of 32 rows).
        refuse_when_cancelled(
            self,
            doing,
            "stopped; what the server says of a call that was to end cannot be relied on",
        )?;
        let unclear =
            || EngineError::new(ErrorClass::Other, format!("{doing}: the procedure's answer is not understood"));
        row.as_ref().and_then(sums).ok_or_else(unclear)
    }

    fn prepare_statement(&mut self, doing: &str, text: &PreparedText) -> Result<Sent, EngineError> {
        let statement = self.prepare_call(doing, &text.sql)?;
        let calls = procedure(&text.sql).map(str::to_owned);
        Ok(Sent { statement, calls, has_outputs: !text.outputs.is_empty() })
    }

    fn execute(
        &mut self,
        doing: &str,
        sent: &Sent,
        execution: &Execution<'_>,
        _: bool,
        answer: &mut Answer,
    ) -> Result<u64, EngineError> {
        refuse_when_cancelled(self, doing, "stopped")?;
        let parameters = execution.places().map(|place| place.map_or(mysql::Value::NULL, parameter)).collect();
        let outputs_of = sent.has_outputs.then(|| sent.calls.as_deref().unwrap_or_default());
        let done = self.measured().exec_iter(&sent.statement, Params::Positional(parameters));
        let done = done.and_then(|found| answered(found, answer, outputs_of));
        let changed = done.map_err(|error| self.error(doing, &error))?;
        // As in a procedure: what is told to end may do nothing and say that all is well.
        refuse_when_cancelled(self, doing, "stopped")?;
        Ok(changed)
    }

    fn may_leave_open(&self, sent: &Sent) -> bool {
        sent.calls.is_some()
    }

    fn begin(&mut self, doing: &str) -> Result<(), EngineError> {
        self.measure(doing, BEGIN).map(drop)
    }

    fn commit(&mut self, doing: &str) -> Result<(), EngineError> {
        self.measure(doing, COMMIT).map(drop)
    }

    fn roll_back(&mut self, doing: &str) -> Result<(), EngineError> {
        self.measure(doing, ROLLBACK).map(drop)
    }

    /// Somebody may have cancelled, which is no reason to leave the transaction open.
    fn undo(&mut self, _: &str) {
        if !self.is_closed() {
            drop(self.measured().query_drop(ROLLBACK));
        }
    }
}

fn refuse_when_cancelled(connection: &MariaDbConnection, doing: &str, what: &str) -> Result<(), EngineError> {
    if !connection.cancelled() {
        return Ok(());
    }
    Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: {what}")))
}

/// The sums that a procedure gives back.
fn sums<const N: usize>(row: &Row) -> Option<[u64; N]> {
    let mut sums = [0; N];
    for (n, sum) in sums.iter_mut().enumerate() {
        *sum = match row.as_ref(n)? {
            mysql::Value::Int(number) => modulo_2_64(*number)?,
            mysql::Value::UInt(number) => *number,
            mysql::Value::Bytes(digits) => modulo_2_64(digits.as_slice())?,
            _ => return None,
        };
    }
    Some(sums)
}

/// The procedure that a text calls, without its schema; nothing where it is no call.
fn procedure(sql: &str) -> Option<&str> {
    let (word, call) = sql.trim_start().split_once(char::is_whitespace)?;
    let name = call.split('(').next()?.rsplit('.').next()?;
    word.eq_ignore_ascii_case("CALL").then(|| name.trim().trim_matches('`'))
}

/// Takes the rows of an execution, and gives the number of those that it changed where it answers with none. A call may
/// have several results, and fail after the first: its rows are those of the first one, or the output values of the
/// procedure that is named.
fn answered(
    mut found: QueryResult<'_, '_, '_, Binary>,
    answer: &mut Answer,
    outputs_of: Option<&str>,
) -> mysql::Result<u64> {
    let changed = found.affected_rows();
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
    Ok(if results > 0 { 0 } else { changed })
}

/// A value as it is written in a statement.
pub(super) fn written(value: Value<'_>) -> String {
    match parameter(value) {
        day @ mysql::Value::Date(..) => format!("DATE {}", day.as_sql(true)),
        number => number.as_sql(true),
    }
}

/// Takes a value that came back.
fn take(value: mysql::Value, into: &mut Values) {
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
