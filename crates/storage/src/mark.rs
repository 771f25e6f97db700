//! How dbdyno recognises the test files that it made: by marks (`dbdyno_files::mark`).

use dbdyno_files::mark;
use rustix::io::Errno;
use std::os::fd::AsFd;
use strum::VariantArray;

/// How far a test file is, and the words of its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
pub(crate) enum Stage {
    /// Being written, or left half written.
    #[strum(serialize = "test file 1 begun")]
    Begun,
    /// Written from the first byte to the last. Sectors written since need not have stamps. Files of older versions,
    /// before stamps were part of the mark, are in this stage, too.
    #[strum(serialize = "test file 1 complete")]
    Complete,
    /// Written from the first byte to the last, and every sector still has a stamp.
    #[strum(serialize = "test file 1 stamped throughout")]
    Stamped,
}

/// Marks a file. Returns whether its file system supports marks.
pub(crate) fn set(file: impl AsFd, stage: Stage) -> Result<bool, Errno> {
    mark::set(file, stage.into())
}

/// The stage of a file that dbdyno made; `None` for all others.
pub(crate) fn of(file: impl AsFd) -> Option<Stage> {
    Stage::VARIANTS.iter().copied().find(|stage| mark::is_marked(&file, stage.into()))
}
