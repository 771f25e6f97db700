//! Notes that users add to runs. They are kept in the user's results file: an export contains them, and an import
//! ignores them.

use crate::{Repository, ResultsError};
use dbdyno_model::{RunId, RunNote};
use rusqlite::{Connection, params};

impl Repository {
    /// Adds a note to a run.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written.
    pub fn add_note(&mut self, run: &RunId, note: &RunNote) -> Result<(), ResultsError> {
        let transaction = self.begin("write")?;
        self.run(&transaction, run)?;
        transaction
            .execute(
                "INSERT INTO notes (run, noted_at, text) VALUES (?1, ?2, ?3)",
                params![run.as_str(), format!("{:.9}", note.at), note.text],
            )
            .map_err(self.failed("write"))?;
        transaction.commit().map_err(self.failed("write"))
    }

    /// Takes all notes of a run away, and returns them, the oldest first.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written.
    pub fn remove_notes(&mut self, run: &RunId) -> Result<Vec<RunNote>, ResultsError> {
        let transaction = self.begin("write")?;
        self.run(&transaction, run)?;
        let notes = self.notes(&transaction, run)?;
        transaction.execute("DELETE FROM notes WHERE run = ?1", [run.as_str()]).map_err(self.failed("write"))?;
        transaction.commit().map_err(self.failed("write"))?;
        Ok(notes)
    }

    /// The notes of a run, the oldest first.
    pub(crate) fn notes(&self, connection: &Connection, run: &RunId) -> Result<Vec<RunNote>, ResultsError> {
        let sql = "SELECT noted_at, text FROM notes WHERE run = ?1 ORDER BY id";
        self.rows(connection, sql, [run.as_str()], |row| {
            let (at, text): (String, String) = self.columns(row)?;
            Ok(RunNote { at: self.word(&format!("the time of a note of run {run}"), at)?, text })
        })
    }
}
