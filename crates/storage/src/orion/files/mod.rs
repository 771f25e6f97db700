//! The six files of a run, in the layout that scripts for ORION's files expect. They are functions of the settings and
//! of the finished points, and are written again, whole, after every point. So whatever ends a run, its files are
//! complete for what was measured.

mod hist;
mod report;
mod summary;
mod tables;
mod trace;

use super::error::OrionError;
pub use report::{FilesReport, FinishedPoint, IoTimes, ReadWriteTimes};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
pub use summary::bests;
pub use trace::trace_of;

/// Makes the text of a file.
type Render = fn(&FilesReport<'_>) -> String;

/// The end of each file's name, and its renderer.
const FILES: [(&str, Render); 6] = [
    ("summary.txt", summary::summary),
    ("iops.csv", tables::iops),
    ("lat.csv", tables::lat),
    ("mbps.csv", tables::mbps),
    ("hist.txt", hist::hist),
    ("trace.txt", trace::trace),
];

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}; what was measured is in the results file all the same")]
pub struct OrionFilesError {
    /// The file.
    path: PathBuf,
    /// The system's error.
    source: io::Error,
}

/// The paths of a run's files: NAME_YYYYMMDD_HHMM and their ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrionFiles(String);

impl OrionFiles {
    /// The files of a run that began at `stamp`, `YYYYMMDD_HHMM`. If another run of the same minute has files, these
    /// get a number.
    #[must_use]
    pub fn new(testname: &str, stamp: &str) -> Self {
        let first = Self(format!("{testname}_{stamp}"));
        let numbered = (2..).map(|n| Self(format!("{testname}_{stamp}_{n}")));
        let mut candidates = std::iter::once(first.clone()).chain(numbered);
        candidates.find(|files| !files.paths().any(|path| path.exists())).unwrap_or(first)
    }

    /// Checks that the folder for the files can be written to.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be written to.
    pub fn have_folder(testname: &str) -> Result<(), OrionError> {
        let folder = crate::create::folder(Path::new(testname));
        let refuse = |error: io::Error| {
            OrionError(format!(
                "nothing can be written to {} ({error}): -testname says where the files of the run go; make the folder, or choose \
                 another name",
                folder.display()
            ))
        };
        if !std::fs::metadata(folder).map_err(refuse)?.is_dir() {
            return Err(refuse(rustix::io::Errno::NOTDIR.into()));
        }
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).map_err(|error| refuse(error.into()))
    }

    /// The beginning of their names.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.0
    }

    /// The paths of all six.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        FILES.iter().map(|(end, _)| PathBuf::from(format!("{}_{end}", self.0)))
    }

    /// Writes all six. At any moment each file is whole: the old one, or the new one.
    ///
    /// # Errors
    /// The file that could not be written.
    pub fn write(&self, report: &FilesReport<'_>) -> Result<(), OrionFilesError> {
        for (path, (_, render)) in self.paths().zip(FILES) {
            replace(&path, &render(report)).map_err(|source| OrionFilesError { path, source })?;
        }
        Ok(())
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    // Removes what a killed run left; a link that somebody put there is not followed.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = std::fs::File::create_new(&unfinished)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}
