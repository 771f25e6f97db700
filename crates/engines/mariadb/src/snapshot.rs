//! The server's counters at one moment. What sessions have done is the server's count of each session of dbdyno's
//! alone, so that nobody else's work is among it; what the server did below that (pages, log) it counts as a whole.

use super::connection::{MariaDbConnection, Version};
use super::describe::is_synced_by_writing;
use super::monitor::why_no_files;
use super::procedure::{self, Counting};
use crate::DIALECT;
use dbdyno_engine::client;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Answers, Connection as _, NodeStatistics, TextRows, Watch, counts, pairs, recover};
use dbdyno_engine::{EngineError, Others, PointSpec};
use dbdyno_model::{Counter, Counters, Drive, RowsBy, WaitCount};
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
    /// The procedure's notes cannot be understood.
    pub(super) fn new(procedure: &ProcedureSpec, spec: &PointSpec) -> Result<Self, EngineError> {
        let (test, size) = (&spec.test, &spec.size);
        let rows = test.table.map_or(0, |table| table.rows(size));
        let range = test.procedure.rows_by == Some(RowsBy::RangePartition);
        Ok(Self {
            counting: procedure::counting(procedure)?,
            rows_per_execution: if range { size.small_rows } else { rows },
            counts_per_change: if procedure::changes_partitions(procedure) { 2 } else { 1 },
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

    /// Every count by its name.
    fn each(&mut self) -> [(&'static str, &mut u64); 8] {
        [
            ("commits", &mut self.commits),
            ("engine_commits", &mut self.engine_commits),
            ("prepares", &mut self.prepares),
            ("selects", &mut self.selects),
            ("alters", &mut self.alters),
            ("keys", &mut self.keys),
            ("rows_in_turn", &mut self.rows_in_turn),
            ("rows_changed", &mut self.rows_changed),
        ]
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
        counts(&connection.texts("reading the session's counters", &DIALECT.get("statistics/session_counters")?.text)?);
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

/// The name under which an account tells of every commit of ours.
const ALL_COMMITS: &str = "all_commits";

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

impl dbdyno_engine::server::Account for Account {
    fn told(&self) -> BTreeMap<String, u64> {
        let (mut work, commits) = self.read();
        let mut told: BTreeMap<String, u64> = work.each().map(|(name, n)| (name.to_owned(), *n)).into();
        told.insert(ALL_COMMITS.to_owned(), commits);
        told
    }

    fn add_told(&self, done: &BTreeMap<String, u64>) {
        let get = |name: &str| done.get(name).copied().unwrap_or(0);
        let mut all = recover(&self.0);
        all.0.each().into_iter().for_each(|(name, n)| *n += get(name));
        all.1 += get(ALL_COMMITS);
    }
}

/// What one of dbdyno's own connections has committed.
pub(super) fn own_work(connection: &mut MariaDbConnection) -> Result<BTreeMap<String, u64>, EngineError> {
    Ok([(ALL_COMMITS.to_owned(), done(connection)?.engine_commits)].into())
}

/// Reads what a node counts for everybody.
pub(super) fn for_everybody(connection: &mut MariaDbConnection) -> Result<Counters, EngineError> {
    let (read, settings, counters) = server(connection)?;
    Ok(everybodys(&read, &settings, counters))
}

/// The counters with what all sessions have done.
pub(super) fn everybodys(read: &BTreeMap<String, u64>, settings: &Answers, mut counters: Counters) -> Counters {
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
    counters
}

/// Reads a node's counters for a point. `account` is what dbdyno's sessions there have done.
pub(super) fn read(
    account: &Account,
    connection: &mut MariaDbConnection,
    watched: &Watched,
    watch: Option<&Watch<MariaDbConnection>>,
) -> Result<NodeStatistics, EngineError> {
    let (work, mut ours) = account.read();
    ours += done(connection)?.engine_commits;
    if let Some(watch) = watch {
        // A watch that has failed says so in what it has seen.
        ours += done(&mut watch.connection()).unwrap_or_default().engine_commits;
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

/// What the server counts as a whole: as it says it, the settings that say what that means, and as counters.
fn server(connection: &mut MariaDbConnection) -> Result<(BTreeMap<String, u64>, Answers, Counters), EngineError> {
    let mut read = global_counters(connection)?;
    let (files, told_waits) = (files(connection), told_waits(connection));
    let why_none = match (&told_waits, files.contains_key("data writes")) {
        (Some(_), true) => String::new(),
        (waits, _) => why_no_files(connection, waits.is_some()),
    };
    read.extend(files);
    let settings = log_settings(connection);
    let mut counters = counters(&read, connection.version(), (told_waits.is_some(), &why_none), &settings);
    // The waits for rows are counted anyway.
    let (rows, ms) = (read.get("Innodb_row_lock_waits"), read.get("Innodb_row_lock_time"));
    let row_locks = rows.zip(ms).map(|(count, ms)| counted("lock/innodb", "row lock", *count, ms * 1_000_000));
    counters.waits = waits(&told_waits.unwrap_or_default()).into_iter().chain(row_locks).collect();
    Ok((read, settings, counters))
}

/// What the server has done as a whole, by name.
pub(super) fn global_counters(connection: &mut MariaDbConnection) -> Result<BTreeMap<String, u64>, EngineError> {
    let sql = &DIALECT.get("statistics/global_counters")?.text;
    Ok(counts(&connection.texts("reading the server's counters", sql)?))
}

/// What performance_schema says of files, by name; nothing where it does not.
pub(super) fn files(connection: &mut MariaDbConnection) -> BTreeMap<String, u64> {
    counts(&of_performance_schema(connection, "files").unwrap_or_default())
}

/// What it says of waits, if it may be read and has any.
pub(super) fn told_waits(connection: &mut MariaDbConnection) -> Option<TextRows> {
    of_performance_schema(connection, "waits")
}

fn of_performance_schema(connection: &mut MariaDbConnection, statement: &str) -> Option<TextRows> {
    let sql = &DIALECT.get(&format!("statistics/{statement}")).ok()?.text;
    connection.texts("reading performance_schema", sql).ok().filter(|rows| !rows.is_empty())
}

/// The server's counters, of what was read; why files are not told, and whether that is for want of
/// performance_schema's waits, too.
pub(super) fn counters(
    read: &BTreeMap<String, u64>,
    version: Version,
    (told_waits, why_none): (bool, &str),
    settings: &Answers,
) -> Counters {
    let counter = |of: &str, name: &str| {
        let why = match of {
            "" => "not told",
            "log" if told_waits => NO_LOG_INSTRUMENT,
            _ => why_none,
        };
        read.get(name).copied().ok_or_else(|| why.to_owned())
    };
    let mut counters = DIALECT.statistics.read(version.number, &counter);
    syncs(settings, read, &mut counters);
    counters
}

/// How the server writes its logs.
pub(super) fn log_settings(connection: &mut MariaDbConnection) -> Answers {
    let sql = DIALECT.get("statistics/log_settings").map(|statement| statement.text.clone());
    pairs(sql.ok().and_then(|sql| connection.texts("asking how the log is written", &sql).ok()).unwrap_or_default())
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

/// Waits as performance_schema counts and times them: rows of an event, a count and a time.
fn waits(rows: &[Vec<Option<String>>]) -> Vec<WaitCount> {
    let wait = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(name), Some(count), Some(ns)] => {
            // wait/io/file/innodb/innodb_log_file
            let (class, event) = name.trim_start_matches("wait/").rsplit_once('/').unwrap_or(("", name));
            Some(counted(class, event, count.parse().ok()?, ns.parse().ok()?))
        }
        _ => None,
    };
    rows.iter().filter_map(wait).collect()
}

fn counted(class: &str, event: &str, count: u64, ns: u64) -> WaitCount {
    let (class, event) = (class.to_owned(), event.to_owned());
    WaitCount { event, class, count, time_ns: Some(ns), ..WaitCount::default() }
}

/// Syncs of the log. From 10.8 on InnoDB counts all of its files' together; where the file is opened so that writing to
/// it is syncing it, nothing is counted as a sync, and each write is one, if commits wait for it at all. Writes never
/// count otherwise: they go on where commits do not wait.
fn syncs(settings: &Answers, read: &BTreeMap<String, u64>, counters: &mut Counters) {
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
}
