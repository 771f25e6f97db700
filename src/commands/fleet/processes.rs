//! Processes of a fleet on this machine, which go on when dbdyno ends.

use dbdyno_engine::servers::Process;
use rustix::process::Signal;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long processes may take to end by themselves.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts a process in a group of its own, whose output goes to a file.
///
/// # Errors
/// It cannot be started.
pub(super) fn start(command: &mut Command, log: &Path) -> io::Result<Process> {
    let out = File::create(log)?;
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out).process_group(0);
    let child = command.spawn()?;
    Process::of(child.id()).ok_or_else(|| io::Error::other("it has ended at once"))
}

/// Ends processes, all together, and at once those that do not end by themselves.
pub(super) fn end<'p>(processes: impl Iterator<Item = &'p Process> + Clone) {
    for process in processes.clone() {
        process.signal(Signal::TERM);
        // One that was stopped does not hear.
        process.signal(Signal::CONT);
    }
    let until = Instant::now() + PATIENCE;
    for process in processes {
        if !process.ended_within(until.saturating_duration_since(Instant::now()), &|| false) {
            process.signal(Signal::KILL);
        }
    }
}
