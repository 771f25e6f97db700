//! Loop devices of the tests' own.
#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "who runs the tests is told what is left out")]
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The output of a program that succeeds.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|e| format!("{program}: {e}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// Waits until no other test of this process uses a device or starts programs. A child process has its parent's open
/// files until its program begins. And a program that loses the race for a free loop device still claims it for a
/// moment.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block device over a file of its own, one at a time.
pub(crate) struct LoopDevice {
    device: PathBuf,
    folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl LoopDevice {
    /// One with this many MiB; `None`, with the reason printed, where it cannot be made.
    pub(crate) fn new(mib: u64) -> Option<Self> {
        let alone = alone();
        let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let file = folder.path().join("backing");
        std::fs::File::create(&file).unwrap().set_len(mib << 20).unwrap();
        match output("losetup", &["--find", "--show", file.to_str().unwrap()]) {
            Ok(device) => Some(Self { device: device.into(), folder, _alone: alone }),
            Err(why) => {
                eprintln!("SKIPPED: no loop device can be made here ({why})");
                None
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.device
    }

    pub(crate) fn name(&self) -> &str {
        self.device.to_str().unwrap()
    }

    /// A folder that is removed with it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = output("losetup", &["--detach", self.name()]);
    }
}
