//! Another process, started from this test binary: a test that does its work only when its folder is given.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOLDER: &str = "DBDYNO_RESULTS_TEST_FOLDER";

/// The folder that this process works in, if it was started to play a part.
pub(crate) fn part() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// The command that plays the part of the test with this full name in a folder.
pub(crate) fn playing(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--ignored"]).env(FOLDER, folder);
    command
}

/// Plays a part in a folder on a file system of its own with `mib` MiB, which disappears with the process.
///
/// Mounting needs root, or a kernel that lets users have namespaces; without either this fails rather than skips the
/// test.
pub(crate) fn play_on_small_disk(test: &str, mib: u32) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("mount -t tmpfs -o size={mib}m tmpfs \"$1\" && shift && exec \"$@\"");
    let isolate = ["-m", "-Urm"]
        .into_iter()
        .find(|flags| Command::new("unshare").args([flags, "true"]).output().is_ok_and(|o| o.status.success()))
        .expect("this test mounts a small file system: run it as root, or allow user namespaces (`unshare -Urm true`)");
    let inner = playing(test, folder.path());
    let Output { status, stdout, stderr } = Command::new("unshare")
        .args([isolate, "sh", "-c", &script, "sh"])
        .arg(folder.path())
        .arg(inner.get_program())
        .args(inner.get_args())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success() && said.contains("1 passed"), "{said}");
}
