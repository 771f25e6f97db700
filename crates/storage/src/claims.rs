//! The pieces under way while a load verifies what it reads. A block is not read while it is being written: devices,
//! and the hosts of virtual devices, may mix old and new bytes in such a read, which is not an error of theirs. So the
//! last write to every block that is read is known, too.

use crate::last_writes::{LastWrite, LastWrites};
use crate::layout::Piece;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All pieces under way, and the last completed writes.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    under_way: Vec<Claim>,
    written: LastWrites,
}

#[derive(Debug)]
struct Claim {
    owner: u64,
    write: bool,
    lun: u32,
    from: u64,
    to: u64,
}

impl Claims {
    pub(crate) fn new(written: LastWrites) -> Self {
        Self(Mutex::new(State { under_way: Vec::new(), written }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the pieces of an I/O, unless another I/O's pieces overlap them.
    pub(crate) fn claim(&self, owner: u64, write: bool, pieces: impl Iterator<Item = Piece> + Clone) -> bool {
        let claims = &mut self.state().under_way;
        let ours = pieces.map(|piece| Claim {
            owner,
            write,
            lun: piece.lun,
            from: piece.offset,
            to: piece.offset + u64::from(piece.bytes),
        });
        let free = ours.clone().all(|our| {
            let overlaps = |their: &Claim| their.lun == our.lun && their.from < our.to && our.from < their.to;
            !claims.iter().any(|their| (write || their.write) && overlaps(their))
        });
        if free {
            claims.extend(ours);
        }
        free
    }

    /// Releases the pieces of an I/O. For a write, `sequence` is its number, or `None` if it failed.
    pub(crate) fn release(&self, owner: u64, sequence: Option<u64>) {
        let State { under_way, written } = &mut *self.state();
        for claim in under_way.extract_if(.., |claim| claim.owner == owner).filter(|claim| claim.write) {
            written.set(claim.lun, claim.from..claim.to, sequence);
        }
    }

    /// The last write to a claimed piece.
    pub(crate) fn last(&self, piece: Piece, run: u64) -> LastWrite {
        self.state().written.of(piece, run)
    }

    /// A note where the last writes are not known of all blocks.
    pub(crate) fn note(&self) -> Option<String> {
        self.state().written.note()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_or_written_while_it_is_written() {
        let claims = Claims::default();
        let at = |lun, offset| std::iter::once(Piece { lun, offset, bytes: 8192 });
        assert!(claims.claim(1, true, at(0, 8192)));
        assert!(!claims.claim(2, false, at(0, 0).chain(at(0, 12_288))));
        assert!(claims.claim(3, false, at(0, 0)) && claims.claim(4, false, at(0, 0)), "readers may share");
        assert!(!claims.claim(5, true, at(0, 4096)) && claims.claim(6, true, at(1, 4096)));
        claims.release(1, None);
        assert!(claims.claim(2, false, at(0, 8192)));
    }
}
