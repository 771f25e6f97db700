//! What tells whether two hosts see the same devices and files, whatever they call them: size, content at some places,
//! and what the system calls them itself. Content that is the same everywhere tells nothing.

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

/// One device or file, as a host sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LunPrint {
    /// Its path there.
    pub path: String,
    /// Its size.
    pub size_bytes: u64,
    /// A digest of what it holds at some places.
    pub content: String,
    /// Whether that differs from place to place: what holds the same everywhere may be another one.
    pub is_telling: bool,
    /// What the system calls it itself, where it does: the kind of name, and the name.
    pub own_name: Option<(String, String)>,
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
    Ok(LunPrint {
        path: lun.path.display().to_string(),
        size_bytes: lun.size_bytes,
        content: format!("{:016x}", xxh3_64(&content)),
        is_telling: digests.iter().any(|digest| Some(digest) != digests.first()),
        own_name: own_name(lun),
    })
}

/// The number of a file in its file system, or the worldwide name of a device, or that of a mapping.
fn own_name(lun: &Lun) -> Option<(String, String)> {
    let stat = fstat(&lun.fd).ok()?;
    if lun.kind == LunKind::File {
        return Some(("inode".to_owned(), stat.st_ino.to_string()));
    }
    let device = format!("/sys/dev/block/{}:{}", major(stat.st_rdev), minor(stat.st_rdev));
    let names = [("mapping", "dm/uuid"), ("worldwide name", "wwid"), ("worldwide name", "device/wwid")];
    names.into_iter().find_map(|(kind, file)| {
        let name = std::fs::read_to_string(format!("{device}/{file}")).ok()?.trim().to_owned();
        (!name.is_empty()).then(|| (kind.to_owned(), name))
    })
}

impl LunPrint {
    /// Why this is not what another host has in the same place, if that is known. Two that have names of different
    /// kinds may still be the same.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        let theirs = &other.path;
        if self.size_bytes != other.size_bytes {
            return Some(format!("has {} bytes, and {theirs} there has {}", self.size_bytes, other.size_bytes));
        }
        if let (Some((kind, own)), Some((their_kind, their_name))) = (&self.own_name, &other.own_name)
            && kind == their_kind
            && own != their_name
        {
            return Some(format!("has the {kind} {own}, and {theirs} there has {their_name}"));
        }
        (self.content != other.content).then(|| format!("holds something else than {theirs} there"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LunAccess;
    use std::path::PathBuf;

    #[test]
    fn what_is_the_same_is_told_from_what_is_not() {
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
        assert!(one.is_telling && one.differs_from(one).is_none(), "{one:?}");
        assert!(copy.differs_from(one).unwrap().contains("inode"), "a copy is another one");
        let elsewhere = |print: &LunPrint| LunPrint { own_name: None, ..print.clone() };
        assert_eq!(elsewhere(copy).differs_from(&elsewhere(one)), None);
        assert!(elsewhere(altered).differs_from(&elsewhere(one)).unwrap().contains("something else"));
        assert!(short.differs_from(one).unwrap().contains("524288 bytes"), "{short:?}");
        assert!(!zeros.is_telling);
    }
}
