//! Readings of runs and profiles. They are gathered in memory while something is measured, because a file that is
//! written to would be part of what is measured, and stored between points. An hour takes at most 1 MB.

mod columns;

use crate::write::unstorable;
use crate::{Repository, ResultsError};
use columns::ColumnsError;
use dbdyno_model::{Reading, RunId};
use rusqlite::params;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Readings of a block: a minute.
const BLOCK: usize = 60;
/// The version of a block's form.
const FORM: u32 = 1;

/// Gathers readings until they are stored.
#[derive(Debug, Default)]
pub struct ReadingsKeeper(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    blocks: Vec<Vec<u8>>,
    open: Vec<Reading>,
    /// Why readings could not be kept, if so.
    failed: Option<String>,
}

impl ReadingsKeeper {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a reading, with as many digits as it deserves.
    pub fn push(&self, reading: &Reading) {
        let mut kept = self.kept();
        kept.open.push(reading.clone());
        if kept.open.len() >= BLOCK {
            kept.close();
        }
    }

    /// What was gathered and is not stored, and why some of it cannot be.
    fn gathered(&self) -> (Vec<Vec<u8>>, Option<String>) {
        let mut kept = self.kept();
        kept.close();
        (kept.blocks.clone(), kept.failed.take())
    }

    /// So many blocks are stored now.
    fn stored(&self, blocks: usize) {
        drop(self.kept().blocks.drain(..blocks));
    }
}

impl Kept {
    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        match columns::pack(&open) {
            Ok(block) => self.blocks.push(block),
            Err(error) => self.failed = Some(error.to_string()),
        }
    }
}

impl Repository {
    /// Stores what was gathered for a run or an experiment, completely or not at all.
    ///
    /// # Errors
    /// It cannot be written; then it stays with the keeper, for the next time.
    pub fn store_readings(&mut self, owner: &RunId, keeper: &ReadingsKeeper) -> Result<(), ResultsError> {
        let (blocks, failed) = keeper.gathered();
        self.insert_readings(owner, &blocks)?;
        keeper.stored(blocks.len());
        failed.map_or(Ok(()), |why| Err(unstorable(&format!("some readings of {owner}"), why)))
    }

    fn insert_readings(&mut self, owner: &RunId, blocks: &[Vec<u8>]) -> Result<(), ResultsError> {
        if blocks.is_empty() {
            return Ok(());
        }
        let transaction = self.begin("write")?;
        for block in blocks {
            transaction
                .prepare_cached(
                    "INSERT INTO readings (owner, block, form, data)
                     SELECT ?1, 1 + coalesce(max(block), 0), ?2, ?3 FROM readings WHERE owner = ?1",
                )
                .and_then(|mut insert| insert.execute(params![owner.as_str(), FORM, block]))
                .map_err(self.failed("write"))?;
        }
        transaction.commit().map_err(self.failed("write"))
    }

    /// The readings of a run or an experiment, the oldest first; none where none were kept.
    ///
    /// # Errors
    /// They cannot be read, or are of a newer form.
    pub fn readings(&self, owner: &RunId) -> Result<Vec<Reading>, ResultsError> {
        let sql = "SELECT form, data FROM readings WHERE owner = ?1 ORDER BY block";
        let blocks = self.rows(&self.connection, sql, [owner.as_str()], |row| self.columns::<(u32, Vec<u8>)>(row))?;
        let what = format!("the readings of {owner}");
        let mut readings = Vec::new();
        for (form, block) in blocks {
            if form > FORM {
                return Err(ResultsError::NewerDocument { id: owner.clone(), version: form, known: FORM });
            }
            readings.extend(columns::unpack(&block).map_err(|error: ColumnsError| self.damaged(&what, error))?);
        }
        Ok(readings)
    }
}

#[cfg(test)]
mod tests;
