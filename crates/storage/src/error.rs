//! Errors before an I/O is sent, and the classes of failed I/Os.

use rustix::io::Errno;
use std::path::PathBuf;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// There is nothing to measure.
    #[error("no device or file is named; name one path a line")]
    NoLuns,
    /// A path cannot be opened.
    #[error("{} cannot be opened for {for_what}: {source}", path.display())]
    Open {
        /// What was to be opened.
        path: PathBuf,
        /// Reading, or reading and writing.
        for_what: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// Its file system cannot do I/O past the page cache.
    #[error(
        "{} cannot be read past the page cache (its file system refuses O_DIRECT), so memory would be measured, not storage; \
         name a block device, or a file on ext4, xfs or another file system with direct I/O", .0.display()
    )]
    NotDirect(PathBuf),
    /// It is neither a block device nor a file.
    #[error("{} is {what}, not a block device or a file; name one of those", path.display())]
    Kind {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// A load that does not fit, or that could not be verified: what is wrong, and what to do.
    #[error("{0}")]
    Load(String),
    /// The system refuses what every I/O needs.
    #[error("{what}: {source}")]
    System {
        /// What was being done.
        what: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
}

/// The class of a failed I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum IoError {
    /// The device failed.
    Io,
    /// The device has disappeared.
    Gone,
    /// Fewer bytes than asked for, for instance beyond the end of a file that was truncated.
    Short,
    /// No space is left, as on a thin volume.
    NoSpace,
    /// No answer, or a time-out error.
    Timeout,
    /// Anything else.
    Other,
}

impl IoError {
    /// The class of a system error.
    pub(crate) fn of(errno: Errno) -> Self {
        match errno {
            // Block layers report "no data" for a sector that cannot be read, and "illegal sequence" for one whose
            // protection data is wrong.
            Errno::IO | Errno::NODATA | Errno::ILSEQ | Errno::REMOTEIO | Errno::BADMSG => Self::Io,
            Errno::NXIO | Errno::NODEV | Errno::NOMEDIUM | Errno::SHUTDOWN | Errno::NOLINK | Errno::STALE => Self::Gone,
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Self::NoSpace,
            Errno::TIMEDOUT | Errno::TIME | Errno::CANCELED => Self::Timeout,
            _ => Self::Other,
        }
    }
}
