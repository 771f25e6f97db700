//! The lock that lets only one dbdyno at a time measure, load or drop in a database file. It is a file beside the
//! database. SQLite's own locks on the database do not outlast a transaction, and a lock of ours on the database would
//! get in their way.

use super::errors::of_system;
use super::meta::beside;
use dbdyno_engine::{EngineError, Hold};
use dbdyno_files::Lock;
use dbdyno_model::ErrorClass;
use std::path::{Path, PathBuf};

/// The name of the lock file is the database's name with this suffix.
const SUFFIX: &str = ".dbdyno-lock";

/// The held lock. Dropping it releases the lock.
pub(super) struct FileHold {
    lock: Lock,
    /// The database's path.
    database: PathBuf,
}

/// Takes the lock for the database at a path.
///
/// # Errors
/// Another dbdyno holds the lock, or its file cannot be made and locked.
pub(super) fn take(path: &Path) -> Result<FileHold, EngineError> {
    let file = path.display();
    match Lock::take(&beside(path, SUFFIX)) {
        Ok(Some(lock)) => Ok(FileHold { lock, database: path.to_owned() }),
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
            self.database.display()
        );
        Some(EngineError::new(ErrorClass::ConnectionLost, message))
    }
}
