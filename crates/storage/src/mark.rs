//! How dbdyno knows the test files that it created: an attribute on the file that names the file itself. A copy, a restored
//! backup or a file of the user's that was given the attribute is another inode with another birth, and is not ours.

use rustix::fs::{AtFlags, StatxFlags, XattrFlags, fgetxattr, fsetxattr, statx};
use rustix::io::Errno;
use std::os::fd::AsFd;

const NAME: &str = "user.dbdyno";

/// How far a test file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Being written, or left behind half written.
    Begun,
    /// Written from the first byte to the last; what was written to it since need not carry stamps. So are all files of dbdyno's
    /// before stamps were part of the mark.
    Complete,
    /// Written from the first byte to the last, and every sector carries a stamp still.
    Stamped,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Complete => "complete",
            Self::Stamped => "stamped throughout",
        }
    }
}

/// What the attribute of this very file says at a stage.
fn text(file: impl AsFd, stage: Stage) -> Result<String, Errno> {
    let stat = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::INO | StatxFlags::BTIME)?;
    let born = if stat.stx_mask & StatxFlags::BTIME.bits() == 0 {
        "unknown".to_owned()
    } else {
        format!("{}.{:09}", stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)
    };
    Ok(format!("test file 1 {} inode {} born {born}", stage.word(), stat.stx_ino))
}

/// Marks a file. Says whether its file system keeps marks.
pub(crate) fn set(file: impl AsFd, stage: Stage) -> Result<bool, Errno> {
    match fsetxattr(&file, NAME, text(&file, stage)?.as_bytes(), XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::PERM) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The stage of a file that dbdyno created; none for all others.
pub(crate) fn of(file: impl AsFd) -> Option<Stage> {
    let mut value = [0; 256];
    let length = fgetxattr(&file, NAME, &mut value).ok()?;
    let found = value.get(..length)?;
    [Stage::Begun, Stage::Complete, Stage::Stamped]
        .into_iter()
        .find(|stage| text(&file, *stage).is_ok_and(|text| text.as_bytes() == found))
}
