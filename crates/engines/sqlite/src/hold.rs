//! The lock of whoever measures, loads or drops: one dbdyno at a time works in a file. It lies beside the database,
//! because SQLite's own locks on the database do not outlast a transaction, and locks of ours on it would be in their
//! way.

use super::errors::of_system;
use super::meta::beside;
use dbdyno_engine::{EngineError, Hold};
use dbdyno_files::Lock;
use dbdyno_model::ErrorClass;
use std::path::{Path, PathBuf};

/// What the lock's file is called, behind the database's name.
pub(super) const SUFFIX: &str = ".dbdyno-lock";

/// The lock, which goes with the value.
pub(super) struct FileHold {
    lock: Lock,
    path: PathBuf,
}

/// Takes the lock.
///
/// # Errors
/// Another dbdyno has it, or there is no making it.
pub(super) fn take(path: &Path) -> Result<FileHold, EngineError> {
    let file = path.display();
    match Lock::take(&beside(path, SUFFIX)) {
        Ok(Some(lock)) => Ok(FileHold { lock, path: path.to_owned() }),
        Ok(None) => Err(EngineError::occupied(&format!("{file}: asking to be alone there"))),
        Err(error) => {
            let words = format!("{file}{SUFFIX}, which keeps other dbdynos away, cannot be made and locked: {error}");
            Err(of_system(&error, ErrorClass::Other, words))
        }
    }
}

impl Hold for FileHold {
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
