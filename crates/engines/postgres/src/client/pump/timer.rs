//! A timer of the kernel's that is waited for together with the sockets. It counts in nanoseconds, and the kernel
//! neither rounds it nor delays it to save a wake-up, as it does with the time that a wait may take.

use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

const NS_PER_S: u64 = 1_000_000_000;

/// A timer that fires once each time that it is set.
pub(super) struct Timer {
    fd: OwnedFd,
    fires_at_ns: Option<u64>,
}

impl Timer {
    pub(super) fn new() -> Result<Self, Errno> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Self { fd: timerfd_create(TimerfdClockId::Monotonic, flags)?, fires_at_ns: None })
    }

    /// Sets it, now being `now_ns` by the clock that it is set by.
    pub(super) fn set(&mut self, at_ns: u64, now_ns: u64) -> Result<(), Errno> {
        // Nothing would stop it.
        let in_ns = at_ns.saturating_sub(now_ns).max(1);
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let in_ns = Timespec {
            tv_sec: i64::try_from(in_ns / NS_PER_S).unwrap_or(i64::MAX),
            tv_nsec: (in_ns % NS_PER_S).cast_signed(),
        };
        timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: zero, it_value: in_ns })?;
        self.fires_at_ns = Some(at_ns);
        Ok(())
    }

    /// When it will fire.
    pub(super) fn fires_at(&self) -> Option<u64> {
        self.fires_at_ns
    }

    /// It has fired.
    pub(super) fn fired(&mut self) {
        self.fires_at_ns = None;
    }
}

impl AsFd for Timer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
