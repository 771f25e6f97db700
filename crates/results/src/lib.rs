//! The results repository: one SQLite file that survives every accident of the process that writes it.
//!
//! A run takes hours of a platform's time, so its results must survive the process that measured it. The resolved plan
//! is stored before the first point. Each point is one transaction that is on the device when
//! [`Repository::record_point`] returns. Nothing measured is ever overwritten: a point that is measured again becomes a
//! new attempt beside the old one, and readers see the newest. Files of other programs are recognised and never
//! touched.

mod describe;
mod error;
mod experiments;
mod file;
mod histograms;
mod lease;
mod migrations;
mod notes;
mod read;
mod readings;
mod transfer;
mod unique_keys;
mod write;

pub use error::ResultsError;
pub use file::FileAccess;
pub use histograms::{HistogramKind, Histograms, PointHistogram};
pub use read::{RecordedPoint, RunNames, RunSummary};
pub use readings::ReadingsKeeper;
pub use transfer::{ExportedRun, Imported, TransferError};

use rusqlite::Connection;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An open results file.
#[derive(Debug)]
pub struct Repository {
    connection: Connection,
    path: PathBuf,
    /// Device and inode of the file, for writers.
    identity: Option<(u64, u64)>,
    /// The last known length of the file, which only grows.
    length_bytes: AtomicU64,
}

/// The device and inode that a path refers to now.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// The database built into the program, and the options that it was compiled with. It keeps the results, and may be
/// measured.
///
/// # Errors
/// It does not tell, with the reason.
pub fn embedded() -> Result<(&'static str, Vec<String>), String> {
    let said = Connection::open_in_memory().and_then(|connection| {
        let mut query = connection.prepare("PRAGMA compile_options")?;
        query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
    });
    said.map(|options| ("sqlite", options)).map_err(|e| format!("the embedded database does not say its options: {e}"))
}

impl Repository {
    /// Opens a results file.
    ///
    /// # Errors
    /// The file is missing (for reading), not a results file, of a newer version, not writable (for writing), locked or
    /// damaged.
    pub fn open(path: &Path, access: FileAccess) -> Result<Self, ResultsError> {
        let connection = file::open(path, access, migrations::ALL)?;
        let identity = identity(path).filter(|_| access == FileAccess::ReadWrite);
        Ok(Self { connection, path: path.to_owned(), identity, length_bytes: AtomicU64::new(0) })
    }

    /// Whether a results file can be written or created, as far as this can be checked without creating it.
    ///
    /// # Errors
    /// As for [`Repository::open`].
    pub fn can_write(path: &Path) -> Result<(), ResultsError> {
        file::can_write(path, migrations::ALL)
    }

    /// The path that was given when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Converts an SQLite error to an error of ours; `doing` completes "cannot …".
    fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> ResultsError {
        move |error| ResultsError::from_sqlite(&self.path, doing, error)
    }

    /// Whether what is written now will be found under the file's name.
    fn still_there(&self) -> Result<(), ResultsError> {
        if self.identity.is_none() {
            return Ok(());
        }
        let length_bytes = self.path.metadata().map_or(0, |file| file.len());
        let longest_bytes = self.length_bytes.fetch_max(length_bytes, Ordering::Relaxed);
        match identity(&self.path) == self.identity && length_bytes >= longest_bytes {
            true => Ok(()),
            false => Err(ResultsError::Gone(error::shown(&self.path))),
        }
    }

    /// The stored data is unreadable.
    fn damaged(&self, what: &str, why: impl std::fmt::Display) -> ResultsError {
        ResultsError::Damaged { path: error::shown(&self.path), detail: format!("{what}: {why}") }
    }
}
