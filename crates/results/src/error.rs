//! Errors of the results file. Each message says what to do next.

use dbdyno_model::RunId;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// How long another process may hold the file before an operation gives up.
pub(crate) const PATIENCE_S: u64 = 5;

/// Why results cannot be read or written. Each message says what was asked, what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Nothing was measured into this file yet.
    #[error(
        "there are no results in {0} yet: measure something first, as in `dbdyno run`, or name another file with --results"
    )]
    NoResults(String),
    /// The path is a folder.
    #[error("{} is a folder: name a file in it, as in --results {}", .0.display(), .0.join("dbdyno.db").display())]
    Folder(PathBuf),
    /// The path is a pipe, a socket or a device.
    #[error("{0} is no ordinary file: name another file with --results")]
    NoFile(String),
    /// The path is a link that another user made.
    #[error(
        "{0} is a link that another user has made, and what is written there would go where that user wants: name the file itself"
    )]
    AnothersLink(String),
    /// The file's folder does not exist.
    #[error("cannot create {path}: there is no folder {folder}; create it, or name another file with --results")]
    NoFolder {
        /// The file.
        path: String,
        /// The missing folder.
        folder: String,
    },
    /// The file is not an SQLite file.
    #[error("{0} is not a dbdyno results file; it was left as it is: name another file with --results")]
    SomethingElse(String),
    /// An SQLite file, but not dbdyno's.
    #[error("{0} is an SQLite file of another application; it was left as it is: name another file with --results")]
    OtherApplication(String),
    /// The file's schema is newer than this program.
    #[error(
        "{path} was written by a newer dbdyno (results schema {found}; this one knows {known}): use that version, or another file with --results"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its schema.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// The user may not read the file.
    #[error(
        "cannot read {0}: permission denied or read-only folder; get access to the file and its folder, or copy it (with {0}-wal, if there is one) to a folder of your own"
    )]
    Unreadable(String),
    /// The user may not write the file.
    #[error(
        "cannot write {0}: the file or its folder is read-only for this user; change that, or name another file with --results"
    )]
    Unwritable(String),
    /// Another process has locked the file.
    #[error(
        "{0} has been locked by another process for more than {PATIENCE_S} s: end that process or wait for it (`fuser {0}` names it), then try again"
    )]
    Locked(String),
    /// The file was removed or replaced, or has become shorter.
    #[error(
        "{0} was moved, removed, replaced or cut off while dbdyno wrote to it, and what was measured went with it: if it was moved, put it back, beside {0}-wal; else measure again"
    )]
    Gone(String),
    /// The file system is full.
    #[error(
        "cannot write {0}: no space is left on its file system; everything recorded before is kept: free some space, then continue with `dbdyno resume`"
    )]
    OutOfSpace(String),
    /// The file is damaged.
    #[error(
        "{path} is damaged ({detail}): keep a copy, save what can be saved with `sqlite3 {path} .recover`, and name another file with --results"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong, and where.
        detail: String,
    },
    /// No run has this name.
    #[error("there is no run '{asked}' in {path}{}: `dbdyno list runs` shows them all", nearest_words(nearest))]
    RunNotFound {
        /// What was asked for.
        asked: String,
        /// The file.
        path: String,
        /// Ids and labels that look like it.
        nearest: Vec<String>,
    },
    /// Several ids begin with this prefix.
    #[error("'{asked}' could be any of the runs {}: type one more character", ids.join(", "))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The ids.
        ids: Vec<String>,
    },
    /// An experiment was named where a run is needed.
    #[error(
        "{asked} is {what} and no run, so only `dbdyno show {asked}` has something of it: name a run, as `dbdyno list runs` shows them"
    )]
    NoRun {
        /// What was asked for.
        asked: String,
        /// What it is.
        what: &'static str,
    },
    /// A document whose form is newer than this program.
    #[error("the document of {id} is of version {version}, and this dbdyno knows {known}: use the dbdyno that made it")]
    NewerDocument {
        /// The experiment.
        id: RunId,
        /// Its version.
        version: u32,
        /// The newest that is known.
        known: u32,
    },
    /// Another run has this id.
    #[error("there already is a run {id} in {path}: continue it with `dbdyno resume {id}`, or start another")]
    RunExists {
        /// The id.
        id: RunId,
        /// The file.
        path: String,
    },
    /// Another run with this id has other contents.
    #[error(
        "there already is a run {id} in {path}, and it is not the same; it was left as it is: import into another file with --results"
    )]
    OtherContent {
        /// The id.
        id: RunId,
        /// The file.
        path: String,
    },
    /// Another process measures the run.
    #[error("run {run} is being measured by process {pid}: wait until it is done, or stop it, and resume then")]
    BeingMeasured {
        /// The run.
        run: RunId,
        /// The id of that process.
        pid: u32,
    },
    /// An older dbdyno measures into the file, and could not continue after an upgrade of its schema.
    #[error(
        "run {run} is being measured into {path} by process {pid}, an older dbdyno, which could not go on once this one has written \
         there: wait until it is done, or name another file with --results"
    )]
    OlderAtWork {
        /// The file.
        path: String,
        /// The run.
        run: String,
        /// The id of the process that measures it.
        pid: u32,
    },
    /// The plan does not have this point.
    #[error("run {run} has no planned point {plan_index}: its plan has {planned}, counted from 0")]
    OutsidePlan {
        /// The run.
        run: RunId,
        /// The index asked for.
        plan_index: usize,
        /// Points in the plan.
        planned: usize,
    },
    /// A value that could be written but not read again, such as a figure that is not a number.
    #[error("{what} cannot be stored: {why}; please report this as a fault of dbdyno")]
    Unstorable {
        /// What it is.
        what: String,
        /// Why not.
        why: String,
    },
    /// Any other SQLite error.
    #[error("cannot {doing} {path}: {source}; check the file system, or name another file with --results")]
    Sqlite {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// SQLite's own message.
        source: rusqlite::Error,
    },
}

impl ResultsError {
    /// Converts an SQLite error to an error of ours.
    pub(crate) fn from_sqlite(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        let path = shown(path);
        if source.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
            return Self::OutOfSpace(path);
        }
        match (source.sqlite_error_code(), &source) {
            (Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked), _) => Self::Locked(path),
            (Some(ErrorCode::DiskFull), _) => Self::OutOfSpace(path),
            (Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied), _) => {
                Self::Unwritable(path)
            }
            (Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase), _)
            | (_, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)) => {
                Self::Damaged { path, detail: source.to_string() }
            }
            _ => Self::Sqlite { doing, path, source },
        }
    }
}

/// A path in messages.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn nearest_words(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean {}?", nearest.join(" or ")) }
}
