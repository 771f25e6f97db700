//! One job of the client drive: transaction after transaction, statement by statement.
//!
//! What ends when the window's edges are known is counted without a lock: the window's moments are atomic, and times go into a
//! pen of the job's own. A transaction that the database refused for the sake of another is sent again with the same keys; one
//! that failed for good is counted by its class and never as throughput, and the job goes on with the next: failures.rs.

mod failures;
mod punctual;

use super::pauses::Pauses;
use super::tally::{Amount, Tally};
use super::team::Team;
use super::timetable::Timetable;
use crate::Pace;
use dbdyno_engine::client::Transactions;
use dbdyno_engine::{Failure, Reply, Request, Step, Task, Work};
use dbdyno_model::Think;
use dbdyno_stats::{Pen, Sample, TypeId};

/// Failures in a row after which a job has nothing good to tell.
const STORM_FAILURES: u32 = 10;
/// Pause after each further failure, so that a storm burns no processor.
const STORM_PAUSE_NS: u64 = 10_000_000;
/// A sleeper looks up at least so often, to hear that the point was stopped.
const LONGEST_NAP_NS: u64 = 100_000_000;
const UNKNOWN_NS: u64 = u64::MAX;
/// All transactions of a test are of one type.
const TYPE: TypeId = TypeId::FIRST;

/// When the next transaction begins.
#[derive(Debug)]
enum Beat<'t> {
    /// At once.
    Closed,
    /// After a pause.
    Thinking(Pauses),
    /// When it is due; before the barrier nothing is.
    Open(Option<&'t Timetable>),
}

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
    Statement(u64),
    Commit,
    Rollback(Then),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Again,
    Leave,
}

/// One job of a point in the client drive.
#[derive(Debug)]
pub struct ClientDrive<'t> {
    team: &'t Team<'t>,
    pen: Pen<'t>,
    transactions: Transactions,
    rows_per_statement: u64,
    beat: Beat<'t>,
    job: u32,
    stage: Stage,
    warm_up_ns: u64,
    duration_ns: u64,
    /// Edges of the window, once they are known.
    start_ns: u64,
    end_ns: u64,
    doing: Doing,
    /// When the current transaction is or was to begin; none yet where the next has to be taken from a timetable.
    due_ns: Option<u64>,
    /// Until then it does not go on, nor does it take what others could do meanwhile.
    rests_until_ns: u64,
    /// Since when it has waited for the next one.
    idle_from_ns: Option<u64>,
    /// When its first statement was sent.
    begun_ns: Option<u64>,
    attempt: u32,
    /// What its statements did so far in this attempt.
    done: Amount,
    checksum: u64,
    failures_in_row: u32,
    last_good_ns: u64,
    storming: bool,
    tally: Tally,
}

impl<'t> ClientDrive<'t> {
    pub(super) fn new(team: &'t Team<'t>, task: &Task, think: Option<Think>, job: u32) -> Self {
        let transactions = Transactions::new(task, job);
        let rows_per_op = task.test.rows_per_op(&task.size, task.rows_per_tx).unwrap_or(0);
        let (warm_up_ns, duration_ns) = match team.window.pace() {
            Pace::Steady { warm_up_ns, duration_ns, .. } => (warm_up_ns, duration_ns),
            Pace::Pieces { .. } => (0, 0),
        };
        let beat = match (&team.queues, think) {
            (Some(_), _) => Beat::Open(None),
            (None, Some(think)) => Beat::Thinking(Pauses::new(think, task.key_seed, job)),
            (None, None) => Beat::Closed,
        };
        Self {
            team,
            pen: team.recorder.pen(),
            rows_per_statement: rows_per_op / transactions.statements().max(1),
            transactions,
            beat,
            job,
            stage: Stage::Waiting,
            warm_up_ns,
            duration_ns,
            start_ns: UNKNOWN_NS,
            end_ns: UNKNOWN_NS,
            doing: Doing::Nothing,
            due_ns: None,
            rests_until_ns: 0,
            idle_from_ns: None,
            begun_ns: None,
            attempt: 0,
            done: Amount::default(),
            checksum: 0,
            failures_in_row: 0,
            last_good_ns: 0,
            storming: false,
            tally: Tally::default(),
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
        self.last_good_ns = now_ns;
        let due_ns = match &mut self.beat {
            Beat::Closed => now_ns,
            Beat::Thinking(pauses) => now_ns + pauses.first_ns(),
            Beat::Open(table) => {
                *table = self.team.queues.as_ref().map(|queues| queues.of(self.job, origin_ns));
                table.map_or(now_ns, Timetable::take)
            }
        };
        self.due_ns = Some(due_ns);
        // Nobody waits for a transaction that is due long after the warm-up.
        if due_ns >= now_ns + self.warm_up_ns {
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

    /// The place of a moment in the window, in nanoseconds since it began. What ends with the window has been done in it.
    #[inline]
    fn inside(&self, ended_ns: u64) -> Option<u64> {
        (self.start_ns < ended_ns && ended_ns <= self.end_ns).then(|| ended_ns - self.start_ns - 1)
    }

    /// Takes an answer. Returns what is to be sent next for the same transaction, or nothing when that has ended.
    #[inline]
    fn take(&mut self, reply: Reply<'_>) -> Option<Request<'static>> {
        let Reply { started_ns, ended_ns, result, .. } = reply;
        let begun_ns = *self.begun_ns.get_or_insert(started_ns);
        self.tally.last_ended_ns = ended_ns;
        match (self.doing, result) {
            (Doing::Statement(i), Ok(did)) => {
                self.done.ops += 1;
                self.done.rows += did.rows;
                self.checksum = self.checksum.wrapping_add(did.checksum);
                if i + 1 < self.transactions.statements() {
                    return Some(self.statement(i + 1));
                }
                if self.transactions.commits() {
                    self.doing = Doing::Commit;
                    return Some(Request::Commit);
                }
                self.succeed(begun_ns, ended_ns);
                None
            }
            (Doing::Commit, Ok(_)) => {
                self.succeed(begun_ns, ended_ns);
                None
            }
            (Doing::Rollback(Then::Again), Ok(_)) => Some(self.again()),
            (Doing::Rollback(Then::Leave) | Doing::Nothing, Ok(_)) => {
                self.leave(ended_ns);
                None
            }
            (_, Err(Failure { error, .. })) => self.fail(error, ended_ns),
        }
    }

    fn statement(&mut self, i: u64) -> Request<'static> {
        self.doing = Doing::Statement(i);
        Request::Touch(self.transactions.statement(i))
    }

    fn again(&mut self) -> Request<'static> {
        self.transactions.again();
        (self.done, self.checksum) = (Amount::default(), 0);
        self.statement(0)
    }

    #[inline]
    fn succeed(&mut self, begun_ns: u64, ended_ns: u64) {
        self.warm(ended_ns);
        self.learn_edges();
        let rows = self.done.rows;
        self.tally.outcomes.succeed(1);
        self.tally.checksum = self.tally.checksum.wrapping_add(self.checksum);
        self.account(ended_ns);
        if let Some(at_ns) = self.inside(ended_ns) {
            let due_ns = self.due_ns.unwrap_or(begun_ns).min(begun_ns);
            let (service_ns, response_ns) = (ended_ns - begun_ns, ended_ns - due_ns);
            self.pen.record(Sample { type_id: TYPE, ended_ns: at_ns, service_ns, response_ns, rows });
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
        self.leave(ended_ns);
    }

    /// Goes on to the next transaction.
    #[inline]
    fn leave(&mut self, ended_ns: u64) {
        self.transactions.advance();
        (self.done, self.checksum) = (Amount::default(), 0);
        (self.doing, self.begun_ns, self.attempt) = (Doing::Nothing, None, 0);
        self.due_ns = match &mut self.beat {
            Beat::Closed => Some(ended_ns),
            Beat::Thinking(pauses) => Some(ended_ns + pauses.next_ns()),
            Beat::Open(_) => None,
        };
        if self.failures_in_row >= STORM_FAILURES {
            self.rests_until_ns = ended_ns + STORM_PAUSE_NS;
        }
    }

    /// When to go on with the next transaction.
    #[inline]
    fn begins_ns(&mut self, now_ns: u64) -> u64 {
        if self.rests_until_ns > now_ns {
            return self.rests_until_ns.max(self.due_ns.unwrap_or(0));
        }
        match (self.due_ns, &self.beat) {
            (Some(due_ns), _) => due_ns,
            (None, Beat::Open(Some(table))) => *self.due_ns.insert(table.take()),
            (None, _) => now_ns,
        }
    }

    /// What to do between two transactions.
    #[inline]
    fn idle(&mut self, now_ns: u64) -> Step<'static> {
        self.learn_edges();
        if now_ns >= self.end_ns && self.stage == Stage::Working {
            self.stage = Stage::Passed;
            self.team.window.pass(0);
        }
        if self.team.window.over() {
            self.go(now_ns);
            return Step::Done;
        }
        let begins_ns = self.begins_ns(now_ns);
        if begins_ns <= now_ns {
            if self.idle_from_ns.is_some() {
                self.wake(now_ns);
            }
            return Step::Execute(self.statement(0));
        }
        self.idle_from_ns.get_or_insert(now_ns);
        self.pen.pour();
        // The end of the window is not to be slept through: the others wait for it.
        let until_ns = if self.stage == Stage::Passed { begins_ns } else { begins_ns.min(self.end_ns) };
        Step::ThinkNs(until_ns.saturating_sub(now_ns).min(LONGEST_NAP_NS))
    }
}

impl Work for ClientDrive<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        if self.stage == Stage::Waiting {
            self.arrive(now_ns);
        }
        if let Some(reply) = reply
            && let Some(request) = self.take(reply)
        {
            return Step::Execute(request);
        }
        self.idle(now_ns)
    }

    fn abandon(&mut self) {
        self.team.window.abort();
    }
}
