//! Bringing the server to rest: what points have changed is vacuumed (autovacuum is off on these tables), and what is
//! changed in memory is written by a checkpoint.

use super::connection::PostgresConnection;
use super::{PostgresEngine, grants};
use crate::DIALECT;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{EngineError, Settled};
use dbdyno_model::{ErrorClass, TableName};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A vacuum leaves a page alone that somebody else is looking at, so it is looked at again, but not for ever: an old
/// transaction of another session may hold all of them back.
#[derive(Debug, Clone, Copy)]
struct Looks(u32);

/// Between two looks: whoever is at a page is soon gone.
const PAUSE: Duration = Duration::from_millis(50);

impl Default for Looks {
    fn default() -> Self {
        Self(3)
    }
}

/// Relations that may need a vacuum before the next point.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// How often the server is still to be asked what is left to vacuum.
    looks: Looks,
    tables: BTreeSet<TableName>,
    leaves: Vec<String>,
}

impl Backlog {
    /// A point has changed this table.
    pub(super) fn add(&mut self, table: Option<TableName>) {
        self.tables.extend(table);
        self.looks = Looks::default();
    }
}

/// One slice of settling.
///
/// # Errors
/// The server is lost, or refuses a vacuum of a table that is ours.
pub(super) fn settle(engine: &PostgresEngine, backlog: &mut Backlog, limit: Duration) -> Result<Settled, EngineError> {
    let started = Instant::now();
    engine
        .with(|connection| {
            while let Some(table) = backlog.tables.pop_first() {
                let leaves = relations(connection, "leaves", Some(table))?;
                backlog.leaves.extend(leaves);
            }
            loop {
                while let Some(leaf) = backlog.leaves.last() {
                    if started.elapsed() >= limit {
                        return Ok(Settled::Busy);
                    }
                    connection.batch(
                        &format!("vacuuming {leaf}"),
                        &DIALECT.fill("statistics/vacuum", &[("relation", leaf)])?,
                    )?;
                    backlog.leaves.pop();
                }
                if backlog.looks.0 == 0 {
                    return Ok(Settled::AtRest);
                }
                backlog.looks.0 -= 1;
                backlog.leaves = relations(connection, "never_vacuumed", None)?;
                if backlog.leaves.is_empty() {
                    backlog.looks.0 = 0;
                } else {
                    std::thread::sleep(PAUSE);
                }
            }
        })
        .and_then(|settled| if settled == Settled::AtRest { checkpoint(engine) } else { Ok(settled) })
}

/// Names of leaves that a query answers with.
fn relations(
    connection: &mut PostgresConnection,
    query: &str,
    table: Option<TableName>,
) -> Result<Vec<String>, EngineError> {
    let sql = match table {
        Some(table) => DIALECT.fill(&format!("statistics/{query}"), &[("table", table.name())])?,
        None => DIALECT.get(&format!("statistics/{query}"))?.text.clone(),
    };
    let rows = connection.texts("looking for tables to vacuum", &sql)?;
    // The name comes last, where an oid comes first.
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next_back().flatten()).collect())
}

fn checkpoint(engine: &PostgresEngine) -> Result<Settled, EngineError> {
    let sql = &DIALECT.get("statistics/checkpoint")?.text;
    for node in 0..engine.nodes.len() {
        match engine.on(node, |connection| connection.batch("making a checkpoint", sql)) {
            Ok(()) => {}
            Err(error) if error.class == ErrorClass::Permission => {
                let version_num = engine.on(node, |connection| Ok(connection.version_num()))?;
                return Ok(Settled::NotAllowed(grants::why_missing(grants::CHECKPOINT, version_num)));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Settled::AtRest)
}
