//! Bringing the server to rest: what points have changed is vacuumed (autovacuum is off on these tables), and what is
//! changed in memory is written by a checkpoint.

use super::link::Link;
use super::{PostgresEngine, STATISTICS, grants};
use dbdyno_engine::server::{ServerLink as _, recover};
use dbdyno_engine::{EngineError, Settled};
use dbdyno_model::{ErrorClass, TableName};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Between the first two looks at what is left to vacuum. A vacuum leaves a page as it is that another process is at, or
/// that has rows whose commit is not in the log yet; both pass soon.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Each pause is twice the one before. After this one nobody looks again: an old transaction of another session may hold
/// all pages back.
const LAST_PAUSE: Duration = Duration::from_millis(1_600);

/// Relations that may need a vacuum before the next point.
#[derive(Debug)]
pub(super) struct Backlog {
    /// The pause before the server is asked next what is left to vacuum; none where it need not be asked.
    pause: Option<Duration>,
    tables: BTreeSet<TableName>,
    leaves: Vec<String>,
}

impl Default for Backlog {
    fn default() -> Self {
        Self { pause: Some(FIRST_PAUSE), tables: BTreeSet::new(), leaves: Vec::new() }
    }
}

impl Backlog {
    /// A point has changed this table.
    pub(super) fn add(&mut self, table: Option<TableName>) {
        self.tables.extend(table);
        self.pause = Some(FIRST_PAUSE);
    }
}

/// One slice of settling.
///
/// # Errors
/// The server is lost, or refuses a vacuum of a table that is ours.
pub(super) fn settle(engine: &PostgresEngine, limit: Duration) -> Result<Settled, EngineError> {
    let started = Instant::now();
    let mut backlog = recover(&engine.to_vacuum);
    engine
        .with(|link| {
            while let Some(table) = backlog.tables.pop_first() {
                let leaves = relations(link, "leaves", Some(table))?;
                backlog.leaves.extend(leaves);
            }
            loop {
                while let Some(leaf) = backlog.leaves.last() {
                    if started.elapsed() >= limit {
                        return Ok(Settled::Busy);
                    }
                    link.batch(&format!("vacuuming {leaf}"), &STATISTICS.fill("vacuum", &[("relation", leaf)])?)?;
                    backlog.leaves.pop();
                }
                let Some(pause) = backlog.pause else { return Ok(Settled::AtRest) };
                backlog.leaves = relations(link, "never_vacuumed", None)?;
                if backlog.leaves.is_empty() {
                    backlog.pause = None;
                } else {
                    backlog.pause = (pause < LAST_PAUSE).then_some(pause * 2);
                    std::thread::sleep(pause);
                }
            }
        })
        .and_then(|settled| if settled == Settled::AtRest { checkpoint(engine) } else { Ok(settled) })
}

/// Names of leaves that a query answers with.
fn relations(link: &mut Link, query: &str, table: Option<TableName>) -> Result<Vec<String>, EngineError> {
    let sql = match table {
        Some(table) => STATISTICS.fill(query, &[("table", table.name())])?,
        None => STATISTICS.get(query)?.text.clone(),
    };
    let rows = link.texts("looking for tables to vacuum", &sql)?;
    // The name comes last, where an oid comes first.
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next_back().flatten()).collect())
}

fn checkpoint(engine: &PostgresEngine) -> Result<Settled, EngineError> {
    let sql = &STATISTICS.get("checkpoint")?.text;
    for node in 0..engine.nodes.len() {
        match engine.on(node, |link| link.batch("making a checkpoint", sql)) {
            Ok(()) => {}
            Err(error) if error.class == ErrorClass::Permission => {
                let version_num = engine.on(node, |link| Ok(link.version_num()))?;
                return Ok(Settled::NotAllowed(grants::why_missing(grants::CHECKPOINT, version_num)));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Settled::AtRest)
}
