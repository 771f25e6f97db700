//! Space on disk and in memory.

use crate::{parse, root::Root};
use std::io;
use std::path::Path;

/// Bytes that may still be written to the file system of `path`, or of its nearest parent that exists. Blocks reserved
/// for root do not count.
///
/// # Errors
/// The file system cannot be asked: no permission on the way.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let space = nearest(path, |place| Ok(rustix::fs::statvfs(place)?))?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Whether `path`, or its nearest parent that exists, is on a file system in main memory (tmpfs, ramfs). Commits there
/// do not survive a crash, however they are synchronised. An unreadable place counts as a device.
#[must_use]
pub fn is_memory(path: &Path) -> bool {
    // The magic numbers of statfs(2).
    const TMPFS: u32 = 0x0102_1994;
    const RAMFS: u32 = 0x8584_58f6;
    // The kernel's type is signed and its length varies; the numbers have 32 bits.
    nearest(path, |place| Ok(rustix::fs::statfs(place)?)).is_ok_and(|is| matches!(is.f_type as u32, TMPFS | RAMFS))
}

/// Asks about a path, or about its nearest parent that exists.
fn nearest<T>(path: &Path, ask: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let mut place = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    loop {
        match ask(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match place.parent() {
                Some(parent) if parent.as_os_str().is_empty() => place = Path::new("."),
                Some(parent) => place = parent,
                None => return Err(error),
            },
            answer => return answer,
        }
    }
}

/// The peak resident memory of this process, in bytes (`VmHWM`); `None` where the kernel does not say.
#[must_use]
pub fn peak_rss_bytes() -> Option<u64> {
    parse::kilobytes(&Root::machine().text("proc/self/status").ok()?, "VmHWM")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_yet_to_come_has_its_parents_space() {
        let dir = tempfile::tempdir().unwrap();
        let here = free_bytes(dir.path()).unwrap();
        let there = free_bytes(&dir.path().join("a/b/c.db")).unwrap();
        assert!(here > 0 && there > 0);
        assert!(here.abs_diff(there) < here / 2, "{here} {there}");
        assert!(free_bytes(Path::new("no-such-folder/x.db")).unwrap() > 0, "a relative path starts here");
        assert!(free_bytes(Path::new("")).unwrap() > 0);
    }

    #[test]
    fn memory_file_systems_are_known_and_devices_are_none() {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
        let mut asked = 0;
        for mount in mounts.lines() {
            let [_, point, kind] = mount.split(' ').take(3).collect::<Vec<_>>()[..] else { continue };
            let expected = matches!(kind, "tmpfs" | "ramfs");
            let known = expected || ["ext4", "xfs", "btrfs", "overlay", "proc", "sysfs"].contains(&kind);
            // A mount may be hidden by a later one at the same place, and its name may be escaped.
            let shown = mounts.lines().filter(|m| m.split(' ').nth(1) == Some(point)).count() == 1;
            if known && shown && Path::new(point).is_dir() {
                assert_eq!(is_memory(&Path::new(point).join("no/such/x.db")), expected, "{mount}");
                asked += 1;
            }
        }
        assert!(asked > 0 && !is_memory(Path::new("/proc/self/no/x.db")));
    }

    #[test]
    fn the_peak_rises_with_memory_touched() {
        let before = peak_rss_bytes().unwrap();
        let block = vec![7u8; 64 << 20];
        assert_eq!(block.iter().map(|b| usize::from(*b)).sum::<usize>(), 7 * (64 << 20));
        assert!(peak_rss_bytes().unwrap() >= before.max(64 << 20));
    }
}
