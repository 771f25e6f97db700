//! What every call has in common, of a procedure or of a client: what it counts, how it writes, and when it stops.
//!
//! Each transaction that writes takes its turn in the writers' queue. Checkpoints follow commits as SQLite's own would
//! (passive, every 1,000 pages of log, by whoever commits), but where they can be timed and counted.

use super::Shared;
use super::connection::SqliteConnection;
use super::counters::take_page_counts;
use super::errors::Fault;
use super::options::Journal;
use super::totals::{PAGE_BYTES, Totals};
use super::writer::WriterPermit;
use crate::DIALECT;
use dbdyno_engine::data::{Generator, Keys};
use dbdyno_engine::server::Job;
use dbdyno_engine::{ChunkResult, EngineError, Failure};
use dbdyno_model::{ErrorClass, TableName, TableShape};
use rusqlite::{CachedStatement, Statement, StatementStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Pages of log after which SQLite checkpoints by default.
const CHECKPOINT_PAGES: u64 = 1_000;

/// A job's work, understood.
pub(super) struct ProcedureWork {
    /// What to do.
    pub(super) job: Job,
    /// The statement under test.
    pub(super) sql: String,
    /// Knows what the rows copied by insert tests hold.
    pub(super) small: Generator,
}

/// One call of a procedure.
pub(super) struct Chunk<'a, W = &'a ProcedureWork> {
    pub(super) connection: &'a SqliteConnection,
    pub(super) work: W,
    pub(super) shared: &'a Shared,
    pub(super) stop: &'a AtomicBool,
    pub(super) own: &'a mut Totals,
    /// What has succeeded so far: it stands whatever becomes of the rest.
    pub(super) done: ChunkResult,
}

/// BEGIN and COMMIT of transactions that write, prepared.
pub(super) struct Brackets<'a> {
    begin: CachedStatement<'a>,
    commit: CachedStatement<'a>,
}

impl<'a> Chunk<'a> {
    /// Runs a loop over the statement under test, and counts its runs whatever comes of them.
    pub(super) fn tested(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Statement<'a>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut statement = self.connection.raw.prepare_cached(&self.work.sql)?;
        // A client may have executed the same statement, and has not asked for its steps.
        taken(&statement, StatementStatus::FullscanStep);
        let done = work(self, &mut statement);
        self.own.executions += taken(&statement, StatementStatus::Run);
        done
    }

    /// The job's key stream after this many draws.
    pub(super) fn keys(&self, draws: u64) -> Keys {
        Keys::at(self.work.job.spec.key_seed, self.work.job.number, draws)
    }

    /// The shape of the test's table.
    pub(super) fn shape(&self) -> TableShape {
        self.work.job.spec.test.table.map_or(TableShape::Small, TableName::shape)
    }

    /// Rows of the test's table.
    pub(super) fn table_rows(&self) -> u64 {
        self.work.job.spec.size.rows(self.shape())
    }
}

impl<'a, W> Chunk<'a, W> {
    /// A statement that is always the same.
    pub(super) fn fixed(&self, name: &str) -> Result<CachedStatement<'a>, Fault> {
        Ok(self.connection.raw.prepare_cached(&DIALECT.get(&format!("procedures/{name}"))?.text)?)
    }

    /// What goes around what is written.
    pub(super) fn brackets(&self) -> Result<Brackets<'a>, Fault> {
        let brackets = Brackets { begin: self.fixed("begin_write")?, commit: self.fixed("commit")? };
        // Another work's, of the same text.
        taken(&brackets.commit, StatementStatus::Run);
        Ok(brackets)
    }

    /// Pages that this connection has asked of its cache since this was last called: what a scan went through.
    pub(super) fn pages_so_far(&mut self) -> u64 {
        let pages = take_page_counts(&self.connection.raw);
        self.own.add_pages(pages);
        pages.hits + pages.misses
    }

    /// Counts what has just succeeded.
    pub(super) fn add(&mut self, more: ChunkResult) {
        self.done.ops += more.ops;
        self.done.rows += more.rows;
        self.done.bytes += more.bytes;
        self.done.checksum = self.done.checksum.wrapping_add(more.checksum);
    }

    /// Rolls back what an error left open. SQLite may have done so itself.
    pub(super) fn undo_if_open(&self) {
        if !self.connection.raw.is_autocommit() {
            drop(self.connection.run("rolling back", "ROLLBACK"));
        }
    }

    /// Whether to go on.
    pub(super) fn go_on(&self) -> Result<(), Fault> {
        if self.stop.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) }
    }

    /// What has come of it.
    pub(super) fn ended(&mut self, doing: &str, outcome: Result<(), Fault>) -> Result<ChunkResult, Failure> {
        let done = std::mem::take(&mut self.done);
        outcome.map(|()| done).map_err(|fault| {
            let error = self.connection.says(doing, fault);
            obeyed(self.stop, &error);
            Failure { done, error }
        })
    }

    /// Opens a transaction that writes, when its turn has come.
    pub(super) fn open(&mut self, brackets: &mut Brackets<'_>) -> Result<WriterPermit, Fault> {
        let permit = self.shared.writer.wait(self.stop)?;
        if let Some(waited) = permit.waited {
            self.own.queued.add(waited);
        }
        brackets.begin.raw_execute()?;
        Ok(permit)
    }

    /// Commits a transaction in which this was done, and which gives back its permit; rolls it back where something
    /// failed.
    pub(super) fn close(
        &mut self,
        brackets: &mut Brackets<'_>,
        permit: WriterPermit,
        done: Result<ChunkResult, Fault>,
    ) -> Result<(), Fault> {
        let done = done.and_then(|done| {
            let started = Instant::now();
            brackets.commit.raw_execute()?;
            self.own.write_commits.add(started.elapsed());
            Ok(done)
        });
        let commits = taken(&brackets.commit, StatementStatus::Run);
        if done.is_err() {
            self.undo_if_open();
        }
        drop(permit);
        self.count_log();
        self.add(done?);
        self.own.commits += commits;
        self.checkpoint_if_due()
    }

    /// Rolls back a transaction, which gives back its permit.
    pub(super) fn undo(&mut self, permit: WriterPermit) {
        self.undo_if_open();
        drop(permit);
        self.count_log();
    }

    /// Counts the pages that went to the log.
    pub(super) fn count_log(&mut self) {
        let pages = take_page_counts(&self.connection.raw);
        self.own.add_pages(pages);
        if self.shared.options.journal == Journal::Wal {
            self.shared.pending_pages.fetch_add(pages.writes, Ordering::Relaxed);
        }
    }

    pub(super) fn checkpoint_if_due(&mut self) -> Result<(), Fault> {
        let shared = self.shared;
        if shared.pending_pages.load(Ordering::Relaxed) < CHECKPOINT_PAGES {
            return Ok(());
        }
        // One at a time: SQLite would turn a second away, and what the first has moved must not be subtracted twice.
        let Ok(_turn) = shared.checkpointing.try_lock() else { return Ok(()) };
        let seen = shared.pending_pages.load(Ordering::Relaxed);
        if seen < CHECKPOINT_PAGES {
            return Ok(());
        }
        let before = bytes_written_by_this_thread();
        let started = Instant::now();
        let sql = &DIALECT.get("statistics/checkpoint_passive")?.text;
        let mut checkpoint = self.connection.raw.prepare_cached(sql)?;
        let (_, logged, moved) = checkpoint.query_row([], |row| <(i64, i64, i64)>::try_from(row))?;
        let Some(gone) = no_longer_pending(seen, logged, moved) else { return Ok(()) };
        self.own.checkpoints.add(started.elapsed());
        // Subtracted, so that what other jobs have added meanwhile stays.
        shared.pending_pages.fetch_sub(gone, Ordering::Relaxed);
        match (before, bytes_written_by_this_thread()) {
            (Some(before), Some(after)) => self.own.checkpointed_pages += (after - before) / PAGE_BYTES,
            _ => self.own.checkpoints_unseen = true,
        }
        Ok(())
    }
}

/// Gives a statement its first values, which are whole numbers.
pub(super) fn bind(statement: &mut Statement<'_>, numbers: &[u64]) -> Result<(), Fault> {
    for (at, number) in (1..).zip(numbers) {
        statement.raw_bind_parameter(at, number.cast_signed())?;
    }
    Ok(())
}

/// Takes a statement's counter and starts it again from zero.
pub(super) fn taken(statement: &Statement<'_>, status: StatementStatus) -> u64 {
    u64::try_from(statement.reset_status(status)).unwrap_or(0)
}

/// The error of a session that was told to work before it was told on what.
pub(super) fn unprepared() -> EngineError {
    EngineError::other("a session was asked to work before it was prepared")
}

/// Told to stop and stopped: what is asked for next is another matter.
pub(super) fn obeyed(stop: &AtomicBool, error: &EngineError) {
    if error.class == ErrorClass::Cancelled {
        stop.store(false, Ordering::Relaxed);
    }
}

/// The error of a session that was told to stop.
pub(super) fn stopped() -> Fault {
    Fault::Engine(EngineError::new(ErrorClass::Cancelled, "stopped between two operations"))
}

/// How many of the `seen` pending pages a checkpoint has moved that answers with pages in the log and pages moved: all
/// but those that a reader keeps. None where it says -1, because another process was at it: nothing was moved.
fn no_longer_pending(seen: u64, logged: i64, moved: i64) -> Option<u64> {
    let left = u64::try_from(logged).ok()?.saturating_sub(u64::try_from(moved).ok()?);
    Some(seen.saturating_sub(left))
}

/// What the kernel says this thread has written, to files of any kind. A checkpoint writes nothing but pages of the
/// data file, and SQLite itself does not say how many.
fn bytes_written_by_this_thread() -> Option<u64> {
    let io = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_that_another_process_prevents_moves_nothing() {
        assert_eq!(no_longer_pending(1_200, -1, -1), None);
        assert_eq!(no_longer_pending(1_200, 1_200, 1_200), Some(1_200));
        assert_eq!(no_longer_pending(1_200, 1_200, 1_000), Some(1_000), "a reader keeps 200");
        assert_eq!(no_longer_pending(1_200, 9_000, 0), Some(0), "never more than there were, never fewer than none");
    }
}
