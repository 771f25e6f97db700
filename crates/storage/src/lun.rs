//! The devices and files that are measured, opened for direct I/O.

use crate::StorageError;
use crate::mark::{self, Stage};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, SeekFrom, StatxFlags, ioctl_blksszget};
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What they are opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LunAccess {
    /// Reading, which needs fewer rights.
    Read,
    /// Reading and writing.
    ReadWrite,
}

/// The kind of a LUN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LunKind {
    /// A block device.
    Device,
    /// A file.
    File,
}

/// One device or file, opened.
#[derive(Debug)]
pub struct Lun {
    /// Its path as given.
    pub path: PathBuf,
    /// What it is.
    pub kind: LunKind,
    /// Its size when it was opened.
    pub size_bytes: u64,
    /// The alignment of an I/O's address and length.
    pub logical_block_bytes: u32,
    pub(crate) fd: OwnedFd,
    /// Whether each of its sectors has a stamp.
    stamped: AtomicBool,
}

impl Lun {
    fn open(path: &Path, access: LunAccess) -> Result<Self, StorageError> {
        let (mode, for_what) = match access {
            LunAccess::Read => (OFlags::RDONLY, "reading"),
            LunAccess::ReadWrite => (OFlags::RDWR, "reading and writing"),
        };
        let open_error = |e: Errno| StorageError::Open { path: path.to_owned(), for_what, source: e.into() };
        let stat = rustix::fs::stat(path).map_err(open_error)?;
        // Other kinds of files are not even opened: opening a FIFO waits for its writer.
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::BlockDevice => LunKind::Device,
            FileType::RegularFile => LunKind::File,
            other => return Err(StorageError::Kind { path: path.to_owned(), what: name_of(other) }),
        };
        let fd =
            rustix::fs::open(path, mode | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty()).map_err(|e| match e {
                Errno::INVAL => StorageError::NotDirect(path.to_owned()),
                other => open_error(other),
            })?;
        if kind == LunKind::File && is_in_memory(&fd) {
            return Err(StorageError::NotDirect(path.to_owned()));
        }
        let size_bytes = rustix::fs::seek(&fd, SeekFrom::End(0)).map_err(open_error)?;
        let logical_block_bytes = match kind {
            LunKind::Device => ioctl_blksszget(&fd).map_err(open_error)?,
            LunKind::File => match alignment(&fd) {
                // The kernel would silently use the page cache instead of direct I/O.
                Some(0) => return Err(StorageError::NotDirect(path.to_owned())),
                known => known.unwrap_or(512),
            },
        };
        let stamped = AtomicBool::new(mark::of(&fd) == Some(Stage::Stamped));
        Ok(Self { path: path.to_owned(), kind, size_bytes, logical_block_bytes, fd, stamped })
    }

    /// Whether dbdyno stamped every sector of it, so that a sector without a stamp is an error.
    #[must_use]
    pub fn is_stamped(&self) -> bool {
        self.stamped.load(Relaxed)
    }

    /// Removes the mark that says so before something else is written: permanently, even if the machine stops right
    /// afterwards.
    fn unstamp(&self) -> Result<(), StorageError> {
        if !self.is_stamped() {
            return Ok(());
        }
        // Where the file system does not support marks there is nothing to remove.
        if mark::of(&self.fd) == Some(Stage::Stamped) {
            let written = mark::set(&self.fd, Stage::Complete).and_then(|_| rustix::fs::fsync(&self.fd));
            written.map_err(|error| StorageError::System {
                what: "the mark that a file is stamped throughout cannot be taken away",
                source: error.into(),
            })?;
        }
        self.stamped.store(false, Relaxed);
        Ok(())
    }
}

/// The alignment of a file's direct I/O, where the kernel reports it (Linux 6.1); 0 where direct I/O is impossible.
fn alignment(fd: &OwnedFd) -> Option<u32> {
    let stat = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    (stat.stx_mask & StatxFlags::DIOALIGN.bits() != 0).then_some(stat.stx_dio_offset_align)
}

/// Whether a file lies in main memory (magic numbers of tmpfs and ramfs: statfs(2)). Newer kernels allow direct I/O on
/// such files, which would measure memory.
pub(crate) fn is_in_memory(fd: impl AsFd) -> bool {
    const TMPFS: u32 = 0x0102_1994;
    const RAMFS: u32 = 0x8584_58f6;
    // The kernel's type is signed and its length varies; the numbers have 32 bits.
    rustix::fs::fstatfs(fd).is_ok_and(|is| matches!(is.f_type as u32, TMPFS | RAMFS))
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a folder",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "something else",
    }
}

/// The devices and files of a measurement. A copy refers to the same ones.
#[derive(Debug, Clone)]
pub struct Luns {
    luns: Arc<Vec<Lun>>,
    /// What they were opened for.
    pub(crate) access: LunAccess,
}

impl Luns {
    /// Opens them.
    ///
    /// # Errors
    /// One cannot be opened, is of another kind, or is empty; or none is named.
    pub fn open(paths: &[PathBuf], access: LunAccess) -> Result<Self, StorageError> {
        let luns = paths.iter().map(|path| Lun::open(path, access)).collect::<Result<Vec<_>, _>>()?;
        if luns.is_empty() {
            return Err(StorageError::NoLuns);
        }
        Ok(Self { luns: Arc::new(luns), access })
    }

    /// The same for files that were just written with stamps throughout, on a file system that does not support marks.
    #[must_use]
    pub fn just_stamped(self, paths: &[PathBuf]) -> Self {
        let known = self.iter().filter(|lun| paths.contains(&lun.path));
        known.for_each(|lun| lun.stamped.store(true, Relaxed));
        self
    }

    /// Called before something without stamps is written to them.
    pub(crate) fn unstamp(&self) -> Result<(), StorageError> {
        self.iter().try_for_each(Lun::unstamp)
    }

    /// Each of them, in the given order.
    pub fn iter(&self) -> impl Iterator<Item = &Lun> {
        self.luns.iter()
    }

    /// Total bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.iter().map(|lun| lun.size_bytes).sum()
    }

    /// LUNs that do not exist, for backends that do no I/O.
    #[cfg(test)]
    pub(crate) fn imagined(sizes: &[u64]) -> Self {
        let lun = |size_bytes: &u64| Lun {
            path: "/dev/imagined".into(),
            kind: LunKind::Device,
            size_bytes: *size_bytes,
            logical_block_bytes: 512,
            fd: rustix::fs::open("/dev/null", OFlags::RDWR, Mode::empty()).unwrap(),
            stamped: AtomicBool::new(false),
        };
        Self { luns: Arc::new(sizes.iter().map(lun).collect()), access: LunAccess::ReadWrite }
    }

    pub(crate) fn slice(&self) -> &[Lun] {
        &self.luns
    }

    /// The alignment of every I/O: the largest block, because blocks are powers of two.
    pub(crate) fn logical_block_bytes(&self) -> u64 {
        self.iter().map(|lun| u64::from(lun.logical_block_bytes)).max().unwrap_or(512)
    }
}
