//! Bringing the server to rest: old versions of rows are purged, and what is changed in memory is on the device.
//! Nothing of the server's is set for that: a table that is flushed for export is written out whole, and no setting is
//! left behind where dbdyno is killed meanwhile.

use super::dialect::{DIALECT, TABLE_NAMES};
use super::privileges;
use super::product::{MariaDbEngine, MariaDbProduct};
use dbdyno_engine::server::{self, Connection as _};
use dbdyno_engine::{EngineError, Settled};
use dbdyno_model::{ErrorClass, TableName};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// So many transactions' old versions may always be left: the server forgets them in batches.
const HISTORY_AT_REST: u64 = 200;
/// Between two looks at it.
const PAUSE: Duration = Duration::from_millis(20);
/// Looks that find the same length after which nothing is purged any more: the rest belongs to somebody's old snapshot.
const SAME_LOOKS: u32 = 10;

/// The grants that flushing tables for export takes.
pub(super) const FLUSHING: [&str; 2] = ["RELOAD", "LOCK TABLES"];

/// Tables that may have pages which are changed in memory alone: all, until they have been written once.
#[derive(Debug)]
pub(super) struct Backlog {
    tables: BTreeSet<TableName>,
    purge: bool,
}

impl Default for Backlog {
    fn default() -> Self {
        Self { tables: TABLE_NAMES.into_iter().collect(), purge: true }
    }
}

impl server::Backlog<MariaDbProduct> for Backlog {
    fn add(&mut self, table: Option<TableName>) {
        self.tables.extend(table.filter(|table| TABLE_NAMES.contains(table)));
        self.purge = true;
    }

    fn settle(&mut self, engine: &MariaDbEngine, limit: Duration) -> Result<Settled, EngineError> {
        let started = Instant::now();
        if self.purge {
            if !purged(engine, started, limit)? {
                return Ok(Settled::Busy);
            }
            self.purge = false;
        }
        while let Some(table) = self.tables.first().copied() {
            if started.elapsed() >= limit {
                return Ok(Settled::Busy);
            }
            let flush = DIALECT.fill("statistics/flush", &[("table", table.name())])?;
            match engine.with(|connection| connection.batch(&format!("writing {table} out"), &flush)) {
                // A table that is not there has nothing to write.
                Ok(()) => {}
                Err(error) if error.class == ErrorClass::UnknownObject => {}
                Err(error) if error.class == ErrorClass::Permission => {
                    return Ok(Settled::NotAllowed(
                        engine.with(|connection| Ok(privileges::why_missing(connection, &FLUSHING)))?,
                    ));
                }
                Err(error) => return Err(error),
            }
            self.tables.remove(&table);
        }
        Ok(Settled::AtRest)
    }
}

/// Waits until old versions are purged, or nothing more is.
fn purged(engine: &MariaDbEngine, started: Instant, limit: Duration) -> Result<bool, EngineError> {
    let sql = &DIALECT.get("statistics/history")?.text;
    let (mut last, mut same) = (None, 0);
    loop {
        let rows = engine.with(|connection| connection.texts("looking at what waits to be purged", sql))?;
        let length = rows.first().and_then(|row| row.get(1)?.as_ref()?.parse::<u64>().ok());
        if length.is_none_or(|length| length <= HISTORY_AT_REST) {
            return Ok(true);
        }
        same = if length == last { same + 1 } else { 0 };
        last = length;
        if same >= SAME_LOOKS {
            return Ok(true);
        }
        if started.elapsed() >= limit {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
}
