//! One session of the client drive. It runs any program, transaction after transaction, act by act. The program knows
//! transactions. The drive knows the window, the pacing, retries, and how transactions ended. Where users share
//! connections, the session serves the user who is due first; see `waiting_users.rs`.
//!
//! Counting takes no lock: the window's edges are atomics, and times go into the session's local recorder. A
//! transaction that failed by a conflict is sent again with the same keys. One that failed for good is counted by its
//! error class and never as throughput, and the job goes on with the next; see `failures.rs`. When it does what:
//! `steps.rs`.

mod failures;
mod lateness;
mod steps;

use super::context::ClientContext;
use super::counts::{Counts, TypeCounts};
use super::waiting_users::{User, WaitingUsers};
use crate::window::{Stage, WindowMode};
use dbdyno_engine::client::Answer;
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_engine::{ChunkResult, Failure, Reply};
use dbdyno_stats::{LocalRecorder, Sample, TypeId};

/// Failures in a row after which a session counts as stalled.
const STALL_FAILURES: u32 = 10;
/// Pause after each further failure, so that a stalled session does not burn processor time.
const STALL_PAUSE_NS: u64 = 10_000_000;
const UNKNOWN_NS: u64 = u64::MAX;

/// What the session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Nothing,
    /// Executing a statement.
    Statement {
        /// Its number.
        statement: usize,
        /// How often.
        times: u64,
    },
    /// Pausing within a transaction until this moment.
    Thinking(u64),
    Commit,
    Rollback(AfterRollback),
    LogOn,
    LogOff,
}

/// What follows a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterRollback {
    /// The same transaction again.
    Again,
    /// The next transaction, because this one failed.
    Leave,
    /// The program continues, because it asked for the rollback.
    GoOn,
}

/// One session of a point in the client drive, and the user that it serves.
#[derive(Debug)]
pub struct ClientDrive<'t, P> {
    context: &'t ClientContext<'t>,
    recorder: LocalRecorder<'t>,
    user: Box<User<P>>,
    /// The users without a connection, where users share connections.
    pool: Option<&'t WaitingUsers<P>>,
    stage: Stage,
    warm_up_ns: u64,
    duration_ns: u64,
    /// Edges of the window, once they are known.
    start_ns: u64,
    end_ns: u64,
    activity: Activity,
    /// Type of the current transaction.
    of_type: TypeId,
    /// Whether a transaction of several statements is open.
    open: bool,
    /// Whether the program asked to roll back the current transaction.
    rolled_back: bool,
    /// Until this moment the session pauses and takes no new transaction from the shared timetable.
    rests_until_ns: u64,
    /// Since when a user could have had this session.
    free_from_ns: u64,
    /// How long its last transaction waited for a connection, if that counts and is not recorded yet.
    untold_wait_ns: Option<u64>,
    /// Since when it waits for the next transaction.
    idle_from_ns: Option<u64>,
    /// When the first statement of the transaction was sent.
    begun_ns: Option<u64>,
    attempt: u32,
    /// Statements executed so far in this attempt.
    executed: u64,
    failures_in_row: u32,
    last_good_ns: u64,
    stalled_sessions: bool,
    /// Transactions that are still to begin, where their number ends the point; the window is then all of them.
    left: Option<u64>,
    counts: Counts,
}

impl<'w> ClientContext<'w> {
    /// The drive of a job that has a connection of its own.
    #[must_use]
    pub fn job<'t, P: Program>(&'t self, program: P, job: u32) -> ClientDrive<'t, P>
    where
        'w: 't,
    {
        ClientDrive::new(self, User::new(self, job, program), None)
    }

    /// A drive for each session, for these users. Users who find no connection go into `waiting`, which is empty
    /// before.
    #[must_use]
    pub fn sessions<'t, P: Program>(
        &'t self,
        users: impl IntoIterator<Item = (u32, P)>,
        pool: &'t WaitingUsers<P>,
    ) -> Vec<ClientDrive<'t, P>>
    where
        'w: 't,
    {
        let mut users = users.into_iter().map(|(job, program)| User::new(self, job, program));
        let first: Vec<User<P>> = users.by_ref().take(self.sessions).collect();
        let pool = pool.fill(users.map(Box::new)).then_some(pool);
        first.into_iter().map(|user| ClientDrive::new(self, user, pool)).collect()
    }
}

impl<'t, P: Program> ClientDrive<'t, P> {
    pub(super) fn new(context: &'t ClientContext<'t>, user: User<P>, pool: Option<&'t WaitingUsers<P>>) -> Self {
        let (warm_up_ns, duration_ns) = match context.window.pace() {
            WindowMode::Steady { warm_up_ns, duration_ns, .. } => (warm_up_ns, duration_ns),
            WindowMode::Pieces { duration_ns } => (0, duration_ns),
        };
        let counts = Counts::of_types(user.program.types().len());
        Self {
            context,
            recorder: context.recorder.local(),
            user: Box::new(user),
            pool,
            stage: Stage::Waiting,
            warm_up_ns,
            duration_ns,
            start_ns: UNKNOWN_NS,
            end_ns: UNKNOWN_NS,
            activity: Activity::Nothing,
            of_type: TypeId::FIRST,
            open: false,
            rolled_back: false,
            rests_until_ns: 0,
            free_from_ns: 0,
            untold_wait_ns: None,
            idle_from_ns: None,
            begun_ns: None,
            attempt: 0,
            executed: 0,
            failures_in_row: 0,
            last_good_ns: 0,
            stalled_sessions: false,
            left: context.transactions_each,
            counts,
        }
    }

    /// The session's counts. Its times are in the recorder.
    #[must_use]
    pub fn into_counts(self) -> Counts {
        self.counts
    }

    fn arrive(&mut self, now_ns: u64) {
        let origin_ns = self.context.window.arrive(now_ns);
        self.stage = Stage::Warming;
        (self.last_good_ns, self.free_from_ns) = (now_ns, now_ns);
        self.user.arrive(self.context, now_ns, origin_ns);
        if let Some(pool) = self.pool {
            pool.arrive(self.context, now_ns, origin_ns);
        }
        // Nobody waits for a transaction that is due long after the warm-up.
        if self.begins_ns(now_ns) >= now_ns + self.warm_up_ns {
            self.warm(now_ns);
        }
    }

    fn warm(&mut self, now_ns: u64) {
        if self.stage == Stage::Warming {
            self.context.window.warmed(now_ns);
            self.stage = Stage::Working;
        }
    }

    #[inline]
    fn learn_edges(&mut self) {
        if self.start_ns == UNKNOWN_NS
            && let Some(start_ns) = self.context.window.start_ns()
        {
            self.start_ns = start_ns;
            self.end_ns = start_ns + self.duration_ns;
        }
    }

    /// The offset of a moment in the window, in nanoseconds from its beginning; `None` outside. The window's last
    /// moment belongs to it. Where the number of transactions ends the point, all of them are inside.
    #[inline]
    fn inside(&self, ended_ns: u64) -> Option<u64> {
        if self.left.is_some() {
            return Some(ended_ns.saturating_sub(self.start_ns + 1).min(self.duration_ns.saturating_sub(1)));
        }
        (self.start_ns < ended_ns && ended_ns <= self.end_ns).then(|| ended_ns - self.start_ns - 1)
    }

    /// Takes a reply. Returns the next act of the same transaction, or `None` when the transaction has ended.
    #[inline]
    fn take(&mut self, reply: Reply<'_>) -> Option<Act> {
        let Reply { started_ns, ended_ns, result, answer } = reply;
        self.begun_ns.get_or_insert(started_ns);
        self.counts.last_ended_ns = ended_ns;
        match (self.activity, result) {
            (Activity::Statement { statement, times }, Ok(did)) => {
                self.executed += times;
                self.counts.executed.statement(statement, times);
                self.act(Some((&did, answer)), ended_ns)
            }
            (Activity::Commit, Ok(did)) => {
                self.open = false;
                self.counts.executed.commits += 1;
                self.act(Some((&did, answer)), ended_ns)
            }
            (Activity::LogOn, Ok(_)) => {
                self.counts.executed.logons += 1;
                self.act(None, ended_ns)
            }
            (Activity::LogOff, Ok(_)) => self.act(None, ended_ns),
            (Activity::Rollback(then), Ok(did)) => {
                self.open = false;
                self.counts.executed.rollbacks += 1;
                match then {
                    AfterRollback::Again => Some(self.again(ended_ns)?),
                    AfterRollback::GoOn => {
                        self.rolled_back = true;
                        self.act(Some((&did, answer)), ended_ns)
                    }
                    AfterRollback::Leave => {
                        self.leave(ended_ns);
                        None
                    }
                }
            }
            (Activity::Nothing | Activity::Thinking(_), Ok(_)) => {
                self.leave(ended_ns);
                None
            }
            (_, Err(Failure { error, .. })) => self.fail(error, ended_ns),
        }
    }

    /// The program's next act; `None` when its transaction has ended.
    #[inline]
    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>, now_ns: u64) -> Option<Act> {
        let mut act = self.user.program.act(reply);
        if act == Act::Rollback && !self.open {
            // The database has nothing that could be rolled back.
            self.rolled_back = true;
            act = self.user.program.act(None);
        }
        self.activity = match act {
            Act::Execute { statement, times, opens } => {
                self.open |= opens;
                Activity::Statement { statement, times: times as u64 }
            }
            Act::Think(pause_ns) => Activity::Thinking(now_ns + pause_ns),
            Act::Commit => Activity::Commit,
            Act::LogOn => Activity::LogOn,
            Act::LogOff => Activity::LogOff,
            Act::Rollback => Activity::Rollback(AfterRollback::GoOn),
            Act::Ended => {
                self.succeed(now_ns);
                return None;
            }
        };
        Some(act)
    }

    fn again(&mut self, now_ns: u64) -> Option<Act> {
        self.user.program.again();
        self.executed = 0;
        self.act(None, now_ns)
    }

    #[inline]
    fn succeed(&mut self, ended_ns: u64) {
        self.warm(ended_ns);
        self.learn_edges();
        let did = self.user.program.did();
        let (rows, begun_ns) = (did.rows, self.begun_ns.unwrap_or(ended_ns));
        let rolled_back = u64::from(self.rolled_back);
        self.counts.outcomes.succeed(1);
        self.counts.outcomes.rolled_back += rolled_back;
        self.count_type(|of| {
            of.outcomes.succeed(1);
            of.outcomes.rolled_back += rolled_back;
            of.sum = of.sum.wrapping_add(did.checksum);
        });
        self.account(ended_ns);
        if let Some(at_ns) = self.inside(ended_ns) {
            let due_ns = self.user.due_ns.unwrap_or(begun_ns).min(begun_ns);
            let (service_ns, response_ns) = (ended_ns - begun_ns, ended_ns - due_ns);
            self.recorder.record(Sample { type_id: self.of_type, ended_ns: at_ns, service_ns, response_ns, rows });
            self.untold_wait_ns = self.pool.map(|_| self.waited_ns(ended_ns));
        } else {
            let outside = if ended_ns <= self.start_ns { &mut self.counts.before } else { &mut self.counts.after };
            outside.ops += 1;
            outside.rows += rows;
        }
        self.last_good_ns = ended_ns;
        if self.failures_in_row > 0 {
            self.failures_in_row = 0;
            if std::mem::take(&mut self.stalled_sessions) {
                self.context.recovered();
            }
        }
        self.user.program.ended(if self.rolled_back { Outcome::RolledBack } else { Outcome::Committed });
        self.leave(ended_ns);
    }

    /// Counts how the current transaction ended, under its type.
    #[inline]
    fn count_type(&mut self, count: impl FnOnce(&mut TypeCounts)) {
        if let Some(of) = self.counts.types.get_mut(self.of_type.number()) {
            count(of);
        }
    }

    /// Goes on to the next transaction. The program already knows how this one ended.
    #[inline]
    fn leave(&mut self, ended_ns: u64) {
        (self.activity, self.begun_ns, self.attempt) = (Activity::Nothing, None, 0);
        (self.rolled_back, self.executed) = (false, 0);
        self.user.leave(ended_ns);
        self.free_from_ns = ended_ns;
        if self.failures_in_row >= STALL_FAILURES {
            self.rests_until_ns = ended_ns + STALL_PAUSE_NS;
            self.free_from_ns = self.rests_until_ns;
        }
    }
}
