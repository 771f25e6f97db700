//! Time. Everything inside is monotonic nanoseconds since the clock was made; nothing here is a date.

use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A monotonic clock. The simulated one lets tests run hours in microseconds and know the truth exactly.
pub trait Clock: Send + Sync {
    /// Nanoseconds since the clock was made.
    fn now_ns(&self) -> u64;
    /// Lets this many nanoseconds pass.
    fn sleep_ns(&self, ns: u64);
}

/// The operating system's monotonic clock. It is read for every answer, so it is asked directly: an `Instant` that
/// is made nanoseconds takes 70 instructions more.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    made_ns: u64,
}

impl Default for MonotonicClock {
    fn default() -> Self {
        Self { made_ns: monotonic_ns() }
    }
}

impl MonotonicClock {
    /// A moment of this clock by the system's own (`CLOCK_MONOTONIC`), in nanoseconds.
    #[must_use]
    pub fn system_ns(&self, at_ns: u64) -> u64 {
        self.made_ns + at_ns
    }

    /// A moment of the system's own clock by this one.
    #[must_use]
    pub fn of_system_ns(&self, system_ns: u64) -> u64 {
        system_ns.saturating_sub(self.made_ns)
    }
}

impl Clock for MonotonicClock {
    fn now_ns(&self) -> u64 {
        monotonic_ns().saturating_sub(self.made_ns)
    }

    fn sleep_ns(&self, ns: u64) {
        std::thread::sleep(Duration::from_nanos(ns));
    }
}

/// Nanoseconds since some moment of the past, which is the same for the whole process.
#[inline]
fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// A clock that moves only when it is told to.
#[derive(Debug, Default)]
pub struct SimulatedClock(AtomicU64);

impl SimulatedClock {
    /// Sets the time; the simulated pump moves between jobs that live at different times.
    pub fn set_ns(&self, ns: u64) {
        self.0.store(ns, Ordering::Relaxed);
    }
}

impl Clock for SimulatedClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_ns(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }
}
