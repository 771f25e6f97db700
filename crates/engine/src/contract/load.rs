//! Who hears of a load, and what it did.

use crate::EngineError;
use dbdyno_model::{ErrorClass, TableName};

/// Hears how far a load has come, and may stop it.
pub trait LoadWatch: Sync {
    /// `rows` of `of` rows of `what` are done.
    fn progress(&self, what: &str, rows: u64, of: u64);
    /// Whether to stop as soon as possible.
    fn cancelled(&self) -> bool;

    /// Refuses to go on where it shall stop.
    ///
    /// # Errors
    /// `Cancelled`: it shall.
    fn refuse(&self, doing: &str) -> Result<(), EngineError> {
        match self.cancelled() {
            true => Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped"))),
            false => Ok(()),
        }
    }
}

/// What a load did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadReport {
    /// Each table.
    pub tables: Vec<TableLoad>,
    /// Whether it went on with an earlier load.
    pub resumed: bool,
}

/// What a load did for one table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLoad {
    /// The table.
    pub table: TableName,
    /// Its rows.
    pub rows: u64,
    /// Rows written by this load (fewer when resumed).
    pub rows_written: u64,
    /// Seconds, indexes included.
    pub elapsed_s: f64,
    /// Seconds of writing the rows alone, all jobs together by the clock on the wall; 0 where none was written.
    pub write_s: f64,
    /// Checksum.
    pub checksum: String,
}
