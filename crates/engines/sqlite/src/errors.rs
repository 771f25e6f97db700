//! SQLite's result codes as error classes.

use dbdyno_engine::{EngineError, SqlError};
use dbdyno_model::ErrorClass;
use rusqlite::ffi::ErrorCode;
use rustix::io::Errno;

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
    let class = class(error, errno);
    let advice = match class {
        ErrorClass::Timeout => "; another process holds a lock on it: end that, or wait, and try again",
        ErrorClass::OutOfSpace => "; free space there and try again: what was committed is kept",
        ErrorClass::Corruption => "; the file is damaged: drop it and load again",
        ErrorClass::Permission => "; make the file and its folder writable for this user",
        _ => "",
    };
    let said = match errno.filter(|_| matches!(code(error), Some(ErrorCode::SystemIoFailure))) {
        Some(errno) => format!("{error} ({errno})"),
        None => error.to_string(),
    };
    EngineError::new(class, format!("{file}: {said}{advice}"))
}

fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => Some(failure.code),
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        _ => None,
    }
}

fn class(error: &rusqlite::Error, errno: Option<Errno>) -> ErrorClass {
    let Some(code) = code(error) else { return ErrorClass::Other };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            ErrorClass::Timeout
        }
        ErrorCode::DiskFull => ErrorClass::OutOfSpace,
        ErrorCode::SystemIoFailure => match errno {
            Some(Errno::NOSPC | Errno::DQUOT) => ErrorClass::OutOfSpace,
            _ => ErrorClass::ConnectionLost,
        },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => ErrorClass::Corruption,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => {
            ErrorClass::Permission
        }
        ErrorCode::OperationInterrupted => ErrorClass::Cancelled,
        ErrorCode::CannotOpen => match errno {
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => ErrorClass::Permission,
            Some(Errno::NOSPC | Errno::DQUOT) => ErrorClass::OutOfSpace,
            _ => ErrorClass::ConnectionLost,
        },
        ErrorCode::Unknown if names_a_missing_object(&error.to_string()) => ErrorClass::UnknownObject,
        _ => ErrorClass::Other,
    }
}

fn names_a_missing_object(message: &str) -> bool {
    ["no such table", "no such column", "no such index", "no such function"].iter().any(|m| message.contains(m))
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self::Engine(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

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
