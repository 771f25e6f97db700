//! What may be written to. dbdyno's own test files may be. Everything else must be named by its path as one whose data
//! may be destroyed. What is in use, or contains recognisable data, needs a second confirmation. Nothing here opens
//! anything for writing.

mod identity;
mod usage;

use crate::mark::{self, Stage};
use crate::signatures;
pub(crate) use identity::Identity;
use rustix::fs::{SeekFrom, seek};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The user's consent.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// Paths whose data may be destroyed.
    pub destroy: &'a [PathBuf],
    /// Also data in use, and recognisable data.
    pub really: bool,
    /// Processes beside this one that may have it open: hosts of a fleet share it, and some may be on one machine.
    pub sharers: &'a [u32],
}

/// Why nothing is written.
#[derive(Debug, thiserror::Error)]
pub enum SafetyError {
    /// There is no consent to overwrite it.
    #[error(
        "{} is {what}, and writing would destroy what is on it: add `--destroy-data {}` if that may be lost, or measure \
         without writes", path.display(), path.display()
    )]
    NotNamed {
        /// The device or file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It is in use, or has recognisable data.
    #[error(
        "{path} {reason}: it is not written to; choose another, or add --really if you are sure that all of it may be destroyed"
    )]
    Occupied {
        /// The device or file.
        path: PathBuf,
        /// The reason, as the end of a sentence that begins with its name.
        reason: String,
    },
    /// It cannot be examined.
    #[error("cannot find out what is on {}, so nothing is written to it: {source}", path.display())]
    Unknown {
        /// The device or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A consent to something that is not measured at all.
    #[error("--destroy-data {} is none of the devices and files of this run: name them as they are named there", .0.display())]
    NotOfThisRun(PathBuf),
}

/// Devices that may be written to. While this value lives, the kernel lets no process mount them, swap to them or build
/// on them.
#[derive(Debug, Default)]
pub struct HeldDevices {
    _devices: Vec<OwnedFd>,
}

/// Checks whether all of these may be written to. The caller keeps the returned value while it writes.
///
/// # Errors
/// The one that may not be written to, and what to do.
pub fn may_write_all(paths: &[PathBuf], consent: Consent<'_>) -> Result<HeldDevices, SafetyError> {
    let known: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of(path).ok()).collect();
    for named in consent.destroy {
        if !Identity::of(named).is_ok_and(|identity| known.contains(&Some(identity))) {
            return Err(SafetyError::NotOfThisRun(named.clone()));
        }
    }
    let held = paths.iter().map(|path| may_write(path, consent)).collect::<Result<Vec<_>, _>>()?;
    Ok(HeldDevices { _devices: held.into_iter().flatten().collect() })
}

/// Whether a device or file may be written to. A device is claimed before it is examined, so that its state cannot
/// change.
fn may_write(path: &Path, consent: Consent<'_>) -> Result<Option<OwnedFd>, SafetyError> {
    let unknown = |source: io::Error| SafetyError::Unknown { path: path.to_owned(), source };
    let metadata = std::fs::metadata(path).map_err(unknown)?;
    let device = metadata.file_type().is_block_device();
    // Anything that is neither a device nor a file is refused when it is opened for measuring; here a FIFO would wait
    // for its writer.
    if !device && !metadata.is_file() {
        return Err(SafetyError::NotNamed { path: path.to_owned(), what: "neither a device nor a file" });
    }
    let identity = Identity::from(&metadata);
    let named = consent.destroy.iter().any(|other| Identity::of(other).is_ok_and(|other| other == identity));
    if device && !named {
        return Err(SafetyError::NotNamed { path: path.to_owned(), what: "a block device" });
    }
    let file = File::open(path).map_err(unknown)?;
    if !named && !matches!(mark::of(&file), Some(Stage::Complete | Stage::Stamped)) {
        return Err(SafetyError::NotNamed { path: path.to_owned(), what: "a file that dbdyno did not create" });
    }
    let held = if device { usage::hold(path).map_err(unknown)? } else { None };
    if consent.really {
        return Ok(held);
    }
    let occupied = |reason| SafetyError::Occupied { path: path.to_owned(), reason };
    let in_use = if device {
        usage::of_device(metadata.rdev(), held.is_some(), consent.sharers)
    } else {
        usage::of_file(&metadata, consent.sharers)
    };
    if let Some(reason) = in_use.map_err(unknown)? {
        return Err(occupied(reason));
    }
    let size_bytes = seek(&file, SeekFrom::End(0)).map_err(|e| unknown(e.into()))?;
    match signatures::found(&file, size_bytes).map_err(unknown)? {
        Some(what) => Err(occupied(format!("has {what} on it"))),
        None => Ok(held),
    }
}
