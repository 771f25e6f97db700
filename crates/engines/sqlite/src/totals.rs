//! Statistics: what sessions have counted, added up, in the words of every engine.

use super::counters::PageCounts;
use super::options::{Journal, Options, Synchronous};
use crate::DIALECT;
use dbdyno_model::{Counters, WaitCount};
use std::time::Duration;

/// Bytes of a page.
pub(super) const PAGE_BYTES: u64 = 4_096;
/// Something that takes time: how often, how long.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timed {
    count: u64,
    time_ns: u64,
}

impl Timed {
    /// Counts one of this length.
    pub(super) fn add(&mut self, time: Duration) {
        self.count += 1;
        self.time_ns += u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
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
            ..WaitCount::default()
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

    /// Forgets what an earlier point could not count: this one may. Answers what [`Totals::own_commits`] does.
    pub(super) fn begin_point(&mut self) -> u64 {
        self.scans_uncounted = false;
        self.own_commits()
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
    pub(super) fn counters(&self, pending_pages: u64, options: &Options) -> Counters {
        let wal = options.journal == Journal::Wal;
        let of_log = |value: u64| match options.synchronous {
            _ if !wal => Err("with a rollback journal there is no redo log".to_owned()),
            Synchronous::Full => Ok(value),
            lax => Err(format!("with synchronous={} commits do not wait for the log", lax.name())),
        };
        let in_log = |value: u64| if wal { Ok(value) } else { of_log(value) };
        let told = |_: &str, name: &str| match name {
            "executions" => Ok(self.executions),
            "commits" => Ok(self.commits + self.file_commits),
            "rows_changed" => Ok(self.rows_changed),
            "rows_scanned" if self.scans_uncounted => {
                Err("SQLite counts the rows of plain scans and sorts only".to_owned())
            }
            "rows_scanned" => Ok(self.rows_scanned),
            "hits" => Ok(self.pages.hits),
            "misses" => Ok(self.pages.misses),
            "file_blocks" => Ok(self.file_blocks),
            "written_pages" if !wal => Ok(self.pages.writes),
            "written_pages" if self.checkpoints_unseen => {
                Err("the kernel does not show what a thread writes".to_owned())
            }
            "written_pages" => Ok(self.checkpointed_pages),
            "pending_pages" => Ok(if wal { pending_pages } else { 0 }),
            "logged_pages" => in_log(self.pages.writes),
            "checkpoints" => in_log(self.checkpoints.count),
            "log_syncs" => of_log(self.write_commits.count),
            "log_sync_ns" => of_log(self.write_commits.time_ns),
            other => Err(format!("nobody counts {other}")),
        };
        let waits = [
            self.write_commits.wait("commit", "commit"),
            self.checkpoints.wait("checkpoint", "checkpoint"),
            self.queued.wait("writers' queue", "concurrency"),
        ];
        Counters { waits: waits.into_iter().flatten().collect(), ..DIALECT.statistics.read(0, &told) }
    }
}
