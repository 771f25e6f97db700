//! Test files: allocated, written from the first byte to the last with incompressible data, and marked as dbdyno's. A
//! file that dbdyno did not make is never touched.

use crate::arena::Arena;
use crate::lun::is_in_memory;
use crate::mark::{self, Stage};
use crate::verify::{Stamp, run_number, stamp};
use rustix::fs::{FallocateFlags, FlockOperation, SeekFrom, fallocate, flock, seek, statvfs};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes of one write.
const CHUNK_BYTES: usize = 4 << 20;
/// Sizes are multiples of this.
pub const UNIT_BYTES: u64 = 1 << 20;

/// How a test file came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It was written.
    New,
    /// It was written, but its file system does not support marks, so later it looks like a file that dbdyno did not
    /// make.
    NewUnmarked,
    /// It was there already: dbdyno's, and of this size.
    Reused,
}

/// Test files that exist. Those that were just created are removed on drop, unless they are kept.
#[derive(Debug, Default)]
pub struct TestFiles(Vec<(PathBuf, Created)>);

impl TestFiles {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, Created)> {
        self.0.iter().map(|(path, created)| (path.as_path(), *created))
    }

    /// Keeps all files.
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for TestFiles {
    fn drop(&mut self) {
        for (path, _) in self.0.iter().filter(|(_, created)| *created != Created::Reused) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Why there is no test file.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// The file exists and is not dbdyno's.
    #[error(
        "{} is there and is none of dbdyno's test files, so it is not touched: choose another path, or leave --file-size out to \
         read it as it is", .0.display()
    )]
    Foreign(PathBuf),
    /// The file is dbdyno's, but has another size.
    #[error(
        "{path} is a test file of {has_bytes} bytes, not of {asked_bytes}: remove it, or leave --file-size out to use it as it is"
    )]
    OtherSize {
        /// The file.
        path: PathBuf,
        /// Its size.
        has_bytes: u64,
        /// The size that was asked for.
        asked_bytes: u64,
    },
    /// Another process is writing it.
    #[error("{} is just being created by another dbdyno: wait for that, or choose another path", .0.display())]
    Busy(PathBuf),
    /// There is no space for the file, or for several together. Nothing was left behind.
    #[error(
        "{} {asked_bytes} bytes and the file system has {free_bytes} free: choose a smaller --file-size or another place",
        needing(paths)
    )]
    NoSpace {
        /// The files on one file system.
        paths: Vec<PathBuf>,
        /// Total size.
        asked_bytes: u64,
        /// Free bytes.
        free_bytes: u64,
    },
    /// Its file system cannot do I/O past the page cache.
    #[error(
        "{} cannot be written past the page cache (its file system refuses O_DIRECT), so memory would be measured, not storage; \
         choose a place on ext4, xfs or another file system with direct I/O", .0.display()
    )]
    NotDirect(PathBuf),
    /// The user stopped it. Nothing was left behind.
    #[error("stopped while creating {}; what was written of it is removed", .0.display())]
    Stopped(PathBuf),
    /// It could not even be created.
    #[error("cannot create {}: {source}", path.display())]
    NotBegun {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Any other error. Nothing was left behind.
    #[error("cannot create {}: {source}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The beginning of a sentence about what files need.
fn needing(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    format!("{} need{}", names.join(", "), if paths.len() == 1 { "s" } else { " together" })
}

/// Makes sure that there are test files of this size, rounded down to whole MiB. Either all missing files are created,
/// or none. `progress` is told the bytes written of each file.
///
/// # Errors
/// Why there are none; then nothing is left of what was begun.
pub fn create(
    paths: &[PathBuf],
    size_bytes: u64,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&Path, u64),
) -> Result<TestFiles, CreateError> {
    let size_bytes = (size_bytes / UNIT_BYTES).max(1) * UNIT_BYTES;
    let ready = paths.iter().map(|path| is_ready(path, size_bytes)).collect::<Result<Vec<bool>, _>>()?;
    let missing = paths.iter().zip(&ready).filter(|(_, ready)| !**ready).map(|(path, _)| path.as_path());
    check_space(missing, size_bytes)?;
    let mut files = TestFiles::default();
    for (path, ready) in paths.iter().zip(ready) {
        let created = if ready {
            Created::Reused
        } else {
            create_file(path, size_bytes, stop, &mut |bytes| progress(path, bytes))?
        };
        files.0.push((path.clone(), created));
    }
    Ok(files)
}

/// Writes a file that does not exist yet.
fn create_file(
    path: &Path,
    size_bytes: u64,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Created, CreateError> {
    let failed = |source: io::Error| CreateError::Failed { path: path.to_owned(), source };
    let options = || OpenOptions::new().write(true).create_new(true).mode(0o600).to_owned();
    let file = match options().custom_flags(rustix::fs::OFlags::DIRECT.bits() as i32).open(path) {
        Ok(file) => file,
        // The file may exist nevertheless, empty.
        Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
            let _ = std::fs::remove_file(path);
            return Err(CreateError::NotDirect(path.to_owned()));
        }
        Err(source) => return Err(CreateError::NotBegun { path: path.to_owned(), source }),
    };
    let unfinished = TestFiles(vec![(path.to_owned(), Created::New)]);
    if is_in_memory(&file) {
        return Err(CreateError::NotDirect(path.to_owned()));
    }
    // Another dbdyno that finds the file meanwhile sees by the lock that it is being written.
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|e| failed(e.into()))?;
    let marked = mark::set(&file, Stage::Begun).map_err(|e| failed(e.into()))?;
    fill(&file, size_bytes, stop, progress).map_err(|error| match error {
        None => CreateError::Stopped(path.to_owned()),
        Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => no_space(path, size_bytes),
        Some(error) => failed(error.into()),
    })?;
    file.sync_all().map_err(failed)?;
    if marked {
        mark::set(&file, Stage::Stamped).map_err(|e| failed(e.into()))?;
        file.sync_all().map_err(failed)?;
    }
    unfinished.keep();
    Ok(if marked { Created::New } else { Created::NewUnmarked })
}

/// Whether the file is there as it should be. A file that a killed dbdyno left half written is removed.
fn is_ready(path: &Path, asked_bytes: u64) -> Result<bool, CreateError> {
    let failed = |source: io::Error| CreateError::NotBegun { path: path.to_owned(), source };
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() && !path.is_file() {
        return Err(CreateError::Foreign(path.to_owned()));
    }
    let file = File::open(path).map_err(failed)?;
    match mark::of(&file) {
        None => Err(CreateError::Foreign(path.to_owned())),
        Some(Stage::Begun) => {
            flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| CreateError::Busy(path.to_owned()))?;
            std::fs::remove_file(path).map_err(failed)?;
            Ok(false)
        }
        Some(Stage::Complete | Stage::Stamped) => match file.metadata().map_err(failed)?.len() {
            has_bytes if has_bytes == asked_bytes => Ok(true),
            has_bytes => Err(CreateError::OtherSize { path: path.to_owned(), has_bytes, asked_bytes }),
        },
    }
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn free_bytes(path: &Path) -> Result<u64, Errno> {
    statvfs(folder(path)).map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Checks that there is space for files of this size, for all files of one file system together.
fn check_space<'p>(paths: impl Iterator<Item = &'p Path>, size_bytes: u64) -> Result<(), CreateError> {
    let mut by_device: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        let failed = |source: io::Error| CreateError::NotBegun { path: path.to_owned(), source };
        let device = std::fs::metadata(folder(path)).map_err(failed)?.dev();
        by_device.entry(device).or_default().push(path.to_owned());
    }
    for paths in by_device.into_values() {
        let asked_bytes = size_bytes.saturating_mul(paths.len() as u64);
        let free_bytes = free_bytes(&paths[0])
            .map_err(|error| CreateError::NotBegun { path: paths[0].clone(), source: error.into() })?;
        if free_bytes < asked_bytes {
            return Err(CreateError::NoSpace { paths, asked_bytes, free_bytes });
        }
    }
    Ok(())
}

/// The file system ran full during the write: other writers, a quota or a limit used the space.
fn no_space(path: &Path, asked_bytes: u64) -> CreateError {
    CreateError::NoSpace { paths: vec![path.to_owned()], asked_bytes, free_bytes: free_bytes(path).unwrap_or(0) }
}

/// Allocates and writes a file. The error is `None` where the user stopped it.
fn fill(file: &File, size_bytes: u64, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> Result<(), Option<Errno>> {
    match fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        // If space cannot be reserved, writing must do.
        Ok(()) | Err(Errno::OPNOTSUPP) => {}
        Err(error) => return Err(Some(error)),
    }
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let mut arena = Arena::new(CHUNK_BYTES, true).map_err(|error| Some(errno(error)))?;
    let run = run_number(u64::from(std::process::id()) << 48);
    let mut offset = 0;
    while offset < size_bytes {
        if stop.load(Relaxed) {
            return Err(None);
        }
        let bytes = (size_bytes - offset).min(CHUNK_BYTES as u64) as usize;
        let chunk = arena.get_mut(0..bytes);
        stamp(chunk, Stamp { offset, sequence: 0, run });
        file.write_all_at(chunk, offset).map_err(|error| Some(errno(error)))?;
        offset += bytes as u64;
        progress(offset);
    }
    Ok(())
}

/// Parts of a file that were never written. The file system reads them as zeros itself, which is faster than the
/// storage.
#[must_use]
pub fn holes(path: &Path) -> Option<String> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))?;
    let size_bytes = file.metadata().ok()?.len();
    let first = seek(&file, SeekFrom::Hole(0)).ok()?;
    (first < size_bytes).then(|| {
        format!(
            "{} has parts that were never written (the first at {first}): their reads never come to the storage, and are faster",
            path.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_one_left_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let left = File::create(&path).unwrap();
        left.set_len(UNIT_BYTES).unwrap();
        if !mark::set(&left, Stage::Begun).unwrap() {
            return;
        }
        drop(left);
        match create(std::slice::from_ref(&path), UNIT_BYTES, &AtomicBool::new(false), &mut |_, _| ()) {
            // The folder for temporary files may lie in memory.
            Err(CreateError::NotDirect(_)) => return assert!(!path.exists()),
            created => created.unwrap().keep(),
        }
        assert_eq!(holes(&path), None);
    }
}
