//! One session of the client drive: it runs any program, transaction after transaction, act by act. The program knows
//! transactions; the drive knows the window, the pace, what is sent again, and how transactions have ended. Its user is
//! always the same, or where users share connections, whoever's turn it is: pool.rs.
//!
//! What ends when the window's edges are known is counted without a lock: the window's moments are atomic, and times go
//! into a pen of the session's own. A transaction that the database refused for the sake of another is sent again with
//! the same keys; one that failed for good is counted by its class and never as throughput, and the job goes on with
//! the next: failures.rs.

mod failures;
mod punctual;

use super::pool::{Pool, User};
use super::tally::Tally;
use super::team::Team;
use crate::Pace;
use dbdyno_engine::client::{Answer, Bound};
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_engine::{ChunkResult, Failure, Reply, Request, Step, Work};
use dbdyno_model::Outcomes;
use dbdyno_stats::{Pen, Sample, TypeId};

/// Failures in a row after which a job has nothing good to tell.
const STORM_FAILURES: u32 = 10;
/// Pause after each further failure, so that a storm burns no processor.
const STORM_PAUSE_NS: u64 = 10_000_000;
/// A sleeper looks up at least so often, to hear that the point was stopped.
const LONGEST_NAP_NS: u64 = 100_000_000;
const UNKNOWN_NS: u64 = u64::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Warming,
    Working,
    Passed,
}

/// What the session is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    /// A statement, executed so often.
    Statement(u64),
    /// A pause within a transaction, until then.
    Thinking(u64),
    Commit,
    Rollback(Then),
}

/// What follows a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The same transaction once more.
    Again,
    /// The next one: this one has failed.
    Leave,
    /// The program goes on: it has wanted that.
    GoOn,
}

/// One session of a point in the client drive, and the user who has it.
#[derive(Debug)]
pub struct ClientDrive<'t, P> {
    team: &'t Team<'t>,
    pen: Pen<'t>,
    user: Box<User<P>>,
    /// Where it takes users from, and puts them back, if they share connections.
    pool: Option<&'t Pool<P>>,
    stage: Stage,
    warm_up_ns: u64,
    duration_ns: u64,
    /// Edges of the window, once they are known.
    start_ns: u64,
    end_ns: u64,
    doing: Doing,
    /// The type of the transaction that it is at.
    of_type: TypeId,
    /// Whether a transaction of several statements is open.
    open: bool,
    /// Whether the program has rolled this one back, as it wanted to.
    rolled_back: bool,
    /// Until then it does not go on, nor does it take what others could do meanwhile.
    rests_until_ns: u64,
    /// Since when a user could have had it.
    free_from_ns: u64,
    /// How long its last transaction waited for it, where that counts and has not been told yet.
    untold_wait_ns: Option<u64>,
    /// Since when it has waited for the next one.
    idle_from_ns: Option<u64>,
    /// When its first statement was sent.
    begun_ns: Option<u64>,
    attempt: u32,
    /// Statements that were executed so far in this attempt.
    executed: u64,
    failures_in_row: u32,
    last_good_ns: u64,
    storming: bool,
    tally: Tally,
}

impl<'t, P: Program> ClientDrive<'t, P> {
    pub(super) fn new(team: &'t Team<'t>, user: User<P>, pool: Option<&'t Pool<P>>) -> Self {
        let (warm_up_ns, duration_ns) = match team.window.pace() {
            Pace::Steady { warm_up_ns, duration_ns, .. } => (warm_up_ns, duration_ns),
            Pace::Pieces { .. } => (0, 0),
        };
        let tally = Tally::of_types(user.program.types().len());
        Self {
            team,
            pen: team.recorder.pen(),
            user: Box::new(user),
            pool,
            stage: Stage::Waiting,
            warm_up_ns,
            duration_ns,
            start_ns: UNKNOWN_NS,
            end_ns: UNKNOWN_NS,
            doing: Doing::Nothing,
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
            storming: false,
            tally,
        }
    }

    /// What it did; its times go to the recorder.
    #[must_use]
    pub fn into_tally(self) -> Tally {
        self.tally
    }

    fn arrive(&mut self, now_ns: u64) {
        let origin_ns = self.team.window.arrive(now_ns);
        self.stage = Stage::Warming;
        (self.last_good_ns, self.free_from_ns) = (now_ns, now_ns);
        self.user.arrive(self.team, now_ns, origin_ns);
        if let Some(pool) = self.pool {
            pool.arrive(self.team, now_ns, origin_ns);
        }
        // Nobody waits for a transaction that is due long after the warm-up.
        if self.begins_ns(now_ns) >= now_ns + self.warm_up_ns {
            self.warm(now_ns);
        }
    }

    fn warm(&mut self, now_ns: u64) {
        if self.stage == Stage::Warming {
            self.team.window.warmed(now_ns);
            self.stage = Stage::Working;
        }
    }

    #[inline]
    fn learn_edges(&mut self) {
        if self.start_ns == UNKNOWN_NS
            && let Some(start_ns) = self.team.window.start_ns()
        {
            self.start_ns = start_ns;
            self.end_ns = start_ns + self.duration_ns;
        }
    }

    /// The place of a moment in the window, in nanoseconds since it began. What ends with the window has been done in
    /// it.
    #[inline]
    fn inside(&self, ended_ns: u64) -> Option<u64> {
        (self.start_ns < ended_ns && ended_ns <= self.end_ns).then(|| ended_ns - self.start_ns - 1)
    }

    /// Takes an answer. Returns what the same transaction does next, or nothing when that has ended.
    #[inline]
    fn take(&mut self, reply: Reply<'_>) -> Option<Act> {
        let Reply { started_ns, ended_ns, result, answer } = reply;
        self.begun_ns.get_or_insert(started_ns);
        self.tally.last_ended_ns = ended_ns;
        match (self.doing, result) {
            (Doing::Statement(times), Ok(did)) => {
                self.executed += times;
                self.act(Some((&did, answer)), ended_ns)
            }
            (Doing::Commit, Ok(did)) => {
                self.open = false;
                self.act(Some((&did, answer)), ended_ns)
            }
            (Doing::Rollback(then), Ok(did)) => {
                self.open = false;
                match then {
                    Then::Again => Some(self.again(ended_ns)?),
                    Then::GoOn => {
                        self.rolled_back = true;
                        self.act(Some((&did, answer)), ended_ns)
                    }
                    Then::Leave => {
                        self.leave(ended_ns);
                        None
                    }
                }
            }
            (Doing::Nothing | Doing::Thinking(_), Ok(_)) => {
                self.leave(ended_ns);
                None
            }
            (_, Err(Failure { error, .. })) => self.fail(error, ended_ns),
        }
    }

    /// What the program does next; nothing when its transaction has ended.
    #[inline]
    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>, now_ns: u64) -> Option<Act> {
        let act = self.user.program.act(reply);
        self.doing = match act {
            Act::Execute { times, opens, .. } => {
                self.open |= opens;
                Doing::Statement(times as u64)
            }
            Act::Think(pause_ns) => Doing::Thinking(now_ns + pause_ns),
            Act::Commit => Doing::Commit,
            Act::Rollback => Doing::Rollback(Then::GoOn),
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
        self.tally.outcomes.succeed(1);
        self.count_type(|outcomes, _| outcomes.succeed(1));
        self.tally.checksum = self.tally.checksum.wrapping_add(did.checksum);
        self.account(ended_ns);
        if let Some(at_ns) = self.inside(ended_ns) {
            let due_ns = self.user.due_ns.unwrap_or(begun_ns).min(begun_ns);
            let (service_ns, response_ns) = (ended_ns - begun_ns, ended_ns - due_ns);
            self.pen.record(Sample { type_id: self.of_type, ended_ns: at_ns, service_ns, response_ns, rows });
            self.untold_wait_ns = self.pool.map(|_| self.waited_ns(ended_ns));
        } else {
            let outside = if ended_ns <= self.start_ns { &mut self.tally.before } else { &mut self.tally.after };
            outside.ops += 1;
            outside.rows += rows;
        }
        self.last_good_ns = ended_ns;
        if self.failures_in_row > 0 {
            self.failures_in_row = 0;
            if std::mem::take(&mut self.storming) {
                self.team.calms();
            }
        }
        self.user.program.ended(if self.rolled_back { Outcome::RolledBack } else { Outcome::Committed });
        self.leave(ended_ns);
    }

    /// Counts what became of the transaction that it is at under its type.
    #[inline]
    fn count_type(&mut self, count: impl FnOnce(&mut Outcomes, &mut u64)) {
        if let Some((outcomes, unknown)) = self.tally.types.get_mut(self.of_type.number()) {
            count(outcomes, unknown);
        }
    }

    /// Goes on to the next transaction; the program has been told how this one has ended.
    #[inline]
    fn leave(&mut self, ended_ns: u64) {
        (self.doing, self.begun_ns, self.attempt) = (Doing::Nothing, None, 0);
        (self.rolled_back, self.executed) = (false, 0);
        self.user.leave(ended_ns);
        self.free_from_ns = ended_ns;
        if self.failures_in_row >= STORM_FAILURES {
            self.rests_until_ns = ended_ns + STORM_PAUSE_NS;
            self.free_from_ns = self.rests_until_ns;
        }
    }

    /// How long its transaction has waited for it by a moment.
    #[inline]
    fn waited_ns(&self, by_ns: u64) -> u64 {
        self.free_from_ns.min(by_ns).saturating_sub(self.user.wants_ns(self.team))
    }

    /// When to go on with the next transaction: of the user whose turn it is.
    #[inline]
    fn begins_ns(&mut self, now_ns: u64) -> u64 {
        if self.rests_until_ns > now_ns {
            return self.rests_until_ns;
        }
        let due_ns = self.user.begins_ns(self.team, now_ns);
        let Some(pool) = self.pool else { return due_ns };
        pool.exchange(&mut self.user, due_ns, self.untold_wait_ns.take());
        self.user.begins_ns(self.team, now_ns)
    }

    /// What to do between two transactions.
    #[inline]
    fn idle(&mut self, now_ns: u64) -> Next {
        self.learn_edges();
        if now_ns >= self.end_ns && self.stage == Stage::Working {
            self.stage = Stage::Passed;
            self.team.window.pass(0);
        }
        if self.team.window.over() {
            self.go(now_ns);
            return Next::Done;
        }
        let begins_ns = self.begins_ns(now_ns);
        if begins_ns <= now_ns {
            if self.idle_from_ns.is_some() {
                self.wake(now_ns);
            }
            self.of_type = self.user.program.begin();
            return self.act(None, now_ns).map_or(Next::Nap(0), Next::Act);
        }
        self.idle_from_ns.get_or_insert(now_ns);
        self.pen.pour();
        // The end of the window is not to be slept through: the others wait for it.
        let until_ns = if self.stage == Stage::Passed { begins_ns } else { begins_ns.min(self.end_ns) };
        Next::Nap(until_ns.saturating_sub(now_ns).min(LONGEST_NAP_NS))
    }

    /// What to do within a pause of a transaction.
    #[cold]
    fn think(&mut self, until_ns: u64, now_ns: u64) -> Next {
        if now_ns < until_ns && !self.team.window.over() {
            return Next::Nap((until_ns - now_ns).min(LONGEST_NAP_NS));
        }
        if now_ns < until_ns {
            // Nobody waits for the rest of it.
            self.user.program.ended(Outcome::RolledBack);
            if self.open {
                self.doing = Doing::Rollback(Then::Leave);
                return Next::Act(Act::Rollback);
            }
            self.go(now_ns);
            return Next::Done;
        }
        self.act(None, now_ns).map_or(Next::Nap(0), Next::Act)
    }

    #[inline]
    fn next_step(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Next {
        if self.stage == Stage::Waiting {
            self.arrive(now_ns);
        }
        match (reply, self.doing) {
            (Some(reply), _) => match self.take(reply) {
                Some(act) => Next::Act(act),
                None => self.idle(now_ns),
            },
            (None, Doing::Thinking(until_ns)) => self.think(until_ns, now_ns),
            (None, _) => self.idle(now_ns),
        }
    }
}

/// What a job does next.
#[derive(Debug, Clone, Copy)]
enum Next {
    Act(Act),
    /// Sleep for so many nanoseconds.
    Nap(u64),
    Done,
}

impl<P: Program> Work for ClientDrive<'_, P> {
    #[inline]
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        match self.next_step(now_ns, reply) {
            Next::Act(Act::Execute { statement, times, opens }) => {
                let values = self.user.program.values();
                Step::Execute(Request::Statement(Bound { statement, values, times, opens }))
            }
            Next::Act(Act::Commit) => Step::Execute(Request::Commit),
            Next::Act(Act::Rollback) => Step::Execute(Request::Rollback),
            Next::Act(Act::Think(pause_ns)) => Step::ThinkNs(pause_ns.min(LONGEST_NAP_NS)),
            Next::Act(Act::Ended) => Step::ThinkNs(0),
            Next::Nap(ns) => Step::ThinkNs(ns),
            Next::Done => Step::Done,
        }
    }

    fn abandon(&mut self) {
        self.team.window.abort();
    }
}
