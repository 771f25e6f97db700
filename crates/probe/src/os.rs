//! The few system calls.

use rustix::fs::FileType;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::path::Path;

/// Major and minor number of a device.
pub(crate) type DeviceNumber = (u32, u32);

/// What a clock of the kernel says.
pub(crate) fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Processor nanoseconds that this thread has used.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    clock_ns(ClockId::ThreadCPUTime)
}

/// Processor nanoseconds that this process has used.
#[must_use]
pub fn process_cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

/// Binds this thread to one processor.
pub(crate) fn stay_on(cpu: u32) -> io::Result<()> {
    let mut one = rustix::thread::CpuSet::new();
    if cpu as usize >= rustix::thread::CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    one.set(cpu as usize);
    Ok(rustix::thread::sched_setaffinity(None, &one)?)
}

/// The device of a file; major 0 where the file system has no device of its own.
pub(crate) fn device_of(path: &Path) -> io::Result<DeviceNumber> {
    let device = rustix::fs::stat(path)?.st_dev;
    Ok((rustix::fs::major(device), rustix::fs::minor(device)))
}

/// The device that a device node stands for.
pub(crate) fn device_of_node(path: &Path) -> io::Result<DeviceNumber> {
    let stat = rustix::fs::stat(path)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a block device"));
    }
    Ok((rustix::fs::major(stat.st_rdev), rustix::fs::minor(stat.st_rdev)))
}
