//! Bringing the server to rest: what points have changed is vacuumed (autovacuum is off on these tables), and what is
//! changed in memory is written by a checkpoint.

use super::connection::PostgresConnection;
use super::{PostgresEngine, PostgresProduct, grants};
use crate::DIALECT;
use dbdyno_engine::server::{self, Connection as _};
use dbdyno_engine::{EngineError, Settled};
use dbdyno_model::{ErrorClass, TableName};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Between the first two looks at what is left to vacuum. A vacuum leaves a page as it is that another process is at,
/// or that has rows whose commit is not in the log yet; both pass soon.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Each pause is twice the one before. After this one nobody looks again: an old transaction of another session may
/// hold all pages back.
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

impl server::Backlog<PostgresProduct> for Backlog {
    fn add(&mut self, table: Option<TableName>) {
        self.tables.extend(table);
        self.pause = Some(FIRST_PAUSE);
    }

    fn settle(&mut self, engine: &PostgresEngine, limit: Duration) -> Result<Settled, EngineError> {
        let started = Instant::now();
        let settled = engine.with(|connection| {
            while let Some(table) = self.tables.pop_first() {
                self.leaves.extend(relations(connection, "leaves", Some(table))?);
            }
            loop {
                while let Some(leaf) = self.leaves.last() {
                    if started.elapsed() >= limit {
                        return Ok(Settled::Busy);
                    }
                    let vacuum = DIALECT.fill("statistics/vacuum", &[("relation", leaf)])?;
                    connection.batch(&format!("vacuuming {leaf}"), &vacuum)?;
                    self.leaves.pop();
                }
                let Some(pause) = self.pause else { return Ok(Settled::AtRest) };
                self.leaves = relations(connection, "never_vacuumed", None)?;
                if self.leaves.is_empty() {
                    self.pause = None;
                } else {
                    self.pause = (pause < LAST_PAUSE).then_some(pause * 2);
                    std::thread::sleep(pause);
                }
            }
        })?;
        if settled == Settled::AtRest { checkpoint(engine) } else { Ok(settled) }
    }
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
