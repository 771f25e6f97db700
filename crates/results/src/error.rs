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
        "there are no results in {} yet: measure something first, as in `dbdyno run quick --target URL`, or name another file with --results",
        path.display()
    )]
    NoResults {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder.
    #[error("{} is a folder: name a file in it, as in --results {}", path.display(), path.join("dbdyno.db").display())]
    Folder {
        /// The path.
        path: PathBuf,
    },
    /// The path is a pipe, a socket or a device.
    #[error("{} is no ordinary file: name another file with --results", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The path is a link that another user made.
    #[error(
        "{} is a link that another user has made, and what is written there would go where that user wants: name the file itself",
        path.display()
    )]
    AnothersLink {
        /// The path.
        path: PathBuf,
    },
    /// The file's folder does not exist.
    #[error(
        "cannot create {}: there is no folder {}; create it, or name another file with --results",
        path.display(), folder.display()
    )]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The file is not an SQLite file.
    #[error("{} is not a dbdyno results file; it was left as it is: name another file with --results", path.display())]
    SomethingElse {
        /// The file.
        path: PathBuf,
    },
    /// An SQLite file, but not dbdyno's.
    #[error(
        "{} is an SQLite file of another application; it was left as it is: name another file with --results",
        path.display()
    )]
    OtherApplication {
        /// The file.
        path: PathBuf,
    },
    /// The file's schema is newer than this program.
    #[error(
        "{} was written by a newer dbdyno (results schema {found}; this one knows {known}): use that version, or another file with --results",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// The user may not read the file.
    #[error("cannot read {}: permission denied or read-only folder; get access to the file and its folder, or copy it (with {}-wal, if there is one) to a folder of your own", path.display(), path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
    },
    /// The user may not write the file.
    #[error(
        "cannot write {}: the file or its folder is read-only for this user; change that, or name another file with --results",
        path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
    },
    /// Another process has locked the file.
    #[error(
        "{} has been locked by another process for more than {PATIENCE_S} s: end that process or wait for it (`fuser {}` names it), then try again",
        path.display(), path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file was removed or replaced, or has become shorter.
    #[error(
        "{} was moved, removed, replaced or cut off while dbdyno wrote to it, and what was measured went with it: if it was moved, put it back, beside {}-wal; else measure again",
        path.display(), path.display()
    )]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The file system is full.
    #[error(
        "cannot write {}: no space is left on its file system; everything recorded before is kept: free some space, then continue with `dbdyno resume`",
        path.display()
    )]
    OutOfSpace {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error(
        "{} is damaged ({detail}): keep a copy, save what can be saved with `sqlite3 {} .recover`, and name another file with --results",
        path.display(), path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        detail: String,
    },
    /// No run has this name.
    #[error("there is no run '{asked}' in {}{}: `dbdyno list runs` shows them all", path.display(), nearest_words(nearest))]
    RunNotFound {
        /// What was asked for.
        asked: String,
        /// The file.
        path: PathBuf,
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
    /// Another run has this id.
    #[error("there already is a run {id} in {}: continue it with `dbdyno resume {id}`, or start another", path.display())]
    RunExists {
        /// The id.
        id: RunId,
        /// The file.
        path: PathBuf,
    },
    /// Another run with this id has other contents.
    #[error(
        "there already is a run {id} in {}, and it is not the same; it was left as it is: import into another file with --results",
        path.display()
    )]
    OtherContent {
        /// The id.
        id: RunId,
        /// The file.
        path: PathBuf,
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
        "run {run} is being measured into {} by process {pid}, an older dbdyno, which could not go on once this one has written \
         there: wait until it is done, or name another file with --results",
        path.display()
    )]
    OlderAtWork {
        /// The file.
        path: PathBuf,
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
    #[error("cannot {doing} {}: {source}; check the file system, or name another file with --results", path.display())]
    Sqlite {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// SQLite's own message.
        source: rusqlite::Error,
    },
}

impl ResultsError {
    /// Converts an SQLite error to an error of ours.
    pub(crate) fn from_sqlite(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        let path = path.to_owned();
        let memory_map_full = |code| code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DiskFull) => Self::OutOfSpace { path },
            Some(_) if source.sqlite_error().is_some_and(|e| memory_map_full(e.extended_code)) => {
                Self::OutOfSpace { path }
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Unwritable { path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, detail: source.to_string() }
            }
            _ if matches!(
                source,
                FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)
            ) =>
            {
                Self::Damaged { path, detail: source.to_string() }
            }
            _ => Self::Sqlite { doing, path, source },
        }
    }
}

fn nearest_words(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean {}?", nearest.join(" or ")) }
}
