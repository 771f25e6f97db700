//! An instance's counters at one moment: asks its views, and hands what they say to statistics.rs. A view that may not
//! be read has a reason instead of rows; what comes of it is missing with that reason.

use super::link::Link;
use super::statistics::{self, Answer, Base, Cursors, Named, Read, Rows, Watched};
use super::{DIAGNOSTICS, Node, STATISTICS};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{NodeStatistics, ServerLink as _};
use dbdyno_model::{Counters, ErrorClass, WaitCount};
use std::time::Duration;

/// What finds statements under test: the name that tests give their query block.
pub(super) const MARK: &str = "%QB_NAME(DBDYNO_TEST)%";

/// Asks a view. What may not be read, or is not there, has a reason.
///
/// # Errors
/// The server is lost, or somebody has cancelled.
pub(super) fn ask(link: &mut Link, statement: &str) -> Result<Answer<Rows>, EngineError> {
    let sql = &STATISTICS.get(statement)?.text;
    told(link.texts("reading the server's counters", sql))
}

/// Makes a reason of what a view refuses.
pub(super) fn told(asked: Result<Rows, EngineError>) -> Result<Answer<Rows>, EngineError> {
    match asked {
        Ok(rows) => Ok(Ok(rows)),
        Err(error) if matches!(error.class, ErrorClass::ConnectionLost | ErrorClass::Cancelled) => Err(error),
        Err(error) if matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Permission) => Ok(Err(format!(
            "this user may not read it ({}); `dbdyno check` says what to grant",
            error.message.lines().next().unwrap_or_default()
        ))),
        Err(error) => Ok(Err(error.message)),
    }
}

/// Asks the server what this session has done.
///
/// # Errors
/// The server is lost.
pub(super) fn done(link: &mut Link) -> Result<Named, EngineError> {
    Ok(match ask(link, "session_counters")? {
        Ok(rows) => Named::read(&rows),
        Err(why) => Named::unreadable(why),
    })
}

/// Which start of which instance answers.
fn started(link: &mut Link) -> Result<String, EngineError> {
    let rows = ask(link, "started")?.unwrap_or_default();
    Ok(rows.into_iter().flatten().flatten().collect::<Vec<_>>().join(" "))
}

/// Reads what an instance counts for everybody.
///
/// # Errors
/// The server is lost.
pub(super) fn for_everybody(link: &mut Link) -> Result<Counters, EngineError> {
    let read = views(link, &Watched::default())?;
    Ok(statistics::of_instance(&read))
}

/// Reads a node's counters for a point. `base` is set by the first reading.
///
/// # Errors
/// The server is lost.
pub(super) fn read(
    node: &Node,
    link: &mut Link,
    watched: &Watched,
    base: &mut Option<Base>,
) -> Result<NodeStatistics, EngineError> {
    let started = started(link)?;
    let (ours, commits) = node.account.read();
    let own = done(link)?;
    let our_commits = match own.why_unreadable().or(ours.why_unreadable()) {
        Some(why) => Err(why.to_owned()),
        None => Ok(commits + own.get(statistics::COMMITS).unwrap_or(0)),
    };
    let read = views(link, watched)?;
    let base = base.get_or_insert_with(|| Base::new(started.clone(), &read));
    if base.started != started {
        let why = format!("another start of the instance answers than when the point began ({started})");
        return Ok(NodeStatistics { counters: statistics::nothing(&why), others: Err(why) });
    }
    let others = statistics::others(&read, &our_commits);
    Ok(NodeStatistics { counters: statistics::counters(&read, &ours, watched, base), others })
}

/// What the server's own samples say of the time since a point was prepared. Belongs to the Diagnostics Pack: only for
/// targets that claim it.
///
/// # Errors
/// The server is lost.
pub(super) fn history(link: &mut Link, since: Duration) -> Result<Vec<WaitCount>, EngineError> {
    let sql = &DIAGNOSTICS.get("session_history")?.text;
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let rows = told(link.texts_with("reading the session history", sql, &[super::link::Bind::Int(seconds)]))?;
    Ok(statistics::history(&rows.unwrap_or_default()))
}

fn views(link: &mut Link, watched: &Watched) -> Result<Read, EngineError> {
    let cursors = match watched.marked {
        true => {
            let sql = &STATISTICS.get("cursors")?.text;
            told(link.texts_with("counting executions", sql, &[super::link::Bind::Text(MARK)]))?
        }
        false => Ok(Vec::new()),
    };
    let system = ask(link, "system_counters")?.map(|rows| Named::read(&rows));
    let times = ask(link, "time_model")?.map(|rows| Named::read(&rows));
    let machine = ask(link, "machine")?.map(|rows| Named::read(&rows));
    let files = ask(link, "files")?.and_then(|rows| statistics::files(&rows));
    let dirty = ask(link, "dirty")?.and_then(|rows| statistics::dirty(&rows));
    let events = ask(link, "waits")?;
    let histogram = ask(link, "histogram")?.unwrap_or_default();
    let waits = events.map(|events| statistics::waits(&events, &histogram));
    Ok(Read { system, times, machine, files, dirty, waits, cursors: cursors.map(|rows| Cursors::read(&rows)) })
}
