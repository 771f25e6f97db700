//! A file system of a test's own in a file, which can be shut down as by a loss of power: what it has not written to
//! its device by then is not there afterwards, neither the page cache nor the journal. Where its device is one that has
//! a volatile cache ([`Device::Forgetful`]), what the device was not told to flush is not there either: the device is a
//! file in another such file system, with the page cache in between, and it is that one which is shut down.

use std::fs::{File, create_dir_all};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The programs that it takes.
const PROGRAMS: [&str; 5] = ["mkfs.ext4", "mount", "umount", "losetup", "xfs_io"];
/// Bytes for the server's files, and for what its sessions write, on a device that forgets: all of them are written.
const BYTES: u64 = 2 << 30;
/// The most elsewhere: a hundred cuts fill some of them. Half of what is free is left to others, so that it is not the
/// system below that is full.
const MOST_BYTES: u64 = 8 << 30;
/// More files than a server has. Their places are written when the file system is made.
const INODES: &str = "32768";
/// Bytes of the outer one, for a device of so many bytes.
const OUTER_BYTES: u64 = BYTES + BYTES / 4;
/// A file of ours in it, and what is written there right before a cut.
const UNFLUSHED: &str = "unflushed";
const LOST: &[u8] = b"what nobody has asked to be written yet";
/// How long processes that were killed, or have mounts of their own, may hold it.
const HELD: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

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
    /// What is below would be full first.
    #[error("{} has {} MiB free, and a file system for this takes {} MiB", path.display(), free_bytes >> 20, (2 * BYTES) >> 20)]
    NoRoom {
        /// Where it was to be made.
        path: PathBuf,
        /// What is free there.
        free_bytes: u64,
    },
    /// It was to lose what was not flushed, and did not.
    #[error("{} was not cut: {why}", mount.display())]
    NotCut {
        /// Where it is mounted.
        mount: PathBuf,
        /// What shows it.
        why: &'static str,
    },
    /// It is mounted elsewhere, too. Mounting it again would give what was shut down.
    #[error("{} is still mounted elsewhere: at another place, or by a process in a mount namespace of its own, such as \
        a container that was started meanwhile; end that and begin again", mount.display())]
    StillMounted {
        /// Where it was mounted here.
        mount: PathBuf,
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

/// What a file system's device does with what it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// It keeps it.
    Faithful,
    /// It forgets what it was not told to flush, when the power goes.
    Forgetful,
}

/// One file system on a file.
#[derive(Debug)]
struct Layer {
    image: PathBuf,
    mount: PathBuf,
    options: String,
}

/// A file system in a folder.
#[derive(Debug)]
pub struct FileSystem {
    inner: Layer,
    /// The one that has the inner one's device in a file.
    outer: Option<Layer>,
}

impl FileSystem {
    /// Where it is mounted, in the folder that it is made in.
    pub const FOLDER: &str = "mounted";
    /// Where the one below it is.
    const BELOW: &str = "below";

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

    /// Makes one in a folder, and mounts it with these further options.
    ///
    /// # Errors
    /// As for [`FileSystem::is_possible`], or a program fails.
    pub fn make(folder: &Path, device: Device, options: Option<&str>) -> Result<Self, FileSystemError> {
        Self::is_possible()?;
        let outer = match device {
            Device::Faithful => None,
            Device::Forgetful => {
                let outer = Layer::named(folder, Self::BELOW, "");
                outer.fill(Content::Holes(OUTER_BYTES))?;
                Some(outer)
            }
        };
        let within = outer.as_ref().map_or(folder, |outer| outer.mount.as_path());
        // Blocks that are allocated later would be lost with the outer one's journal.
        let free_bytes = dbdyno_probe::free_bytes(folder).unwrap_or(u64::MAX);
        if free_bytes < 2 * BYTES {
            return Err(FileSystemError::NoRoom { path: folder.to_owned(), free_bytes });
        }
        let most_bytes = (free_bytes / 2).min(MOST_BYTES);
        let content = if outer.is_some() { Content::Zeros(BYTES) } else { Content::Holes(most_bytes) };
        let options = options.map(|options| format!(",{options}")).unwrap_or_default();
        let inner = Layer { image: within.join("device"), ..Layer::named(folder, Self::FOLDER, &options) };
        inner.fill(content)?;
        Ok(Self { inner, outer })
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.mount
    }

    /// Writes to the device what there is until now: what comes before a test is not what it loses.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sync(&self) -> Result<(), FileSystemError> {
        std::iter::once(&self.inner).chain(&self.outer).try_for_each(Layer::sync)
    }

    /// Shuts it down at once, without flushing its journal (`FS_IOC_SHUTDOWN`), or the one below, so that its device
    /// forgets. Whoever uses it gets errors from now on.
    ///
    /// # Errors
    /// It could not be shut down, or still takes what is written.
    pub fn shut_down(&self) -> Result<(), FileSystemError> {
        let unflushed = self.inner.mount.join(UNFLUSHED);
        let io = |source| FileSystemError::Io { path: unflushed.clone(), source };
        // One that is there already would be written when it is closed, as ext4 does with files that are replaced.
        File::create_new(&unflushed).and_then(|mut file| file.write_all(LOST)).map_err(io)?;
        let lowest = self.outer.as_ref().unwrap_or(&self.inner);
        run(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(&lowest.mount))?;
        // That a program says so is no proof.
        match File::create(lowest.mount.join(UNFLUSHED)) {
            Ok(_) => Err(FileSystemError::NotCut { mount: lowest.mount.clone(), why: "it still takes files" }),
            Err(_) => Ok(()),
        }
    }

    /// Mounts it again, so that it recovers. Nobody uses it any more.
    ///
    /// # Errors
    /// It cannot be unmounted, does not recover, or has lost nothing.
    pub fn recover(&self) -> Result<(), FileSystemError> {
        self.inner.unmount()?;
        if let Some(outer) = &self.outer {
            outer.unmount()?;
            outer.mount()?;
        }
        self.inner.mount()?;
        // Its name may have gone with the journal of others; what is in it waits for the system's own time.
        let unflushed = self.inner.mount.join(UNFLUSHED);
        let found = std::fs::read(&unflushed);
        if found.as_deref().is_ok_and(|found| found == LOST) {
            let why = "what was not flushed is there afterwards";
            return Err(FileSystemError::NotCut { mount: self.inner.mount.clone(), why });
        }
        match std::fs::remove_file(&unflushed) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FileSystemError::Io { path: unflushed, source })
            }
            _ => Ok(()),
        }
    }

    /// Unmounts what an earlier test has left mounted in a folder, whatever was mounted last first.
    ///
    /// # Errors
    /// It cannot be unmounted.
    pub fn clear(folder: &Path) -> Result<(), FileSystemError> {
        for mount in [Self::FOLDER, Self::BELOW].map(|name| folder.join(name)) {
            // One that was killed between two steps may have mounted it twice.
            while is_mounted(&mount, folder) {
                unmount(&mount)?;
            }
        }
        Ok(())
    }
}

/// Whether a folder is on another device than the one that it lies in. One that cannot be looked at was cut.
fn is_mounted(mount: &Path, folder: &Path) -> bool {
    let device = |path: &Path| std::fs::symlink_metadata(path).map(|about| about.dev());
    match (device(mount), device(folder)) {
        (Ok(own), Ok(above)) => own != above,
        (Err(error), _) => error.kind() != io::ErrorKind::NotFound,
        (Ok(_), Err(_)) => false,
    }
}

/// What a device's file has at first.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// Nothing: blocks come when they are written.
    Holes(u64),
    /// Zeros, which are written.
    Zeros(u64),
}

impl Layer {
    fn named(folder: &Path, name: &str, options: &str) -> Self {
        let options = format!("loop,noatime{options}");
        Self { image: folder.join(format!("{name}.device")), mount: folder.join(name), options }
    }

    fn fill(&self, content: Content) -> Result<(), FileSystemError> {
        let io = |source| FileSystemError::Io { path: self.image.clone(), source };
        create_dir_all(&self.mount).map_err(io)?;
        let mut file = File::create_new(&self.image).map_err(io)?;
        match content {
            Content::Holes(bytes) => file.set_len(bytes).map_err(io)?,
            Content::Zeros(bytes) => {
                let zeros = vec![0; 8 << 20];
                (0..bytes / zeros.len() as u64).try_for_each(|_| file.write_all(&zeros)).map_err(io)?;
                file.sync_all().map_err(io)?;
            }
        }
        // Nothing is left to be initialised later.
        let options = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-N", INODES, "-E", options]).arg(&self.image))?;
        self.mount()
    }

    fn mount(&self) -> Result<(), FileSystemError> {
        run(Command::new("mount").args(["-o", &self.options]).arg(&self.image).arg(&self.mount)).map(drop)
    }

    /// Until its loop device is gone: as long as there is one, it is this one that is mounted again.
    fn unmount(&self) -> Result<(), FileSystemError> {
        unmount(&self.mount)?;
        let until = Instant::now() + HELD;
        while !run(Command::new("losetup").arg("--associated").arg(&self.image))?.stdout.is_empty() {
            if Instant::now() >= until {
                return Err(FileSystemError::StillMounted { mount: self.mount.clone() });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), FileSystemError> {
        let io = |source| FileSystemError::Io { path: self.mount.clone(), source };
        let folder = File::open(&self.mount).map_err(io)?;
        rustix::fs::syncfs(folder).map_err(|error| io(error.into()))
    }
}

/// Processes that were killed may hold it a moment longer. Its loop device goes with it.
fn unmount(mount: &Path) -> Result<(), FileSystemError> {
    let until = Instant::now() + HELD;
    loop {
        match run(Command::new("umount").arg(mount)) {
            Err(_) if Instant::now() < until => std::thread::sleep(PAUSE),
            done => return done.map(drop),
        }
    }
}

fn run(command: &mut Command) -> Result<Output, FileSystemError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let called = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    let failed = |said: String| FileSystemError::Failed { command: called.clone(), said };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed(if said.is_empty() { output.status.to_string() } else { said }))
}
