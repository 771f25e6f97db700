//! The program that a user has called before and after a run: EXTERNAL_SCRIPT of a slob.conf. It is called by its path
//! with one word, without a shell, and what it prints goes to stderr.

use crate::error::Error;
use crate::output;
use dbdyno_run::StopSwitch;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may go on after the run, once that is to stop.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked at.
const STEP: Duration = Duration::from_millis(20);

/// The program that is called before and after a run.
pub(super) struct Script(PathBuf);

impl Script {
    /// The program at a path.
    ///
    /// # Errors
    /// There is no such file.
    pub(super) fn at(path: &str) -> Result<Self, Error> {
        let refused = |why: String| Error::Usage(format!("EXTERNAL_SCRIPT {path}: {why}"));
        let file = Path::new(path).canonicalize().map_err(|error| refused(error.to_string()))?;
        if file.is_file() { Ok(Self(file)) } else { Err(refused("it is no file".to_owned())) }
    }

    /// Before the first point.
    ///
    /// # Errors
    /// It cannot be run, says that something is wrong, or was stopped.
    pub(super) fn before(&self, stop: &StopSwitch) -> Result<(), Error> {
        self.call("pre", stop, Duration::ZERO).map_err(|why| Error::Usage(format!("{why}; nothing was measured")))
    }

    /// After the last point (`post`), or when the run is kept (`end`). What was measured stays, whatever it says.
    pub(super) fn after(&self, word: &str, stop: &StopSwitch) {
        if let Err(why) = self.call(word, stop, GRACE) {
            output::note(&why);
        }
    }

    /// Calls it, and waits for it. Once the run is to stop, it is ended after a while.
    fn call(&self, word: &str, stop: &StopSwitch, grace: Duration) -> Result<(), String> {
        let path = self.0.display();
        let mut command = Command::new(&self.0);
        command.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
        let mut child = command.spawn().map_err(|error| format!("EXTERNAL_SCRIPT {path} cannot be run: {error}"))?;
        let mut asked: Option<Instant> = None;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("EXTERNAL_SCRIPT {path} {word} ended with {status}")),
                Ok(None) => {}
                Err(error) => return Err(format!("EXTERNAL_SCRIPT {path} {word} is lost: {error}")),
            }
            if stop.requested() && asked.get_or_insert_with(Instant::now).elapsed() >= grace {
                let ended = child.kill().and_then(|()| child.wait());
                let how = ended.map_or_else(|error| format!("could not be ended: {error}"), |_| "was ended".to_owned());
                return Err(format!("EXTERNAL_SCRIPT {path} {word} {how}, as the run is to stop"));
            }
            std::thread::sleep(STEP);
        }
    }
}
