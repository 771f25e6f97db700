//! Backends that do I/O. Each measuring thread has a queue of its own: it pushes pieces, and then submits all of them
//! and waits for completions.

mod blocking;
#[cfg(test)]
pub(crate) mod memory_disk;
mod null;
#[cfg(test)]
pub(crate) mod test_queues;
mod uring;

pub(crate) use blocking::BlockingQueue;
pub(crate) use null::NullQueue;
pub(crate) use uring::UringQueue;

use crate::arena::Arena;
use rustix::time::ClockId;
use std::io;

/// How I/O is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, serde::Serialize, serde::Deserialize)]
#[strum(serialize_all = "snake_case")]
pub enum BackendKind {
    /// By `io_uring`, many at a time from one thread.
    #[strum(serialize = "io_uring")]
    Uring,
    /// By `pread` and `pwrite`, one at a time, with as many threads as I/Os are outstanding.
    Threads,
    /// Not at all: each I/O completes at once. It shows what dbdyno itself can do.
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
pub(crate) struct QueuedPiece {
    /// The slot of the I/O; it comes back with the completion.
    pub tag: u64,
    pub lun: u32,
    pub offset: u64,
    /// Offset in the arena.
    pub at: usize,
    pub bytes: u32,
    pub write: bool,
}

/// A piece that has completed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompletedPiece {
    pub tag: u64,
    /// Bytes, or an error number below zero.
    pub result: i32,
}

/// A queue returns after this long even if nothing has completed, so that the thread notices the end.
pub(crate) const TICK_NS: u64 = 50_000_000;

/// The queue of a thread.
pub(crate) trait IoQueue {
    /// Adds a piece, which is submitted with the next call.
    fn push(&mut self, task: QueuedPiece) -> io::Result<()>;

    /// Submits what was pushed, and waits until a piece has completed, until a moment (if one is given), or for a tick.
    fn submit_and_wait(
        &mut self,
        arena: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()>;
}

/// The monotonic clock.
#[inline]
pub(crate) fn now_ns() -> u64 {
    clock_ns(ClockId::Monotonic)
}

/// What a clock says.
#[inline]
pub(crate) fn clock_ns(clock: ClockId) -> u64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until a moment, or for a tick.
pub(crate) fn sleep_until(until_ns: Option<u64>) {
    let now_ns = now_ns();
    let ns = until_ns.map_or(TICK_NS, |until_ns| until_ns.saturating_sub(now_ns).min(TICK_NS));
    std::thread::sleep(std::time::Duration::from_nanos(ns));
}
