//! What a server tells of everybody's work in all its databases, for whoever looks again and again.

use super::connection::MariaDbConnection;
use super::known::Known;
use super::monitor::why_no_files;
use super::{describe, privileges, snapshot};
use crate::DIALECT;
use dbdyno_engine::server::observed::{SESSIONS, STATEMENTS, everybodys, path};
use dbdyno_engine::server::shown::SqlStyle;
use dbdyno_engine::server::{Answers, Connection as _, first, is_refusal, unless_lost};
use dbdyno_engine::{Depth, EngineError, Observation};
use dbdyno_model::Counter;
use std::collections::BTreeMap;

const STYLE: SqlStyle = SqlStyle { hash_comments: true, double_quotes_name: false };

/// Why this server's lag is not told.
const NO_SOURCE: &str = "this server replicates from none, and how far others are behind it they know alone";
const NOT_REPLICATING: &str = "replication does not run (SHOW ALL SLAVES STATUS says why)";
const MAY_NOT_SEE_LAG: &str = "how far this server is behind is not shown; GRANT SLAVE MONITOR ON *.* TO this user (before 10.5 and on MySQL \
     REPLICATION CLIENT)";
const NO_DIGESTS: &str =
    "performance_schema has kept no statement (its consumer statements_digest, performance_schema_digests_size)";

fn ask(connection: &mut MariaDbConnection) -> Result<Known, EngineError> {
    let may_see = connection.texts("looking at privileges", &DIALECT.get("statistics/may_see_activity")?.text)?;
    let hidden =
        (first(may_see).as_deref() == Some("0")).then(|| privileges::if_missing(connection, "PROCESS")).flatten();
    let (files, told_waits) = (snapshot::files(connection), snapshot::told_waits(connection).is_some());
    let has_files = told_waits && files.contains_key("data writes");
    let why_no_files = (!has_files).then(|| why_no_files(connection, told_waits));
    Ok(Known { settings: snapshot::log_settings(connection), why_no_files, told_waits, hidden, why_no_lag: None })
}

/// Looks at a node.
///
/// # Errors
/// The node is lost, or does not tell.
pub(super) fn look(connection: &mut MariaDbConnection, depth: Depth) -> Result<Observation, EngineError> {
    let mut known = match connection.known.take().filter(|_| depth == Depth::Counters) {
        Some(known) => known,
        None => ask(connection)?,
    };
    let mut read = snapshot::global_counters(connection)?;
    if known.why_no_files.is_none() {
        let sql = &DIALECT.get("observe/files")?.text;
        // What may not be read any more is missing until it is asked again whether it may.
        read.extend(files(&unless_lost(connection.texts("reading performance_schema", sql))?.unwrap_or_default()));
    }
    let why_none = known.why_no_files.clone().unwrap_or_default();
    let counters = snapshot::counters(&read, connection.version(), (known.told_waits, &why_none), &known.settings);
    let mut counters = snapshot::everybodys(&read, &known.settings, counters);
    // Without a log of changes the server counts the end of each statement as a commit, also inside of a transaction;
    // who looks on wants transactions. Of these it counts those that somebody ends with COMMIT.
    if known.settings.get("log_bin").is_none_or(|on| on != "ON") {
        counters.note(Counter::Commits, read.get("Com_commit").copied().ok_or_else(|| "not told".to_owned()));
    }
    let executions = read.get("Questions").copied().ok_or_else(|| "not told".to_owned());
    let mut observed = Observation { counters: everybodys(counters, executions), ..Observation::default() };
    let questions = describe::questions(connection);
    match &known.hidden {
        None => {
            for row in connection.texts("looking at sessions", &questions.sql("observe/activity")?)? {
                activity(&mut observed, &row);
            }
        }
        Some(why) => [path::SESSIONS, path::WAITS].iter().for_each(|path| observed.lacks(path, why)),
    }
    lag(connection, &mut known, &mut observed)?;
    if depth == Depth::Statements {
        let questions = questions.with([("sessions", SESSIONS.to_string()), ("statements", STATEMENTS.to_string())]);
        if let (false, Some(why)) = (known.told_waits, &known.why_no_files) {
            observed.lacks(path::TOP_STATEMENTS, why);
        } else {
            match questions.rows(connection, "observe/statements")? {
                Ok(rows) if rows.is_empty() => observed.lacks(path::TOP_STATEMENTS, NO_DIGESTS),
                Ok(rows) => observed.add_statements(&rows, true, STYLE),
                Err(error) => observed.lacks(path::TOP_STATEMENTS, error.message),
            }
        }
        match &known.hidden {
            None => observed.add_sessions_at_work(
                connection.texts("looking at sessions", &questions.sql("observe/at_work")?)?,
                STYLE,
            ),
            Some(why) => observed.lacks(path::TOP_SESSIONS, why),
        }
    }
    connection.known = Some(known);
    Ok(observed)
}

/// Figures of files by the names that they have in dialect/statistics.toml.
fn files(rows: &[Vec<Option<String>>]) -> BTreeMap<String, u64> {
    const FIGURES: [&str; 6] = ["reads", "read ns", "writes", "write ns", "syncs", "sync ns"];
    let mut read = BTreeMap::new();
    for row in rows {
        let Some((Some(of), figures)) = row.split_first() else { continue };
        for (name, figure) in FIGURES.iter().zip(figures) {
            if let Some(figure) = figure.as_ref().and_then(|figure| figure.parse().ok()) {
                read.insert(format!("{of} {name}"), figure);
            }
        }
    }
    read
}

/// Takes in sessions that are alike.
fn activity(observed: &mut Observation, row: &[Option<String>]) {
    let [Some(rests), Some(is_in_transaction), Some(doing), Some(count)] = row else { return };
    let count = count.parse().unwrap_or(0);
    if rests == "0" {
        observed.add_sessions("active", count);
        observed.add_at_work("state", doing, false, count.into());
    } else {
        let state = if is_in_transaction == "1" { "idle in transaction" } else { "idle" };
        observed.add_sessions(state, count);
    }
}

/// How far this server is behind that which it replicates from, the furthest of several.
fn lag(connection: &mut MariaDbConnection, known: &mut Known, observed: &mut Observation) -> Result<(), EngineError> {
    let told = match &known.why_no_lag {
        Some(why) => Err(why.clone()),
        None => match unless_lost(
            connection.named("asking for replication", &describe::questions(connection).sql("observe/lag")?),
        )? {
            Ok(sources) => furthest(&sources),
            Err(error) => {
                let why = if is_refusal(&error) { MAY_NOT_SEE_LAG.to_owned() } else { error.message };
                known.why_no_lag = Some(why.clone());
                Err(why)
            }
        },
    };
    match told {
        Ok(lag) => observed.replication_lag_s = Some(lag),
        Err(why) => observed.lacks(path::LAG, why),
    }
    Ok(())
}

fn furthest(sources: &[Answers]) -> Result<f64, String> {
    let behind = |source: &Answers| {
        let told = ["seconds_behind_master", "seconds_behind_source"].into_iter().find_map(|name| source.get(name));
        told.and_then(|s| s.parse::<f64>().ok()).ok_or_else(|| NOT_REPLICATING.to_owned())
    };
    sources.iter().map(behind).reduce(|a, b| Ok(a?.max(b?))).unwrap_or_else(|| Err(NO_SOURCE.to_owned()))
}

/// The thread of the server's process that serves a connection.
pub(super) fn serving(connection: &mut MariaDbConnection) -> Option<u32> {
    let sql = describe::questions(connection).sql("observe/serving").ok()?;
    first(connection.texts("looking at the session", &sql).ok()?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_that_this_server_is_furthest_behind_counts() {
        let source = |lag: Option<&str>| {
            lag.map(|lag| ("seconds_behind_master".to_owned(), lag.to_owned())).into_iter().collect::<Answers>()
        };
        assert_eq!(furthest(&[source(Some("3")), source(Some("7"))]), Ok(7.0));
        assert_eq!(furthest(&[source(Some("3")), source(None)]), Err(NOT_REPLICATING.to_owned()));
        assert_eq!(furthest(&[]), Err(NO_SOURCE.to_owned()));
    }
}
