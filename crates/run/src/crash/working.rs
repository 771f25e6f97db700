//! Sessions at work before a cut.

use super::error::CrashError;
use super::ledger::{self, Shared};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

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
