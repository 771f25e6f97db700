//! What a client sends, one statement a call: the statement under test, from the connection's cache of prepared ones. There is
//! no network here, so a statement that writes and is a transaction of its own brings its BEGIN and COMMIT along: only so can
//! its commit be counted and timed. Writers queue as in the server drive; a transaction of several statements keeps its turn
//! until it ends.

use super::PROCEDURES;
use super::errors::Fault;
use super::procedures::{Chunk, all_rows, one_row};
use super::writer::Turn;
use super::writing::{insert_row, update_rows};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::Touch;
use dbdyno_model::Procedure;
use rusqlite::CachedStatement;

impl<'a> Chunk<'a> {
    /// Executes the statement under test. Where it fails, its whole transaction is rolled back at once.
    pub(super) fn send(&mut self, touch: Touch, open: &mut Option<Turn>) -> Result<(), Fault> {
        self.go_on()?;
        if !self.work.task.test.procedure.writes() {
            let done = self.touch(touch)?;
            self.add(done);
            return Ok(());
        }
        let goes_on = touch.opens || open.is_some();
        let turn = match open.take() {
            Some(turn) => turn,
            None => self.open(&mut self.fixed("begin_write")?)?,
        };
        let done = self.touch(touch);
        self.keep(turn, goes_on, done, open)
    }

    /// Runs the statement under test for a key: the rows that it touched and what they add up to.
    fn touch(&mut self, touch: Touch) -> Result<ChunkResult, Fault> {
        let Touch { key, other, .. } = touch;
        let (procedure, small) = (self.work.task.test.procedure, &self.work.small);
        let mut touched = (0, 0);
        self.tested(|_, statement| {
            touched = match procedure {
                Procedure::SelectPrimary => one_row(statement, key)?,
                Procedure::SelectSecondary | Procedure::Join => all_rows(statement, key)?,
                Procedure::Insert => (insert_row(statement, key, other)?, small.quantity(other)),
                Procedure::UpdatePrimary | Procedure::UpdateSecondary => (update_rows(statement, key)?, key),
                _ => return Err(dbdyno_engine::client::unsupported().into()),
            };
            Ok(())
        })?;
        let (rows, checksum) = touched;
        Ok(ChunkResult { rows, checksum, ..ChunkResult::default() })
    }
}

impl<'a, W> Chunk<'a, W> {
    /// Keeps the turn of a transaction that goes on and in which this was done; ends one that does not, or has failed.
    pub(super) fn keep(
        &mut self,
        turn: Turn,
        goes_on: bool,
        done: Result<ChunkResult, Fault>,
        open: &mut Option<Turn>,
    ) -> Result<(), Fault> {
        if !goes_on {
            return self.close(&mut self.fixed("commit")?, turn, done);
        }
        match done {
            Ok(done) => {
                self.add(done);
                *open = Some(turn);
                Ok(())
            }
            Err(fault) => {
                self.undo(turn);
                Err(fault)
            }
        }
    }

    /// Commits what is open.
    pub(super) fn commit(&mut self, open: &mut Option<Turn>) -> Result<(), Fault> {
        let Some(turn) = open.take() else { return Ok(()) };
        let so_far = self.go_on().map(|()| ChunkResult::default());
        self.close(&mut self.fixed("commit")?, turn, so_far)
    }

    /// Rolls back what is open.
    pub(super) fn roll_back(&mut self, open: &mut Option<Turn>) -> Result<(), Fault> {
        if let Some(turn) = open.take() {
            self.undo(turn);
        }
        Ok(())
    }

    /// A statement that is always the same.
    pub(super) fn fixed(&self, name: &str) -> Result<CachedStatement<'a>, Fault> {
        Ok(self.link.connection.prepare_cached(&PROCEDURES.get(name)?.text)?)
    }
}
