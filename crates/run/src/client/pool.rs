//! More users than connections: the users share the connections, as those of an application behind a pool of them do.
//!
//! A user who is due takes a free connection for one whole transaction, pauses within it included, and gives it back.
//! Of users who find none, who has been due for the longest is first. What a user is (keys, pauses, timetable) stays
//! with the user, whichever connection does the work.
//!
//! Nobody has to be woken: each session always holds one user, and sleeps where that one is not due yet. A session
//! whose transaction has ended puts its user back and takes the one who is due first, which may be the same. So those
//! held by sleeping sessions are due before all in the pool, and whoever comes to be due earlier has come with a
//! session that is free.

use super::pauses::Pauses;
use super::queues::Queues;
use super::tally::{Kept, Tally};
use super::team::Team;
use dbdyno_stats::Histogram;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// When a user's next transaction begins.
#[derive(Debug)]
pub(super) enum Beat {
    /// At once.
    Closed,
    /// After a pause.
    Thinking(Pauses),
    /// When it is due.
    Open,
}

/// One user: does transactions, over whichever connection.
#[derive(Debug)]
pub(super) struct User<P> {
    pub(super) program: P,
    pub(super) beat: Beat,
    job: u32,
    /// When the current transaction is or was to begin; none yet where the next has to be taken from a timetable.
    pub(super) due_ns: Option<u64>,
    /// When the last one ended.
    ended_ns: u64,
}

impl<P> User<P> {
    pub(super) fn new(team: &Team<'_>, job: u32, program: P) -> Self {
        let beat = match (&team.queues, team.think) {
            (Some(_), _) => Beat::Open,
            (None, Some(think)) => Beat::Thinking(Pauses::new(think, team.seed, job)),
            (None, None) => Beat::Closed,
        };
        Self { program, beat, job, due_ns: None, ended_ns: 0 }
    }

    /// Comes to the barrier. Timetables begin at `origin_ns`.
    pub(super) fn arrive(&mut self, team: &Team<'_>, now_ns: u64, origin_ns: u64) {
        self.due_ns = Some(match &mut self.beat {
            Beat::Closed => now_ns,
            Beat::Thinking(pauses) => now_ns + pauses.first_ns(),
            Beat::Open => team.queues.as_ref().map_or(now_ns, |queues| queues.of(self.job, origin_ns).take()),
        });
    }

    /// The moment at which the next transaction begins. Where it is not known yet, it is taken from the timetable.
    #[inline]
    pub(super) fn begins_ns(&mut self, team: &Team<'_>, now_ns: u64) -> u64 {
        let (queues, job) = (&team.queues, self.job);
        *self.due_ns.get_or_insert_with(|| queues.as_ref().and_then(|queues| queues.take(job)).unwrap_or(now_ns))
    }

    /// A transaction has ended.
    #[inline]
    pub(super) fn leave(&mut self, ended_ns: u64) {
        self.ended_ns = ended_ns;
        self.due_ns = match &mut self.beat {
            Beat::Closed => Some(ended_ns),
            Beat::Thinking(pauses) => Some(ended_ns + pauses.next_ns()),
            Beat::Open => None,
        };
    }

    /// Since when the current transaction could have had a connection. What a queue of the user's own holds needs none
    /// before the user's last transaction has ended; what all share is bound to no user.
    #[inline]
    pub(super) fn wants_ns(&self, team: &Team<'_>) -> u64 {
        let due_ns = self.due_ns.unwrap_or(self.ended_ns);
        if team.queues.as_ref().is_some_and(Queues::are_apart) { due_ns.max(self.ended_ns) } else { due_ns }
    }
}

/// The users of a team who have no connection at the moment.
#[derive(Debug)]
pub struct Pool<P>(Mutex<Waiting<P>>);

#[derive(Debug)]
struct Waiting<P> {
    users: BinaryHeap<Reverse<Turn<P>>>,
    /// Users who came so far.
    came: u64,
    /// Whether they have passed the barrier.
    open: bool,
    /// How long those who had a connection had waited for it.
    waits: Histogram,
}

/// The turn of a user: who is due first, and of those due at once who came first.
#[derive(Debug)]
struct Turn<P> {
    due_ns: u64,
    came: u64,
    user: Box<User<P>>,
}

impl<P> Turn<P> {
    fn place(&self) -> (u64, u64) {
        (self.due_ns, self.came)
    }
}

impl<P> PartialEq for Turn<P> {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl<P> Eq for Turn<P> {}

impl<P> PartialOrd for Turn<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Turn<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl<P> Default for Pool<P> {
    fn default() -> Self {
        let (users, waits) = (BinaryHeap::new(), Histogram::new());
        Self(Mutex::new(Waiting { users, came: 0, open: false, waits }))
    }
}

impl<P> Pool<P> {
    fn waiting(&self) -> MutexGuard<'_, Waiting<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts in those who begin without a connection. Says whether there are any.
    pub(super) fn fill(&self, users: impl Iterator<Item = Box<User<P>>>) -> bool {
        let waiting = &mut *self.waiting();
        for user in users {
            waiting.users.push(Reverse(Turn { due_ns: 0, came: waiting.came, user }));
            waiting.came += 1;
        }
        !waiting.users.is_empty()
    }

    /// The first session has passed the barrier, and all users with it; those that come later change nothing.
    pub(super) fn arrive(&self, team: &Team<'_>, now_ns: u64, origin_ns: u64) {
        let waiting = &mut *self.waiting();
        if std::mem::replace(&mut waiting.open, true) {
            return;
        }
        let mut turns = std::mem::take(&mut waiting.users).into_sorted_vec();
        // Those whose turn is first come last.
        for Reverse(turn) in turns.iter_mut().rev() {
            turn.user.arrive(team, now_ns, origin_ns);
            turn.due_ns = turn.user.begins_ns(team, now_ns);
        }
        waiting.users = turns.into();
    }

    /// Puts a user back, whose next transaction begins at `due_ns`, and takes the one who is due first. `waited_ns` is
    /// how long the last transaction waited for its connection, where that counts. Nothing is allocated: one goes in
    /// for one that comes out.
    pub(super) fn exchange(&self, user: &mut Box<User<P>>, due_ns: u64, waited_ns: Option<u64>) {
        let waiting = &mut *self.waiting();
        waited_ns.iter().for_each(|ns| waiting.waits.record_ns(*ns));
        let Some(mut first) = waiting.users.peek_mut() else { return };
        if first.0.due_ns < due_ns {
            std::mem::swap(&mut first.0.user, user);
            (first.0.due_ns, first.0.came) = (due_ns, waiting.came);
            waiting.came += 1;
            drop::<PeekMut<'_, _>>(first);
        }
    }

    /// Notes how long a transaction has waited for its connection, or waits still.
    pub(super) fn waited(&self, ns: u64) {
        self.waiting().waits.record_ns(ns);
    }

    /// When the sessions are done: how long was waited for them, and what those did not come to who are left without
    /// one.
    #[must_use]
    pub fn tally(&self, team: &Team<'_>) -> Tally {
        let Waiting { users, waits, .. } = &mut *self.waiting();
        let (mut kept, mut never_begun_ns, mut waits) = (Kept::default(), Vec::new(), std::mem::take(waits));
        let timetable = team.queues.as_ref().and_then(|_| team.window.span());
        if let Some(span) = timetable {
            for Reverse(turn) in users.drain().filter(|Reverse(turn)| turn.due_ns < span.end_ns) {
                kept.due += u64::from(turn.due_ns >= span.start_ns);
                kept.unfinished += 1;
                kept.waiting += 1;
                never_begun_ns.push(span.end_ns - turn.due_ns);
                waits.record_ns(span.end_ns.saturating_sub(turn.user.wants_ns(team)));
            }
        }
        Tally { kept, never_begun_ns, waits: Some(waits), ..Tally::default() }
    }
}
