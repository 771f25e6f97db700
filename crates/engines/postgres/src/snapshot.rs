//! The server's counters at one moment: those of everybody, as they are; and those of a point, exact, once every
//! session of dbdyno's has made its statistics visible.
//!
//! Three things need care. Commits: the server counts dbdyno's own transactions too, so those are subtracted, each
//! known (connection.rs); what is left over beyond what the tests committed is the work of others. Executions: the
//! server counts scans of indexes and tables, not statements, so a test's procedure says how many scans one execution
//! makes. Workers: each process that takes part in a parallel scan counts one scan of every leaf, the leader too.

use super::connection::PostgresConnection;
use super::{Node, grants};
use crate::DIALECT;
use dbdyno_engine::client::Values;
use dbdyno_engine::server::{Connection, NodeStatistics, Watch, counts};
use dbdyno_engine::{EngineError, Others};
use dbdyno_model::{Counter, Counters, ErrorClass};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Before version 15 a session sends its statistics when it becomes idle, but not twice within this time; and what is
/// read may be as old as this.
pub(super) const OLD_LAG: Duration = Duration::from_millis(520);
/// How often such a version is asked before its answer is taken as it is.
const OLD_LOOKS: u32 = 5;
/// The first version whose statistics are visible at once when asked for.
pub(super) const FORCED_FLUSH: u32 = 150_000;

/// What of the server's relations a point's counters are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Watched {
    /// Index whose scans are the executions, its leaves' indexes too, and how many one execution scans.
    pub(super) indexes: Vec<u32>,
    pub(super) index_scans_per_execution: u64,
    /// Leaves of the table whose scans are the executions.
    pub(super) leaves: Vec<u32>,
    /// Leaves that one execution scans, and the rows that it reads there.
    pub(super) leaves_per_execution: u64,
    pub(super) rows_per_execution: u64,
    /// How often one execution launches its workers: once a statement, or once a leaf where each is built by itself.
    pub(super) launches_per_execution: u64,
    /// Whether statements launch parallel workers.
    pub(super) workers: bool,
    /// Whether the test makes and drops relations. Sessions that are idle then take note of it in transactions of their
    /// own, as many as the server sees fit (its catch-up of shared invalidation messages), and these are counted with
    /// the others.
    pub(super) makes_relations: bool,
    /// The schema of the extension that counts blocks that wait to be written, where they are to be counted and it is
    /// there.
    pub(super) buffercache: Option<String>,
}

/// The statements that are read together and are about the server as a whole; each says for which versions it is.
pub(super) const SERVER_WIDE: [&str; 8] = [
    "counters/reads_18",
    "counters/wal_position",
    "counters/wal_14",
    "counters/wal_18",
    "counters/writes_13",
    "counters/writes_16",
    "counters/writes_17",
    "counters/writes_18",
];
/// Those that are read with them about dbdyno's database alone; for a point, about its own tables; and for everybody.
const OF_THE_DATABASE: [&str; 2] = ["counters/database", "counters/reads_13"];
const OF_A_POINT: [&str; 2] = ["counters/table_reads", "counters/rows_changed"];
const FOR_EVERYBODY: [&str; 1] = ["counters/transactions"];
/// How often, and at which intervals, is looked whether parallel workers have ended.
const WORKER_LOOKS: u32 = 100;
const WORKER_PAUSE: Duration = Duration::from_millis(5);
/// Transactions that the server counts for each parallel worker: one to connect, one for its share of the work.
const WORKER_TRANSACTIONS: u64 = 2;

/// Makes a session's statistics visible, those of its other transactions since the last time included.
pub(super) fn flush(connection: &mut PostgresConnection, idle_since: Option<Instant>) -> Result<(), EngineError> {
    let version_num = connection.version_num();
    flush_version(connection, version_num, idle_since)
}

/// The same for a session of whichever kind on a server of this version.
pub(super) fn flush_version(
    connection: &mut dyn Connection,
    version_num: u32,
    idle_since: Option<Instant>,
) -> Result<(), EngineError> {
    if version_num >= FORCED_FLUSH {
        return connection.batch("making statistics visible", &DIALECT.get("counters/flush")?.text);
    }
    std::thread::sleep(OLD_LAG.saturating_sub(idle_since.map_or(Duration::ZERO, |since| since.elapsed())));
    connection.batch("making statistics visible", &DIALECT.get("counters/flush_old")?.text)
}

/// Reads what a node counts for everybody.
pub(super) fn for_everybody(connection: &mut PostgresConnection) -> Result<Counters, EngineError> {
    let read = statistics(connection, &FOR_EVERYBODY, None)?;
    let mut counters = simple(&read, connection.version_num());
    say(&mut counters, Counter::Commits, read.get("xact_commit").copied(), "not told");
    say(&mut counters, Counter::Rollbacks, read.get("xact_rollback").copied(), "not told");
    Ok(counters)
}

/// Reads a node's counters for a point. `earlier` is what an earlier reading told of others.
pub(super) fn read(
    node: &Node,
    connection: &mut PostgresConnection,
    watched: &Watched,
    watch: Option<&Watch<PostgresConnection>>,
    earlier: Option<Others>,
) -> Result<NodeStatistics, EngineError> {
    if watched.workers {
        wait_for_workers(connection)?;
    }
    let mut overhead = node.account.overhead.load(Ordering::Relaxed);
    // Held until the counters are read, so that nobody adds a transaction meanwhile.
    let mut watching = watch.map(Watch::connection);
    if let Some(watching) = &mut watching {
        // A watch that has failed says so in what it has seen.
        if flush(watching, None).is_ok() {
            overhead += watching.transactions();
        }
    }
    // Looking for workers was work.
    let (mut looks, mut idle_since) = (0, node.idle_since().filter(|_| !watched.workers));
    let (read, mut overhead) = loop {
        flush(connection, idle_since.take())?;
        let overhead = overhead + connection.transactions();
        if connection.version_num() >= FORCED_FLUSH {
            break (statistics(connection, &OF_A_POINT, watched.buffercache.as_deref())?, overhead);
        }
        std::thread::sleep(OLD_LAG);
        let read = statistics(connection, &OF_A_POINT, watched.buffercache.as_deref())?;
        looks += 1;
        if looks == OLD_LOOKS || !lags(&read, node, overhead, earlier) {
            break (read, overhead);
        }
    };
    let mut counters = simple(&read, connection.version_num());
    if let (Some(_), Some(why)) = (&watched.buffercache, counters.missing.get_mut(&Counter::BlocksDirtied)) {
        *why = grants::why_missing(grants::MONITOR, connection.version_num());
    }
    if let Some(rows) = counters.values.get_mut(&Counter::RowsChanged) {
        *rows += node.account.discarded_rows.load(Ordering::Relaxed);
    }
    executions(connection, watched, &mut counters)?;
    let workers = counters.get(Counter::WorkersLaunched).unwrap_or(0) * watched.launches_per_execution;
    overhead += workers * WORKER_TRANSACTIONS;
    let others = others(&read, node, overhead);
    let claimed = others.as_ref().ok().map(|_| node.account.claimed.load(Ordering::Relaxed));
    say(&mut counters, Counter::Commits, claimed, "not told");
    if watched.makes_relations {
        let why = "the test makes and drops relations, of which idle sessions take note in transactions of their own";
        counters.missing.insert(Counter::ForeignCommits, why.to_owned());
    }
    Ok(NodeStatistics { counters, others })
}

/// Rows that this session's work has changed in tables of these names, which are about to go: the server forgets them
/// with the tables. Old versions learn late of what was done, so `expected` rows are waited for, not for ever.
pub(super) fn rows_of(
    connection: &mut PostgresConnection,
    tables: &[String],
    expected: u64,
) -> Result<u64, EngineError> {
    flush(connection, None)?;
    let names: Vec<String> = tables.iter().map(|name| format!("'{name}'")).collect();
    let sql = DIALECT.get("counters/rows_of")?.text.replace("{tables}", &names.join(", "));
    let (mut looks, waits) = (0, connection.version_num() < FORCED_FLUSH);
    loop {
        let read = counts(&connection.texts("reading the server's counters", &sql)?);
        let rows = read.get("rows_changed").copied().unwrap_or(0);
        looks += 1;
        if !waits || rows >= expected || looks == OLD_LOOKS {
            return Ok(rows);
        }
        std::thread::sleep(OLD_LAG);
    }
}

/// Waits, not for long, until parallel workers have ended and so given their account.
fn wait_for_workers(connection: &mut PostgresConnection) -> Result<(), EngineError> {
    let sql = &DIALECT.get("counters/workers_at_work")?.text;
    for _ in 0..WORKER_LOOKS {
        let rows = connection.texts("waiting for parallel workers to end", sql)?;
        if rows.first().and_then(|row| row.first()).is_none_or(|n| n.as_deref() == Some("0")) {
            return Ok(());
        }
        std::thread::sleep(WORKER_PAUSE);
    }
    Ok(())
}

/// Name -> value of the statements that are always read, and of `more`, as far as they fit the server's version.
pub(super) fn statistics(
    connection: &mut PostgresConnection,
    more: &[&str],
    buffercache: Option<&str>,
) -> Result<BTreeMap<String, u64>, EngineError> {
    let major = connection.version_num() / 10_000;
    let sql = joined(major, OF_THE_DATABASE.iter().chain(&SERVER_WIDE).chain(more))?;
    // One text, one transaction: all of one moment.
    let mut read = counts(&connection.texts("reading the server's counters", &sql)?);
    if let Some(schema) = buffercache {
        let name = if DIALECT.get("counters/dirty_16")?.fits(major) { "dirty_16" } else { "dirty_13" };
        // Without the right to use the extension the count is missing.
        let rows = match DIALECT.fill(&format!("counters/{name}"), &[("schema", schema)]) {
            Ok(sql) => connection.texts("counting changed blocks", &sql).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        read.extend(counts(&rows));
    }
    Ok(read)
}

/// The text of several statements, as far as they fit a version.
pub(super) fn joined<'n>(major: u32, names: impl Iterator<Item = &'n &'n str>) -> Result<String, EngineError> {
    let mut sql = String::new();
    for name in names {
        let statement = DIALECT.get(name)?;
        if statement.fits(major) {
            sql.push_str(&statement.text);
            sql.push_str(";\n");
        }
    }
    Ok(sql)
}

/// Counters that are the server's own, as dialect/statistics.toml says.
pub(super) fn simple(read: &BTreeMap<String, u64>, version_num: u32) -> Counters {
    let told = |_: &str, name: &str| read.get(name).copied().ok_or_else(|| "not told".to_owned());
    DIALECT.statistics.read(version_num / 10_000, &told)
}

fn say(counters: &mut Counters, counter: Counter, value: Option<u64>, why_none: &str) {
    match value {
        Some(value) => _ = counters.values.insert(counter, value),
        None => _ = counters.missing.insert(counter, why_none.to_owned()),
    }
}

/// Commits beside those of dbdyno's that are not the test's: what is left over beyond what tests claim is the work of
/// others.
fn others(read: &BTreeMap<String, u64>, node: &Node, overhead: u64) -> Result<Others, String> {
    let all = read.get("xact_commit").ok_or("not told")?;
    let claimed = node.account.claimed.load(Ordering::Relaxed);
    let commits = all.cast_signed() - overhead.cast_signed() - claimed.cast_signed();
    Ok(Others { commits, beside_claims: true })
}

/// Whether the server does not know yet of commits that a test has made for certain: before version 15 a process of its
/// own collects them, and on a busy machine that may come late to it.
fn lags(read: &BTreeMap<String, u64>, node: &Node, overhead: u64, earlier: Option<Others>) -> bool {
    let now = others(read, node, overhead).ok();
    now.zip(earlier).is_some_and(|(now, earlier)| now.commits < earlier.commits)
}

/// Executions of the statement under test, rows that it scanned, workers that it launched.
fn executions(
    connection: &mut PostgresConnection,
    watched: &Watched,
    counters: &mut Counters,
) -> Result<(), EngineError> {
    let mut lacks = |counter, why: &str| counters.missing.insert(counter, why.to_owned());
    if !watched.indexes.is_empty() {
        let scans = scans(connection, &watched.indexes)?.0;
        let executions = scans / watched.index_scans_per_execution.max(1);
        lacks(Counter::RowsScanned, "the test scans no table");
        lacks(Counter::WorkersLaunched, "the test has no parallel statement");
        counters.values.insert(Counter::Executions, executions);
        return Ok(());
    }
    if watched.leaves.is_empty() {
        for counter in [Counter::Executions, Counter::RowsScanned, Counter::WorkersLaunched] {
            lacks(counter, "the server counts scans of tables and indexes, and the test's work has none of its own");
        }
        return Ok(());
    }
    let (scans, rows) = scans(connection, &watched.leaves)?;
    let executions = rows / watched.rows_per_execution.max(1);
    counters.values.insert(Counter::RowsScanned, rows);
    counters.values.insert(Counter::Executions, executions);
    let participants = scans / watched.leaves_per_execution.max(1);
    match participants.checked_sub(executions) {
        Some(workers) => _ = counters.values.insert(Counter::WorkersLaunched, workers),
        None => _ = lacks(Counter::WorkersLaunched, "the server counted fewer scans than executions"),
    }
    Ok(())
}

/// Scans of relations, and rows that they gave.
fn scans(connection: &mut PostgresConnection, relations: &[u32]) -> Result<(u64, u64), EngineError> {
    let sql = &DIALECT.get("statistics/scans")?.text;
    let doing = "reading the server's counters";
    let numbers: Vec<String> = relations.iter().map(ToString::to_string).collect();
    let mut array = Values::new();
    array.push(format!("{{{}}}", numbers.join(",")).as_str());
    let row = connection.query(doing, sql, &array)?;
    let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
    let number = |column| row.int(0, column).map(i64::cast_unsigned).ok_or_else(unclear);
    Ok((number(0)?, number(1)?))
}
