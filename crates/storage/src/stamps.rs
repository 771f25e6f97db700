//! Whether `--verify` can prove anything: only where each sector is known to have a stamp, wrong data can be
//! recognised.

use crate::StorageError;
use crate::mark::{self, Stage};
use std::fs::File;
use std::path::Path;

const ANEW: &str = "remove it and have it created again by --file-size, or name another file with --file-size SIZE";
const ANOTHER: &str =
    "name a file that is not there yet, with --file-size SIZE, so that dbdyno writes and stamps all of it";

/// Refuses LUNs on which reads alone could prove nothing. `creates` is whether missing test files are created.
///
/// # Errors
/// What is wrong with the first of them, and what to do.
pub fn provable<'p>(paths: impl IntoIterator<Item = &'p Path>, creates: bool) -> Result<(), StorageError> {
    for path in paths {
        // Opening a FIFO would wait for its writer.
        let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(path).ok());
        let (why, hint) = match file.and_then(mark::of) {
            Some(Stage::Stamped) => continue,
            Some(Stage::Begun) if creates => continue,
            Some(Stage::Begun) => ("was left half written", ANEW),
            Some(Stage::Complete) => {
                ("may have been written to without stamps, by a run without --verify or by an older dbdyno", ANEW)
            }
            None => ("was never stamped throughout by dbdyno", ANOTHER),
        };
        let path = path.display();
        return Err(StorageError::Load(format!(
            "{path} {why}, so that --verify could not tell garbage from data: {hint}"
        )));
    }
    Ok(())
}
