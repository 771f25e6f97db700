//! An instance's counters at one moment: asks its views, and hands what they say to statistics.rs. A view that may not
//! be read has a reason instead of rows; what comes of it is missing with that reason.

use super::connection::{Bind, OracleConnection};
use super::product::Node;
use super::statistics::{self, Answer, Base, Cursors, Named, Read, Rows, Watched, counters, told};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection, NodeStatistics};
use dbdyno_model::{Counter, Counters, WaitCount};
use std::time::Duration;

/// What finds statements under test: the name that tests give their query block.
pub(super) const MARK: &str = "%QB_NAME(DBDYNO_TEST)%";

/// Asks a view. What may not be read, or is not there, has a reason.
///
/// # Errors
/// The server is lost, or somebody has cancelled.
pub(super) fn ask(connection: &mut OracleConnection, statement: &str) -> Result<Answer<Rows>, EngineError> {
    let sql = &DIALECT.get(&format!("statistics/{statement}"))?.text;
    ask_sql(connection, "reading the server's counters", sql)
}

/// The same with a statement of any file.
///
/// # Errors
/// As for [`ask`].
pub(super) fn ask_sql(connection: &mut dyn Connection, doing: &str, sql: &str) -> Result<Answer<Rows>, EngineError> {
    told(connection.texts(doing, sql))
}

/// Asks the server what this session has done.
///
/// # Errors
/// The server is lost.
pub(super) fn done(connection: &mut OracleConnection) -> Result<Named, EngineError> {
    Ok(match ask(connection, "session_counters")? {
        Ok(rows) => Named::read(&rows),
        Err(why) => Named::unreadable(why),
    })
}

/// Which start of which instance answers.
fn started(connection: &mut OracleConnection) -> Result<String, EngineError> {
    let rows = ask(connection, "started")?.unwrap_or_default();
    Ok(rows.into_iter().flatten().flatten().collect::<Vec<_>>().join(" "))
}

/// Reads what an instance counts for everybody.
///
/// # Errors
/// The server is lost.
pub(super) fn for_everybody(connection: &mut OracleConnection) -> Result<Counters, EngineError> {
    let read = views(connection, &Watched::default())?;
    Ok(counters::of_instance(&read))
}

/// Reads a node's counters for a point. `base` is set by the first reading.
///
/// # Errors
/// The server is lost.
pub(super) fn read(
    node: &Node,
    connection: &mut OracleConnection,
    watched: &Watched,
    base: &mut Option<Base>,
) -> Result<NodeStatistics, EngineError> {
    let started = started(connection)?;
    let (ours, commits) = node.account.read();
    let own = done(connection)?;
    let our_commits = match own.why_unreadable().or(ours.why_unreadable()) {
        Some(why) => Err(why.to_owned()),
        None => Ok(commits + own.get(statistics::COMMITS).unwrap_or(0)),
    };
    let read = views(connection, watched)?;
    let base = base.get_or_insert_with(|| Base::new(started.clone(), &read));
    if base.started != started {
        let why = format!("another start of the instance answers than when the point began ({started})");
        return Ok(NodeStatistics { counters: counters::nothing(&why), others: Err(why) });
    }
    let others = statistics::others(&read, &our_commits);
    let mut counters = counters::of_point(&read, &ours, watched, base);
    if let Some(why) = node.account.why_no_plan() {
        // A reason that is there already tells more.
        if counters.values.remove(&Counter::RowsChanged).is_some() {
            counters.missing.insert(Counter::RowsChanged, why);
        }
    }
    Ok(NodeStatistics { counters, others })
}

/// What the server's own samples say of the time since a point was prepared. Belongs to the Diagnostics Pack: only for
/// targets that claim it.
///
/// # Errors
/// The server is lost.
pub(super) fn history(connection: &mut OracleConnection, since: Duration) -> Result<Vec<WaitCount>, EngineError> {
    let sql = &DIALECT.get("diagnostics/session_history")?.text;
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let rows = told(connection.texts_with("reading the session history", sql, &[Bind::Int(seconds)]))?;
    Ok(statistics::history(&rows.unwrap_or_default()))
}

/// What an instance counts as a whole, its waits left out: cheap enough for whoever looks again and again.
///
/// # Errors
/// The server is lost.
pub(super) fn instance(connection: &mut OracleConnection) -> Result<Read, EngineError> {
    let system = ask(connection, "system_counters")?.map(|rows| Named::read(&rows));
    let times = ask(connection, "time_model")?.map(|rows| Named::read(&rows));
    let machine = ask(connection, "machine")?.map(|rows| Named::read(&rows));
    let files = ask(connection, "files")?.and_then(|rows| statistics::files(&rows));
    let dirty = ask(connection, "dirty")?.and_then(|rows| statistics::dirty(&rows));
    let cursors = Ok(Cursors::default());
    Ok(Read { system, times, machine, files, dirty, waits: Ok(Vec::new()), cursors })
}

fn views(connection: &mut OracleConnection, watched: &Watched) -> Result<Read, EngineError> {
    let cursors = match watched.marked {
        true => {
            let sql = &DIALECT.get("statistics/cursors")?.text;
            told(connection.texts_with("counting executions", sql, &[Bind::Text(MARK)]))?
        }
        false => Ok(Vec::new()),
    };
    let instance = instance(connection)?;
    let events = ask(connection, "waits")?;
    let histogram = ask(connection, "histogram")?.unwrap_or_default();
    let waits = events.map(|events| statistics::waits(&events, &histogram));
    Ok(Read { waits, cursors: cursors.map(|rows| Cursors::read(&rows)), ..instance })
}
