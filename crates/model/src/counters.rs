//! Cumulative counts of an engine. They are read at the barrier and after the last chunk. A point reports the
//! difference, divided by the time between the two readings. A monitor reads the counts of the whole server at any
//! time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One statistic, with the same meaning on every engine. An engine reports those it has and says why it lacks the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// Executions of the statements under test, counted by the engine.
    Executions,
    /// Committed transactions. For a whole server, as the server counts them: MariaDB leaves out transactions that only
    /// read where it logs changes, and counts dbdyno's own questions where it does not.
    Commits,
    /// Transactions rolled back; on MariaDB those whose sessions asked for it.
    Rollbacks,
    /// Commits by sessions that are not dbdyno's.
    ForeignCommits,
    /// Nanoseconds in which other sessions were at work, as sampled; two sessions at once count twice.
    ForeignBusyNs,
    /// Rows inserted, updated or deleted.
    RowsChanged,
    /// Rows visited by full scans.
    RowsScanned,
    /// Parallel workers launched.
    WorkersLaunched,
    /// Blocks that the engine looked up in its own cache.
    LogicalReads,
    /// Blocks that the engine read from below its cache.
    PhysicalReads,
    /// Blocks that came from the caches of other nodes of a cluster.
    RemoteBlocks,
    /// Blocks of dbdyno's own tables and indexes that were looked up in the cache, where the engine counts by table.
    TableLogicalReads,
    /// Those of them that the engine read from below its cache.
    TablePhysicalReads,
    /// Blocks that the engine wrote to data files.
    PhysicalWrites,
    /// Blocks made dirty.
    BlocksDirtied,
    /// Bytes of redo (WAL) written.
    RedoBytes,
    /// Writes to the redo log.
    RedoWrites,
    /// Nanoseconds spent in these writes.
    RedoWriteNs,
    /// Waits until redo was on the device.
    RedoSyncs,
    /// Nanoseconds spent in these waits.
    RedoSyncNs,
    /// Upper bound for syncs of the log: where an engine does not tell them from syncs of data files, both are counted.
    LogSyncs,
    /// Upper bound for the syncs of data files that may be among them.
    DataSyncs,
    /// Whole pages in the redo, logged because the pages changed for the first time since a checkpoint.
    RedoPageImages,
    /// Checkpoints finished.
    Checkpoints,
    /// Reads served by the database's own flash cache, where an engine has one.
    FlashHits,
    /// Reads served by the storage cells' flash, where there are cells.
    CellFlashHits,
    /// Writes that the storage cells kept in their flash.
    CellFlashWrites,
    /// Bytes of files that the storage cells made by themselves, without being sent them.
    CellMadeBytes,
    /// Read requests of any length that the engine made for everybody.
    ReadRequests,
    /// Bytes of these requests.
    ReadBytes,
    /// Read requests of several blocks.
    MultiBlockReads,
    /// Write requests.
    WriteRequests,
    /// Bytes of these requests.
    WriteBytes,
    /// Reads of data files that the engine timed.
    FileReads,
    /// Nanoseconds spent in these reads.
    FileReadNs,
    /// Writes of data files that the engine timed.
    FileWrites,
    /// Nanoseconds spent in these writes.
    FileWriteNs,
    /// Busy nanoseconds of all processors of the server's machine, as the engine reports them.
    HostBusyNs,
    /// Idle nanoseconds of these processors.
    HostIdleNs,
    /// Busy nanoseconds in user code.
    HostUserNs,
    /// Busy nanoseconds in the kernel.
    HostSystemNs,
    /// Idle nanoseconds in which I/O was outstanding.
    HostIowaitNs,
    /// Processor nanoseconds that sessions used in calls.
    DbCpuNs,
    /// Elapsed nanoseconds of sessions in calls, waits included.
    DbTimeNs,
}

/// One wait event, cumulative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitCount {
    /// The event's name in the engine's own words.
    pub event: String,
    /// Its class.
    pub class: String,
    /// How often it was waited for.
    pub count: u64,
    /// For how long, in nanoseconds, where the engine times it.
    pub time_ns: Option<u64>,
    /// Whether the count comes from sampling sessions, not from counting.
    pub sampled: bool,
    /// Whether processes of the server's own waited, and no session.
    #[serde(default)]
    pub background: bool,
    /// The engine's histogram of wait times, where it keeps one: upper bound of a bucket in microseconds -> waits. It
    /// is of all waits of the event, whoever waited.
    pub buckets_us: BTreeMap<u64, u64>,
}

/// A histogram of all waits of an event is told of those who have at least this share of them.
const MOST_OF_AN_EVENT: f64 = 0.99;

impl WaitCount {
    /// Whether both are of the same event and the same kind of process.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.is_of_event(other) && self.background == other.background
    }

    fn is_of_event(&self, other: &Self) -> bool {
        self.event == other.event && self.class == other.class
    }

    /// The difference of two histograms; empty where a bucket ran backwards.
    fn buckets_since(&self, earlier: Option<&Self>) -> BTreeMap<u64, u64> {
        let before = |us: &u64| earlier.and_then(|wait| wait.buckets_us.get(us)).copied().unwrap_or(0);
        let delta = |(us, now): (&u64, &u64)| Some((*us, now.checked_sub(before(us))?));
        let all: Option<BTreeMap<u64, u64>> = self.buckets_us.iter().map(delta).collect();
        all.unwrap_or_default().into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// The counts at one moment, or the difference of two readings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The counts that the engine has.
    pub values: BTreeMap<Counter, u64>,
    /// Why the others are absent.
    pub missing: BTreeMap<Counter, String>,
    /// Wait events.
    pub waits: Vec<WaitCount>,
}

impl Counters {
    /// One count, if the engine has it.
    #[must_use]
    pub fn get(&self, counter: Counter) -> Option<u64> {
        self.values.get(&counter).copied()
    }

    /// Notes a count, or why it is absent.
    pub fn note(&mut self, counter: Counter, told: Result<u64, String>) {
        match told {
            Ok(count) => {
                self.missing.remove(&counter);
                self.values.insert(counter, count);
            }
            Err(why) => _ = self.missing.insert(counter, why),
        }
    }

    /// What was counted since `earlier`. A counter that ran backwards (a server restart, a reset) or was not in
    /// `earlier` is absent, with the reason.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = Self { missing: self.missing.clone(), ..Self::default() };
        for (counter, now) in &self.values {
            let absent = || "it was not counted when the point began".to_owned();
            let delta = match earlier.values.get(counter) {
                Some(before) => {
                    now.checked_sub(*before).ok_or_else(|| "the counter was reset during the point".to_owned())
                }
                None => Err(earlier.missing.get(counter).cloned().unwrap_or_else(absent)),
            };
            difference.note(*counter, delta);
        }
        for wait in &self.waits {
            let before = earlier.waits.iter().find(|earlier| earlier.is_like(wait));
            let count = wait.count.checked_sub(before.map_or(0, |w| w.count));
            let time_ns = match (wait.time_ns, before.and_then(|w| w.time_ns)) {
                (Some(now), before) => now.checked_sub(before.unwrap_or(0)),
                (None, _) => None,
            };
            if let Some(count) = count.filter(|n| *n > 0) {
                let buckets_us = wait.buckets_since(before);
                difference.waits.push(WaitCount { count, time_ns, buckets_us, ..wait.clone() });
            }
        }
        let all = difference.waits.clone();
        for wait in &mut difference.waits {
            let of_event: u64 = all.iter().filter(|other| other.is_of_event(wait)).map(|other| other.count).sum();
            if (wait.count as f64) < MOST_OF_AN_EVENT * of_event as f64 {
                wait.buckets_us.clear();
            }
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(Counter, u64)]) -> Counters {
        Counters { values: pairs.iter().copied().collect(), ..Counters::default() }
    }

    #[test]
    fn a_counter_that_ran_backwards_is_missing_not_wrong() {
        let before = counts(&[(Counter::Commits, 10), (Counter::RedoBytes, 500)]);
        let after_counts = counts(&[(Counter::Commits, 15), (Counter::RedoBytes, 3)]);
        let delta = after_counts.since(&before);
        assert_eq!(delta.get(Counter::Commits), Some(5));
        assert_eq!(delta.get(Counter::RedoBytes), None);
        assert!(delta.missing[&Counter::RedoBytes].contains("reset"));
        let wait = |count, buckets: &[(u64, u64)]| WaitCount {
            event: "log file sync".to_owned(),
            class: "Commit".to_owned(),
            count,
            buckets_us: buckets.iter().copied().collect(),
            ..WaitCount::default()
        };
        let waits = |waits| Counters { waits, ..Counters::default() };
        let before = waits(vec![wait(7, &[(512, 4), (1_024, 3)])]);
        let after = waits(vec![wait(10, &[(512, 4), (1_024, 5), (2_048, 1)])]);
        assert_eq!(after.since(&before).waits, vec![wait(3, &[(1_024, 2), (2_048, 1)])]);
        // The histogram is of both; most of these waits were of processes of the server's own.
        let both = |sessions, own| {
            let own = WaitCount { background: true, ..wait(own, &[(512, sessions + own)]) };
            waits(vec![wait(sessions, &own.buckets_us.clone().into_iter().collect::<Vec<_>>()), own])
        };
        let of = |counters: Counters| -> Vec<(u64, bool, bool)> {
            counters.waits.iter().map(|w| (w.count, w.background, w.buckets_us.is_empty())).collect()
        };
        assert_eq!(of(both(2, 500).since(&both(1, 100))), [(1, false, true), (400, true, false)]);
        assert_eq!(of(both(50, 150).since(&both(0, 100))), [(50, false, true), (50, true, true)]);
        let reset = waits(vec![wait(10, &[(512, 1)])]);
        assert_eq!(reset.since(&before).waits, vec![wait(3, &[])]);
        let delta = after_counts.since(&counts(&[(Counter::Commits, 10)]));
        assert_eq!(delta.get(Counter::RedoBytes), None);
        assert!(delta.missing[&Counter::RedoBytes].contains("when the point began"));
    }
}
