//! Making a data folder.

use super::spawn::{Program, Waiting};
use super::stop::AT_ONCE;
use super::{DataFolder, Record, Server, ServerError, ServerLog, Step, Watch};
use dbdyno_model::ErrorClass;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

impl Server<'_> {
    /// Makes the data in its folder, which is there and empty. What is half made stays where this fails.
    ///
    /// # Errors
    /// A step fails, in its own words; or it was called off.
    pub fn make(&self, further: &[String], watch: &dyn Watch, record: &mut Record<'_>) -> Result<(), ServerError> {
        let data = &self.place.data;
        for step in self.product.making(&self.place, further) {
            self.step(&step, watch, record)?;
        }
        let finished = DataFolder::open(data).and_then(|folder| self.product.finish(&folder));
        finished.map_err(|e| ServerError::io("write the settings in", data, &e))
    }

    /// Makes the data as a copy of that in another folder, on which no server runs.
    ///
    /// # Errors
    /// As for [`Server::make`].
    pub fn copy(&self, from: &Path, watch: &dyn Watch, record: &mut Record<'_>) -> Result<(), ServerError> {
        let data = &self.place.data;
        // Neither marks nor owners: what is new has its own.
        let options = ["-R", "--no-dereference", "--preserve=mode,timestamps,links", "--reflink=auto", "--sparse=auto"];
        let mut arguments: Vec<OsString> = options.map(OsString::from).into();
        arguments.extend([from.join(".").into_os_string(), data.clone().into_os_string()]);
        let step = Step { doing: "copying the data for a standby", program: "/bin/cp", arguments, input: None };
        self.step(&step, watch, record)?;
        // What a server takes for written must not be lost with the system.
        let synced = File::open(data).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
        synced.map_err(|e| ServerError::io("write", data, &e))
    }

    fn step(&self, step: &Step, watch: &dyn Watch, record: &mut Record<'_>) -> Result<(), ServerError> {
        let above = self.place.data.parent().unwrap_or(Path::new("/"));
        watch.note(&format!("{} in {}", step.doing, above.display()));
        let log = ServerLog::open(&self.log)?;
        let path = self.product.about().programs.place(&self.place.programs, step.program);
        let program =
            Program { path: &path, arguments: &step.arguments, input: step.input, environment: &self.environment };
        let cannot = |e| ServerError::io("run", &path, &e);
        let waiting = Waiting::new(&self.account, &program, &log.file).map_err(cannot)?;
        record(&waiting.process)?;
        let going = waiting.go().map_err(cannot)?;
        match going.wait(&|| watch.cancelled()) {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(log.error(ErrorClass::Other, &format!("{} failed ({status})", step.doing))),
            None => {
                going.process.kill_group();
                going.process.ended_within(AT_ONCE, &|| false);
                Err(ServerError::failed(ErrorClass::Cancelled, format!("{} was called off", step.doing)))
            }
        }
    }
}
