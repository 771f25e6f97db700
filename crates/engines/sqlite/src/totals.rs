//! Statistics: what sessions have counted, added up, in the words of every engine.

use super::counters::PageCounts;
use super::options::{Journal, Synchronous};
use dbdyno_model::{Counter, Counters, WaitCount};
use std::collections::BTreeMap;

/// Bytes of a page.
pub(super) const PAGE_BYTES: u64 = 4_096;
/// Bytes that a page takes in the write-ahead log, its frame header included.
const FRAME_BYTES: u64 = PAGE_BYTES + 24;

/// Something that takes time: how often, how long.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timed {
    count: u64,
    time_ns: u64,
}

impl Timed {
    /// Counts one of this length.
    pub(super) fn add(&mut self, time_ns: u64) {
        self.count += 1;
        self.time_ns += time_ns;
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.time_ns += other.time_ns;
    }

    fn wait(self, event: &str, class: &str) -> Option<WaitCount> {
        let (event, class) = (event.to_owned(), class.to_owned());
        (self.count > 0).then_some(WaitCount {
            event,
            class,
            count: self.count,
            time_ns: Some(self.time_ns),
            sampled: false,
            buckets_us: BTreeMap::new(),
        })
    }
}

/// What was counted, by one session or by all.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// Runs of the statements under test, as SQLite counts them.
    pub(super) executions: u64,
    /// Runs of COMMIT.
    pub(super) commits: u64,
    /// SQLite's change counter.
    pub(super) rows_changed: u64,
    /// Steps of full scans.
    pub(super) rows_scanned: u64,
    /// Whether statements scanned of which SQLite does not say how many rows they visited.
    pub(super) scans_uncounted: bool,
    /// Commits of files that T211 writes.
    pub(super) file_commits: u64,
    /// Blocks written to them.
    pub(super) file_blocks: u64,
    /// Pages asked of the cache, and of what is below.
    pub(super) pages: PageCounts,
    /// Pages that checkpoints wrote to the data file.
    pub(super) checkpointed_pages: u64,
    /// Whether a checkpoint's writes could not be seen.
    pub(super) checkpoints_unseen: bool,
    /// Commits of transactions that wrote.
    pub(super) write_commits: Timed,
    /// Checkpoints.
    pub(super) checkpoints: Timed,
    /// Waits in the writers' queue.
    pub(super) queued: Timed,
}

impl Totals {
    /// Adds another's counts.
    pub(super) fn merge(&mut self, other: &Self) {
        self.executions += other.executions;
        self.commits += other.commits;
        self.rows_changed += other.rows_changed;
        self.rows_scanned += other.rows_scanned;
        self.scans_uncounted |= other.scans_uncounted;
        self.file_commits += other.file_commits;
        self.file_blocks += other.file_blocks;
        self.add_pages(other.pages);
        self.checkpointed_pages += other.checkpointed_pages;
        self.checkpoints_unseen |= other.checkpoints_unseen;
        self.write_commits.merge(other.write_commits);
        self.checkpoints.merge(other.checkpoints);
        self.queued.merge(other.queued);
    }

    /// Forgets what an earlier point could not count: this one may.
    pub(super) fn begin_point(&mut self) {
        self.scans_uncounted = false;
    }

    /// Commits that changed the database file.
    pub(super) fn own_commits(&self) -> u64 {
        self.write_commits.count
    }

    /// Adds counts of a page cache.
    pub(super) fn add_pages(&mut self, pages: PageCounts) {
        self.pages.hits += pages.hits;
        self.pages.misses += pages.misses;
        self.pages.writes += pages.writes;
    }

    /// Adds counts of the page cache of a file of T211's, whose pages are this many blocks long.
    pub(super) fn add_file_pages(&mut self, pages: PageCounts, blocks: u64) {
        self.pages.hits += pages.hits * blocks;
        self.pages.misses += pages.misses * blocks;
        self.file_blocks += pages.writes * blocks;
    }

    /// The counts in the words of every engine, with the reason for each that SQLite lacks.
    /// A page is dirty when a checkpoint has moved it, or has yet to: in the log it may stand many times.
    pub(super) fn counters(&self, pending_pages: u64, journal: Journal, synchronous: Synchronous) -> Counters {
        let mut values = BTreeMap::from([
            (Counter::Executions, self.executions),
            (Counter::Commits, self.commits + self.file_commits),
            (Counter::RowsChanged, self.rows_changed),
            (Counter::LogicalReads, self.pages.hits + self.pages.misses),
            (Counter::PhysicalReads, self.pages.misses),
        ]);
        let mut missing: BTreeMap<Counter, String> = BTreeMap::new();
        let mut lacks = |counter, why: &str| _ = missing.insert(counter, why.to_owned());
        if self.scans_uncounted {
            lacks(Counter::RowsScanned, "SQLite counts the rows of plain scans and sorts only");
        } else {
            values.insert(Counter::RowsScanned, self.rows_scanned);
        }
        match journal {
            Journal::Wal => {
                values.insert(Counter::RedoBytes, self.pages.writes * FRAME_BYTES);
                values.insert(Counter::Checkpoints, self.checkpoints.count);
                if self.checkpoints_unseen {
                    lacks(Counter::PhysicalWrites, "the kernel does not show what a thread writes");
                    lacks(Counter::BlocksDirtied, "the kernel does not show what a thread writes");
                } else {
                    values.insert(Counter::PhysicalWrites, self.checkpointed_pages + self.file_blocks);
                    let dirtied = self.checkpointed_pages + pending_pages + self.file_blocks;
                    values.insert(Counter::BlocksDirtied, dirtied);
                }
                if synchronous == Synchronous::Full {
                    values.insert(Counter::RedoSyncs, self.write_commits.count);
                    values.insert(Counter::RedoSyncNs, self.write_commits.time_ns);
                } else {
                    let why = format!("with synchronous={} commits do not wait for the log", synchronous.name());
                    lacks(Counter::RedoSyncs, &why);
                    lacks(Counter::RedoSyncNs, &why);
                }
            }
            Journal::Delete => {
                let written = self.pages.writes + self.file_blocks;
                values.insert(Counter::PhysicalWrites, written);
                values.insert(Counter::BlocksDirtied, written);
                for counter in [Counter::RedoBytes, Counter::RedoSyncs, Counter::RedoSyncNs, Counter::Checkpoints] {
                    lacks(counter, "with a rollback journal there is no redo log");
                }
            }
        }
        for counter in [Counter::RedoWrites, Counter::RedoWriteNs] {
            lacks(counter, "SQLite appends to its log page by page through the operating system and counts no writes");
        }
        lacks(
            Counter::FileWriteNs,
            "SQLite writes pages through the operating system and times checkpoints as a whole only",
        );
        lacks(Counter::Rollbacks, "SQLite counts no transactions that are rolled back");
        lacks(Counter::RedoPageImages, "SQLite's log holds whole pages only");
        lacks(Counter::WorkersLaunched, "SQLite does not count the helper threads of its sorter");
        for counter in [Counter::FlashHits, Counter::CellFlashHits] {
            lacks(counter, "SQLite has no flash cache");
        }
        let waits = [
            self.write_commits.wait("commit", "commit"),
            self.checkpoints.wait("checkpoint", "checkpoint"),
            self.queued.wait("writers' queue", "concurrency"),
        ];
        Counters { values, missing, waits: waits.into_iter().flatten().collect() }
    }
}
