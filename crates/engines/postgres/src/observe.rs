//! What a server tells of everybody's work in all its databases, for whoever looks again and again.

use super::connection::PostgresConnection;
use super::{DIALECT, grants, snapshot};
use dbdyno_engine::server::observed::{SESSIONS, STATEMENTS, everybodys, path};
use dbdyno_engine::server::shown::SqlStyle;
use dbdyno_engine::server::{Connection as _, TextRows, counts, pairs, unless_lost};
use dbdyno_engine::{Depth, EngineError, Observation, SqlError};
use dbdyno_model::Counter;

const STYLE: SqlStyle = SqlStyle { hash_comments: false, double_quotes_name: true };

/// What is read together, beside what is the whole server's anyway.
const QUESTIONS: [&str; 5] =
    ["observe/database", "observe/reads_13", "observe/activity", "observe/about", "observe/lag"];

/// Why statements are not told, where an administrator can help.
const NO_EXTENSION: &str = "statements are counted by the extension pg_stat_statements, which this database does not \
                            have; shared_preload_libraries = 'pg_stat_statements', a restart, and CREATE EXTENSION \
                            pg_stat_statements";
const NOT_TRACKED: &str = "track_activities is off";
const NO_STANDBY: &str = "no standby receives this server's log";
const NOT_TOLD: &str = "a standby that has just connected has not told yet how far it is behind";

/// Looks at a node.
///
/// # Errors
/// The node is lost, or does not tell.
pub(super) fn look(connection: &mut PostgresConnection, depth: Depth) -> Result<Observation, EngineError> {
    let version_num = connection.version_num();
    let major = version_num / 10_000;
    let sql = snapshot::joined(major, snapshot::SERVER_WIDE.iter().chain(&QUESTIONS))?;
    let rows = connection.texts("looking at the server", &sql)?;
    let read = counts(&rows);
    let two = rows.iter().filter(|row| row.len() == 2).cloned().collect();
    let about = pairs(two);
    let mut counters = snapshot::simple(&read, version_num);
    for (counter, name) in [(Counter::Commits, "xact_commit"), (Counter::Rollbacks, "xact_rollback")] {
        counters.note(counter, read.get(name).copied().ok_or_else(|| "not told".to_owned()));
    }
    let schema = about.get("statements").map(String::as_str).ok_or_else(|| NO_EXTENSION.to_owned());
    let executions = match &schema {
        Ok(schema) => executions(connection, schema)?,
        Err(why) => Err(why.clone()),
    };
    let mut observed = Observation { counters: everybodys(counters, executions), ..Observation::default() };
    lag(&mut observed, &rows, version_num);
    let hidden = match about.get("sees").map(String::as_str) {
        Some("1") if about.get("tracks").is_some_and(|on| on == "on") => None,
        Some("1") => Some(NOT_TRACKED.to_owned()),
        _ => Some(grants::why_missing(grants::MONITOR, version_num)),
    };
    match &hidden {
        None => observed.add_rows(&rows),
        Some(why) => [path::SESSIONS, path::WAITS].iter().for_each(|path| observed.lacks(path, why)),
    }
    if depth == Depth::Statements {
        match (schema, &hidden) {
            (_, Some(why)) => observed.lacks(path::TOP_STATEMENTS, why),
            (Err(why), _) => observed.lacks(path::TOP_STATEMENTS, why),
            (Ok(schema), None) => statements(connection, schema, &mut observed)?,
        }
        match hidden {
            None => {
                let name = if major < 14 { "observe/at_work_13" } else { "observe/at_work_14" };
                let sql = DIALECT.fill(name, &[("sessions", &SESSIONS.to_string())])?;
                observed.add_sessions_at_work(connection.texts("looking at sessions", &sql)?, STYLE);
            }
            Some(why) => observed.lacks(path::TOP_SESSIONS, why),
        }
    }
    // Each question was a transaction of its own.
    observed.own_commits = connection.transactions();
    Ok(observed)
}

/// Statements that were executed, by the extension's count; why they are not told, where it does not work.
fn executions(connection: &mut PostgresConnection, schema: &str) -> Result<Result<u64, String>, EngineError> {
    let told = ask(connection, "observe/executions", &[("schema", schema)])?;
    Ok(told.and_then(|rows| counts(&rows).get("executions").copied().ok_or_else(|| "not told".to_owned())))
}

fn statements(
    connection: &mut PostgresConnection,
    schema: &str,
    observed: &mut Observation,
) -> Result<(), EngineError> {
    let limit = STATEMENTS.to_string();
    match ask(connection, "observe/statements", &[("schema", schema), ("statements", &limit)])? {
        Ok(rows) => observed.add_statements(&rows, true, STYLE),
        Err(why) => observed.lacks(path::TOP_STATEMENTS, why),
    }
    Ok(())
}

/// Asks the extension, which may be installed and not loaded, or where it may not be used.
fn ask(
    connection: &mut PostgresConnection,
    name: &str,
    values: &[(&str, &str)],
) -> Result<Result<TextRows, String>, EngineError> {
    let sql = match DIALECT.fill(name, values) {
        Err(SqlError::BadIdentifier(schema)) => {
            return Ok(Err(format!("pg_stat_statements is in a schema of an uncommon name, {schema}")));
        }
        sql => sql?,
    };
    Ok(unless_lost(connection.texts("asking pg_stat_statements", &sql))?.map_err(|error| error.message))
}

/// How far standbys are behind, or this one is.
fn lag(observed: &mut Observation, rows: &TextRows, version_num: u32) {
    let row = rows.iter().find(|row| row.first().and_then(Option::as_deref) == Some("lag"));
    let texts: Vec<&str> = row.into_iter().flatten().map(|text| text.as_deref().unwrap_or_default()).collect();
    let told = match texts.as_slice() {
        [_, "1", own, ..] => own.parse().map_err(|_| "this standby has not replayed any transaction yet".to_owned()),
        [_, _, _, "0", ..] => Err(NO_STANDBY.to_owned()),
        [_, _, _, _, "0", ..] => Err(grants::why_missing(grants::MONITOR, version_num)),
        [.., last] => last.parse().map_err(|_| NOT_TOLD.to_owned()),
        [] => Err("not told".to_owned()),
    };
    match told {
        Ok(lag) => observed.replication_lag_s = Some(lag),
        Err(why) => observed.lacks(path::LAG, why),
    }
}
