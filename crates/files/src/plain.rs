//! Reading and writing files that others may have made. A path may lead to a FIFO without a writer, to a device that
//! never ends, or to more data than fits into memory. So only plain (regular) files are read, and only up to a limit.

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

/// The limit for texts that people write by hand.
pub const TEXT_BYTES: u64 = 16 << 20;

/// Opens a plain file for reading.
///
/// # Errors
/// The system's error; or it is not a plain file.
pub fn open(path: &Path) -> io::Result<File> {
    // The first look is before the file is opened, because some devices act when they are opened.
    must_be_plain(&std::fs::metadata(path)?)?;
    // The file may have been replaced meanwhile, and opening a FIFO would block.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    must_be_plain(&file.metadata()?)?;
    Ok(file)
}

/// The whole content of a plain file.
///
/// # Errors
/// As for [`open`]; or it is longer than `max_bytes`.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, max_bytes)
}

/// The whole content of a plain file, which must be text.
///
/// # Errors
/// As for [`read`]; or it is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let bytes = read(path, TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

/// Makes an empty file, where none exists, that only its owner may read: who may read a file may also lock it. If that
/// fails, the next writer of the file reports the reason.
pub fn make_private(path: &Path) {
    _ = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
}

/// Whether a file lies in `/proc`, wherever that is mounted. Such a file claims to be plain, but reading it may block
/// for ever.
#[must_use]
pub fn lies_in_proc(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

/// The length of the beginning by which the type of a document is recognised (`<!DOCTYPE`, `<?xml ver`).
const TYPE_BYTES: usize = 9;

/// Writes a whole document. An older document of the same type is overwritten. Any other file is not, because it may be
/// a user's only results. A FIFO without a reader is refused, because writing would block.
///
/// # Errors
/// The system's error; or the file holds something else, or is a FIFO without a reader.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0) {
        let mut beginning = Vec::new();
        open(path)?.take(TYPE_BYTES as u64).read_to_end(&mut beginning)?;
        if !bytes.starts_with(&beginning) {
            return Err(io::Error::new(ErrorKind::AlreadyExists, "it holds something else, which would be lost"));
        }
    }
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let opened = OpenOptions::new().write(true).create(true).truncate(true).custom_flags(flags).open(path);
    let is_fifo = || std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
    let mut file = match opened {
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) && is_fifo() => {
            return Err(io::Error::other("nobody reads it"));
        }
        opened => opened?,
    };
    // A FIFO's reader may be slow, so writing waits for it.
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    file.write_all(bytes)
}

/// Whether this process may write to a file, or create files in a folder.
#[must_use]
pub fn may_write(path: &Path) -> bool {
    rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Reads a whole file, if it is not too long. Some system files claim to be empty and never end, so the bytes that were
/// read are counted, too.
fn read_all(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.metadata()?.len() <= max_bytes {
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= max_bytes {
            return Ok(bytes);
        }
    }
    let limit = match max_bytes >> 20 {
        0 => format!("{max_bytes} bytes"),
        mib => format!("{mib} MiB"),
    };
    Err(io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {limit}")))
}

fn must_be_plain(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::new(ErrorKind::InvalidInput, "it is no plain file")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_fifo_is_written_to_where_somebody_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let (fifo, plain) = (folder.path().join("fifo"), folder.path().join("plain"));
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert_eq!(write(&fifo, b"x").unwrap_err().to_string(), "nobody reads it");
        // A FIFO that is opened for reading and writing does not wait for a writer, and has no end before one came.
        let reader = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        // More than the FIFO holds, so the writer has to wait.
        let long = vec![7; 300_000];
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write(&fifo, &long));
            let mut received = vec![0; long.len()];
            (&reader).read_exact(&mut received).unwrap();
            writer.join().unwrap().unwrap();
            assert!(received == long);
        });
        write(&plain, b"<?xml version 1 of it").and_then(|()| write(&plain, b"<?xml ver 2")).unwrap();
        assert_eq!(std::fs::read(&plain).unwrap(), b"<?xml ver 2");
    }

    #[test]
    fn only_a_document_of_the_same_type_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measured.db");
        std::fs::write(&path, "SQLite format 3").unwrap();
        for document in ["<!DOCTYPE html>", "SQL", ""] {
            assert_eq!(write(&path, document.as_bytes()).unwrap_err().kind(), ErrorKind::AlreadyExists, "{document}");
            assert_eq!(std::fs::read(&path).unwrap(), b"SQLite format 3");
        }
        File::create(&path).unwrap();
        write(&path, b"<!DOCTYPE html>").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"<!DOCTYPE html>");
    }

    #[test]
    fn files_in_proc_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        assert!(lies_in_proc(Path::new("/proc/version")) && !lies_in_proc(folder.path()));
    }

    #[test]
    fn only_plain_files_up_to_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("text"), "four").unwrap();
        std::os::unix::fs::symlink(path("text"), path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("endless")).unwrap();
        std::fs::write(path("binary"), [0xff]).unwrap();
        File::create(path("long")).unwrap().set_len(TEXT_BYTES + 1).unwrap();
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        assert_eq!(
            (text(&path("text")).unwrap(), text(&path("link")).unwrap()),
            ("four".to_owned(), "four".to_owned())
        );
        assert_eq!(read(&path("text"), 4).unwrap(), b"four");
        let said = |path: &Path| text(path).unwrap_err().to_string();
        assert_eq!(read(&path("text"), 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(said(&path("long")), "it is longer than 16 MiB");
        assert_eq!(said(&path("binary")), "it is no text in UTF-8");
        for other in [path("fifo"), path("endless"), path("."), "/dev/null".into()] {
            assert_eq!(said(&other), "it is no plain file", "{}", other.display());
        }
        assert_eq!(open(&path("none")).unwrap_err().kind(), ErrorKind::NotFound);
        // A system file that claims to be empty.
        assert!(!read(Path::new("/proc/self/status"), 1 << 20).unwrap().is_empty());
        assert!(read(Path::new("/proc/self/status"), 3).is_err());
    }
}
