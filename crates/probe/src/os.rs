//! The few system calls, and their counterparts on other systems, which return nothing.

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::*;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;

/// Major and minor number of a device.
pub(crate) type DeviceNumber = (u32, u32);

#[cfg(target_os = "linux")]
mod linux {
    use super::DeviceNumber;
    use rustix::fs::{Advice, FileType};
    use rustix::time::{ClockId, clock_gettime};
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    /// Processor time of this process, all threads, in nanoseconds.
    pub(crate) fn process_cpu_ns() -> Option<u64> {
        nanoseconds(ClockId::ProcessCPUTime)
    }

    /// Processor time of this thread in nanoseconds.
    pub(crate) fn thread_cpu_ns() -> Option<u64> {
        nanoseconds(ClockId::ThreadCPUTime)
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

    /// Time since the machine started, sleep included, in nanoseconds.
    pub(crate) fn since_boot_ns() -> Option<u64> {
        nanoseconds(ClockId::Boottime)
    }

    fn nanoseconds(clock: ClockId) -> Option<u64> {
        let time = clock_gettime(clock);
        u64::try_from(time.tv_sec).ok()?.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec).ok()?)
    }

    /// Hardware threads that the scheduler may give to this thread.
    pub(crate) fn affinity_threads() -> io::Result<u32> {
        Ok(rustix::thread::sched_getaffinity(None)?.count())
    }

    /// Bytes of a memory page.
    pub(crate) fn page_bytes() -> u64 {
        rustix::param::page_size() as u64
    }

    /// Units of processor time in `/proc`, per second.
    pub(crate) fn ticks_per_s() -> Option<u64> {
        Some(rustix::param::clock_ticks_per_second())
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

    /// Bytes that an ordinary user may still write to a file system.
    pub(crate) fn free_bytes(path: &Path) -> io::Result<u64> {
        let space = rustix::fs::statvfs(path)?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    /// Whether a file system lies in main memory (magic numbers of tmpfs and ramfs: statfs(2)).
    pub(crate) fn is_memory(path: &Path) -> io::Result<bool> {
        const TMPFS: u32 = 0x0102_1994;
        const RAMFS: u32 = 0x8584_58f6;
        // The kernel's type is signed and its length varies; the numbers have 32 bits.
        let kind = rustix::fs::statfs(path)?.f_type as u32;
        Ok(matches!(kind, TMPFS | RAMFS))
    }

    /// Asks the kernel to drop a file's clean pages. It begins to write dirty ones, and does not wait for them.
    pub(crate) fn drop_cached_pages(file: &File) -> io::Result<()> {
        Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
    }

    /// The same for a part of a file.
    pub(crate) fn drop_cached_part(file: &File, offset: u64, length: u64) -> io::Result<()> {
        let length = std::num::NonZeroU64::new(length);
        Ok(rustix::fs::fadvise(file, offset, length, Advice::DontNeed)?)
    }

    /// The identity of a file (device and inode), and its number of names.
    pub(crate) fn identity(file: &File) -> io::Result<((u64, u64), u64)> {
        let stat = rustix::fs::fstat(file)?;
        Ok(((stat.st_dev, stat.st_ino), stat.st_nlink))
    }

    /// [`identity`] without opening the file.
    pub(crate) fn identity_of(path: &Path) -> io::Result<(u64, u64)> {
        let stat = rustix::fs::stat(path)?;
        Ok((stat.st_dev, stat.st_ino))
    }

    /// Reads at an offset without moving a shared position.
    pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::DeviceNumber;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    fn unsupported<T>() -> io::Result<T> {
        Err(io::Error::new(io::ErrorKind::Unsupported, crate::root::NOT_LINUX))
    }

    pub(crate) fn process_cpu_ns() -> Option<u64> {
        None
    }

    pub(crate) fn since_boot_ns() -> Option<u64> {
        None
    }

    pub(crate) fn thread_cpu_ns() -> Option<u64> {
        None
    }

    pub(crate) fn stay_on(_: u32) -> io::Result<()> {
        unsupported()
    }

    pub(crate) fn affinity_threads() -> io::Result<u32> {
        unsupported()
    }

    pub(crate) fn page_bytes() -> u64 {
        4096
    }

    pub(crate) fn ticks_per_s() -> Option<u64> {
        None
    }

    pub(crate) fn device_of(_: &Path) -> io::Result<DeviceNumber> {
        unsupported()
    }

    pub(crate) fn device_of_node(_: &Path) -> io::Result<DeviceNumber> {
        unsupported()
    }

    pub(crate) fn free_bytes(_: &Path) -> io::Result<u64> {
        unsupported()
    }

    pub(crate) fn is_memory(_: &Path) -> io::Result<bool> {
        unsupported()
    }

    pub(crate) fn drop_cached_pages(_: &File) -> io::Result<()> {
        unsupported()
    }

    pub(crate) fn drop_cached_part(_: &File, _: u64, _: u64) -> io::Result<()> {
        unsupported()
    }

    pub(crate) fn identity(_: &File) -> io::Result<((u64, u64), u64)> {
        unsupported()
    }

    pub(crate) fn identity_of(_: &Path) -> io::Result<(u64, u64)> {
        unsupported()
    }

    pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
        unsupported()
    }
}
