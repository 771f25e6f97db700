//! More users than connections: the users share connections, like the users of an application with a connection pool.
//!
//! A user who is due takes a free connection for one whole transaction, pauses within it included, and then returns it.
//! Among users without a connection, the one who has been due longest is first. A user keeps its keys, pauses and
//! timetable, whichever connection does the work.
//!
//! No one has to be woken: each session always serves one user, and sleeps while that user is not due. After a
//! transaction the session returns its user and takes the user who is due first, which may be the same. So the users of
//! sleeping sessions are always due before all waiting users.

use super::context::ClientContext;
use super::counts::{Counts, TimetableCounts};
use super::think_times::ThinkTimes;
use super::timetables::Timetables;
use dbdyno_stats::Histogram;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// When a user's next transaction begins.
#[derive(Debug)]
pub(super) enum Pacing {
    /// At once.
    Closed,
    /// After a think time.
    Thinking(ThinkTimes),
    /// When the timetable says so.
    Open,
}

/// One user, who runs transactions over any connection.
#[derive(Debug)]
pub(super) struct User<P> {
    pub(super) program: P,
    pub(super) pacing: Pacing,
    job: u32,
    /// When the current transaction begins or began; `None` where the next one must be taken from a timetable.
    pub(super) due_ns: Option<u64>,
    /// When the last transaction ended.
    ended_ns: u64,
}

impl<P> User<P> {
    pub(super) fn new(context: &ClientContext<'_>, job: u32, program: P) -> Self {
        let pacing = match (&context.timetables, context.think) {
            (Some(_), _) => Pacing::Open,
            (None, Some(think)) => Pacing::Thinking(ThinkTimes::new(think, context.seed, job)),
            (None, None) => Pacing::Closed,
        };
        Self { program, pacing, job, due_ns: None, ended_ns: 0 }
    }

    /// Passes the barrier. Timetables begin at `origin_ns`.
    pub(super) fn arrive(&mut self, context: &ClientContext<'_>, now_ns: u64, origin_ns: u64) {
        self.due_ns = Some(match &mut self.pacing {
            Pacing::Closed => now_ns,
            Pacing::Thinking(think_times) => now_ns + think_times.first_ns(),
            Pacing::Open => {
                context.timetables.as_ref().map_or(now_ns, |timetables| timetables.of(self.job, origin_ns).take())
            }
        });
    }

    /// When the next transaction begins. If that is not known yet, it is taken from the timetable.
    #[inline]
    pub(super) fn begins_ns(&mut self, context: &ClientContext<'_>, now_ns: u64) -> u64 {
        let (timetables, job) = (&context.timetables, self.job);
        *self
            .due_ns
            .get_or_insert_with(|| timetables.as_ref().and_then(|timetables| timetables.take(job)).unwrap_or(now_ns))
    }

    /// Notes that a transaction ended.
    #[inline]
    pub(super) fn leave(&mut self, ended_ns: u64) {
        self.ended_ns = ended_ns;
        self.due_ns = match &mut self.pacing {
            Pacing::Closed => Some(ended_ns),
            Pacing::Thinking(think_times) => Some(ended_ns + think_times.next_ns()),
            Pacing::Open => None,
        };
    }

    /// Since when the current transaction could have had a connection. With a queue per user, not before the user's
    /// last transaction has ended; with a shared queue, from the moment it was due.
    #[inline]
    pub(super) fn wants_ns(&self, context: &ClientContext<'_>) -> u64 {
        let due_ns = self.due_ns.unwrap_or(self.ended_ns);
        if context.timetables.as_ref().is_some_and(Timetables::are_apart) { due_ns.max(self.ended_ns) } else { due_ns }
    }
}

/// The users who have no connection at the moment.
#[derive(Debug)]
pub struct WaitingUsers<P>(Mutex<Queued<P>>);

#[derive(Debug)]
struct Queued<P> {
    users: BinaryHeap<Reverse<DueUser<P>>>,
    /// Number of users who have joined so far.
    came: u64,
    /// Whether they have passed the barrier.
    open: bool,
    /// How long transactions waited for a connection.
    waits: Histogram,
}

/// The order of waiting users: the one who is due first, and among those due at once the one who came first.
#[derive(Debug)]
struct DueUser<P> {
    due_ns: u64,
    came: u64,
    user: Box<User<P>>,
}

impl<P> DueUser<P> {
    fn place(&self) -> (u64, u64) {
        (self.due_ns, self.came)
    }
}

impl<P> PartialEq for DueUser<P> {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl<P> Eq for DueUser<P> {}

impl<P> PartialOrd for DueUser<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for DueUser<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl<P> Default for WaitingUsers<P> {
    fn default() -> Self {
        let (users, waits) = (BinaryHeap::new(), Histogram::new());
        Self(Mutex::new(Queued { users, came: 0, open: false, waits }))
    }
}

impl<P> WaitingUsers<P> {
    fn waiting(&self) -> MutexGuard<'_, Queued<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the users who begin without a connection. Returns whether there are any.
    pub(super) fn fill(&self, users: impl Iterator<Item = Box<User<P>>>) -> bool {
        let waiting = &mut *self.waiting();
        for user in users {
            waiting.users.push(Reverse(DueUser { due_ns: 0, came: waiting.came, user }));
            waiting.came += 1;
        }
        !waiting.users.is_empty()
    }

    /// The first session has passed the barrier, and all users with it. Later sessions change nothing.
    pub(super) fn arrive(&self, context: &ClientContext<'_>, now_ns: u64, origin_ns: u64) {
        let waiting = &mut *self.waiting();
        if std::mem::replace(&mut waiting.open, true) {
            return;
        }
        let mut sorted = std::mem::take(&mut waiting.users).into_sorted_vec();
        // Users who are due first come last.
        for Reverse(due) in sorted.iter_mut().rev() {
            due.user.arrive(context, now_ns, origin_ns);
            due.due_ns = due.user.begins_ns(context, now_ns);
        }
        waiting.users = sorted.into();
    }

    /// Returns a user, whose next transaction begins at `due_ns`, and takes the user who is due first. `waited_ns` is
    /// how long the last transaction waited for its connection, where that counts. It allocates nothing, because the
    /// heap keeps its size.
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

    /// Records how long a transaction waited for its connection, or has waited so far.
    pub(super) fn waited(&self, ns: u64) {
        self.waiting().waits.record_ns(ns);
    }

    /// The counts when the sessions have ended: the waits for connections, and the transactions of users who are still
    /// without a connection.
    #[must_use]
    pub fn counts(&self, context: &ClientContext<'_>) -> Counts {
        let Queued { users, waits, .. } = &mut *self.waiting();
        let (mut timetable, mut never_begun_ns, mut waits) =
            (TimetableCounts::default(), Vec::new(), std::mem::take(waits));
        let window = context.timetables.as_ref().and_then(|_| context.window.span());
        if let Some(span) = window {
            for Reverse(due) in users.drain().filter(|Reverse(due)| due.due_ns < span.end_ns) {
                timetable.due += u64::from(due.due_ns >= span.start_ns);
                timetable.unfinished += 1;
                timetable.waiting += 1;
                never_begun_ns.push(span.end_ns - due.due_ns);
                waits.record_ns(span.end_ns.saturating_sub(due.user.wants_ns(context)));
            }
        }
        Counts { timetable, never_begun_ns, waits: Some(waits), ..Counts::default() }
    }
}
