//! The server's counters at one moment. What sessions have done is the server's count of each session of dbdyno's
//! alone, so that nobody else's work is among it; what the server did below that (pages, log) it counts as a whole.

use super::Node;
use super::connection::MariaDbConnection;
use super::monitor::{Monitor, why_no_files};
use super::procedure::{Counting, ProcedureSpec};
use crate::DIALECT;
use dbdyno_engine::client;
use dbdyno_engine::server::{Connection as _, NodeStatistics, recover};
use dbdyno_engine::{EngineError, Others, PointSpec};
use dbdyno_model::{Counter, Counters, Drive, Procedure, WaitCount};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Why the log's writes are not timed where files are.
const NO_LOG_INSTRUMENT: &str = "InnoDB has not instrumented its log since MariaDB 10.8: it is neither timed nor its \
                                 waits for the device counted";

/// What a point's counters are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Watched {
    /// How executions are told.
    pub(super) counting: Counting,
    /// Rows of one execution of a scan.
    pub(super) rows_per_execution: u64,
    /// How often the server counts a row that is changed: in a partitioned table once for the table, and once for the
    /// partition.
    pub(super) counts_per_change: u64,
    /// Whether each statement is a transaction of its own, which nobody says COMMIT for.
    pub(super) commits_itself: bool,
}

impl Watched {
    /// What counts for a test.
    ///
    /// # Errors
    /// The recipe's notes cannot be understood.
    pub(super) fn new(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Self, EngineError> {
        let (test, size) = (&spec.test, &spec.size);
        let rows = test.table.map_or(0, |table| table.rows(size));
        let range = test.procedure == Procedure::ScanRange;
        Ok(Self {
            counting: procedure.counting()?,
            rows_per_execution: if range { size.small_rows } else { rows },
            counts_per_change: if procedure.changes_partitions() { 2 } else { 1 },
            commits_itself: spec.drive == Drive::Client && !client::commits(spec),
        })
    }

    /// What counts for a program, whose executions nobody but itself counts.
    pub(super) fn of_program() -> Self {
        Self { counting: Counting::Nothing, rows_per_execution: 0, counts_per_change: 1, commits_itself: false }
    }
}

/// What the server has counted for one session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Done {
    /// COMMIT statements.
    pub(super) commits: u64,
    /// Commits as storage engines see them, those of single statements too.
    engine_commits: u64,
    /// Storage engines that were asked whether they can commit, because there are two: the log of changes is one.
    prepares: u64,
    selects: u64,
    alters: u64,
    keys: u64,
    rows_in_turn: u64,
    rows_changed: u64,
}

impl Done {
    /// Transactions of a single statement: each counts once, or, where the server also writes its changes to a log,
    /// once for the rows and once for that, both of which are asked beforehand.
    fn transactions(&self) -> u64 {
        self.engine_commits.saturating_sub(self.prepares / 2)
    }

    /// What was done since.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    fn with(&self, other: &Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            commits: each(self.commits, other.commits),
            engine_commits: each(self.engine_commits, other.engine_commits),
            prepares: each(self.prepares, other.prepares),
            selects: each(self.selects, other.selects),
            alters: each(self.alters, other.alters),
            keys: each(self.keys, other.keys),
            rows_in_turn: each(self.rows_in_turn, other.rows_in_turn),
            rows_changed: each(self.rows_changed, other.rows_changed),
        }
    }
}

/// Asks the server what this session has done. Asking does not count.
pub(super) fn done(connection: &mut MariaDbConnection) -> Result<Done, EngineError> {
    let read =
        pairs(connection.texts("reading the session's counters", &DIALECT.get("statistics/session_counters")?.text)?);
    let get = |name: &str| read.get(name).copied().unwrap_or(0);
    Ok(Done {
        commits: get("Com_commit"),
        engine_commits: get("Handler_commit"),
        prepares: get("Handler_prepare"),
        selects: get("Com_select"),
        alters: get("Com_alter_table"),
        keys: get("Handler_read_key"),
        rows_in_turn: get("Handler_read_rnd_next"),
        rows_changed: get("Handler_write") + get("Handler_update") + get("Handler_delete"),
    })
}

/// What jobs of a point have done, as far as they have told, and what all of dbdyno's sessions have committed.
#[derive(Debug, Default)]
pub(super) struct Account(Mutex<(Done, u64)>);

impl Account {
    /// Forgets the work of the last point: executions are whole numbers of a point's own counts.
    pub(super) fn begin(&self) {
        recover(&self.0).0 = Done::default();
    }

    /// Takes a session's work.
    pub(super) fn add(&self, done: Done) {
        let mut all = recover(&self.0);
        all.0 = all.0.with(&done, |a, b| a + b);
        all.1 += done.engine_commits;
    }

    /// Takes what a session has committed apart from its test.
    pub(super) fn add_commits(&self, done: Done) {
        recover(&self.0).1 += done.engine_commits;
    }

    /// The work so far, and every commit of ours.
    fn read(&self) -> (Done, u64) {
        *recover(&self.0)
    }
}

/// Reads what a node counts for everybody.
pub(super) fn for_everybody(connection: &mut MariaDbConnection) -> Result<Counters, EngineError> {
    let (read, settings, mut counters) = server(connection)?;
    let get = |name: &str| read.get(name).copied();
    // Where changes are logged, a transaction commits there, too, and counts twice. The log's own count is without
    // those that only read; to take what was prepared from all would run backwards now and then.
    let is_logged = settings.get("log_bin").is_some_and(|on| on == "ON");
    let commits = get(if is_logged { "Binlog_commits" } else { "Handler_commit" });
    let changed = ["Handler_write", "Handler_update", "Handler_delete"].into_iter().map(get).sum();
    for (counter, value) in
        [(Counter::Commits, commits), (Counter::Rollbacks, get("Com_rollback")), (Counter::RowsChanged, changed)]
    {
        match value {
            Some(value) => _ = counters.values.insert(counter, value),
            None => _ = counters.missing.insert(counter, "not told".to_owned()),
        }
    }
    Ok(counters)
}

/// Reads a node's counters for a point.
pub(super) fn read(
    node: &Node,
    connection: &mut MariaDbConnection,
    watched: &Watched,
    monitor: Option<&Monitor>,
) -> Result<NodeStatistics, EngineError> {
    let (work, mut ours) = node.account.read();
    ours += done(connection)?.engine_commits;
    if let Some(monitor) = monitor {
        // A watch that has failed says so in what it has seen.
        ours += done(&mut monitor.connection()).unwrap_or_default().engine_commits;
    }
    let (read, _, mut counters) = server(connection)?;
    executions(&work, watched, &mut counters);
    let commits = if watched.commits_itself { work.transactions() } else { work.commits };
    counters.values.insert(Counter::Commits, commits);
    counters.values.insert(Counter::RowsChanged, work.rows_changed / watched.counts_per_change.max(1));
    let all = read.get("Handler_commit").ok_or_else(|| "not told".to_owned());
    let others = all.map(|all| Others { commits: all.cast_signed() - ours.cast_signed(), beside_claims: false });
    Ok(NodeStatistics { counters, others })
}

type Texts = BTreeMap<String, String>;

/// What the server counts as a whole: as it says it, the settings that say what that means, and as counters.
fn server(connection: &mut MariaDbConnection) -> Result<(BTreeMap<String, u64>, Texts, Counters), EngineError> {
    let read =
        pairs(connection.texts("reading the server's counters", &DIALECT.get("statistics/global_counters")?.text)?);
    let mut counters = Counters::default();
    simple(&read, &mut counters);
    log_and_waits(connection, &read, &mut counters);
    let settings = log_settings(connection);
    syncs(&settings, &read, &mut counters);
    Ok((read, settings, counters))
}

/// How the server writes its logs.
fn log_settings(connection: &mut MariaDbConnection) -> Texts {
    let sql = DIALECT.get("statistics/log_settings").map(|statement| statement.text.clone());
    let rows =
        sql.ok().and_then(|sql| connection.texts("asking how the log is written", &sql).ok()).unwrap_or_default();
    let pair = |row: Vec<Option<String>>| Some((row.first()?.clone()?.to_ascii_lowercase(), row.get(1)?.clone()?));
    rows.into_iter().filter_map(pair).collect()
}

/// Executions of the statement under test, and rows that it scanned.
fn executions(work: &Done, watched: &Watched, counters: &mut Counters) {
    // A statement has no workers but its session.
    counters.values.insert(Counter::WorkersLaunched, 0);
    let mut lacks = |counter, why: &str| counters.missing.insert(counter, why.to_owned());
    let no_rows = "the test scans no table";
    let executions = match watched.counting {
        Counting::Keys { per_execution } => {
            lacks(Counter::RowsScanned, no_rows);
            work.keys / per_execution.max(1)
        }
        Counting::Scans { ends, times } => {
            // Nothing is executed that does not read all of its rows.
            let whole = work.rows_in_turn / (watched.rows_per_execution * times.max(1) + ends).max(1);
            let executions = work.selects.min(whole);
            match work.rows_in_turn.saturating_sub(executions * ends).checked_div(times) {
                Some(rows) => _ = counters.values.insert(Counter::RowsScanned, rows),
                // What it groups goes through tables of the server's own, of a length that is not known.
                None => _ = lacks(Counter::RowsScanned, "rows of the server's own tables are counted with the others"),
            }
            executions
        }
        Counting::Alters => {
            lacks(Counter::RowsScanned, no_rows);
            work.alters
        }
        Counting::Nothing => {
            let why = "the server counts keys, rows and statements, and the test's work has none of its own";
            lacks(Counter::RowsScanned, why);
            lacks(Counter::Executions, why);
            return;
        }
    };
    counters.values.insert(Counter::Executions, executions);
}

/// Counters that are the server's own.
fn simple(read: &BTreeMap<String, u64>, counters: &mut Counters) {
    let get = |name: &str| read.get(name).copied();
    let (written, dirty) = (get("Innodb_pages_written"), get("Innodb_buffer_pool_pages_dirty"));
    let rows = [
        (Counter::LogicalReads, get("Innodb_buffer_pool_read_requests"), "not told"),
        (Counter::PhysicalReads, get("Innodb_pages_read"), "not told"),
        (Counter::ReadBytes, get("Innodb_data_read"), "not told"),
        (Counter::PhysicalWrites, written, "not told"),
        // Pages were dirtied that have been written or still wait.
        (Counter::BlocksDirtied, written.zip(dirty).map(|(written, dirty)| written + dirty), "not told"),
        (Counter::RedoBytes, get("Innodb_lsn_current"), "not told"),
        (Counter::RedoPageImages, None, "InnoDB logs changes, not pages; its doublewrite buffer is among the writes"),
        (Counter::Checkpoints, None, "InnoDB's checkpoints are fuzzy: it writes all the time, and counts none"),
        (Counter::FlashHits, None, "MariaDB has no flash cache"),
        (Counter::CellFlashHits, None, "there are no storage cells below MariaDB"),
    ];
    for (counter, value, why) in rows {
        match value {
            Some(value) => _ = counters.values.insert(counter, value),
            None => _ = counters.missing.insert(counter, why.to_owned()),
        }
    }
}

/// Writes of the log and waits, from performance_schema where that is on; the waits for rows are counted anyway.
fn log_and_waits(connection: &mut MariaDbConnection, read: &BTreeMap<String, u64>, counters: &mut Counters) {
    let mut ask = |statement: &str| {
        let sql = &DIALECT.get(&format!("statistics/{statement}")).ok()?.text;
        connection.texts("reading performance_schema", sql).ok().filter(|rows| !rows.is_empty())
    };
    let log = ask("log_io").and_then(|rows| numbers(rows.first()?));
    let data = ask("data_io").and_then(|rows| numbers(rows.first()?));
    let waits = ask("waits");
    let reads = ask("data_reads").and_then(|rows| numbers(rows.first()?));
    let why_none = match (&waits, &data) {
        (Some(_), Some(_)) => String::new(),
        (waits, _) => why_no_files(connection, waits.is_some()),
    };
    for (n, counter) in [Counter::FileReads, Counter::FileReadNs].into_iter().enumerate() {
        match reads.as_ref().and_then(|reads| reads.get(n)) {
            Some(value) => _ = counters.values.insert(counter, *value),
            None => _ = counters.missing.insert(counter, why_none.clone()),
        }
    }
    let untimed = if waits.is_some() { NO_LOG_INSTRUMENT } else { why_none.as_str() };
    let counted = [Counter::RedoWrites, Counter::RedoWriteNs, Counter::RedoSyncs, Counter::RedoSyncNs];
    for (n, counter) in counted.into_iter().enumerate() {
        match log.as_ref().and_then(|log| log.get(n)) {
            Some(value) => _ = counters.values.insert(counter, *value),
            None => match read.get("Innodb_log_writes").filter(|_| counter == Counter::RedoWrites) {
                Some(value) => _ = counters.values.insert(counter, *value),
                None => _ = counters.missing.insert(counter, untimed.to_owned()),
            },
        }
    }
    for (n, counter) in [Counter::FileWrites, Counter::FileWriteNs].into_iter().enumerate() {
        match data.as_ref().and_then(|data| data.get(n)) {
            Some(value) => _ = counters.values.insert(counter, *value),
            None => _ = counters.missing.insert(counter, why_none.clone()),
        }
    }
    for row in waits.unwrap_or_default() {
        let (Some(Some(name)), Some([count, time_ns])) =
            (row.first(), row.get(1..).and_then(numbers).and_then(|n| <[u64; 2]>::try_from(n).ok()))
        else {
            continue;
        };
        // wait/io/file/innodb/innodb_log_file
        let (class, event) = name.trim_start_matches("wait/").rsplit_once('/').unwrap_or(("", name));
        let (class, event) = (class.to_owned(), event.to_owned());
        let (time_ns, buckets_us) = (Some(time_ns), BTreeMap::new());
        counters.waits.push(WaitCount { event, class, count, time_ns, sampled: false, buckets_us });
    }
    if let (Some(count), Some(ms)) = (read.get("Innodb_row_lock_waits"), read.get("Innodb_row_lock_time")) {
        let (event, class) = ("row lock".to_owned(), "lock/innodb".to_owned());
        counters.waits.push(WaitCount {
            event,
            class,
            count: *count,
            time_ns: Some(ms * 1_000_000),
            sampled: false,
            buckets_us: BTreeMap::new(),
        });
    }
}

/// Syncs of the log. From 10.8 on InnoDB counts all of its files' together; where the file is opened so that writing to
/// it is syncing it, nothing is counted as a sync, and each write is one, if commits wait for it at all. Writes never
/// count otherwise: they go on where commits do not wait.
fn syncs(settings: &Texts, read: &BTreeMap<String, u64>, counters: &mut Counters) {
    let get = |name: &str| read.get(name).copied();
    let (log, data) = if let Some(log) = get("Innodb_os_log_fsyncs") {
        (Some(log), 0)
    } else if is_synced_by_writing(settings) {
        (get("Innodb_log_writes"), 0)
    } else {
        // A page that is written is synced in the doublewrite buffer and in its file, at most.
        (get("Innodb_data_fsyncs"), 2 * get("Innodb_pages_written").unwrap_or(0))
    };
    match log {
        Some(log) => {
            counters.values.insert(Counter::LogSyncs, log);
            counters.values.insert(Counter::DataSyncs, data);
        }
        None => _ = counters.missing.insert(Counter::LogSyncs, "the server does not count its syncs".to_owned()),
    }
}

/// Whether the redo log's file is opened so that writing to it is syncing it, and commits write to it.
pub(super) fn is_synced_by_writing(settings: &BTreeMap<String, String>) -> bool {
    let is = |name: &str, values: &[&str]| settings.get(name).is_some_and(|value| values.contains(&value.as_str()));
    is("innodb_flush_log_at_trx_commit", &["1", "3"])
        && (is("innodb_flush_method", &["O_DSYNC"]) || is("innodb_log_file_write_through", &["ON"]))
}

fn numbers(row: &(impl AsRef<[Option<String>]> + ?Sized)) -> Option<Vec<u64>> {
    row.as_ref().iter().map(|value| value.as_ref()?.parse().ok()).collect()
}

fn pairs(rows: Vec<Vec<Option<String>>>) -> BTreeMap<String, u64> {
    let pair = |row: Vec<Option<String>>| match row.as_slice() {
        [Some(name), Some(value)] => Some((name.clone(), value.parse().ok()?)),
        _ => None,
    };
    rows.into_iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(counting: Counting) -> Watched {
        Watched { counting, rows_per_execution: 100, counts_per_change: 1, commits_itself: false }
    }

    #[test]
    fn a_statement_that_commits_itself_counts_once_with_and_without_a_log_of_changes() {
        // As 10.11 counts three updates.
        let without = Done { engine_commits: 3, ..Done::default() };
        let with = Done { engine_commits: 6, prepares: 6, ..Done::default() };
        assert_eq!((without.transactions(), with.transactions()), (3, 3));
    }

    #[test]
    fn executions_are_told_by_keys_scans_and_alters() {
        let work = Done { selects: 3, keys: 963, rows_in_turn: 3 * (2 * 100 + 9), alters: 2, ..Done::default() };
        let told = |counting| {
            let mut counters = Counters::default();
            executions(&work, &watched(counting), &mut counters);
            (counters.get(Counter::Executions), counters.get(Counter::RowsScanned))
        };
        assert_eq!(told(Counting::Keys { per_execution: 321 }), (Some(3), None));
        assert_eq!(told(Counting::Scans { ends: 9, times: 2 }), (Some(3), Some(300)));
        assert_eq!(told(Counting::Scans { ends: 0, times: 0 }), (Some(3), None));
        assert_eq!(told(Counting::Alters), (Some(2), None));
        assert_eq!(told(Counting::Nothing), (None, None));
        let none = Done { selects: 3, ..Done::default() };
        let mut counters = Counters::default();
        let counting = Counting::Scans { ends: 1, times: 1 };
        executions(&none, &watched(counting), &mut counters);
        assert_eq!(counters.get(Counter::Executions), Some(0), "statements that read nothing");
    }

    #[test]
    fn writes_of_the_log_are_syncs_only_where_they_are_made_so() {
        let is = |pairs: &[(&str, &str)]| {
            let settings = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            is_synced_by_writing(&settings)
        };
        let (always, later) = (("innodb_flush_log_at_trx_commit", "1"), ("innodb_flush_log_at_trx_commit", "2"));
        assert!(is(&[always, ("innodb_flush_method", "O_DSYNC")]));
        assert!(is(&[always, ("innodb_log_file_write_through", "ON")]));
        assert!(!is(&[later, ("innodb_flush_method", "O_DSYNC")]));
        assert!(!is(&[always, ("innodb_flush_method", "O_DIRECT")]));
    }
}
