//! What may be written to. Test files of dbdyno's own may; everything else only where its path is named as one whose
//! data may be destroyed; and what is in use, or has something on it that can be recognised, only where that is asked
//! for once more. Nothing here opens anything for writing.

mod usage;

use crate::mark::{self, Stage};
use crate::signatures;
use rustix::fs::{SeekFrom, seek};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What the user has consented to.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// Paths whose data may be destroyed.
    pub destroy: &'a [PathBuf],
    /// Also where it is in use, or where something is on it.
    pub really: bool,
}

/// Why nothing is written.
#[derive(Debug, thiserror::Error)]
pub enum SafetyError {
    /// Nobody said that it may be overwritten.
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
    /// It is in use, or something is on it.
    #[error(
        "{} {reason}: it is not written to; choose another, or add --really if you are sure that all of it may be destroyed",
        path.display()
    )]
    Occupied {
        /// The device or file.
        path: PathBuf,
        /// What is known of it, as the end of a sentence that begins with its name.
        reason: String,
    },
    /// It cannot be looked at.
    #[error("cannot find out what is on {}, so nothing is written to it: {source}", path.display())]
    Unknown {
        /// The device or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A consent to what is not measured at all.
    #[error("--destroy-data {} is none of the devices and files of this run: name them as they are named there", .0.display())]
    NotOfThisRun(PathBuf),
}

/// Devices that may be written to, held: while this is there, the kernel lets nobody mount them, swap to them or build
/// on them.
#[derive(Debug, Default)]
pub struct Held {
    _devices: Vec<OwnedFd>,
}

/// Whether all of these may be written to; whoever goes on to write holds them.
///
/// # Errors
/// Which may not, and what is to be done.
pub fn may_write_all(paths: &[PathBuf], consent: Consent<'_>) -> Result<Held, SafetyError> {
    let known: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of(path).ok()).collect();
    for named in consent.destroy {
        if !Identity::of(named).is_ok_and(|identity| known.contains(&Some(identity))) {
            return Err(SafetyError::NotOfThisRun(named.clone()));
        }
    }
    let held = paths.iter().map(|path| may_write(path, consent)).collect::<Result<Vec<_>, _>>()?;
    Ok(Held { _devices: held.into_iter().flatten().collect() })
}

/// Whether a device or file may be written to. A device is held before it is looked at, so that what is seen stays so.
fn may_write(path: &Path, consent: Consent<'_>) -> Result<Option<OwnedFd>, SafetyError> {
    let unknown = |source: io::Error| SafetyError::Unknown { path: path.to_owned(), source };
    let metadata = std::fs::metadata(path).map_err(unknown)?;
    let device = metadata.file_type().is_block_device();
    // What is neither device nor file is refused where it is opened to be measured; a FIFO would wait here for its
    // writer.
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
    let in_use = if device { usage::of_device(metadata.rdev(), held.is_some()) } else { usage::of_file(&metadata) };
    if let Some(reason) = in_use.map_err(unknown)? {
        return Err(occupied(reason));
    }
    let size_bytes = seek(&file, SeekFrom::End(0)).map_err(|e| unknown(e.into()))?;
    match signatures::found(&file, size_bytes).map_err(unknown)? {
        Some(what) => Err(occupied(format!("has {what} on it"))),
        None => Ok(held),
    }
}

/// A device is its number, wherever its nodes are; a file is its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    /// The number of a device.
    Device(u64),
    /// A file's file system and inode.
    File(u64, u64),
}

impl Identity {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from(&std::fs::metadata(path)?))
    }
}

impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        if metadata.file_type().is_block_device() {
            Self::Device(metadata.rdev())
        } else {
            Self::File(metadata.dev(), metadata.ino())
        }
    }
}
