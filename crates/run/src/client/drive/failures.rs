//! What becomes of a transaction that failed. What no further transaction could survive (the target lost, a privilege
//! or an object missing) ends the point; so does a storm, in which nothing of any job succeeds any more.

use super::{ClientDrive, Doing, STORM_FAILURES, Then};
use crate::Lost;
use dbdyno_engine::EngineError;
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_model::ErrorClass;

/// How often a transaction is sent again.
const MOST_RETRIES: u32 = 10;
/// A storm lasts at least so long.
const STORM_NS: u64 = 1_000_000_000;

impl<P: Program> ClientDrive<'_, P> {
    /// A statement, a commit or a rollback has failed.
    #[cold]
    pub(super) fn fail(&mut self, error: EngineError, ended_ns: u64) -> Option<Act> {
        self.warm(ended_ns);
        self.learn_edges();
        let class = self.team.class(&error);
        let unknown = unknown(class) && (self.doing == Doing::Commit || !self.open);
        let in_rollback = matches!(self.doing, Doing::Rollback(_));
        self.lose();
        if in_rollback || ends_the_point(class) {
            // A transaction that failed before its rollback did has been counted.
            if self.doing != Doing::Rollback(Then::Leave) {
                self.count(class, unknown, ended_ns);
            }
            self.tally.error = Some(error);
            self.team.window.abort();
            return None;
        }
        if class == ErrorClass::Conflict && self.attempt < MOST_RETRIES {
            self.attempt += 1;
            self.tally.outcomes.retries += 1;
            self.count_type(|outcomes, _| outcomes.retries += 1);
            if let Some(at_ns) = self.inside(ended_ns) {
                self.pen.retry(self.of_type, at_ns);
            }
            if self.open {
                self.doing = Doing::Rollback(Then::Again);
                return Some(Act::Rollback);
            }
            return self.again(ended_ns);
        }
        self.count(class, unknown, ended_ns);
        self.tally.first_failure.get_or_insert(error);
        self.weather(ended_ns);
        if self.open {
            self.doing = Doing::Rollback(Then::Leave);
            return Some(Act::Rollback);
        }
        self.leave(ended_ns);
        None
    }

    /// Counts a transaction that failed for good; whether the database has it may be unknown.
    fn count(&mut self, class: ErrorClass, unknown: bool, ended_ns: u64) {
        self.user.program.ended(if unknown { Outcome::Unknown } else { Outcome::RolledBack });
        self.tally.outcomes.fail(class);
        self.count_type(|outcomes, unknowns| {
            outcomes.fail(class);
            *unknowns += u64::from(unknown);
        });
        self.account(ended_ns);
        if let Some(at_ns) = self.inside(ended_ns) {
            self.pen.error(self.of_type, at_ns);
        }
    }

    /// What the database may have counted of an attempt that came to nothing.
    fn lose(&mut self) {
        let (failed, rows) = match self.doing {
            Doing::Statement(times) => (times, self.team.rows_per_statement),
            _ => (0, 0),
        };
        let before = if self.executed > 0 { self.user.program.did().rows } else { 0 };
        // Whether a commit that failed has been done, nobody knows; a single statement is its own commit.
        let commits = self.doing == Doing::Commit || !self.open;
        self.tally.lost.merge(Lost {
            statements: self.executed + failed,
            rows: before + rows,
            commits: u64::from(commits),
        });
        self.executed = 0;
    }

    /// Notes one more failure; the team ends the point when nothing of any job succeeds any more.
    fn weather(&mut self, ended_ns: u64) {
        self.failures_in_row += 1;
        let long = ended_ns >= self.last_good_ns + STORM_NS;
        if self.failures_in_row >= STORM_FAILURES && long && !self.storming {
            self.storming = true;
            self.team.storms();
        }
    }
}

/// Whether after such an error nobody knows what the database has done.
fn unknown(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::ConnectionLost | ErrorClass::Timeout | ErrorClass::Cancelled)
}

/// Whether no further transaction could fare better.
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
