//! Whether `--verify` can prove anything: only where each sector is known to have a stamp, wrong data can be
//! recognised.

use crate::StorageError;
use crate::mark::{self, Stage};
use std::fs::File;
use std::path::Path;

const ANEW: &str = "remove it and have it created again by --file-size, or name another file with --file-size SIZE";
const ANOTHER: &str =
    "name a file that is not there yet, with --file-size SIZE, so that dbdyno writes and stamps all of it";

/// What is known of the stamps of an existing device or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamps {
    /// Each sector has one.
    Throughout,
    /// It was left half written, and is created again where a test file is asked for.
    Unfinished,
    /// dbdyno's file, but something without stamps was written to it since.
    No,
    /// Nothing is known of it.
    Foreign,
}

/// What is known of the stamps of an existing device or file.
#[must_use]
pub fn stamps(path: &Path) -> Stamps {
    // Opening a FIFO would wait for its writer.
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(path).ok());
    match file.and_then(mark::of) {
        Some(Stage::Stamped) => Stamps::Throughout,
        Some(Stage::Begun) => Stamps::Unfinished,
        Some(Stage::Complete) => Stamps::No,
        None => Stamps::Foreign,
    }
}

/// Refuses LUNs on which reads alone could prove nothing. `creates` is whether missing test files are created.
///
/// # Errors
/// What is wrong with the first of them, and what to do.
pub fn provable<'p>(paths: impl IntoIterator<Item = &'p Path>, creates: bool) -> Result<(), StorageError> {
    for path in paths {
        let (why, hint) = match stamps(path) {
            Stamps::Throughout => continue,
            Stamps::Unfinished if creates => continue,
            Stamps::Unfinished => ("was left half written", ANEW),
            Stamps::No => {
                ("may have been written to without stamps, by a run without --verify or by an older dbdyno", ANEW)
            }
            Stamps::Foreign => ("was never stamped throughout by dbdyno", ANOTHER),
        };
        return Err(StorageError::NotStamped { path: path.to_owned(), why, hint });
    }
    Ok(())
}
