//! A lock that one process at a time can hold, on an empty file beside the thing that it protects. It is not on the
//! thing itself. That may be a database, which has locks on its own file, and a process that closes any descriptor of a
//! file loses all its locks on that file (`man 2 fcntl`). The kernel releases the lock when the holder ends, however it
//! ends. Then only the empty file remains, until the next holder removes it.

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A held lock. Dropping it releases the lock and removes the file.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Makes the file and takes its lock. `None` where the lock is held already.
    ///
    /// # Errors
    /// The system's error; or something that is not a lock file of dbdyno's has the name, such as a file with content.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            let file = File::from(rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?);
            let metadata = file.metadata()?;
            if !metadata.is_file() || metadata.len() > 0 {
                return Err(io::Error::new(ErrorKind::AlreadyExists, "something else has the name of the lock"));
            }
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => return Ok(None),
                locked => locked?,
            }
            let lock = Self { file, path: path.to_owned() };
            // The last holder may have removed the file meanwhile. Its lock then keeps nobody away: try again.
            if lock.is_in_place() {
                return Ok(Some(lock));
            }
        }
    }

    /// Whether the file is still at its path. If somebody removed it, the lock keeps nobody away.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let (Ok(locked), Ok(at_path)) = (self.file.metadata(), self.path.symlink_metadata()) else { return false };
        (locked.dev(), locked.ino()) == (at_path.dev(), at_path.ino())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed first, and unlocked then: a process that gets the lock of a removed file notices that. A
        // file that cannot be removed does no harm.
        if self.is_in_place() {
            _ = std::fs::remove_file(&self.path);
        }
        // Closing the file might not release the lock: a child process that is just starting may have it open, too.
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
        // What a killed holder leaves.
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

    /// Of many threads that take and release the lock, no two hold it at once, though each removes the file.
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
