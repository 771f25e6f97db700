//! What follows a completed I/O, or one that never completes: errors, and verification of what was read.

use super::{IoLoop, Slot};
use crate::IoError;
use crate::layout::Piece;
use crate::record::IoRecord;
use crate::verify::prove;
use rustix::io::Errno;
use std::io;
use std::sync::PoisonError;

impl IoLoop<'_> {
    /// The pieces of a slot's I/O, and their offsets in the arena.
    fn pieces(&self, slot: &Slot) -> Vec<(Piece, usize)> {
        let mut at = if slot.write { slot.write_at } else { slot.read_at };
        let mut pieces = Vec::new();
        if let Some(space) = self.shared.targets.space(slot.large) {
            space.pieces(slot.unit, |piece| {
                pieces.push((piece, at));
                at += piece.bytes as usize;
            });
        }
        pieces
    }

    /// LUN and length of a piece of a striped I/O.
    pub(super) fn part(&self, slot: &Slot, part: u32) -> (u32, u64) {
        let (mut n, mut found) = (0, (slot.lun, 0));
        if let Some(space) = self.shared.targets.space(slot.large) {
            space.pieces(slot.unit, |piece| {
                if n == part {
                    found = (piece.lun, u64::from(piece.bytes));
                }
                n += 1;
            });
        }
        found
    }

    /// Handles a piece that failed, or that is only a part of its I/O.
    #[cold]
    pub(super) fn look_at(&mut self, record: &mut IoRecord, n: u32, part: u32, result: i32, now: u64) {
        let slot = &self.slots[n as usize];
        let Some((piece, _)) = self.pieces(slot).into_iter().nth(part as usize) else { return };
        if result >= 0 && result as u32 == piece.bytes {
            return;
        }
        let (class, what) = match result {
            0.. => (IoError::Short, format!("{result} of {} bytes", piece.bytes)),
            _ => {
                let errno = Errno::from_raw_os_error(-result);
                (IoError::of(errno), io::Error::from(errno).to_string())
            }
        };
        let first = !slot.failed;
        record.breakdown.error(piece.lun);
        self.slots[n as usize].failed = true;
        // An I/O fails once, however many of its pieces fail.
        if first {
            let verb = if self.slots[n as usize].write { "writing" } else { "reading" };
            let path = self.shared.luns.slice()[piece.lun as usize].path.display();
            record.errors(now, class, 1, || {
                format!("{verb} {} bytes at offset {} of {path}: {what}", piece.bytes, piece.offset)
            });
        }
    }

    /// Verifies what an I/O has read.
    pub(super) fn prove(&mut self, record: &mut IoRecord, n: u32) {
        for (piece, at) in self.pieces(&self.slots[n as usize]) {
            let lun = &self.shared.luns.slice()[piece.lun as usize];
            let place = (lun.path.as_path(), lun.is_stamped());
            let mut wrong = Vec::new();
            let last = self.shared.claims.as_ref().map(|claims| claims.last(piece, self.shared.run));
            let block = self.arena.get_mut(at..at + piece.bytes as usize);
            prove(block, place, piece.offset, last.as_ref(), &mut record.proofs, |mismatch| wrong.push(mismatch));
            wrong.into_iter().for_each(|mismatch| record.mismatch(mismatch));
        }
    }

    /// Counts what has not completed as an error: its device does not answer.
    pub(super) fn give_up(&mut self, now: u64) {
        if let Some(slot) = self.slots.iter().find(|slot| slot.pieces > 0)
            && let Some((piece, _)) = self.pieces(slot).first()
        {
            let (path, waited_s) =
                (self.shared.luns.slice()[piece.lun as usize].path.display(), (now - slot.started_ns) / 1_000_000_000);
            let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
            record.errors(now, IoError::Timeout, self.in_flight.into(), || {
                format!("no answer to {} bytes at offset {} of {path} for {waited_s} s", piece.bytes, piece.offset)
            });
        }
    }
}
