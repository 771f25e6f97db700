//! What sessions at work ask of a connection: calls and statements, each execution a round trip, then a commit, which
//! is a round trip of its own. A transaction begins by itself. An insert is sent with the values of its row, as
//! applications do; the procedure reads the row that it copies before. A call with output values that is a transaction
//! of its own brings its commit along, so that it is one round trip, too.

#[cfg(test)]
mod tests;

use super::connection::{Bind, OracleConnection};
use dbdyno_engine::client::Answer;
use dbdyno_engine::server::WorkConnection;
use dbdyno_engine::server::call::{ARGUMENTS, SUMS};
use dbdyno_engine::server::client::{Execution, PreparedText};
use dbdyno_engine::{EngineError, modulo_2_64};
use dbdyno_model::{CommitMode, ErrorClass};

/// The settings of a session whose commits are to be durable, whatever the server's are.
const DURABLE: [&str; 2] = ["ALTER SESSION SET commit_logging = IMMEDIATE", "ALTER SESSION SET commit_wait = WAIT"];

/// What a session sets before it sends what writes.
pub(super) fn commit_settings(commit: CommitMode) -> &'static [&'static str] {
    if commit == CommitMode::Durable { &DURABLE } else { &[] }
}

/// Sets how the commits of a client wait.
///
/// # Errors
/// The server's.
pub(super) fn set_commit(
    connection: &mut OracleConnection,
    doing: &str,
    commit: CommitMode,
) -> Result<(), EngineError> {
    commit_settings(commit).iter().try_for_each(|sql| connection.run_block(doing, sql, &[]))
}

/// A statement of a client.
pub(super) enum Sent {
    /// It answers with rows.
    Query(String),
    /// It changes rows.
    Change(String),
    /// A call with output values, as the block that is sent, and the same with its commit.
    Call([String; 2]),
}

impl Sent {
    fn new(text: &PreparedText) -> Self {
        let sql = text.sql.clone();
        if !text.outputs.is_empty() {
            // Blocks know no CALL.
            let call = match sql.trim_start().split_once(char::is_whitespace) {
                Some((word, call)) if word.eq_ignore_ascii_case("CALL") => format!("{call};"),
                _ => sql,
            };
            return Self::Call(["", "COMMIT; "].map(|commit| format!("BEGIN {call} {commit}END;")));
        }
        let first = sql.split_whitespace().next().unwrap_or_default();
        let asks = ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word));
        if asks { Self::Query(sql) } else { Self::Change(sql) }
    }
}

impl WorkConnection for OracleConnection {
    type Call = String;
    type Statement = Sent;

    fn prepare_call(&mut self, doing: &str, call: &str) -> Result<String, EngineError> {
        self.limit_calls(doing)?;
        Ok(call.to_owned())
    }

    fn call(&mut self, doing: &str, call: &mut String, numbers: &[i64; ARGUMENTS]) -> Result<[u64; SUMS], EngineError> {
        let answer = OracleConnection::call(self, doing, call, numbers, SUMS)?;
        let unclear =
            || EngineError::new(ErrorClass::Other, format!("{doing}: the procedure's answer is not understood"));
        sums(&answer).ok_or_else(unclear)
    }

    /// The server sees a statement when it is first executed.
    fn prepare_statement(&mut self, _: &str, text: &PreparedText) -> Result<Sent, EngineError> {
        Ok(Sent::new(text))
    }

    fn execute(
        &mut self,
        doing: &str,
        sent: &Sent,
        execution: &Execution<'_>,
        alone: bool,
        answer: &mut Answer,
    ) -> Result<u64, EngineError> {
        let binds: Vec<Bind<'_>> = execution.places().map(|place| place.map_or_else(Bind::Out, Bind::from)).collect();
        match sent {
            Sent::Call(blocks) => self.outputs(doing, &blocks[usize::from(alone)], &binds, answer).map(|()| 0),
            Sent::Query(sql) => self.answer(doing, sql, &binds, answer).map(|()| 0),
            Sent::Change(sql) => self.change(doing, sql, &binds),
        }
    }

    fn needs_commit(&self, sent: &Sent) -> bool {
        matches!(sent, Sent::Change(_))
    }

    /// A query within a transaction may have locked what it found; by itself it locks nothing.
    fn may_leave_open(&self, sent: &Sent) -> bool {
        !matches!(sent, Sent::Query(_))
    }

    fn commit(&mut self, doing: &str) -> Result<(), EngineError> {
        OracleConnection::commit(self, doing)
    }

    fn roll_back(&mut self, doing: &str) -> Result<(), EngineError> {
        OracleConnection::roll_back(self, doing)
    }
}

/// The four sums that a procedure gives back. A sum of the server's has more digits than 64 bits have; dbdyno's own
/// counts go round there.
fn sums(answer: &[i128]) -> Option<[u64; SUMS]> {
    let [ops, rows, bytes, checksum] = answer else { return None };
    let count = |number: &i128| u64::try_from(*number).ok();
    Some([count(ops)?, count(rows)?, count(bytes)?, modulo_2_64(*checksum)?])
}
