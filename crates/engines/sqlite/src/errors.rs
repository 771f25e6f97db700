//! SQLite's errors in dbdyno's words: a class from the result code, and what to do (dialect/errors.toml).

use crate::DIALECT;
use dbdyno_engine::{EngineError, SqlError};
use dbdyno_model::ErrorClass;
use rusqlite::ffi;
use rustix::io::Errno;
use std::io::{self, ErrorKind};

/// What goes wrong between SQLite and the words for it: either SQLite's own error, not yet put in words, or ours.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite's.
    Sqlite(rusqlite::Error),
    /// In words.
    Engine(EngineError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

/// SQLite's error in words. `errno` is what the operating system said last, which tells a full disk from a broken one.
pub(super) fn in_words(error: &rusqlite::Error, file: &str, errno: Option<Errno>) -> EngineError {
    let code = match error {
        rusqlite::Error::SqliteFailure(error, _) | rusqlite::Error::SqlInputError { error, .. } => {
            error.extended_code & 0xff
        }
        _ => 0,
    };
    let said = match errno.filter(|_| code == ffi::SQLITE_IOERR) {
        Some(errno) => format!("{file}: {error} ({errno})"),
        None => format!("{file}: {error}"),
    };
    let number = code.unsigned_abs();
    let class = match (code, errno) {
        (ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN, Some(Errno::NOSPC | Errno::DQUOT)) => ErrorClass::OutOfSpace,
        (ffi::SQLITE_CANTOPEN, Some(Errno::ACCESS | Errno::PERM | Errno::ROFS)) => ErrorClass::Permission,
        _ => DIALECT.errors.class(number, &said),
    };
    let error = EngineError::new(class, DIALECT.errors.advised(number, class, "", said));
    // A write that fails half-way may have reached the file.
    if code == ffi::SQLITE_IOERR { error } else { error.answered() }
}

/// An error of the operating system's in these words, of a class of its own or else of this one.
pub(super) fn of_system(error: &io::Error, otherwise: ErrorClass, words: String) -> EngineError {
    let class = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ErrorClass::OutOfSpace,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorClass::Permission,
        _ => otherwise,
    };
    EngineError::new(class, words)
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self::Engine(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_classes() {
        let failure =
            |code, message: &str| rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message.to_owned()));
        for (code, errno, expected) in [
            (ffi::SQLITE_BUSY, None, ErrorClass::Timeout),
            (ffi::SQLITE_LOCKED, None, ErrorClass::Timeout),
            (ffi::SQLITE_FULL, None, ErrorClass::OutOfSpace),
            (ffi::SQLITE_IOERR_WRITE, Some(Errno::NOSPC), ErrorClass::OutOfSpace),
            (ffi::SQLITE_IOERR_READ, Some(Errno::IO), ErrorClass::ConnectionLost),
            (ffi::SQLITE_CORRUPT, None, ErrorClass::Corruption),
            (ffi::SQLITE_NOTADB, None, ErrorClass::Corruption),
            (ffi::SQLITE_READONLY, None, ErrorClass::Permission),
            (ffi::SQLITE_INTERRUPT, None, ErrorClass::Cancelled),
            (ffi::SQLITE_CANTOPEN, Some(Errno::NOENT), ErrorClass::ConnectionLost),
            (ffi::SQLITE_CANTOPEN, Some(Errno::ACCESS), ErrorClass::Permission),
            (ffi::SQLITE_NOMEM, None, ErrorClass::Other),
        ] {
            let error = in_words(&failure(code, "said"), "x.db", errno);
            assert_eq!(error.class, expected, "{code}");
            assert!(error.message.starts_with("x.db: said"), "{error}");
        }
        let missing = in_words(&failure(ffi::SQLITE_ERROR, "no such table: t"), "x.db", None);
        assert_eq!(missing.class, ErrorClass::UnknownObject);
    }
}
