//! Setting a server and starting its process.

use super::spawn::{Going, Program, Waiting};
use super::{DataFolder, Process, Record, Server, ServerError, ServerLog, Watch};
use std::io;

/// A server whose process has been started.
#[derive(Debug)]
pub struct Started {
    /// Its main process.
    pub process: Process,
    /// What it says.
    pub log: ServerLog,
}

impl Server<'_> {
    /// Its data folder.
    ///
    /// # Errors
    /// It is none, or a link.
    pub fn data(&self) -> Result<DataFolder, ServerError> {
        let data = &self.place.data;
        DataFolder::open(data).map_err(|e| ServerError::io("open", data, &e))
    }

    /// Writes its settings, in place of those that were there.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn set(&self, settings: &str) -> Result<(), ServerError> {
        let name = self.product.about().settings_file;
        let written = self.data()?.write(name, settings);
        written.map_err(|e| ServerError::io("write", &self.place.data.join(name), &e))
    }

    /// Has these lines say who is let in, before those that are there.
    ///
    /// # Errors
    /// The product has no such lines, or they cannot be written.
    pub fn let_in(&self, lines: &[String]) -> Result<(), ServerError> {
        if lines.is_empty() {
            return Ok(());
        }
        let Some(name) = self.product.about().access_file else {
            let engine = self.product.about().engine;
            return Err(ServerError::Refused(format!("a server of {engine} has no lines that say who is let in")));
        };
        let data = self.data()?;
        let written = data.read(name).and_then(|there| data.write(name, &format!("{}\n{there}", lines.join("\n"))));
        written.map_err(|e| ServerError::io("write", &self.place.data.join(name), &e))
    }

    /// Starts its process, which goes on when this one has ended. No other process may be at work in its data.
    ///
    /// # Errors
    /// It cannot be started, or not recorded.
    pub fn start(&self, watch: &dyn Watch, record: &mut Record<'_>) -> Result<Started, ServerError> {
        let forgotten = self.product.forget_pid(&self.data()?);
        forgotten.map_err(|e| ServerError::io("clear", &self.place.data, &e))?;
        let log = ServerLog::open(&self.log)?;
        let path = self.product.about().programs.server(&self.place.programs);
        let arguments = self.product.arguments(&self.place);
        let program = Program { path: &path, arguments: &arguments, input: None, environment: &self.environment };
        let cannot = |e: io::Error| ServerError::io("start", &path, &e);
        let waiting = Waiting::new(&self.account, &program, &log.file).map_err(cannot)?;
        record(&waiting.process)?;
        watch.note(&format!("starting the server (process {})", waiting.process.pid));
        // Not waited for: it goes on when this process has ended.
        let going: Going = waiting.go().map_err(cannot)?;
        Ok(Started { process: going.process, log })
    }
}
