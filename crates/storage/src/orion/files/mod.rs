//! The six files of a run, in the layout that scripts for ORION's files expect. They are functions of the settings and
//! of the finished points, and are written again, whole, after every point. So whatever ends a run, its files are
//! complete for what was measured.

mod hist;
mod summary;
mod tables;
mod trace;

use super::error::OrionError;
use super::matrix::Outstanding;
use super::settings::OrionSettings;
use dbdyno_stats::Histogram;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
pub use summary::bests;
pub use trace::trace_of;

/// Bytes of a megabyte in these files.
const MB: f64 = 1_048_576.0;
const NS_PER_US: f64 = 1e3;

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

/// I/Os of one kind inside the window: bytes and latencies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IoTimes {
    /// Bytes.
    pub bytes: u64,
    /// Latencies: from when an I/O was due where a rate was set, else from when it was submitted.
    pub latency: Histogram,
}

/// Reads and writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadWriteTimes {
    /// Reads.
    pub read: IoTimes,
    /// Writes.
    pub write: IoTimes,
}

impl ReadWriteTimes {
    fn count(&self) -> u64 {
        self.read.latency.count() + self.write.latency.count()
    }

    /// Mean latency of reads and writes together.
    fn mean_ns(&self) -> Option<f64> {
        let sum_ns = |times: &IoTimes| times.latency.mean_ns().unwrap_or(0.0) * times.latency.count() as f64;
        (self.count() > 0).then(|| (sum_ns(&self.read) + sum_ns(&self.write)) / self.count() as f64)
    }
}

/// A finished point.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedPoint {
    /// What was outstanding.
    pub at: Outstanding,
    /// When it began, in readable form.
    pub started: String,
    /// Length of the window in seconds.
    pub window_s: f64,
    /// Small I/Os.
    pub small: ReadWriteTimes,
    /// Large I/Os.
    pub large: ReadWriteTimes,
    /// Why its figures are not valid, if they are not; then its times are in no table.
    pub failure: Option<String>,
    /// Other remarks.
    pub notes: Vec<String>,
}

impl FinishedPoint {
    fn iops(&self) -> Option<f64> {
        self.figure(&self.small).then(|| self.small.count() as f64 / self.window_s)
    }

    fn small_latency_us(&self) -> Option<f64> {
        self.small.mean_ns().filter(|_| self.failure.is_none()).map(|ns| ns / NS_PER_US)
    }

    fn mbps(&self) -> Option<f64> {
        let bytes = self.large.read.bytes + self.large.write.bytes;
        self.figure(&self.large).then(|| bytes as f64 / MB / self.window_s)
    }

    fn figure(&self, kind: &ReadWriteTimes) -> bool {
        self.failure.is_none() && kind.count() > 0 && self.window_s > 0.0
    }
}

/// What the files are made from.
#[derive(Debug, Clone, Copy)]
pub struct FilesReport<'a> {
    /// The settings of the run.
    pub settings: &'a OrionSettings,
    /// The arguments behind `dbdyno orion`, as typed.
    pub command_line: &'a str,
    /// dbdyno's version.
    pub version: &'a str,
    /// Each LUN and its size in bytes.
    pub luns: &'a [(PathBuf, u64)],
    /// The finished points, in the order in which they were measured.
    pub points: &'a [FinishedPoint],
}

impl FilesReport<'_> {
    fn at(&self, small: u32, large: u32) -> Option<&FinishedPoint> {
        self.points.iter().find(|point| point.at == Outstanding { small, large })
    }
}

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
pub struct OrionFiles {
    prefix: String,
}

impl OrionFiles {
    /// The files of a run that began at `stamp`, `YYYYMMDD_HHMM`. If another run of the same minute has files, these
    /// get a number.
    #[must_use]
    pub fn new(testname: &str, stamp: &str) -> Self {
        let first = Self { prefix: format!("{testname}_{stamp}") };
        let numbered = (2..).map(|n| Self { prefix: format!("{testname}_{stamp}_{n}") });
        let mut candidates = std::iter::once(first.clone()).chain(numbered);
        candidates.find(|files| !files.paths().any(|path| path.exists())).unwrap_or(first)
    }

    /// Checks that the folder for the files can be written to.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be written to.
    pub fn have_folder(testname: &str) -> Result<(), OrionError> {
        let folder = Path::new(testname).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let refuse = |source: io::Error| OrionError::NoFolder { folder: folder.to_owned(), source };
        if !std::fs::metadata(folder).map_err(refuse)?.is_dir() {
            return Err(refuse(rustix::io::Errno::NOTDIR.into()));
        }
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).map_err(|error| refuse(error.into()))
    }

    /// The beginning of their names.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The paths of all six.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        FILES.iter().map(|(end, _)| PathBuf::from(format!("{}_{end}", self.prefix)))
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

/// A text in one line, for files that are read line by line: texts from outside add no lines.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
