//! A file system of a test's own in a file, which can be shut down as by a loss of power: nothing that it has not
//! written to its device by then is there afterwards, neither the page cache nor the journal that was not flushed. The
//! device below keeps what it was given.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The file of the device.
const IMAGE: &str = "device";
/// Where it is mounted.
const MOUNT: &str = "mounted";
/// The programs that it takes.
const PROGRAMS: [&str; 4] = ["mkfs.ext4", "mount", "umount", "xfs_io"];

/// Why a file system could not be handled.
#[derive(Debug, thiserror::Error)]
pub enum FileSystemError {
    /// A program that it takes is not there.
    #[error("there is no program {0} (packages e2fsprogs, mount, xfsprogs)")]
    NoProgram(&'static str),
    /// Only root may mount.
    #[error("only root may mount a file system")]
    NotRoot,
    /// A program failed.
    #[error("{command}: {said}")]
    Failed {
        /// What was called.
        command: String,
        /// What it said.
        said: String,
    },
    /// A file cannot be made or removed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// A file system in a file.
#[derive(Debug)]
pub struct FileSystem {
    image: PathBuf,
    mount: PathBuf,
}

impl FileSystem {
    /// Whether one can be made here.
    ///
    /// # Errors
    /// Why not.
    pub fn is_possible() -> Result<(), FileSystemError> {
        if !rustix::process::geteuid().is_root() {
            return Err(FileSystemError::NotRoot);
        }
        let there = |program: &str| run(Command::new("sh").args(["-c", &format!("command -v {program}")])).is_ok();
        match PROGRAMS.into_iter().find(|program| !there(program)) {
            Some(program) => Err(FileSystemError::NoProgram(program)),
            None => Ok(()),
        }
    }

    /// Makes one of so many bytes in a folder, and mounts it.
    ///
    /// # Errors
    /// As for [`FileSystem::is_possible`], or a program fails.
    pub fn make(folder: &Path, bytes: u64) -> Result<Self, FileSystemError> {
        Self::is_possible()?;
        let made = Self { image: folder.join(IMAGE), mount: folder.join(MOUNT) };
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| FileSystemError::Io { path, source }
        };
        std::fs::create_dir_all(&made.mount).map_err(failed(&made.mount))?;
        let file = std::fs::File::create_new(&made.image).map_err(failed(&made.image))?;
        file.set_len(bytes).map_err(failed(&made.image))?;
        // Nothing is left to be initialised later.
        let options = "lazy_itable_init=0,lazy_journal_init=0";
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-E", options]).arg(&made.image))?;
        made.mount()?;
        Ok(made)
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.mount
    }

    fn mount(&self) -> Result<(), FileSystemError> {
        run(Command::new("mount").args(["-o", "loop,noatime"]).arg(&self.image).arg(&self.mount)).map(drop)
    }

    /// Writes to the device what there is until now: what comes before a test is not what it loses.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sync(&self) -> Result<(), FileSystemError> {
        let io = |source| FileSystemError::Io { path: self.mount.clone(), source };
        let folder = std::fs::File::open(&self.mount).map_err(io)?;
        rustix::fs::syncfs(folder).map_err(|error| io(error.into()))
    }

    /// Shuts it down at once, without flushing its journal: `FS_IOC_SHUTDOWN`. Whoever uses it gets errors from now on.
    ///
    /// # Errors
    /// It could not be shut down.
    pub fn shut_down(&self) -> Result<(), FileSystemError> {
        run(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(&self.mount)).map(drop)
    }

    /// Mounts it again, so that it recovers. Nobody uses it any more.
    ///
    /// # Errors
    /// It cannot be unmounted, or does not recover.
    pub fn recover(&self) -> Result<(), FileSystemError> {
        self.unmount()?;
        self.mount()
    }

    fn unmount(&self) -> Result<(), FileSystemError> {
        // Processes that were killed may hold it a moment longer.
        let mut tries = 0;
        loop {
            match run(Command::new("umount").arg(&self.mount)) {
                Err(_) if tries < 100 => {
                    tries += 1;
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                done => return done.map(drop),
            }
        }
    }

    /// Unmounts what an earlier test has left mounted in a folder, if anything is.
    ///
    /// # Errors
    /// It cannot be unmounted.
    pub fn clear(folder: &Path) -> Result<(), FileSystemError> {
        let left = Self { image: folder.join(IMAGE), mount: folder.join(MOUNT) };
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let mount = left.mount.to_string_lossy().replace(' ', "\\040");
        let is_mounted = mounts.lines().any(|line| line.split(' ').nth(1) == Some(mount.as_str()));
        if is_mounted { left.unmount() } else { Ok(()) }
    }
}

fn run(command: &mut Command) -> Result<Output, FileSystemError> {
    let called = || {
        let arguments = std::iter::once(command.get_program()).chain(command.get_args());
        arguments.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    };
    let called = called();
    let failed = |said: String| FileSystemError::Failed { command: called.clone(), said };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed(if said.is_empty() { output.status.to_string() } else { said }))
}
