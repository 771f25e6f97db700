//! What tells whether two hosts see the same devices and files, whatever they call them: what the system itself calls
//! them, size, and content at some places. Only a worldwide name proves it, or one kernel that both hosts have.

use crate::arena::Arena;
use crate::{Lun, LunKind, Luns, StorageError};
use dbdyno_stats::SplitMix64;
use rustix::fs::{fstat, major, minor};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Places that are read.
const PLACES: usize = 64;
/// Bytes that are read at each.
const BYTES: usize = 4096;
/// How worldwide names of devices begin (SCSI and NVMe), and those of multipath mappings, which are made of them.
/// Others may be the same on machines that were cloned.
const WORLDWIDE: [&str; 5] = ["naa.", "eui.", "uuid.", "nvme.", "mpath-"];

/// One device or file, as a host sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LunPrint {
    /// Its path there.
    pub path: String,
    /// Its size.
    pub size_bytes: u64,
    /// The running kernel, and the number that it has there: a device's, or that of a file and its file system.
    kernel: String,
    number: String,
    /// Its name where it has one beyond that kernel, and what kind of name it is.
    name: Option<(String, String)>,
    /// A digest of what it holds at some places.
    content: String,
    /// Whether it holds something else from place to place.
    differs_within: bool,
}

/// Whether two prints are of one device or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LunLikeness {
    /// They are.
    Same,
    /// They are not, and why, as the end of a sentence that begins with the first.
    Other(String),
    /// Nobody can tell, and why.
    Unknown(&'static str),
}

impl Luns {
    /// What tells each of them from others, by what they hold at places that follow from a seed. Reads past the page
    /// cache, and writes nothing.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn prints(&self, seed: u64) -> Result<Vec<LunPrint>, StorageError> {
        self.iter().map(|lun| print(lun, seed)).collect()
    }
}

fn print(lun: &Lun, seed: u64) -> Result<LunPrint, StorageError> {
    let unread = |source: std::io::Error| StorageError::Open { path: lun.path.clone(), for_what: "reading", source };
    let stat = fstat(&lun.fd).map_err(|error| unread(error.into()))?;
    let mut arena = Arena::new(BYTES, false).map_err(unread)?;
    let (mut draws, blocks) = (SplitMix64::new(seed), (lun.size_bytes / BYTES as u64).max(1));
    let mut digests = Vec::new();
    for _ in 0..PLACES {
        let offset = draws.below(blocks) * BYTES as u64;
        let block = arena.get_mut(0..BYTES);
        let read = rustix::io::pread(&lun.fd, &mut *block, offset).map_err(|error| unread(error.into()))?;
        digests.push(xxh3_64(&block[..read]));
    }
    let content: Vec<u8> = digests.iter().flat_map(|digest| digest.to_le_bytes()).collect();
    let (number, name) = match lun.kind {
        LunKind::File => {
            let inode = stat.st_ino.to_string();
            (format!("{}:{inode}", stat.st_dev), Some(("inode".to_owned(), inode)))
        }
        LunKind::Device => {
            let number = format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev));
            let name = name_of_device(&number);
            (number, name)
        }
    };
    Ok(LunPrint {
        path: lun.path.display().to_string(),
        size_bytes: lun.size_bytes,
        kernel: std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned(),
        number,
        name,
        content: format!("{:016x}", xxh3_64(&content)),
        differs_within: digests.iter().any(|digest| Some(digest) != digests.first()),
    })
}

/// What the system calls a device beyond the running kernel.
fn name_of_device(number: &str) -> Option<(String, String)> {
    let names = [("mapping", "dm/uuid"), ("worldwide name", "wwid"), ("worldwide name", "device/wwid")];
    names.into_iter().find_map(|(kind, file)| {
        let name = std::fs::read_to_string(format!("/sys/dev/block/{number}/{file}")).ok()?.trim().to_owned();
        (!name.is_empty()).then(|| (kind.to_owned(), name))
    })
}

impl LunPrint {
    /// Whether this is what another host has in the same place.
    #[must_use]
    pub fn likeness(&self, other: &Self) -> LunLikeness {
        let theirs = &other.path;
        if self.size_bytes != other.size_bytes {
            let sizes = format!("has {} bytes, and {theirs} there has {}", self.size_bytes, other.size_bytes);
            return LunLikeness::Other(sizes);
        }
        let is_alike = self.content == other.content;
        let unlike =
            || LunLikeness::Other(format!("holds something else than {theirs} there at some of {PLACES} places"));
        if !self.kernel.is_empty() && self.kernel == other.kernel {
            return match self.number == other.number {
                // Machines that were cloned while they ran have one kernel's name, and disks of their own.
                true if is_alike => LunLikeness::Same,
                true => unlike(),
                false => LunLikeness::Other(format!("is another one on this machine than {theirs}")),
            };
        }
        let names = self.name.as_ref().zip(other.name.as_ref()).filter(|(own, their)| own.0 == their.0);
        if let Some(((kind, own), (_, their))) = names {
            if own != their {
                return LunLikeness::Other(format!("has the {kind} {own}, and {theirs} there has {their}"));
            }
            if WORLDWIDE.iter().any(|begins| own.starts_with(begins)) {
                return LunLikeness::Same;
            }
        }
        if !is_alike {
            return unlike();
        }
        LunLikeness::Unknown(match self.differs_within {
            true => "its size and what it holds at 64 places are alike, as they would be of a copy",
            false => "it holds the same at all of 64 places, as an empty one does",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LunAccess;
    use LunLikeness::{Other, Same, Unknown};
    use std::path::PathBuf;

    #[test]
    fn what_is_the_same_is_told_from_what_is_not_and_from_what_nobody_knows() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let file = |name: &str, content: &[u8]| -> PathBuf {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        };
        let telling: Vec<u8> = (0..1u32 << 18).flat_map(|n| n.to_le_bytes()).collect();
        let mut altered = telling.clone();
        altered.chunks_mut(4096).for_each(|block| block[0] ^= 1);
        let paths = [
            file("one", &telling),
            file("copy", &telling),
            file("altered", &altered),
            file("short", &telling[..1 << 19]),
            file("zeros", &[0; 1 << 20]),
        ];
        let prints = || Luns::open(&paths, LunAccess::Read).unwrap().prints(7).unwrap();
        assert_eq!(prints(), prints());
        let prints = prints();
        let [one, copy, altered, short, zeros] = prints.as_slice() else { panic!() };
        assert_eq!(one.likeness(one), Same);
        let is_other = |likeness, words: &str| matches!(likeness, Other(why) if why.contains(words));
        assert!(is_other(copy.likeness(one), "another one on this machine"));
        assert!(is_other(short.likeness(one), "524288 bytes"));
        let cloned = LunPrint { content: altered.content.clone(), ..one.clone() };
        assert!(is_other(cloned.likeness(one), "something else"), "of a machine that was cloned while it ran");
        // The same on another machine, with a name of its own or none.
        let elsewhere = |print: &LunPrint, name: Option<(&str, &str)>| LunPrint {
            kernel: "another".to_owned(),
            name: name.map(|(kind, name)| (kind.to_owned(), name.to_owned())),
            ..print.clone()
        };
        let named = |kind, name| LunPrint { kernel: "this".to_owned(), ..elsewhere(one, Some((kind, name))) };
        assert!(matches!(one.likeness(&elsewhere(copy, None)), Unknown(why) if why.contains("a copy")));
        assert!(matches!(zeros.likeness(&elsewhere(zeros, None)), Unknown(why) if why.contains("empty")));
        assert!(is_other(one.likeness(&elsewhere(altered, None)), "something else"));
        let array = named("worldwide name", "naa.60001");
        assert_eq!(array.likeness(&elsewhere(one, Some(("worldwide name", "naa.60001")))), Same);
        assert!(is_other(array.likeness(&elsewhere(one, Some(("worldwide name", "naa.60002")))), "naa.60002"));
        let cloned = named("inode", "12");
        assert!(matches!(cloned.likeness(&elsewhere(one, Some(("inode", "12")))), Unknown(_)), "of a cloned machine");
        assert!(is_other(cloned.likeness(&elsewhere(one, Some(("inode", "13")))), "inode"));
    }
}
