//! Time. Everything inside is monotonic nanoseconds since the clock was made; nothing here is a date.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A monotonic clock. The simulated one lets tests run hours in microseconds and know the truth exactly.
pub trait Clock: Send + Sync {
    /// Nanoseconds since the clock was made.
    fn now_ns(&self) -> u64;
    /// Lets this many nanoseconds pass.
    fn sleep_ns(&self, ns: u64);
}

/// The operating system's monotonic clock.
#[derive(Debug)]
pub struct MonotonicClock(Instant);

impl Default for MonotonicClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for MonotonicClock {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep_ns(&self, ns: u64) {
        std::thread::sleep(Duration::from_nanos(ns));
    }
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
