//! What an instance, its sessions and the cursors under test said, put together as counters.

use super::{Answer, Base, COMMITS, CS_NS, Files, Named, Read, US_NS, Watched};
use dbdyno_model::{Counter, Counters};

/// Every counter missing for one reason.
pub(in super::super) fn nothing(why: &str) -> Counters {
    let missing = ALL.into_iter().map(|counter| (counter, why.to_owned())).collect();
    Counters { missing, ..Counters::default() }
}

pub(super) const ALL: [Counter; 35] = [
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
    Counter::HostUserNs,
    Counter::HostSystemNs,
    Counter::HostIowaitNs,
    Counter::DbCpuNs,
    Counter::DbTimeNs,
    Counter::RedoPageImages,
];

/// The counters of an instance for a point. `ours` is what the point's sessions have told.
pub(in super::super) fn counters(read: &Read, ours: &Named, watched: &Watched, base: &Base) -> Counters {
    let mut told = Tellings::default();
    told.work(read, ours, watched, base);
    // Workers of a statement are sessions of their own.
    told.memory_and_redo(read, (watched.threads <= 1).then_some(ours));
    told.whole(read)
}

/// What an instance counts for everybody.
pub(in super::super) fn of_instance(read: &Read) -> Counters {
    let mut told = Tellings::default();
    let system = |name: &str| read.system.as_ref().map_err(Clone::clone).and_then(|all| all.told(name));
    told.say(Counter::Commits, system(COMMITS));
    told.say(Counter::Rollbacks, system("user rollbacks"));
    told.say(Counter::RowsChanged, Err("an instance does not count the rows that it changes".to_owned()));
    told.memory_and_redo(read, None);
    told.whole(read)
}

/// Counters as they are put together.
#[derive(Default)]
struct Tellings(Counters);

impl Tellings {
    /// All of them, with what is the instance's anyway.
    fn whole(mut self, read: &Read) -> Counters {
        self.files(read);
        self.machine(read);
        let mut counters = self.0;
        match &read.waits {
            Ok(waits) => counters.waits = waits.clone(),
            Err(why) => _ = counters.missing.entry(Counter::ForeignBusyNs).or_insert_with(|| why.clone()),
        }
        counters
    }

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

    /// What sessions do, of a point's alone where `ours` is what they have told; and what background processes do.
    fn memory_and_redo(&mut self, read: &Read, ours: Option<&Named>) {
        let of_instance = |name: &str| read.system.as_ref().map_err(Clone::clone).and_then(|all| all.told(name));
        let of_sessions = |name: &str| match ours {
            None => of_instance(name),
            Some(ours) if *ours == Named::default() => Ok(0),
            Some(ours) => ours.told(name),
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

/// What background processes do for everybody. Where the server has made redo and never written any, it does not count
/// them here: 0 would then be no figure.
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

/// Parallel workers. The server says how many statements it has run in parallel, and how many with fewer workers than
/// were asked for: those count as if they had none, so that the point is seen to be wrong.
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
