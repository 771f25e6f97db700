//! Files in a data folder, which belongs to the server's user, while dbdyno may be root. That user can put anything
//! there at any moment, under any name: a link to somebody else's file, or a pipe. So no path below the folder is ever
//! followed: it is opened once, names are looked up in it alone, and only plain files of the folder's owner are read or
//! changed.

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

/// Files that a product reads are short; more than this is not read.
const READ_BYTES: u64 = 1 << 16;
/// Files that are made are their owner's alone.
const OWN: Mode = Mode::RUSR.union(Mode::WUSR);

/// A data folder that has been opened.
#[derive(Debug)]
pub struct DataFolder {
    folder: OwnedFd,
    owner: Stat,
}

impl DataFolder {
    /// Opens a folder whose parent belongs to whoever started dbdyno. It must not be a link.
    ///
    /// # Errors
    /// It is a link or no folder, or it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())?;
        let owner = rustix::fs::fstat(&folder)?;
        Ok(Self { folder, owner })
    }

    /// Whose it is.
    pub(crate) fn owner_uid(&self) -> u32 {
        self.owner.st_uid
    }

    /// A file to be locked, made where it is missing. Nobody but the owner may open it: who can, can hold the lock.
    pub(crate) fn to_lock(&self, name: &str) -> io::Result<File> {
        let file = self.file(name, OFlags::RDWR | OFlags::CREATE)?;
        // Earlier ones let everybody read it.
        rustix::fs::fchmod(&file, OWN)?;
        Ok(file)
    }

    /// A file to be added to, made where it is missing.
    pub(crate) fn to_append(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)
    }

    /// The text of a file; of a very long one only the beginning.
    ///
    /// # Errors
    /// There is none of that name, or it is not a plain file of the folder's owner.
    pub fn read(&self, name: &str) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.file(name, OFlags::RDONLY)?.take(READ_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Adds to a file.
    ///
    /// # Errors
    /// It cannot be written, or it is not a plain file of the folder's owner.
    pub fn append(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = self.file(name, OFlags::WRONLY | OFlags::APPEND)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    /// Writes a file of the folder's owner, wholly or not at all, in place of whatever has its name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let new = format!("{name}.new");
        self.remove(&new)?;
        // Whatever else takes that name until the file is there makes this fail.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.folder, one(&new)?, flags, OWN)?);
        file.write_all(text.as_bytes())?;
        if rustix::process::geteuid().is_root() {
            let (user, group) = (Uid::from_raw(self.owner.st_uid), Gid::from_raw(self.owner.st_gid));
            rustix::fs::fchown(&file, Some(user), Some(group))?;
        }
        file.sync_all()?;
        Ok(rustix::fs::renameat(&self.folder, one(&new)?, &self.folder, one(name)?)?)
    }

    /// Removes a file or a link, if there is one.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.folder, one(name)?, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            removed => Ok(removed?),
        }
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // Opening a pipe would wait for its other end.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let refused = |what: &str| io::Error::other(format!("{name} {what}"));
        let file = match rustix::fs::openat(&self.folder, one(name)?, flags, OWN) {
            Err(Errno::LOOP) => return Err(refused("is a link, not a file")),
            file => file?,
        };
        let found = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(refused("is not a plain file"));
        }
        // A second name of somebody else's file is no link that could be seen, but has another owner.
        if found.st_uid != self.owner.st_uid {
            return Err(refused("belongs to another user than its folder"));
        }
        Ok(File::from(file))
    }
}

/// A name, and not a path that leads elsewhere.
fn one(name: &str) -> io::Result<&str> {
    let is_path = name.contains('/') || name == "." || name == "..";
    if is_path { Err(io::Error::other(format!("{name} is not the name of a file"))) } else { Ok(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, chown, symlink};
    use std::process::Command;

    /// A data folder of somebody else's where that is possible, beside a file that is none of his business.
    fn place() -> (tempfile::TempDir, DataFolder) {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        if rustix::process::geteuid().is_root() {
            chown(&data, Some(54_321), Some(54_322)).unwrap();
        }
        let folder = DataFolder::open(&data).unwrap();
        (dir, folder)
    }

    #[test]
    fn what_is_written_belongs_to_the_owner_of_the_folder() {
        let (dir, folder) = place();
        folder.remove("conf").unwrap();
        for text in ["first\n", "second\n"] {
            folder.write("conf", text).unwrap();
        }
        folder.append("conf", "and more\n").unwrap();
        assert_eq!(folder.read("conf").unwrap(), "second\nand more\n");
        let (data, file) = (dir.path().join("data"), dir.path().join("data/conf"));
        let of = |path: &Path| path.metadata().map(|m| (m.uid(), m.gid())).unwrap();
        assert_eq!((of(&file), file.metadata().unwrap().mode() & 0o777), (of(&data), 0o600));
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 1);
        folder.remove("conf").unwrap();
        assert_eq!(folder.read("conf").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_are_not_followed() {
        let (dir, folder) = place();
        let (secret, data) = (dir.path().join("secret"), dir.path().join("data"));
        let before = secret.metadata().map(|m| (m.uid(), m.gid(), m.ino())).unwrap();
        for name in ["conf", "conf.new"] {
            symlink(&secret, data.join(name)).unwrap();
        }
        assert!(folder.read("conf").unwrap_err().to_string().contains("is a link"));
        assert!(folder.append("conf", "x").unwrap_err().to_string().contains("is a link"));
        folder.write("conf", "ours").unwrap();
        assert_eq!(std::fs::read_to_string(data.join("conf")).unwrap(), "ours");
        assert!(!data.join("conf").is_symlink());
        symlink(&secret, data.join("pid")).unwrap();
        folder.remove("pid").unwrap();
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
        assert_eq!(secret.metadata().map(|m| (m.uid(), m.gid(), m.ino())).unwrap(), before);
        symlink(&data, dir.path().join("other")).unwrap();
        assert!(DataFolder::open(&dir.path().join("other")).is_err());
        assert!(folder.read("../secret").unwrap_err().to_string().contains("not the name of a file"));
    }

    #[test]
    fn second_names_and_pipes_are_refused() {
        let (dir, folder) = place();
        let data = dir.path().join("data");
        assert!(Command::new("mkfifo").arg(data.join("pipe")).status().unwrap().success());
        assert!(folder.read("pipe").unwrap_err().to_string().contains("not a plain file"));
        if rustix::process::geteuid().is_root() {
            std::fs::hard_link(dir.path().join("secret"), data.join("conf")).unwrap();
            for refused in [folder.read("conf").map(drop), folder.append("conf", "x")] {
                assert!(refused.unwrap_err().to_string().contains("belongs to another user"));
            }
            assert_eq!(std::fs::read_to_string(dir.path().join("secret")).unwrap(), "secret");
        }
    }
}
