//! The lock of whoever measures, loads or drops: one dbdyno at a time works in a file. It lies beside the database,
//! because SQLite's own locks on the database do not outlast a transaction, and locks of ours on it would be in their
//! way.

use super::meta::beside;
use dbdyno_engine::{EngineError, Hold};
use dbdyno_files::Lock;
use dbdyno_model::ErrorClass;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What the lock's file is called, behind the database's name.
pub(super) const SUFFIX: &str = ".dbdyno-lock";

/// Takes the lock, which goes with the value.
///
/// # Errors
/// Another dbdyno has it, or there is no making it.
pub(super) fn take(path: &Path) -> Result<Lock, EngineError> {
    let (file, doing) = (path.display(), format!("{}: asking to be alone there", path.display()));
    match Lock::take(&beside(path, SUFFIX)) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(EngineError::occupied(&doing)),
        Err(error) => {
            let class = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ErrorClass::OutOfSpace,
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorClass::Permission,
                _ => ErrorClass::Other,
            };
            let message = format!("{file}{SUFFIX}, which keeps other dbdynos away, cannot be made and locked: {error}");
            Err(EngineError::new(class, message))
        }
    }
}

/// The lock of a run.
pub(super) struct FileHold {
    lock: Lock,
    path: PathBuf,
}

impl FileHold {
    /// Takes it.
    ///
    /// # Errors
    /// As for [`take`].
    pub(super) fn take(path: &Path) -> Result<Self, EngineError> {
        Ok(Self { lock: take(path)?, path: path.to_owned() })
    }
}

impl Hold for FileHold {
    fn still_held(&self) -> Result<(), EngineError> {
        self.seen_lost().map_or(Ok(()), Err)
    }

    fn seen_lost(&self) -> Option<EngineError> {
        if self.lock.is_in_place() {
            return None;
        }
        let message = format!(
            "{}{SUFFIX}, which kept other dbdynos away, was removed, so others may have loaded, measured or dropped here",
            self.path.display()
        );
        Some(EngineError::new(ErrorClass::ConnectionLost, message))
    }
}
