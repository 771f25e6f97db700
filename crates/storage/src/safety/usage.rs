//! Who uses a device or file, according to the kernel.

use super::identity::Identity;
use rustix::fs::{Mode, OFlags, major, minor, open};
use rustix::io::Errno;
use std::fs::Metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longer than a program needs for a short look at a device.
const A_LOOK: Duration = Duration::from_millis(300);

/// Claims a device, so that the kernel lets no other process do so; `None` where another use has claimed it. The kernel
/// knows every such use, also those that are listed nowhere.
pub(super) fn hold(path: &Path) -> io::Result<Option<OwnedFd>> {
    match open(path, OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC, Mode::empty()) {
        Ok(held) => Ok(Some(held)),
        Err(Errno::BUSY) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Why a device is in use, as the end of a sentence that begins with its name.
pub(super) fn of_device(number: u64, held: bool, sharers: &[u32]) -> io::Result<Option<String>> {
    let mounts = mounts()?;
    for part in parts(number) {
        let whose = if part == number { String::new() } else { format!("has a partition ({}) that ", name(part)) };
        // Some file systems give their mounts numbers of their own; then the device is the mount's source.
        let mounted = mounts.iter().find(|mount| mount.number == part || device_number(&mount.source) == Some(part));
        if let Some(mount) = mounted {
            return Ok(Some(format!("{whose}is mounted on {}", mount.place.display())));
        }
        if swaps().iter().any(|swap| device_number(swap) == Some(part)) {
            return Ok(Some(format!("{whose}is in use as swap space")));
        }
        if let Some(holder) = holder(part) {
            return Ok(Some(format!("{whose}is in use by {holder} (a volume, RAID or mapping)")));
        }
    }
    if !held {
        return Ok(Some("is in use: the kernel refuses to open it alone".to_owned()));
    }
    // Databases on raw devices do not claim them.
    Ok(kept_open_by(Identity::Device(number), sharers))
}

/// Why a file is in use.
pub(super) fn of_file(metadata: &Metadata, sharers: &[u32]) -> io::Result<Option<String>> {
    let identity = Identity::from(metadata);
    let same = |other: &Path| Identity::of(other).is_ok_and(|other| other == identity);
    if swaps().iter().any(|swap| same(swap)) {
        return Ok(Some("is in use as swap space".to_owned()));
    }
    for entry in entries("/sys/block") {
        let backing = std::fs::read(entry.join("loop/backing_file")).unwrap_or_default();
        if !backing.is_empty() && same(Path::new(std::ffi::OsStr::from_bytes(backing.trim_ascii_end()))) {
            let device = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Some(format!("is in use by /dev/{device}")));
        }
    }
    Ok(kept_open_by(identity, sharers))
}

/// The process that keeps it open. Processes that only look at every device (for a free one, or for signatures), and
/// children about to become other programs, disappear at once.
fn kept_open_by(identity: Identity, sharers: &[u32]) -> Option<String> {
    let first = opened_by(identity, sharers);
    if first.is_empty() {
        return None;
    }
    std::thread::sleep(A_LOOK);
    opened_by(identity, sharers).into_iter().find(|still| first.contains(still))
}

/// The processes that have it open, perhaps a running database. Only root sees all processes; other users see at least
/// their own.
fn opened_by(identity: Identity, sharers: &[u32]) -> Vec<String> {
    let mut who = Vec::new();
    let own = std::process::id().to_string();
    let shares = |id: &str| id.parse().is_ok_and(|pid: u32| sharers.contains(&pid));
    for process in entries("/proc") {
        let id = process.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if id == own || shares(&id) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if entries(process.join("fd")).any(|fd| Identity::of(&fd).is_ok_and(|other| other == identity)) {
            who.push(format!("is open in process {id}{}", command(&process)));
        }
    }
    who
}

fn command(process: &Path) -> String {
    std::fs::read_to_string(process.join("comm")).map_or(String::new(), |name| format!(" ({})", name.trim()))
}

/// A mount.
struct Mount {
    /// The number of its device.
    number: u64,
    /// Where.
    place: PathBuf,
    /// What.
    source: PathBuf,
}

fn mounts() -> io::Result<Vec<Mount>> {
    Ok(std::fs::read_to_string("/proc/self/mountinfo")?.lines().filter_map(mount).collect())
}

/// Parses a line of mountinfo: `36 35 98:0 /root /mnt options - type source options`.
fn mount(line: &str) -> Option<Mount> {
    let (fixed, rest) = line.split_once(" - ")?;
    let mut fields = fixed.split(' ').skip(2);
    let number = number(fields.next()?)?;
    let place = unescaped(fields.nth(1)?);
    Some(Mount { number, place, source: unescaped(rest.split(' ').nth(1)?) })
}

/// The number of a device, from the kernel's form `98:0`.
fn number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
}

fn swaps() -> Vec<PathBuf> {
    let text = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    text.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next()).map(unescaped).collect()
}

/// A path of /proc, in which blanks and the like are written as octal numbers.
fn unescaped(text: &str) -> PathBuf {
    let mut parts = text.split('\\');
    let mut path = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let octal = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        path.push(octal.unwrap_or(b'\\'));
        path.extend(part.as_bytes().iter().skip(if octal.is_some() { 3 } else { 0 }));
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&path))
}

fn device_number(path: &Path) -> Option<u64> {
    match Identity::of(path).ok()? {
        Identity::Device(number) => Some(number),
        Identity::File(..) => None,
    }
}

fn sys(number: u64) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)))
}

fn name(number: u64) -> String {
    let target = sys(number).canonicalize().unwrap_or_default();
    target.file_name().map_or_else(String::new, |name| format!("/dev/{}", name.to_string_lossy()))
}

/// The device and its partitions.
fn parts(whole: u64) -> Vec<u64> {
    let partitions = entries(sys(whole)).filter(|entry| entry.join("partition").exists());
    let numbers = partitions.filter_map(|entry| number(&std::fs::read_to_string(entry.join("dev")).ok()?));
    std::iter::once(whole).chain(numbers).collect()
}

/// What is built on a device.
fn holder(number: u64) -> Option<String> {
    entries(sys(number).join("holders")).next().and_then(|holder| {
        let mapped = std::fs::read_to_string(holder.join("dm/name")).ok().map(|name| name.trim().to_owned());
        mapped.or_else(|| Some(holder.file_name()?.to_string_lossy().into_owned()))
    })
}

fn entries(folder: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mount_is_read_from_its_line() {
        let line = "36 35 98:1 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/ro\\134ot rw,errors=continue";
        let mount = mount(line).unwrap();
        assert_eq!(mount.number, rustix::fs::makedev(98, 1));
        assert_eq!((mount.place, mount.source), (PathBuf::from("/mnt 2"), PathBuf::from("/dev/ro\\ot")));
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_left(line in ".{0,80}") {
            let _ = mount(&line);
            let _ = unescaped(&line);
        }
    }
}
