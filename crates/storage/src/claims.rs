//! What is under way while a load proves what it reads: nothing is read while it is being written. Devices and the memory of hosts
//! below a virtual one may mix old and new bytes in such a read, which would be no error of theirs.

use crate::layout::Piece;
use std::sync::{Mutex, PoisonError};

/// All pieces under way.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<Vec<Claim>>);

#[derive(Debug)]
struct Claim {
    owner: u64,
    write: bool,
    lun: u32,
    from: u64,
    to: u64,
}

impl Claims {
    /// Claims the pieces of an I/O, unless another one's are in their way.
    pub(crate) fn claim(&self, owner: u64, write: bool, pieces: impl Iterator<Item = Piece> + Clone) -> bool {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Gives an I/O's pieces back.
    pub(crate) fn release(&self, owner: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|claim| claim.owner != owner);
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
        claims.release(1);
        assert!(claims.claim(2, false, at(0, 8192)));
    }
}
