//! Sessions at work before a cut.

use super::error::CrashError;
use super::ledger::{self, Shared};
use dbdyno_engine::servers::has_stopped;
use rustix::process::{Pid, Signal};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long threads may take to stop.
const STOPS: Duration = Duration::from_secs(5);

/// Sessions at work, in a process of their own.
pub(super) struct Working {
    child: Child,
    pub(super) shared: Arc<Shared>,
    keeper: Option<JoinHandle<std::io::Result<()>>>,
    /// The ledger.
    pub(super) path: PathBuf,
    pub(super) began: Instant,
}

impl Working {
    /// Starts a program, and keeps what it says in a new ledger.
    pub(super) fn begin(mut command: Command, path: PathBuf, sessions: u32) -> Result<Self, CrashError> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| CrashError::Idle(error.to_string()))?;
        let Some(said) = child.stdout.take() else { return Err(CrashError::Idle("they say nothing".to_owned())) };
        let shared = Arc::new(Shared::default());
        let keeper = {
            let (shared, path) = (Arc::clone(&shared), path.clone());
            thread::spawn(move || ledger::keep(said, &path, sessions, &shared))
        };
        Ok(Self { child, shared, keeper: Some(keeper), path, began: Instant::now() })
    }

    /// Whether they said that they have ended.
    pub(super) fn has_ended(&self) -> bool {
        self.keeper.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Stops them where they are (SIGSTOP): they hear nothing any more. One that the system works for at the moment
    /// does nothing of its own afterwards, and is not waited for.
    ///
    /// # Errors
    /// They do not stop.
    pub(super) fn hold(&self) -> Result<(), CrashError> {
        let pid = self.child.id();
        let failed = |why: &dyn std::fmt::Display| CrashError::Subject(format!("its sessions do not stop: {why}"));
        let child = Pid::from_child(&self.child);
        rustix::process::kill_process(child, Signal::STOP).map_err(|error| failed(&error))?;
        let from = Instant::now();
        while !has_stopped(pid) {
            if from.elapsed() > STOPS {
                return Err(failed(&format!("process {pid} still works after {} s", STOPS.as_secs())));
            }
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Ends them, and takes what they have said until then.
    pub(super) fn end(&mut self) -> std::io::Result<()> {
        _ = self.child.kill();
        _ = self.child.wait();
        match self.keeper.take().map(JoinHandle::join) {
            Some(Ok(kept)) => kept,
            Some(Err(_)) => Err(std::io::Error::other("its keeper panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        _ = self.end();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_are_held_say_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "n=1; while :; do echo 0 $n; n=$((n + 1)); done"]);
        let mut working = Working::begin(command, folder.path().join("ledger"), 1).unwrap();
        let counted = |working: &Working| working.shared.now().counted;
        while counted(&working) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        working.hold().unwrap();
        // What is in the pipe was said before.
        let settled = || {
            let mut last = counted(&working);
            loop {
                thread::sleep(Duration::from_millis(300));
                match counted(&working) {
                    now if now == last => return now,
                    now => last = now,
                }
            }
        };
        let said = settled();
        thread::sleep(Duration::from_millis(300));
        assert_eq!(counted(&working), said);
        working.end().unwrap();
    }
}
