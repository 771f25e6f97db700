//! A place for one process at a time: a lock on a file of its own, which stands beside what it is about. Not on the
//! thing itself: whoever closes any descriptor of a file gives up the locks that another part of the same process holds
//! on it (`man 2 fcntl`), and a database's are such. The kernel lets go when the holder ends, however that happens;
//! only the empty file then stays, until the next holder takes it away.

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Held until it is dropped, and the file goes with it.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock, making its file; `None` where another one has it.
    ///
    /// # Errors
    /// The system's; what has the name is no empty file, and so none of ours.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            let file = File::from(rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?);
            let found = file.metadata()?;
            if !found.is_file() || found.len() > 0 {
                return Err(io::Error::new(ErrorKind::AlreadyExists, "something else has the name of the lock"));
            }
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => return Ok(None),
                locked => locked?,
            }
            let lock = Self { file, path: path.to_owned() };
            // Its last holder may have removed it meanwhile, and such a file locks nothing.
            if lock.is_in_place() {
                return Ok(Some(lock));
            }
        }
    }

    /// Whether the file still stands where others look for it: removed, it keeps nobody away.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let (Ok(ours), Ok(there)) = (self.file.metadata(), self.path.symlink_metadata()) else { return false };
        (ours.dev(), ours.ino()) == (there.dev(), there.ino())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In this order: whoever gets the lock of a file that is gone notices. One that cannot be removed is in
        // nobody's way.
        if self.is_in_place() {
            _ = std::fs::remove_file(&self.path);
        }
        // A child that is just being started has the file open, too, for a moment.
        _ = flock(&self.file, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn one_at_a_time_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let lock = Lock::take(&path).unwrap().unwrap();
        assert!(lock.is_in_place() && Lock::take(&path).unwrap().is_none());
        drop(lock);
        assert!(!path.exists());
        // As a killed holder leaves it.
        std::fs::write(&path, "").unwrap();
        assert!(Lock::take(&path).unwrap().is_some());
        assert!(!path.exists());
    }

    #[test]
    fn what_was_removed_by_hand_keeps_nobody_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let first = Lock::take(&path).unwrap().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(!first.is_in_place());
        let second = Lock::take(&path).unwrap().unwrap();
        drop(first);
        assert!(second.is_in_place(), "another one's file is left alone");
    }

    #[test]
    fn somebody_elses_file_is_neither_locked_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("text"), "mine").unwrap();
        std::fs::write(path("empty"), "").unwrap();
        std::os::unix::fs::symlink(path("empty"), path("link")).unwrap();
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        for name in ["text", "link", "fifo", "."] {
            assert!(Lock::take(&path(name)).is_err(), "{name}");
            assert!(path(name).symlink_metadata().is_ok(), "{name}");
        }
        assert_eq!(std::fs::read_to_string(path("text")).unwrap(), "mine");
    }

    /// Of many who take and let go, never two have it at once, though each takes the file away.
    #[test]
    fn many_in_turn_are_never_two_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (path, inside) = (folder.path().join("x.lock"), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut taken = 0;
                    while taken < 200 {
                        let Some(lock) = Lock::take(&path).unwrap() else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                        taken += 1;
                    }
                });
            }
        });
        assert!(!path.exists());
    }
}
