//! What the server's counters mean: rows of its views become [`Counters`]. Nothing here asks the server, so all of it is
//! tested on recorded rows.
//!
//! Three rules. A statistic that the server does not have is absent with its reason, and never 0. What one of dbdyno's own
//! sessions has done is read from that session (`v$mystat`), so that nobody else's work is in it; parallel workers are
//! sessions of their own, so for statements that have some the instance's totals are taken instead. What background processes
//! do for everybody (writes of data files and of the log) is the instance's.

use crate::server::recover;
use dbdyno_model::{Counter, Counters, WaitCount};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

mod cursors;
mod named;
#[cfg(test)]
mod tests;

pub(super) use cursors::Cursors;
pub(super) use named::Named;
use named::number;

/// Commits of others per second from which they count: housekeeping and monitoring make some each minute everywhere.
const HOUSEKEEPING_PER_S: f64 = 1.0;
/// Hundredths of a second, microseconds and milliseconds in nanoseconds.
const CS_NS: u64 = 10_000_000;
const US_NS: u64 = 1_000;
const MS_NS: u64 = 1_000_000;

/// Rows as the link gives them.
pub(super) type Rows = Vec<Vec<Option<String>>>;
/// What a view said, or why it said nothing.
pub(super) type Answer<T> = Result<T, String>;

/// What a point's counters are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Watched {
    /// Workers inside one statement; 1 where the session works alone.
    pub(super) threads: u32,
    /// Whether the rows of the cursors under test are changed ones.
    pub(super) changes: bool,
    /// Whether the test reads whole tables, whose rows the server counts as it visits them.
    pub(super) scans: bool,
    /// Whether what may have workers is the building of an index, and not a query.
    pub(super) builds: bool,
    /// Whether the test has statements that can be told by the name of their query block.
    pub(super) marked: bool,
}

/// Everything that an instance said at one moment.
#[derive(Debug, Clone)]
pub(super) struct Read {
    /// `v$sysstat`.
    pub(super) system: Answer<Named>,
    /// `v$sys_time_model`.
    pub(super) times: Answer<Named>,
    /// `v$osstat`.
    pub(super) machine: Answer<Named>,
    /// `v$iostat_file`, of data and temporary files together.
    pub(super) files: Answer<Files>,
    /// Changed buffers that are not yet written.
    pub(super) dirty: Answer<u64>,
    /// `v$system_event` with the buckets of `v$event_histogram_micro`.
    pub(super) waits: Answer<Vec<WaitCount>>,
    /// The cursors under test.
    pub(super) cursors: Answer<Cursors>,
}

/// Reads and writes of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// Requests and the time spent in them.
    reads: u64,
    read_ns: u64,
    writes: u64,
    write_ns: u64,
}

/// Rows of `files`: a kind of file, requests (small and large, reads and writes), milliseconds (the same).
pub(super) fn files(rows: &[Vec<Option<String>>]) -> Answer<Files> {
    let mut all = Files::default();
    let numbers = |row: &Vec<Option<String>>| -> Option<[u64; 8]> {
        let values: Option<Vec<u64>> = row.get(1..9)?.iter().map(|value| number(value.as_ref()?)).collect();
        values?.try_into().ok()
    };
    let mut known = false;
    for [small_reads, large_reads, small_writes, large_writes, times @ ..] in rows.iter().filter_map(numbers) {
        known = true;
        all.reads += small_reads + large_reads;
        all.writes += small_writes + large_writes;
        all.read_ns += (times[0] + times[1]) * MS_NS;
        all.write_ns += (times[2] + times[3]) * MS_NS;
    }
    if known { Ok(all) } else { Err("v$iostat_file has no data files".to_owned()) }
}

/// Buffers that are changed and not yet written.
pub(super) fn dirty(rows: &[Vec<Option<String>>]) -> Answer<u64> {
    let first = rows.first().and_then(|row| number(row.first()?.as_ref()?));
    let why = "v$instance_recovery does not tell changed buffers (the Standard Edition of older releases did not)";
    first.ok_or_else(|| why.to_owned())
}

/// Waits by event, and how long they were where the server keeps a histogram of them.
pub(super) fn waits(events: &[Vec<Option<String>>], histogram: &[Vec<Option<String>>]) -> Vec<WaitCount> {
    let mut buckets: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for row in histogram {
        if let [Some(event), Some(us), Some(count)] = row.as_slice()
            && let (Some(us), Some(count)) = (number(us), number(count))
        {
            *buckets.entry(event).or_default().entry(us).or_default() += count;
        }
    }
    let wait = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(event), class, Some(count), time_us] => Some(WaitCount {
            event: event.clone(),
            class: class.clone().unwrap_or_else(|| "Other".to_owned()),
            count: number(count)?,
            time_ns: time_us.as_ref().and_then(|us| number(us)).map(|us| us * US_NS),
            buckets_us: buckets.get(event.as_str()).cloned().unwrap_or_default(),
        }),
        _ => None,
    };
    events.iter().filter_map(wait).collect()
}

/// Samples of the server's own, one a second: `event, class, samples`. They have a class of their own, beside the counts.
pub(super) fn history(rows: &[Vec<Option<String>>]) -> Vec<WaitCount> {
    let wait = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(event), Some(class), Some(samples)] => {
            let count = number(samples)?;
            let class = format!("ASH {class}");
            let time_ns = Some(count * 1_000_000_000);
            Some(WaitCount { event: event.clone(), class, count, time_ns, buckets_us: BTreeMap::new() })
        }
        _ => None,
    };
    rows.iter().filter_map(wait).collect()
}

/// What jobs of a point have done, as far as they have told, and what all of dbdyno's sessions have committed.
#[derive(Debug, Default)]
pub(super) struct Account {
    done: Mutex<(Named, u64)>,
    /// The instance whose counters are read.
    instance: Mutex<Option<u64>>,
}

/// The name of the statistic that counts commits.
pub(super) const COMMITS: &str = "user commits";

impl Account {
    /// Forgets the work of the last point.
    pub(super) fn begin(&self) {
        recover(&self.done).0 = Named::default();
    }

    /// Notes which instance's counters are read.
    pub(super) fn counted_in(&self, instance: u64) {
        *recover(&self.instance) = Some(instance);
    }

    /// The instance whose counters are read, once that is known.
    pub(super) fn instance(&self) -> Option<u64> {
        *recover(&self.instance)
    }

    /// Takes a session's work.
    pub(super) fn add(&self, done: &Named) {
        let mut all = recover(&self.done);
        all.0.add(done);
        all.1 += done.get(COMMITS).unwrap_or(0);
    }

    /// Takes what a session has committed apart from its test.
    pub(super) fn add_commits(&self, done: &Named) {
        recover(&self.done).1 += done.get(COMMITS).unwrap_or(0);
    }

    /// The work so far, and every commit of ours.
    pub(super) fn read(&self) -> (Named, u64) {
        recover(&self.done).clone()
    }
}

/// The instance when a point began.
#[derive(Debug, Clone)]
pub(super) struct Base {
    /// Its start.
    pub(super) started: String,
    cursors: Cursors,
    others: i64,
    at: Instant,
}

impl Base {
    /// What it was like at the first snapshot.
    pub(super) fn new(started: String, read: &Read, our_commits: &Answer<u64>) -> Self {
        let cursors = read.cursors.clone().unwrap_or_default();
        Self { started, cursors, others: others(read, our_commits).unwrap_or(0), at: Instant::now() }
    }
}

fn others(read: &Read, our_commits: &Answer<u64>) -> Answer<i64> {
    let all = read.system.as_ref().map_err(Clone::clone)?.told(COMMITS)?;
    Ok(all.cast_signed() - our_commits.clone()?.cast_signed())
}

/// Commits beyond housekeeping.
fn foreign(commits: i64, passed: Duration) -> u64 {
    let commits = u64::try_from(commits).unwrap_or(0);
    if commits as f64 > HOUSEKEEPING_PER_S * passed.as_secs_f64().max(1.0) { commits } else { 0 }
}

/// Every counter missing for one reason.
pub(super) fn nothing(why: &str) -> Counters {
    let missing = ALL.into_iter().map(|counter| (counter, why.to_owned())).collect();
    Counters { missing, ..Counters::default() }
}

const ALL: [Counter; 32] = [
    Counter::Executions,
    Counter::Commits,
    Counter::ForeignCommits,
    Counter::RowsChanged,
    Counter::RowsScanned,
    Counter::WorkersLaunched,
    Counter::LogicalReads,
    Counter::PhysicalReads,
    Counter::PhysicalWrites,
    Counter::BlocksDirtied,
    Counter::RedoBytes,
    Counter::RedoWrites,
    Counter::RedoWriteNs,
    Counter::RedoSyncs,
    Counter::RedoSyncNs,
    Counter::Checkpoints,
    Counter::FlashHits,
    Counter::CellFlashHits,
    Counter::ReadRequests,
    Counter::ReadBytes,
    Counter::MultiBlockReads,
    Counter::WriteRequests,
    Counter::WriteBytes,
    Counter::FileReads,
    Counter::FileReadNs,
    Counter::FileWrites,
    Counter::FileWriteNs,
    Counter::HostBusyNs,
    Counter::HostIdleNs,
    Counter::DbCpuNs,
    Counter::DbTimeNs,
    Counter::RedoPageImages,
];

/// The counters of an instance. `ours` is what the point's sessions have told, `our_commits` what all of dbdyno's have
/// committed.
pub(super) fn counters(
    read: &Read,
    ours: &Named,
    our_commits: &Answer<u64>,
    watched: &Watched,
    base: &Base,
) -> Counters {
    let mut told = Tellings::default();
    told.work(read, ours, watched, base);
    told.memory_and_redo(read, ours, watched);
    told.files(read);
    told.machine(read);
    let foreign = others(read, our_commits).map(|others| foreign(others - base.others, base.at.elapsed()));
    told.say(Counter::ForeignCommits, foreign);
    let mut counters = told.0;
    match &read.waits {
        Ok(waits) => counters.waits = waits.clone(),
        Err(why) => _ = counters.missing.entry(Counter::ForeignBusyNs).or_insert_with(|| why.clone()),
    }
    counters
}

/// Counters as they are put together.
#[derive(Default)]
struct Tellings(Counters);

impl Tellings {
    fn say(&mut self, counter: Counter, told: Answer<u64>) {
        match told {
            Ok(value) => _ = self.0.values.insert(counter, value),
            Err(why) => _ = self.0.missing.insert(counter, why),
        }
    }

    /// What the point's own statements did.
    fn work(&mut self, read: &Read, ours: &Named, watched: &Watched, base: &Base) {
        let done = match &read.cursors {
            Ok(cursors) if watched.marked => Ok(cursors.since(&base.cursors)),
            Ok(_) => Err("the test's work has no statement of its own".to_owned()),
            Err(why) => Err(why.clone()),
        };
        self.say(Counter::Executions, done.clone().map(|[executions, _]| executions));
        let changed =
            if watched.changes { done.map(|[_, rows]| rows) } else { Err("the test changes no rows".to_owned()) };
        self.say(Counter::RowsChanged, changed);
        // A session that has not yet told anything has committed nothing yet.
        let commits = if *ours == Named::default() { Ok(0) } else { ours.told(COMMITS) };
        self.say(Counter::Commits, commits);
        self.say(Counter::RowsScanned, rows_scanned(ours, watched));
        self.say(Counter::WorkersLaunched, workers(ours, watched));
    }

    fn memory_and_redo(&mut self, read: &Read, ours: &Named, watched: &Watched) {
        let of_instance = |name: &str| read.system.as_ref().map_err(Clone::clone).and_then(|all| all.told(name));
        let of_sessions = |name: &str| match (watched.threads > 1, *ours == Named::default()) {
            // Workers of a statement are sessions of their own.
            (true, _) => of_instance(name),
            (false, true) => Ok(0),
            (false, false) => ours.told(name),
        };
        self.say(Counter::LogicalReads, of_sessions("session logical reads"));
        self.say(Counter::PhysicalReads, of_sessions("physical reads"));
        self.say(Counter::RedoBytes, of_sessions("redo size"));
        self.say(Counter::RedoSyncs, of_sessions("redo synch writes"));
        let syncs_us = of_sessions("redo synch time (usec)").map(|us| us * US_NS);
        self.say(Counter::RedoSyncNs, syncs_us.or_else(|_| of_sessions("redo synch time").map(|cs| cs * CS_NS)));
        self.say(Counter::FlashHits, of_sessions("physical read flash cache hits"));
        self.say(Counter::CellFlashHits, of_sessions("cell flash cache read hits"));
        let of_background = |name: &str| background(read, name);
        self.say(Counter::RedoWrites, of_background("redo writes"));
        let writes_us = of_background("redo write time (usec)").map(|us| us * US_NS);
        self.say(Counter::RedoWriteNs, writes_us.or_else(|_| of_background("redo write time").map(|cs| cs * CS_NS)));
        let why = "Oracle logs changes, not pages (but for blocks of a tablespace that is being backed up)";
        self.say(Counter::RedoPageImages, Err(why.to_owned()));
        self.say(Counter::PhysicalWrites, of_background("physical writes"));
        self.say(Counter::Checkpoints, of_background("background checkpoints completed"));
        // Buffers were changed that have been written or still wait.
        let dirtied = of_background("physical writes").and_then(|written| Ok(written + read.dirty.clone()?));
        self.say(Counter::BlocksDirtied, dirtied);
    }

    fn files(&mut self, read: &Read) {
        let system = |name: &str| read.system.as_ref().map_err(Clone::clone).and_then(|all| all.told(name));
        self.say(Counter::ReadRequests, system("physical read total IO requests"));
        self.say(Counter::ReadBytes, system("physical read total bytes"));
        self.say(Counter::MultiBlockReads, system("physical read total multi block requests"));
        self.say(Counter::WriteRequests, system("physical write total IO requests"));
        self.say(Counter::WriteBytes, system("physical write total bytes"));
        let of_files = |value: fn(&Files) -> u64| read.files.as_ref().map(value).map_err(Clone::clone);
        self.say(Counter::FileReads, of_files(|files| files.reads));
        self.say(Counter::FileReadNs, of_files(|files| files.read_ns));
        self.say(Counter::FileWrites, of_files(|files| files.writes));
        self.say(Counter::FileWriteNs, of_files(|files| files.write_ns));
    }

    fn machine(&mut self, read: &Read) {
        let machine = |name: &str| {
            let view = read.machine.as_ref().map_err(Clone::clone);
            view.and_then(|all| all.told(name)).map(|cs| cs * CS_NS)
        };
        self.say(Counter::HostBusyNs, machine("BUSY_TIME"));
        self.say(Counter::HostIdleNs, machine("IDLE_TIME"));
        self.say(Counter::HostUserNs, machine("USER_TIME"));
        self.say(Counter::HostSystemNs, machine("SYS_TIME"));
        self.say(Counter::HostIowaitNs, machine("IOWAIT_TIME"));
        let times = |name: &str| read.times.as_ref().map_err(Clone::clone).and_then(|all| all.told(name));
        self.say(Counter::DbCpuNs, times("DB CPU").map(|us| us * US_NS));
        self.say(Counter::DbTimeNs, times("DB time").map(|us| us * US_NS));
    }
}

/// What background processes do for everybody. Where the server has made redo and never written any, it does not count them
/// here: 0 would then be no figure.
fn background(read: &Read, name: &str) -> Answer<u64> {
    let all = read.system.as_ref().map_err(Clone::clone)?;
    if all.get("redo writes") == Some(0) && all.get("redo size").is_some_and(|bytes| bytes > 0) {
        let why = "the server counts redo and no writes of it: a pluggable database does not see what the container's background \
                   processes do";
        return Err(why.to_owned());
    }
    all.told(name)
}

/// Rows that scans have visited.
fn rows_scanned(ours: &Named, watched: &Watched) -> Answer<u64> {
    if !watched.scans {
        return Err("the test scans no table whose rows the server counts".to_owned());
    }
    if watched.threads > 1 {
        return Err("parallel workers scan in sessions of their own, whose counts end with them".to_owned());
    }
    if ours.get("cell physical IO bytes eligible for predicate offload").is_some_and(|bytes| bytes > 0) {
        return Err("the storage cells scanned, and the server counts what they gave back".to_owned());
    }
    if *ours == Named::default() { Ok(0) } else { ours.told("table scan rows gotten") }
}

/// Parallel workers. The server says how many statements it has run in parallel, and how many with fewer workers than were
/// asked for: those count as if they had none, so that the point is seen to be wrong.
fn workers(ours: &Named, watched: &Watched) -> Answer<u64> {
    const DOWNGRADED: [&str; 5] = [
        "Parallel operations downgraded to serial",
        "Parallel operations downgraded 1 to 25 pct",
        "Parallel operations downgraded 25 to 50 pct",
        "Parallel operations downgraded 50 to 75 pct",
        "Parallel operations downgraded 75 to 99 pct",
    ];
    if *ours == Named::default() {
        return Ok(0);
    }
    let sum = |names: &[&str]| names.iter().map(|name| ours.told(name)).sum::<Answer<u64>>();
    let parallel = if watched.builds { "DDL statements parallelized" } else { "queries parallelized" };
    let whole = ours.told(parallel)?.saturating_sub(sum(&DOWNGRADED)?);
    // A statement of a session that is to work alone and has workers all the same has at least two.
    Ok(whole * u64::from(watched.threads.max(2)))
}
