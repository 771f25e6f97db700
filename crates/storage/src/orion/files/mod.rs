//! The six files of a run, laid out as scripts for ORION's files expect them. They are functions of the settings and of
//! the points that are over, and are written anew, whole, after every point: whatever ends a run, the files of what was
//! measured are complete.

mod hist;
mod summary;
mod tables;
mod trace;

use super::error::OrionError;
use super::matrix::Outstanding;
use super::settings::Settings;
use dbdyno_stats::Histogram;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
pub use summary::bests;
pub use trace::trace_of;

/// Bytes of a megabyte, as everywhere in these files.
const MB: f64 = 1_048_576.0;
const NS_PER_US: f64 = 1e3;

/// What makes the text of a file.
type Render = fn(&Report<'_>) -> String;

/// The end of each file's name, and what writes it.
const FILES: [(&str, Render); 6] = [
    ("summary.txt", summary::summary),
    ("iops.csv", tables::iops),
    ("lat.csv", tables::lat),
    ("mbps.csv", tables::mbps),
    ("hist.txt", hist::hist),
    ("trace.txt", trace::trace),
];

/// I/Os of one kind inside the window: how many bytes, and how long each took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Times {
    /// Bytes.
    pub bytes: u64,
    /// Latencies: from the moment when an I/O was due, where a rate says so, or else from when it was sent.
    pub latency: Histogram,
}

/// Reads and writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kind {
    /// Reads.
    pub read: Times,
    /// Writes.
    pub write: Times,
}

impl Kind {
    fn count(&self) -> u64 {
        self.read.latency.count() + self.write.latency.count()
    }

    /// Mean latency of reads and writes together.
    fn mean_ns(&self) -> Option<f64> {
        let sum_ns = |times: &Times| times.latency.mean_ns().unwrap_or(0.0) * times.latency.count() as f64;
        (self.count() > 0).then(|| (sum_ns(&self.read) + sum_ns(&self.write)) / self.count() as f64)
    }
}

/// A point that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// What was outstanding.
    pub at: Outstanding,
    /// When it began, as people read it.
    pub started: String,
    /// The window.
    pub window_s: f64,
    /// Small I/Os.
    pub small: Kind,
    /// Large I/Os.
    pub large: Kind,
    /// Why it is no figure, if it is none. Its times are in no table then.
    pub failure: Option<String>,
    /// What else is known of it.
    pub notes: Vec<String>,
}

impl Finished {
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

    fn figure(&self, kind: &Kind) -> bool {
        self.failure.is_none() && kind.count() > 0 && self.window_s > 0.0
    }
}

/// What the files are made of.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// How it was typed, behind `dbdyno orion`.
    pub command_line: &'a str,
    /// Of dbdyno.
    pub version: &'a str,
    /// Each LUN and its size in bytes.
    pub luns: &'a [(PathBuf, u64)],
    /// The points that are over, in the order in which they were measured.
    pub points: &'a [Finished],
}

impl Report<'_> {
    fn at(&self, small: u32, large: u32) -> Option<&Finished> {
        self.points.iter().find(|point| point.at == Outstanding { small, large })
    }
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}; what was measured is in the results file all the same")]
pub struct FilesError {
    /// The file.
    path: PathBuf,
    /// Why.
    source: io::Error,
}

/// Where the files of a run are: NAME_YYYYMMDD_HHMM and their ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    prefix: String,
}

impl Files {
    /// Files of a run that began at `stamp`, `YYYYMMDD_HHMM`. Another run of the same minute keeps its files: these get
    /// a number.
    #[must_use]
    pub fn new(testname: &str, stamp: &str) -> Self {
        let first = Self { prefix: format!("{testname}_{stamp}") };
        let numbered = (2..).map(|n| Self { prefix: format!("{testname}_{stamp}_{n}") });
        let mut candidates = std::iter::once(first.clone()).chain(numbered);
        candidates.find(|files| !files.paths().any(|path| path.exists())).unwrap_or(first)
    }

    /// Whether there is a folder that they can be written to.
    ///
    /// # Errors
    /// There is none, or it may not be written to.
    pub fn have_folder(testname: &str) -> Result<(), OrionError> {
        let folder = Path::new(testname).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let refuse = |source: io::Error| OrionError::NoFolder { folder: folder.to_owned(), source };
        if !std::fs::metadata(folder).map_err(refuse)?.is_dir() {
            return Err(refuse(rustix::io::Errno::NOTDIR.into()));
        }
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).map_err(|error| refuse(error.into()))
    }

    /// What their names begin with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// All six.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        FILES.iter().map(|(end, _)| PathBuf::from(format!("{}_{end}", self.prefix)))
    }

    /// Writes all six. Each is there whole at any moment: as it was before, or as it is now.
    ///
    /// # Errors
    /// Which one could not be written.
    pub fn write(&self, report: &Report<'_>) -> Result<(), FilesError> {
        for (path, (_, render)) in self.paths().zip(FILES) {
            replace(&path, &render(report)).map_err(|source| FilesError { path, source })?;
        }
        Ok(())
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    // What a killed run has left there goes; a link that somebody has put there is not followed.
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

/// A line of text for files that are read line by line: what came from outside adds none.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
