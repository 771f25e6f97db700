//! Making a data folder.

use super::spawn::{Program, Waiting};
use super::stop::AT_ONCE;
use super::{DataFolder, Record, Server, ServerError, ServerLog, Step, Watch};
use dbdyno_model::ErrorClass;
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
