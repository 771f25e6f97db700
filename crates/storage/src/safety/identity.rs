//! Whether two files are the same.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A device is identified by its number, whatever its nodes; a file by its inode.
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
