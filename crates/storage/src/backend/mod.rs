//! Ways to have I/O done. A thread that measures has a queue of its own: it pushes what is to be done, and takes a
//! turn, in which everything pushed is handed over and what has ended comes back.

#[cfg(test)]
pub(crate) mod disk;
mod null;
#[cfg(test)]
pub(crate) mod stall;
mod threads;
mod uring;

pub(crate) use null::Null;
pub(crate) use threads::Calls;
pub(crate) use uring::Uring;

use crate::arena::Arena;
use std::io;

/// How I/O is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum BackendKind {
    /// By `io_uring`, many at a time from one thread.
    #[strum(serialize = "io_uring")]
    Uring,
    /// By `pread` and `pwrite`, one at a time from each of as many threads as I/Os are outstanding.
    Threads,
    /// Not at all: everything has ended at once. What dbdyno itself can do.
    Null,
}

impl BackendKind {
    /// The name as in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One piece of an I/O.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    /// Whose it is: comes back with the answer.
    pub tag: u64,
    pub lun: u32,
    pub offset: u64,
    /// Where in the arena.
    pub at: usize,
    pub bytes: u32,
    pub write: bool,
}

/// One that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub tag: u64,
    /// Bytes, or an error number below zero.
    pub result: i32,
}

/// A queue comes back from its turn after so long, also when nothing has ended: to hear of the end.
pub(crate) const TICK_NS: u64 = 50_000_000;

/// Where a thread pushes its I/O.
pub(crate) trait Queue {
    /// Something more to be done, with the next turn.
    fn push(&mut self, task: Task) -> io::Result<()>;

    /// Hands over what was pushed, and waits until something has ended, or until a moment (where one is given), or for
    /// a tick.
    fn turn(&mut self, arena: &mut Arena, until_ns: Option<u64>, ended: &mut Vec<Ended>) -> io::Result<()>;
}

/// The monotonic clock.
#[inline]
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until a moment, or for a tick.
pub(crate) fn sleep_until(until_ns: Option<u64>) {
    let now_ns = now_ns();
    let ns = until_ns.map_or(TICK_NS, |until_ns| until_ns.saturating_sub(now_ns).min(TICK_NS));
    std::thread::sleep(std::time::Duration::from_nanos(ns));
}
