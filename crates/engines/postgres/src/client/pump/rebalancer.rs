//! Moves sessions between threads, so that each is served on the processor where its server process runs.
//!
//! A process that is woken from its own processor needs no interrupt of another one, and finds its caches warm: on two
//! processors that sessions and server share, the kernel spends a third less on a request. The scheduler moves server
//! processes all the time, so any fixed assignment of sessions is soon half wrong; but it moves each of them seldom,
//! and so sessions follow them. (A client that only binds its threads to processors gains nothing: docs/clients.md has
//! the figures.)

use super::session_slot::SessionSlot;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A processor that is not known.
const UNKNOWN: usize = usize::MAX;

/// What the threads of a pump share.
pub(super) struct Rebalancer<L> {
    shares: Vec<ThreadShare<L>>,
    /// Slots that have not ended.
    left: AtomicUsize,
    /// As many slots as a thread may have for it to be given another: however the server's processes are spread, no
    /// thread shall have all the work.
    most: usize,
}

/// A thread's sessions.
struct ThreadShare<L> {
    /// Slots that were handed over and not fetched yet; none are taken before the thread is ready, nor after its end.
    arrived: Mutex<Option<Vec<L>>>,
    /// Wakes the thread when a slot was handed over, and at the end.
    waker: OwnedFd,
    /// Its slots that have not ended.
    slots: AtomicUsize,
    /// Where the thread was seen last.
    processor: AtomicUsize,
}

impl<L> Rebalancer<L> {
    /// For threads with so many slots each.
    pub(super) fn new(shares: &[usize]) -> Result<Self, Errno> {
        let share = |slots: &usize| {
            let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
            let (arrived, processor) = (Mutex::new(None), AtomicUsize::new(UNKNOWN));
            Ok(ThreadShare { arrived, waker, slots: AtomicUsize::new(*slots), processor })
        };
        let slots: usize = shares.iter().sum();
        let fair = slots.div_ceil(shares.len().max(1));
        Ok(Self {
            shares: shares.iter().map(share).collect::<Result<_, Errno>>()?,
            left: AtomicUsize::new(slots),
            most: fair + fair.div_ceil(4),
        })
    }

    /// What wakes a thread while it waits for its sessions.
    pub(super) fn waker(&self, thread: usize) -> BorrowedFd<'_> {
        self.shares[thread].waker.as_fd()
    }

    /// Whether any thread has work left.
    pub(super) fn goes_on(&self) -> bool {
        self.left.load(Ordering::Acquire) > 0
    }

    /// From now on slots may come to this thread.
    pub(super) fn open(&self, thread: usize) {
        self.arrived_at(thread).get_or_insert_default();
    }

    /// Notes where a thread runs.
    pub(super) fn runs_on(&self, thread: usize, processor: usize) {
        self.shares[thread].processor.store(processor, Ordering::Relaxed);
    }

    /// Where a slot of this thread belongs whose server process runs on that processor, if to another one that has room
    /// for it.
    pub(super) fn better_than(&self, thread: usize, processor: usize) -> Option<usize> {
        let runs_there = |share: &ThreadShare<L>| share.processor.load(Ordering::Relaxed) == processor;
        if runs_there(&self.shares[thread]) {
            return None;
        }
        let has_room = |share: &ThreadShare<L>| share.slots.load(Ordering::Relaxed) < self.most;
        self.shares.iter().position(|share| runs_there(share) && has_room(share))
    }

    /// Hands a slot over; gives it back where nobody is there to take it.
    pub(super) fn hand_over(&self, from: usize, to: usize, slot: L) -> Option<L> {
        let mut arrived = self.arrived_at(to);
        let Some(slots) = arrived.as_mut() else { return Some(slot) };
        slots.push(slot);
        // Counted while nobody can fetch it, so that no count falls below none.
        self.shares[to].slots.fetch_add(1, Ordering::Relaxed);
        self.shares[from].slots.fetch_sub(1, Ordering::Relaxed);
        drop(arrived);
        self.wake(to);
        None
    }

    /// The slots that have come to a thread.
    pub(super) fn fetch(&self, thread: usize) -> Vec<L> {
        self.arrived_at(thread).as_mut().map(mem::take).unwrap_or_default()
    }

    /// A slot of this thread has ended.
    pub(super) fn ended(&self, thread: usize) {
        self.shares[thread].slots.fetch_sub(1, Ordering::Relaxed);
        self.fewer(1);
    }

    /// The thread ends, whatever slots it has: nobody is to wait for those. Gives back what came and was not fetched.
    fn leave(&self, thread: usize) -> Vec<L> {
        let mut arrived = self.arrived_at(thread);
        let unfetched = arrived.take().unwrap_or_default();
        self.fewer(self.shares[thread].slots.swap(0, Ordering::Relaxed));
        unfetched
    }

    fn fewer(&self, by: usize) {
        if by > 0 && self.left.fetch_sub(by, Ordering::AcqRel) == by {
            (0..self.shares.len()).for_each(|thread| self.wake(thread));
        }
    }

    fn wake(&self, thread: usize) {
        // It fails only after 2^64 times.
        _ = rustix::io::write(&self.shares[thread].waker, &1_u64.to_ne_bytes());
    }

    fn arrived_at(&self, thread: usize) -> MutexGuard<'_, Option<Vec<L>>> {
        self.shares[thread].arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives up a thread's slots when the thread ends, also if it panics.
pub(super) struct ThreadGuard<'e, 'a> {
    pub(super) rebalancer: &'e Rebalancer<SessionSlot<'a>>,
    pub(super) thread: usize,
}

impl Drop for ThreadGuard<'_, '_> {
    fn drop(&mut self) {
        self.rebalancer.leave(self.thread).iter_mut().for_each(SessionSlot::give_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads 0 and 1, on processors 0 and 1, with four slots each, both open.
    fn two() -> Rebalancer<&'static str> {
        let rebalancer = Rebalancer::new(&[4, 4]).unwrap();
        for thread in 0..2 {
            rebalancer.open(thread);
            rebalancer.runs_on(thread, thread);
        }
        rebalancer
    }

    fn was_woken(rebalancer: &Rebalancer<&'static str>, thread: usize) -> bool {
        rustix::io::read(rebalancer.waker(thread), &mut [0; 8]).is_ok()
    }

    #[test]
    fn sessions_belong_where_their_processes_run() {
        let rebalancer = two();
        assert_eq!(rebalancer.better_than(0, 1), Some(1));
        assert_eq!(rebalancer.better_than(1, 0), Some(0));
        assert_eq!(rebalancer.better_than(0, 0), None, "it is there");
        assert_eq!(rebalancer.better_than(0, 7), None, "nobody is there");
        rebalancer.runs_on(1, 0);
        assert_eq!(rebalancer.better_than(1, 0), None, "one is as good as the other");
    }

    #[test]
    fn what_is_handed_over_wakes_its_thread() {
        let rebalancer = two();
        assert!(!was_woken(&rebalancer, 1) && rebalancer.fetch(1).is_empty());
        assert_eq!(rebalancer.hand_over(0, 1, "a"), None);
        assert!(was_woken(&rebalancer, 1) && !was_woken(&rebalancer, 0));
        assert_eq!((rebalancer.fetch(1), rebalancer.fetch(1)), (vec!["a"], vec![]));
        // Four are fair, and a quarter more.
        assert_eq!(rebalancer.better_than(0, 1), None, "no thread shall have all the work");
        rebalancer.ended(1);
        assert_eq!(rebalancer.better_than(0, 1), Some(1));
    }

    #[test]
    fn nobody_comes_who_would_wait_for_ever() {
        let rebalancer = Rebalancer::new(&[2, 2]).unwrap();
        assert_eq!(rebalancer.hand_over(0, 1, "a"), Some("a"), "it is not open");
        rebalancer.open(1);
        assert_eq!(rebalancer.hand_over(0, 1, "a"), None);
        assert_eq!(rebalancer.leave(1), ["a"]);
        assert_eq!(rebalancer.hand_over(0, 1, "b"), Some("b"), "it has left");
        // One is left, the first thread's.
        assert!(rebalancer.goes_on() && !was_woken(&rebalancer, 0));
        rebalancer.ended(0);
        assert!(!rebalancer.goes_on() && was_woken(&rebalancer, 0), "all hear of the end");
    }
}
