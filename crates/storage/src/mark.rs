//! How dbdyno knows the test files that it created: by their marks (`dbdyno_files::mark`).

use dbdyno_files::mark;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// How far a test file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Being written, or left behind half written.
    Begun,
    /// Written from the first byte to the last; what was written to it since need not carry stamps. So are all files of
    /// dbdyno's before stamps were part of the mark.
    Complete,
    /// Written from the first byte to the last, and every sector carries a stamp still.
    Stamped,
}

impl Stage {
    fn words(self) -> &'static str {
        match self {
            Self::Begun => "test file 1 begun",
            Self::Complete => "test file 1 complete",
            Self::Stamped => "test file 1 stamped throughout",
        }
    }
}

/// Marks a file. Says whether its file system keeps marks.
pub(crate) fn set(file: impl AsFd, stage: Stage) -> Result<bool, Errno> {
    mark::set(file, stage.words())
}

/// The stage of a file that dbdyno created; none for all others.
pub(crate) fn of(file: impl AsFd) -> Option<Stage> {
    [Stage::Begun, Stage::Complete, Stage::Stamped].into_iter().find(|stage| mark::is(&file, stage.words()))
}
