//! What users say of the platforms of their own runs. It stands beside what was measured and changes nothing of it, and
//! is the only part of a run that a user may replace.

use crate::write::json;
use crate::{Repository, ResultsError};
use dbdyno_model::{Described, DocumentPart, RunId, SCHEMA_VERSION};
use rusqlite::{Connection, Transaction, params};

impl Repository {
    /// Attaches a description to runs, in place of what they had; without one, takes it away. All of them change, or
    /// none. Returns whether each had a description before.
    ///
    /// # Errors
    /// A run does not exist, or the file cannot be written.
    pub fn describe(&mut self, runs: &[RunId], described: Option<&Described>) -> Result<Vec<bool>, ResultsError> {
        let transaction = self.begin("write")?;
        let mut had_one = Vec::new();
        for run in runs {
            let (had,): (bool,) = self.of_run(&transaction, "described IS NOT NULL", run)?;
            self.set_description(&transaction, run, described)?;
            had_one.push(had);
        }
        transaction.commit().map_err(self.failed("write"))?;
        Ok(had_one)
    }

    /// Stores what is said of a run's platform. What follows from it is computed anew for each reader.
    pub(crate) fn set_description(
        &self,
        transaction: &Transaction<'_>,
        run: &RunId,
        described: Option<&Described>,
    ) -> Result<(), ResultsError> {
        let bare = described.map(|described| Described { differs: Vec::new(), ..described.clone() });
        let body = bare.map(|described| json("the description", &described)).transpose()?;
        let version = body.as_ref().map(|_| SCHEMA_VERSION);
        transaction
            .execute(
                "UPDATE runs SET described = ?2, described_version = ?3 WHERE id = ?1",
                params![run.as_str(), body, version],
            )
            .map_err(self.failed("write"))?;
        Ok(())
    }

    /// What is said of a run's platform.
    pub(crate) fn description(&self, connection: &Connection, run: &RunId) -> Result<Option<Described>, ResultsError> {
        let columns = "described, described_version";
        let (body, version): (Option<String>, Option<u32>) = self.of_run(connection, columns, run)?;
        let version = version.unwrap_or(SCHEMA_VERSION);
        let what = format!("the description of run {run}");
        body.map(|body| self.in_this_version(&what, DocumentPart::Described, version, &body)).transpose()
    }
}
