//! Evicting data files from the page cache, so that reads reach the device.
//!
//! A file that was opened here stays open until the process ends or the file is deleted. POSIX record locks belong to
//! process and file, and closing *any* descriptor of a file drops all of them. Otherwise an engine inside dbdyno
//! (SQLite) would silently lose its locks whenever its database file was evicted and closed.

use rustix::fs::Advice;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What happens to dirty pages. On the advice the kernel drops clean pages at once. For dirty pages Linux begins the
/// write-back (unless the device is congested), does not wait for it, and keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictMode {
    /// They are written to the device first, so that everything is dropped. Not during a point, because the waiting and
    /// the writing would be measured, too.
    FlushFirst,
    /// They stay for now, and are dropped by the next eviction once they are written. The writes would happen later
    /// anyway; now they happen within the point, and its figures include them.
    AsIs,
}

/// Files held open, for cheap repeated eviction.
#[derive(Debug)]
pub struct Evictor(Vec<Arc<File>>);

impl Evictor {
    /// Opens files.
    ///
    /// # Errors
    /// One of them cannot be opened; the error names it.
    pub fn open(paths: &[PathBuf]) -> io::Result<Self> {
        paths.iter().map(|path| open(path)).collect::<io::Result<Vec<_>>>().map(Self)
    }

    /// Evicts all of them.
    ///
    /// # Errors
    /// One of them cannot be flushed or advised on.
    pub fn evict_all(&self, mode: EvictMode) -> io::Result<()> {
        for file in &self.0 {
            if mode == EvictMode::FlushFirst {
                file.sync_data()?;
            }
            drop_cached(file, 0, None)?;
        }
        Ok(())
    }

    /// Their length in bytes, together; of those whose length can be read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum()
    }

    /// Evicts a range of them, given as shares of all their bytes in sequence; dirty pages stay.
    ///
    /// # Errors
    /// The length of one cannot be read, or one cannot be advised on.
    pub fn evict_share(&self, from: f64, to: f64) -> io::Result<()> {
        let lengths = self.0.iter().map(|file| Ok(file.metadata()?.len())).collect::<io::Result<Vec<u64>>>()?;
        let all = lengths.iter().sum::<u64>() as f64;
        let (from, to) = ((all * from) as u64, (all * to) as u64);
        let mut begin = 0;
        for (file, length) in self.0.iter().zip(lengths) {
            let (first, last) = (from.clamp(begin, begin + length), to.clamp(begin, begin + length));
            if first < last {
                drop_cached(file, first - begin, NonZeroU64::new(last - first))?;
            }
            begin += length;
        }
        Ok(())
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.0.clear();
        close_deleted(&mut OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Asks the kernel to drop the clean pages of a part of a file, or of all behind an offset. It begins to write dirty
/// ones, and does not wait for them.
fn drop_cached(file: &File, offset: u64, length: Option<NonZeroU64>) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, offset, length, Advice::DontNeed)?)
}

/// A deleted file would keep its disk space, and its locks are no longer needed.
fn close_deleted(files: &mut OpenFiles) {
    files.retain(|_, file| file.metadata().is_ok_and(|about| about.nlink() > 0));
}

fn identity(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}

type OpenFiles = BTreeMap<(u64, u64), Arc<File>>;

/// Every file opened here that still has a name: device and inode -> descriptor.
static OPEN: Mutex<OpenFiles> = Mutex::new(BTreeMap::new());

fn open(path: &Path) -> io::Result<Arc<File>> {
    let named = |e: io::Error| io::Error::new(e.kind(), format!("cannot evict {}: {e}", path.display()));
    let mut files = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    close_deleted(&mut files);
    if let Some(file) = files.get(&identity(&std::fs::metadata(path).map_err(named)?)) {
        return Ok(Arc::clone(file));
    }
    let file = Arc::new(File::open(path).map_err(named)?);
    files.insert(identity(&file.metadata().map_err(named)?), Arc::clone(&file));
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evict(path: &Path, mode: EvictMode) {
        Evictor::open(&[path.to_owned()]).unwrap().evict_all(mode).unwrap();
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = Evictor::open(&[PathBuf::from("/no/such/file.db")]).unwrap_err();
        assert!(error.to_string().contains("/no/such/file.db"), "{error}");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_span_of_files_is_a_span_of_their_bytes() {
        let dir = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
        let paths = ["a", "b", "c"].map(|name| dir.path().join(name));
        for (path, length) in paths.iter().zip([0, 1 << 20, 3 << 20]) {
            std::fs::write(path, vec![7u8; length]).unwrap();
        }
        let evictor = Evictor::open(&paths).unwrap();
        evictor.evict_all(EvictMode::FlushFirst).unwrap();
        for (from, to) in [(0.0, 0.45), (0.45, 1.0), (0.3, 0.3), (0.9, 2.0)] {
            evictor.evict_share(from, to).unwrap();
        }
        assert!(Evictor::open(&[]).unwrap().evict_share(0.0, 1.0).is_ok());
    }

    #[test]
    fn a_deleted_file_is_let_go() {
        let dir = tempfile::tempdir().unwrap();
        let held = |id| OPEN.lock().unwrap().contains_key(&id);
        let (first, second) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::write(&first, "x").unwrap();
        std::fs::write(&second, "y").unwrap();
        evict(&first, EvictMode::FlushFirst);
        let id = identity(&std::fs::metadata(&first).unwrap());
        assert!(held(id));
        std::fs::remove_file(&first).unwrap();
        evict(&second, EvictMode::AsIs);
        assert!(!held(id));
        assert!(held(identity(&std::fs::metadata(&second).unwrap())));
    }

    #[test]
    fn eviction_leaves_the_locks_of_this_process_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        rustix::fs::fcntl_lock(file.as_file(), rustix::fs::FlockOperation::LockExclusive).unwrap();
        let inode = file.as_file().metadata().unwrap().ino();
        let locked = || {
            let locks = std::fs::read_to_string("/proc/locks").unwrap();
            locks.lines().any(|l| l.contains("POSIX") && l.contains(&format!(":{inode} ")))
        };
        assert!(locked(), "the check itself must see the lock");
        evict(file.path(), EvictMode::FlushFirst);
        let evictor = Evictor::open(&[file.path().to_owned()]).unwrap();
        evictor.evict_all(EvictMode::AsIs).unwrap();
        drop(evictor);
        assert!(locked());
        // Shows what would happen otherwise, so that this test cannot pass for another reason.
        drop(File::open(file.path()).unwrap());
        assert!(!locked());
    }
}
