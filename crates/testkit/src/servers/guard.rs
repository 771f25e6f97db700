//! The guard that ends a server when the test's process ends, however it ends.

use rustix::process::Signal;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ends a process and removes a folder when its standard input ends; the system closes the input when this process is
/// gone.
const SCRIPT: &str = "trap '' INT HUP TERM; cat; kill -$3 $1; n=0
    while kill -0 $1 && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done; rm -rf \"$2\"";

/// A running guard; dropping it ends it.
pub(super) struct Guard(Child);

impl Guard {
    /// Guards this process, which works in this folder and ends at once on this signal.
    pub(super) fn of(pid: u32, folder: &Path, signal: Signal) -> Self {
        let mut guard = Command::new("setsid");
        guard.args(["sh", "-c", SCRIPT, "sh", &pid.to_string()]).arg(folder).arg(signal.as_raw().to_string());
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(guard.spawn().unwrap())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Before its input ends.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_its_folder_go_with_who_started_them_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let mut process = Command::new("sleep").arg("60").spawn().unwrap();
        drop(Guard::of(process.id(), &data, Signal::KILL));
        assert!(process.try_wait().unwrap().is_none() && data.exists());
        let mut guard = Guard::of(process.id(), &data, Signal::KILL);
        // As when this process ends.
        drop(guard.0.stdin.take());
        process.wait().unwrap();
        guard.0.wait().unwrap();
        assert!(!data.exists());
    }
}
