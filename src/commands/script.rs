//! The program that a user has called before and after a run: EXTERNAL_SCRIPT of a slob.conf. It is called by its path
//! with one word, without a shell, and what it prints goes to stderr.

use crate::error::Error;
use crate::output;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    /// It cannot be run, or says that something is wrong.
    pub(super) fn before(&self) -> Result<(), Error> {
        self.call("pre").map_err(|why| Error::Usage(format!("{why}; nothing was measured")))
    }

    /// After the last point (`post`), or when the run is kept (`end`). What was measured stays, whatever it says.
    pub(super) fn after(&self, word: &str) {
        if let Err(why) = self.call(word) {
            output::note(&why);
        }
    }

    fn call(&self, word: &str) -> Result<(), String> {
        let Self(path) = self;
        let mut command = Command::new(path);
        command.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("EXTERNAL_SCRIPT {} {word} ended with {status}", path.display())),
            Err(error) => Err(format!("EXTERNAL_SCRIPT {} cannot be run: {error}", path.display())),
        }
    }
}
