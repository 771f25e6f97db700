//! How dbdyno recognises the test files that it made: by marks (`dbdyno_files::mark`).

use dbdyno_files::mark;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// How far a test file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Being written, or left half written.
    Begun,
    /// Written from the first byte to the last. Sectors written since need not have stamps. Files of older versions,
    /// before stamps were part of the mark, are in this stage, too.
    Complete,
    /// Written from the first byte to the last, and every sector still has a stamp.
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

/// Marks a file. Returns whether its file system supports marks.
pub(crate) fn set(file: impl AsFd, stage: Stage) -> Result<bool, Errno> {
    mark::set(file, stage.words())
}

/// The stage of a file that dbdyno made; `None` for all others.
pub(crate) fn of(file: impl AsFd) -> Option<Stage> {
    [Stage::Begun, Stage::Complete, Stage::Stamped].into_iter().find(|stage| mark::is(&file, stage.words()))
}
