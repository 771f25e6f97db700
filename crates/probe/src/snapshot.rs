//! All counters at one moment.

use crate::missing::Reading;
use crate::os;
use crate::parse::{self, CpuTicks, DeviceCounts, InterfaceBytes, OwnIo, Throttling};
use rustix::time::ClockId;
use std::time::{Duration, Instant, SystemTime};

/// All counters at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) clocks: Clocks,
    pub(crate) process_cpu_ns: u64,
    /// `None` where no server on this machine was named.
    pub(crate) server_cpu_ns: Option<Reading<u64>>,
    /// One for each group with a quota; `None` where no group has one.
    pub(crate) throttling: Option<Reading<Vec<Throttling>>>,
    /// What the server moved to and from devices.
    pub(crate) server_io: Option<Reading<OwnIo>>,
    /// What all processes moved; `None` where this was not asked for.
    pub(crate) everybody_io: Option<Reading<OwnIo>>,
    pub(crate) cpu: Reading<CpuTicks>,
    /// Of the processors that the server is held to; `None` where it is held to none.
    pub(crate) held_cpu: Option<Reading<CpuTicks>>,
    pub(crate) devices: Reading<Vec<DeviceCounts>>,
    pub(crate) own_io: Reading<OwnIo>,
    pub(crate) memory: Reading<MemoryInUse>,
    pub(crate) own_pages: Reading<u64>,
    /// Tasks that run or could run, this one included.
    pub(crate) runnable: Reading<u64>,
    pub(crate) swapped_pages: Reading<u64>,
    pub(crate) interfaces: Reading<Vec<InterfaceBytes>>,
    pub(crate) cpu_waits_us: Reading<u64>,
    pub(crate) io_waits_us: Reading<u64>,
    pub(crate) memory_waits_us: Reading<u64>,
}

/// Main memory in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryInUse {
    pub(crate) available_bytes: u64,
    pub(crate) page_cache_bytes: u64,
}

impl MemoryInUse {
    /// The page cache contains cached files and devices. The kernel also counts shared memory (for instance a
    /// database's own cache) in `Cached`, but that is not a copy of a file.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let read = |name| parse::kilobytes(text, name);
        let cached = read("Cached")?.saturating_add(read("Buffers")?).saturating_sub(read("Shmem")?);
        Some(Self { available_bytes: read("MemAvailable")?, page_cache_bytes: cached })
    }
}

impl Snapshot {
    /// When it was taken, by the monotonic clock.
    #[must_use]
    pub fn taken_at(&self) -> Instant {
        self.clocks.monotonic
    }

    /// The same counts later, with all clocks moved forward together.
    #[cfg(test)]
    pub(crate) fn after(&self, time: Duration) -> Self {
        let clocks = Clocks {
            monotonic: self.clocks.monotonic + time,
            wall: self.clocks.wall + time,
            since_boot_ns: self.clocks.since_boot_ns + u64::try_from(time.as_nanos()).unwrap(),
        };
        Self { clocks, ..self.clone() }
    }

    /// Seconds by which the clocks moved apart until `later`: how far the wall clock was set, or how long the machine
    /// slept, whichever is more. NTP may slew the clock by up to 0.5 ms a second; reading the clocks takes some
    /// microseconds.
    #[must_use]
    pub fn clock_jump_s(&self, later: &Self) -> f64 {
        self.clocks.jump_s(&later.clocks)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocks {
    pub(crate) monotonic: Instant,
    pub(crate) wall: SystemTime,
    /// Sleep included.
    pub(crate) since_boot_ns: u64,
}

impl Clocks {
    /// Reads the clocks together. A thread that loses its processor in between would see them apart, so the closest of
    /// several readings counts.
    pub(crate) fn read() -> Self {
        const CLOSE: Duration = Duration::from_micros(50);
        const ATTEMPTS: u32 = 5;
        let read = || {
            let monotonic = Instant::now();
            let clocks = Self { monotonic, wall: SystemTime::now(), since_boot_ns: os::clock_ns(ClockId::Boottime) };
            (monotonic.elapsed(), clocks)
        };
        let mut closest = read();
        for _ in 1..ATTEMPTS {
            if closest.0 <= CLOSE {
                break;
            }
            let next = read();
            if next.0 < closest.0 {
                closest = next;
            }
        }
        closest.1
    }

    pub(crate) fn jump_s(&self, later: &Self) -> f64 {
        let passed_s = later.monotonic.saturating_duration_since(self.monotonic).as_secs_f64();
        let wall_s = match later.wall.duration_since(self.wall) {
            Ok(forward) => forward.as_secs_f64(),
            Err(backward) => -backward.duration().as_secs_f64(),
        };
        let boot_ns = later.since_boot_ns.saturating_sub(self.since_boot_ns);
        let slept_s = (boot_ns as f64 / 1e9 - passed_s).abs();
        (wall_s - passed_s).abs().max(slept_s)
    }
}
