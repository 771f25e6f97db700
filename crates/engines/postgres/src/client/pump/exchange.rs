//! Lines change threads, so that a session is served on the processor where its server process runs.
//!
//! Who wakes a process on its own processor costs neither an interrupt of the other one nor its caches: on two
//! processors that sessions and server share, the kernel spends a third less on a request. The scheduler moves server
//! processes all the time, so that any fixed share of the sessions is half wrong soon; but it moves each of them
//! seldom, and so lines follow. (A client that binds its threads to processors alone gains nothing: docs/clients.md has
//! the figures.)

use super::line::Line;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A processor that is not known.
const UNKNOWN: usize = usize::MAX;

/// What the threads of a pump share.
pub(super) struct Exchange<L> {
    seats: Vec<Seat<L>>,
    /// Lines that have not ended.
    left: AtomicUsize,
    /// As many lines as a thread may have for it to be given another: however the server's processes are spread, no
    /// thread shall have all the work.
    most: usize,
}

/// A thread's place.
struct Seat<L> {
    /// Lines that came and have not been fetched; none come in before the thread is ready for them, nor after its end.
    arrived: Mutex<Option<Vec<L>>>,
    /// Rings when something has come, and at the end.
    bell: OwnedFd,
    /// Its lines that have not ended.
    lines: AtomicUsize,
    /// Where the thread was seen last.
    processor: AtomicUsize,
}

impl<L> Exchange<L> {
    /// For threads with so many lines each.
    pub(super) fn new(shares: &[usize]) -> Result<Self, Errno> {
        let seat = |lines: &usize| {
            let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
            let (arrived, processor) = (Mutex::new(None), AtomicUsize::new(UNKNOWN));
            Ok(Seat { arrived, bell, lines: AtomicUsize::new(*lines), processor })
        };
        let lines: usize = shares.iter().sum();
        let fair = lines.div_ceil(shares.len().max(1));
        Ok(Self {
            seats: shares.iter().map(seat).collect::<Result<_, Errno>>()?,
            left: AtomicUsize::new(lines),
            most: fair + fair.div_ceil(4),
        })
    }

    /// What a thread listens to besides its sessions.
    pub(super) fn bell(&self, thread: usize) -> BorrowedFd<'_> {
        self.seats[thread].bell.as_fd()
    }

    /// Whether any thread has work left.
    pub(super) fn goes_on(&self) -> bool {
        self.left.load(Ordering::Acquire) > 0
    }

    /// From now on lines may come to this thread.
    pub(super) fn open(&self, thread: usize) {
        self.arrived_at(thread).get_or_insert_default();
    }

    /// Notes where a thread runs.
    pub(super) fn runs_on(&self, thread: usize, processor: usize) {
        self.seats[thread].processor.store(processor, Ordering::Relaxed);
    }

    /// Where a line of this thread belongs whose server process runs on that processor, if to another one that has room
    /// for it.
    pub(super) fn better_than(&self, thread: usize, processor: usize) -> Option<usize> {
        let runs_there = |seat: &Seat<L>| seat.processor.load(Ordering::Relaxed) == processor;
        if runs_there(&self.seats[thread]) {
            return None;
        }
        let has_room = |seat: &Seat<L>| seat.lines.load(Ordering::Relaxed) < self.most;
        self.seats.iter().position(|seat| runs_there(seat) && has_room(seat))
    }

    /// Hands a line over; gives it back where nobody is there to take it.
    pub(super) fn hand_over(&self, from: usize, to: usize, line: L) -> Option<L> {
        let mut arrived = self.arrived_at(to);
        let Some(lines) = arrived.as_mut() else { return Some(line) };
        lines.push(line);
        // Counted while nobody can fetch it, so that no count falls below none.
        self.seats[to].lines.fetch_add(1, Ordering::Relaxed);
        self.seats[from].lines.fetch_sub(1, Ordering::Relaxed);
        drop(arrived);
        self.ring(to);
        None
    }

    /// The lines that have come to a thread.
    pub(super) fn fetch(&self, thread: usize) -> Vec<L> {
        self.arrived_at(thread).as_mut().map(mem::take).unwrap_or_default()
    }

    /// A line of this thread has ended.
    pub(super) fn ended(&self, thread: usize) {
        self.seats[thread].lines.fetch_sub(1, Ordering::Relaxed);
        self.fewer(1);
    }

    /// The thread ends, whatever lines it has: nobody is to wait for those. Gives back what came and was not fetched.
    fn leave(&self, thread: usize) -> Vec<L> {
        let mut arrived = self.arrived_at(thread);
        let unfetched = arrived.take().unwrap_or_default();
        self.fewer(self.seats[thread].lines.swap(0, Ordering::Relaxed));
        unfetched
    }

    fn fewer(&self, by: usize) {
        if by > 0 && self.left.fetch_sub(by, Ordering::AcqRel) == by {
            (0..self.seats.len()).for_each(|thread| self.ring(thread));
        }
    }

    fn ring(&self, thread: usize) {
        // It can only fail when it has been rung 2^64 times.
        _ = rustix::io::write(&self.seats[thread].bell, &1_u64.to_ne_bytes());
    }

    fn arrived_at(&self, thread: usize) -> MutexGuard<'_, Option<Vec<L>>> {
        self.seats[thread].arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's being there, which ends with it, also if it panics.
pub(super) struct Presence<'e, 'a> {
    pub(super) exchange: &'e Exchange<Line<'a>>,
    pub(super) thread: usize,
}

impl Drop for Presence<'_, '_> {
    fn drop(&mut self) {
        self.exchange.leave(self.thread).iter_mut().for_each(Line::give_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads 0 and 1, on processors 0 and 1, with four lines each, both open.
    fn two() -> Exchange<&'static str> {
        let exchange = Exchange::new(&[4, 4]).unwrap();
        for thread in 0..2 {
            exchange.open(thread);
            exchange.runs_on(thread, thread);
        }
        exchange
    }

    fn rung(exchange: &Exchange<&'static str>, thread: usize) -> bool {
        rustix::io::read(exchange.bell(thread), &mut [0; 8]).is_ok()
    }

    #[test]
    fn lines_belong_where_their_processes_run() {
        let exchange = two();
        assert_eq!(exchange.better_than(0, 1), Some(1));
        assert_eq!(exchange.better_than(1, 0), Some(0));
        assert_eq!(exchange.better_than(0, 0), None, "it is there");
        assert_eq!(exchange.better_than(0, 7), None, "nobody is there");
        exchange.runs_on(1, 0);
        assert_eq!(exchange.better_than(1, 0), None, "one is as good as the other");
    }

    #[test]
    fn what_is_handed_over_arrives_with_a_ring() {
        let exchange = two();
        assert!(!rung(&exchange, 1) && exchange.fetch(1).is_empty());
        assert_eq!(exchange.hand_over(0, 1, "a"), None);
        assert!(rung(&exchange, 1) && !rung(&exchange, 0));
        assert_eq!((exchange.fetch(1), exchange.fetch(1)), (vec!["a"], vec![]));
        // Four are fair, and a quarter more.
        assert_eq!(exchange.better_than(0, 1), None, "no thread shall have all the work");
        exchange.ended(1);
        assert_eq!(exchange.better_than(0, 1), Some(1));
    }

    #[test]
    fn nobody_comes_who_would_wait_for_ever() {
        let exchange = Exchange::new(&[2, 2]).unwrap();
        assert_eq!(exchange.hand_over(0, 1, "a"), Some("a"), "it is not open");
        exchange.open(1);
        assert_eq!(exchange.hand_over(0, 1, "a"), None);
        assert_eq!(exchange.leave(1), ["a"]);
        assert_eq!(exchange.hand_over(0, 1, "b"), Some("b"), "it has left");
        // One is left, the first thread's.
        assert!(exchange.goes_on() && !rung(&exchange, 0));
        exchange.ended(0);
        assert!(!exchange.goes_on() && rung(&exchange, 0), "all hear of the end");
    }
}
