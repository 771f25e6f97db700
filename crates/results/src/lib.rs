//! The results repository: one SQLite file that outlives every accident of the process that writes it.
//!
//! A run is worth hours of a platform's time, so what was measured must survive the one who measured it. The resolved
//! plan is stored before the first point, each point is one transaction that is on the device when
//! [`Repository::record_point`] returns, and nothing is ever overwritten: a point that is measured again becomes a new
//! attempt beside the old one, and readers see the newest. Files of other programs are recognised and never touched.

mod error;
mod file;
mod histograms;
mod lease;
mod migrations;
mod once;
mod read;
mod transfer;
mod write;

pub use error::ResultsError;
pub use histograms::{HistogramKind, Histograms, PointHistogram};
pub use read::{Recorded, RunSummary};
pub use transfer::{Transfer, TransferError};

use rusqlite::Connection;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read; the file must be there, and nothing in it changes.
    ReadOnly,
    /// To read and write; a missing file is created, an older one brought to the current schema.
    ReadWrite,
}

/// An open results file.
#[derive(Debug)]
pub struct Repository {
    connection: Connection,
    path: PathBuf,
    /// Device and inode of the file, for whoever writes.
    identity: Option<(u64, u64)>,
    /// The length that the file had last: it only grows.
    length_bytes: AtomicU64,
}

/// What a name stands for at this moment: the device and the inode.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// The database that is part of the program, and the options that it was compiled with: it keeps the results, and may
/// be measured.
///
/// # Errors
/// It does not say, with the reason.
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
    /// The file is missing (to read), something else, of a newer version, not writable (to write), locked or damaged.
    pub fn open(path: &Path, access: Access) -> Result<Self, ResultsError> {
        let connection = file::open(path, access, migrations::ALL)?;
        let identity = identity(path).filter(|_| access == Access::ReadWrite);
        Ok(Self { connection, path: path.to_owned(), identity, length_bytes: AtomicU64::new(0) })
    }

    /// Whether a results file can be written to, or made, as far as that shows without making it.
    ///
    /// # Errors
    /// As for [`Repository::open`].
    pub fn can_write(path: &Path) -> Result<(), ResultsError> {
        file::can_write(path, migrations::ALL)
    }

    /// The file, as it was named when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says an SQLite error in our words; `doing` completes "cannot …".
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
            false => Err(ResultsError::Gone { path: self.path.clone() }),
        }
    }

    /// What is stored cannot be understood.
    fn damaged(&self, what: &str, why: impl std::fmt::Display) -> ResultsError {
        ResultsError::Damaged { path: self.path.clone(), detail: format!("{what}: {why}") }
    }
}
