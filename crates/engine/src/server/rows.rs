//! Rows on their way into a table: made one by one, while somebody counts them and may stop them.

use super::{LoadStop, PhaseProgress};
use crate::EngineError;
use crate::client::Values;
use crate::data::{Column, RowSource};
use dbdyno_model::ErrorClass;

/// Rows between two words about the progress.
const TELL_ROWS: u64 = 1_000;

/// The rows of a part of a table, in the order of their ids.
pub struct Rows<'r> {
    columns: &'r [Column],
    source: &'r mut dyn RowSource,
    ids: &'r mut dyn Iterator<Item = u64>,
    next: Option<u64>,
    row: Values,
    made: u64,
    told: u64,
    stop: &'r LoadStop<'r>,
    progress: &'r PhaseProgress<'r>,
}

impl<'r> Rows<'r> {
    /// The rows with these ids.
    pub fn new(
        columns: &'r [Column],
        source: &'r mut dyn RowSource,
        ids: &'r mut dyn Iterator<Item = u64>,
        (stop, progress): (&'r LoadStop<'r>, &'r PhaseProgress<'r>),
    ) -> Self {
        let next = ids.next();
        Self { columns, source, ids, next, row: Values::new(), made: 0, told: 0, stop, progress }
    }

    /// Their columns.
    pub fn columns(&self) -> &'r [Column] {
        self.columns
    }

    /// Whether there are more.
    pub fn has_more(&self) -> bool {
        self.next.is_some()
    }

    /// How many were made until now.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Makes the next row, in the memory of the one before it.
    pub fn next_row(&mut self) -> Option<&Values> {
        let id = self.next?;
        self.source.row(id, &mut self.row);
        self.next = self.ids.next();
        self.made += 1;
        Some(&self.row)
    }

    /// All rows that were made are on their way. Called now and then, so that somebody can stop the load.
    ///
    /// # Errors
    /// `Cancelled`: somebody wants to.
    pub fn sent(&mut self, doing: &str) -> Result<(), EngineError> {
        if self.stop.requested() {
            return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
        }
        if self.made - self.told >= TELL_ROWS || self.next.is_none() {
            self.progress.add(self.made - self.told);
            self.told = self.made;
        }
        Ok(())
    }

    /// Says that the server itself has made all of them, from what it has.
    pub fn made_elsewhere(&mut self, rows: u64) {
        self.progress.add(rows);
        self.next = None;
    }

    /// Compares what the server took with what was sent.
    ///
    /// # Errors
    /// `Corruption`: it took others.
    pub fn must_be(doing: &str, taken: u64, sent: u64) -> Result<(), EngineError> {
        if taken == sent {
            return Ok(());
        }
        let message = format!("{doing}: the server took {taken} rows of {sent}");
        Err(EngineError::new(ErrorClass::Corruption, message))
    }
}

/// The error of a row that is none of ours: a value that its column cannot have.
pub fn damaged(doing: &str, id: Option<i64>, column: &Column) -> EngineError {
    let row = id.map_or_else(|| "a row".to_owned(), |id| format!("row {id}"));
    EngineError::new(ErrorClass::Corruption, format!("{doing}: {row}: {} is not as it was written", column.name))
}
