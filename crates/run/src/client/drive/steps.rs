//! When a session does what: the next step within a transaction, between two, and at the window's edges.

use super::{Activity, AfterRollback, ClientDrive, UNKNOWN_NS};
use crate::window::Stage;
use dbdyno_engine::client::Bound;
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_engine::{Reply, Request, Step, Work};

/// A sleeping session wakes at least this often, to notice that the point was stopped.
const LONGEST_NAP_NS: u64 = 100_000_000;
/// How long a session sleeps while others have not arrived.
const ARRIVAL_NAP_NS: u64 = 50_000;

impl<P: Program> ClientDrive<'_, P> {
    /// How long the current transaction has waited for a connection by a moment.
    #[inline]
    pub(super) fn waited_ns(&self, by_ns: u64) -> u64 {
        self.free_from_ns.min(by_ns).saturating_sub(self.user.wants_ns(self.context))
    }

    /// When the next transaction begins: that of the user who is due first.
    #[inline]
    pub(super) fn begins_ns(&mut self, now_ns: u64) -> u64 {
        if self.rests_until_ns > now_ns {
            return self.rests_until_ns;
        }
        let due_ns = self.user.begins_ns(self.context, now_ns);
        let Some(pool) = self.pool else { return due_ns };
        pool.exchange(&mut self.user, due_ns, self.untold_wait_ns.take());
        self.user.begins_ns(self.context, now_ns)
    }

    /// Says that this session has passed the window's end, once it has.
    #[inline]
    fn pass(&mut self, now_ns: u64) {
        self.learn_edges();
        if self.left.is_some() {
            return;
        }
        if now_ns >= self.end_ns && self.stage == Stage::Working {
            self.stage = Stage::Passed;
            self.context.window.pass(0);
        }
    }

    /// Whether it has done all of its transactions, or no time is left for more; says so once.
    #[inline]
    fn has_done_all(&mut self, now_ns: u64) -> bool {
        let Some(left) = self.left else { return false };
        let done = left == 0 || (self.start_ns != UNKNOWN_NS && now_ns >= self.end_ns);
        if done && self.stage == Stage::Working {
            self.stage = Stage::Passed;
            // A session that time has ended was at work until then, if only in a pause.
            let until_ns =
                if left == 0 { self.counts.last_ended_ns } else { self.counts.last_ended_ns.max(self.end_ns) };
            self.context.window.pass(until_ns.max(self.start_ns));
        }
        done
    }

    /// The next step between two transactions.
    #[inline]
    fn idle(&mut self, now_ns: u64) -> NextStep {
        self.pass(now_ns);
        if self.context.window.over() || self.has_done_all(now_ns) {
            self.go(now_ns);
            return NextStep::Done;
        }
        let begins_ns = self.begins_ns(now_ns);
        if begins_ns <= now_ns {
            if self.idle_from_ns.is_some() {
                self.wake(now_ns);
            }
            if let Some(left) = &mut self.left {
                if self.start_ns == UNKNOWN_NS {
                    // None begins before all have arrived, so that the window has them all.
                    return NextStep::Nap(ARRIVAL_NAP_NS);
                }
                *left -= 1;
            }
            self.of_type = self.user.program.begin();
            return self.act(None, now_ns).map_or(NextStep::Nap(0), NextStep::Act);
        }
        self.idle_from_ns.get_or_insert(now_ns);
        self.recorder.flush();
        // Sleeping must not pass the window's end, because the other jobs wait for this one.
        let until_ns = if self.stage == Stage::Passed { begins_ns } else { begins_ns.min(self.end_ns) };
        NextStep::Nap(until_ns.saturating_sub(now_ns).min(LONGEST_NAP_NS))
    }

    /// The next step within a pause of a transaction.
    #[cold]
    fn think(&mut self, until_ns: u64, now_ns: u64) -> NextStep {
        // A user who pauses has been answered, and need not end the transaction before the window may begin or end.
        self.warm(now_ns);
        self.pass(now_ns);
        let in_vain = self.left.is_some() && self.start_ns != UNKNOWN_NS && now_ns >= self.end_ns;
        if self.context.window.over() || in_vain {
            // The rest of the transaction is not needed, whatever the moment at which the pause ends.
            self.user.program.ended(Outcome::RolledBack);
            if self.open {
                self.account(now_ns);
                self.activity = Activity::Rollback(AfterRollback::Leave);
                return NextStep::Act(Act::Rollback);
            }
            self.has_done_all(now_ns);
            self.go(now_ns);
            return NextStep::Done;
        }
        if now_ns < until_ns {
            let until_ns = if self.left.is_some() { until_ns.min(self.end_ns) } else { until_ns };
            return NextStep::Nap((until_ns - now_ns).min(LONGEST_NAP_NS));
        }
        self.act(None, now_ns).map_or(NextStep::Nap(0), NextStep::Act)
    }

    #[inline]
    fn next_step(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> NextStep {
        if self.stage == Stage::Waiting {
            self.arrive(now_ns);
        }
        match (reply, self.activity) {
            (Some(reply), _) => match self.take(reply) {
                Some(act) => NextStep::Act(act),
                None => self.idle(now_ns),
            },
            (None, Activity::Thinking(until_ns)) => self.think(until_ns, now_ns),
            (None, _) => self.idle(now_ns),
        }
    }
}

/// What a job does next.
#[derive(Debug, Clone, Copy)]
enum NextStep {
    Act(Act),
    /// Sleep for this many nanoseconds.
    Nap(u64),
    Done,
}

impl<P: Program> Work for ClientDrive<'_, P> {
    #[inline]
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        match self.next_step(now_ns, reply) {
            NextStep::Act(Act::Execute { statement, times, opens }) => {
                let values = self.user.program.values();
                Step::Execute(Request::Statement(Bound { statement, values, times, opens }))
            }
            NextStep::Act(Act::Commit) => Step::Execute(Request::Commit),
            NextStep::Act(Act::LogOn) => Step::Execute(Request::LogOn),
            NextStep::Act(Act::LogOff) => Step::Execute(Request::LogOff),
            NextStep::Act(Act::Rollback) => Step::Execute(Request::Rollback),
            NextStep::Act(Act::Think(pause_ns)) => Step::ThinkNs(pause_ns.min(LONGEST_NAP_NS)),
            NextStep::Act(Act::Ended) => Step::ThinkNs(0),
            NextStep::Nap(ns) => Step::ThinkNs(ns),
            NextStep::Done => Step::Done,
        }
    }

    fn abandon(&mut self) {
        self.context.window.abort();
    }
}
