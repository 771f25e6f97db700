//! What follows a failed transaction. An error that every further transaction would meet (a lost target, a missing
//! privilege or object) ends the point. So does a stall, in which no transaction of any job succeeds any more.

use super::{Activity, AfterRollback, ClientDrive, STALL_FAILURES};
use crate::LostWork;
use dbdyno_engine::EngineError;
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_model::ErrorClass;

/// How often a transaction is sent again at most.
const MOST_RETRIES: u32 = 10;
/// A stall lasts at least this long before it ends the point.
const STALL_NS: u64 = 1_000_000_000;

impl<P: Program> ClientDrive<'_, P> {
    /// Handles a statement, commit or rollback that failed.
    #[cold]
    pub(super) fn fail(&mut self, error: EngineError, ended_ns: u64) -> Option<Act> {
        self.warm(ended_ns);
        self.learn_edges();
        let class = self.context.class(&error);
        let unknown = self.may_be_done(class, error.undone);
        let in_rollback = matches!(self.activity, Activity::Rollback(_));
        // Whoever is not let in does no work: fewer users than were asked for would be measured.
        let shut_out = self.activity == Activity::LogOn && class != ErrorClass::Timeout;
        self.lose();
        if in_rollback || shut_out || ends_the_point(class) {
            // A transaction whose rollback failed was already counted when it failed.
            if self.activity != Activity::Rollback(AfterRollback::Leave) {
                self.count(class, unknown, ended_ns);
            }
            self.counts.error = Some(error);
            self.context.window.abort();
            return None;
        }
        if class == ErrorClass::Conflict && self.attempt < MOST_RETRIES {
            self.attempt += 1;
            self.counts.outcomes.retries += 1;
            self.count_type(|of| of.outcomes.retries += 1);
            if let Some(at_ns) = self.inside(ended_ns) {
                self.recorder.retry(self.of_type, at_ns);
            }
            if self.open {
                self.activity = Activity::Rollback(AfterRollback::Again);
                return Some(Act::Rollback);
            }
            return self.again(ended_ns);
        }
        self.count(class, unknown, ended_ns);
        self.counts.first_failure.get_or_insert(error);
        self.note_failure(ended_ns);
        if self.open {
            self.activity = Activity::Rollback(AfterRollback::Leave);
            return Some(Act::Rollback);
        }
        self.leave(ended_ns);
        None
    }

    /// Counts a transaction that failed for good. Whether the database has committed it may be unknown.
    fn count(&mut self, class: ErrorClass, unknown: bool, ended_ns: u64) {
        self.user.program.ended(if unknown { Outcome::Unknown } else { Outcome::RolledBack });
        self.counts.outcomes.fail(class);
        self.count_type(|of| {
            of.outcomes.fail(class);
            of.unknown += u64::from(unknown);
        });
        self.account(ended_ns);
        if let Some(at_ns) = self.inside(ended_ns) {
            self.recorder.error(self.of_type, at_ns);
        }
    }

    /// Notes what the database may have counted of a failed attempt.
    fn lose(&mut self) {
        let (failed, rows) = match self.activity {
            Activity::Statement { times, .. } => (times, self.context.rows_per_statement),
            _ => (0, 0),
        };
        let before = if self.executed > 0 { self.user.program.did().rows } else { 0 };
        let commits = self.commits();
        self.counts.lost.merge(LostWork {
            statements: self.executed + failed,
            rows: before + rows,
            commits: u64::from(commits),
        });
        self.executed = 0;
    }

    /// Whether the request that failed would have committed: a single statement that changes something is its own
    /// commit.
    fn commits(&self) -> bool {
        match self.activity {
            Activity::Commit => true,
            Activity::LogOn | Activity::LogOff => false,
            _ => !self.open && self.user.program.changes(),
        }
    }

    /// Whether the database may have committed what failed. Its own answer that a statement was not done is believed;
    /// one to a commit is not, because a limit may run out after the commit is in the log.
    fn may_be_done(&self, class: ErrorClass, undone: bool) -> bool {
        let no_answer = matches!(class, ErrorClass::ConnectionLost | ErrorClass::Timeout | ErrorClass::Cancelled);
        no_answer && self.commits() && (self.activity == Activity::Commit || !undone)
    }

    /// Notes one more failure in a row. The point ends when all sessions are stalled.
    fn note_failure(&mut self, ended_ns: u64) {
        self.failures_in_row += 1;
        let long = ended_ns >= self.last_good_ns + STALL_NS;
        if self.failures_in_row >= STALL_FAILURES && long && !self.stalled_sessions {
            self.stalled_sessions = true;
            self.context.stalled();
        }
    }
}

/// Whether every further transaction would fail in the same way.
fn ends_the_point(class: ErrorClass) -> bool {
    match class {
        ErrorClass::ConnectionLost
        | ErrorClass::Authentication
        | ErrorClass::Permission
        | ErrorClass::OutOfSpace
        | ErrorClass::UnknownObject
        | ErrorClass::Corruption
        | ErrorClass::Io
        | ErrorClass::ShortIo
        | ErrorClass::Cancelled
        | ErrorClass::Unsupported => true,
        ErrorClass::Conflict | ErrorClass::Timeout | ErrorClass::Other => false,
    }
}
