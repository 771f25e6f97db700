//! Written blocks that can be verified. Each sector has a header with its offset, the number of the write, the run, and
//! a checksum over everything. The rest of the sector follows from these, so that damaged bits can be located. Any I/O
//! is a number of sectors, so what small I/Os wrote can be verified by large ones. An intact sector at the right offset
//! may still come from an earlier write; only the caller that knows the last write can tell.

use crate::backend::clock_ns;
use crate::last_writes::LastWrite;
use crate::layout::SECTOR_BYTES;
use dbdyno_stats::SplitMix64;
use rustix::time::ClockId;
use std::fmt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: u64 = 0xdb_d7_90_5e_c7_0a_11_6d;
/// With up to this many wrong bits in the magic number, a sector counts as stamped. For foreign data this happens with
/// a probability of 4 in 10^14 a sector.
const MAGIC_BITS: u32 = 4;
const HEADER_WORDS: usize = 5;
const WORDS: usize = SECTOR_BYTES / 8;

/// What the sectors of one write have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The offset of the first byte on its device or file.
    pub offset: u64,
    /// The number of the write in its run.
    pub sequence: u64,
    /// The run: a random number.
    pub run: u64,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "write {} of run {:016x}", self.sequence, self.run)
    }
}

/// A sector whose content is not what was written there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Mismatch {
    /// The device or file.
    pub path: PathBuf,
    /// Offset of the first wrong byte, or of the sector where the byte is unknown.
    pub offset_bytes: u64,
    /// What is wrong.
    pub what: String,
}

/// Counts of verified sectors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VerifyCounts {
    /// Sectors with a stamp that were read.
    pub stamped: u64,
    /// Sectors without a stamp that were read.
    pub unstamped: u64,
    /// Sectors with wrong content.
    pub wrong: u64,
}

impl VerifyCounts {
    pub(crate) fn add(&mut self, other: Self) {
        self.stamped += other.stamped;
        self.unstamped += other.unstamped;
        self.wrong += other.wrong;
    }
}

/// A number that no other run has.
pub(crate) fn run_number(seed: u64) -> u64 {
    SplitMix64::new(seed ^ clock_ns(ClockId::Realtime)).draw()
}

fn word(sector: &[u8], n: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&sector[n * 8..n * 8 + 8]);
    u64::from_le_bytes(bytes)
}

fn put(sector: &mut [u8], n: usize, value: u64) {
    sector[n * 8..n * 8 + 8].copy_from_slice(&value.to_le_bytes());
}

/// The generator for the content behind a sector's header.
fn filling(stamp: Stamp) -> SplitMix64 {
    SplitMix64::new(
        stamp.run
            ^ stamp.sequence.rotate_left(40)
            ^ (stamp.offset / SECTOR_BYTES as u64).wrapping_mul(0x9fb2_1c65_1e98_df25),
    )
}

/// The checksum is the last word of the header.
fn checksum(sector: &[u8]) -> u64 {
    let (header, rest) = (&sector[..8 * (HEADER_WORDS - 1)], &sector[8 * HEADER_WORDS..]);
    xxh3_64(rest) ^ xxh3_64(header).rotate_left(1)
}

/// Fills a block of whole sectors with verifiable content for the stamp's offset. The content cannot be compressed, and
/// no two blocks are alike.
pub fn stamp(block: &mut [u8], stamp: Stamp) {
    for (sector, offset) in block.chunks_exact_mut(SECTOR_BYTES).zip((stamp.offset..).step_by(SECTOR_BYTES)) {
        let stamp = Stamp { offset, ..stamp };
        [MAGIC, offset, stamp.sequence, stamp.run].into_iter().enumerate().for_each(|(n, value)| put(sector, n, value));
        let mut words = filling(stamp);
        (HEADER_WORDS..WORDS).for_each(|n| put(sector, n, words.draw()));
        let sum = checksum(sector);
        put(sector, HEADER_WORDS - 1, sum);
    }
}

/// Verifies what was read at an offset whose last writes may be known. On a device or file that is stamped throughout,
/// a sector without a stamp is wrong.
pub(crate) fn prove(
    block: &[u8],
    (path, stamped_throughout): (&Path, bool),
    offset: u64,
    last: Option<&LastWrite>,
    proofs: &mut VerifyCounts,
    mut wrong: impl FnMut(Mismatch),
) {
    for (sector, offset) in block.chunks_exact(SECTOR_BYTES).zip((offset..).step_by(SECTOR_BYTES)) {
        if (word(sector, 0) ^ MAGIC).count_ones() > MAGIC_BITS {
            let what = match last {
                Some(last) if last.is_known(offset) => {
                    "a write that was acknowledged is not here, nor any other with a stamp"
                }
                _ if stamped_throughout => {
                    "the sector carries no stamp, and each of this file was written with one: what was there is gone"
                }
                _ => {
                    proofs.unstamped += 1;
                    continue;
                }
            };
            wrong(Mismatch { path: path.to_owned(), offset_bytes: offset, what: what.to_owned() });
            continue;
        }
        proofs.stamped += 1;
        let said = Stamp { offset: word(sector, 1), sequence: word(sector, 2), run: word(sector, 3) };
        let sound = word(sector, 0) == MAGIC && word(sector, HEADER_WORDS - 1) == checksum(sector);
        let lost = last.is_some_and(|last| last.is_not(offset, said.run, said.sequence));
        if sound && said.offset == offset && !lost {
            continue;
        }
        let (at, what) = match sound {
            true if said.offset == offset => (0, format!("a later write was acknowledged, and here is still {said}")),
            true => (0, format!("here is what {said} put at offset {}", said.offset)),
            false => difference(sector, Stamp { offset, ..said }),
        };
        wrong(Mismatch { path: path.to_owned(), offset_bytes: offset + at, what });
    }
}

/// Where a damaged sector first differs from what its header says.
fn difference(sector: &[u8], said: Stamp) -> (u64, String) {
    // The header itself may be damaged: if flipping one bit of it makes the rest fit, that bit is the damage.
    let turned = (0..64).flat_map(|bit| {
        [Stamp { sequence: said.sequence ^ 1 << bit, ..said }, Stamp { run: said.run ^ 1 << bit, ..said }]
    });
    let wrong_bits = |aimed: &Stamp| {
        let mut whole = [0; SECTOR_BYTES];
        stamp(&mut whole, *aimed);
        sector.iter().zip(whole).map(|(read, written)| (read ^ written).count_ones()).sum::<u32>()
    };
    let nearest =
        std::iter::once(said).chain(turned).map(|aimed| (wrong_bits(&aimed), aimed)).min_by_key(|(bits, _)| *bits);
    let (bits, aimed) = nearest.unwrap_or((u32::MAX, said));
    // With another header, half of all bits differ.
    if bits as usize > SECTOR_BYTES {
        return (0, "the sector is damaged, and so is what says how it was written".to_owned());
    }
    let mut whole = [0; SECTOR_BYTES];
    stamp(&mut whole, aimed);
    let bytes: Vec<usize> = (0..SECTOR_BYTES).filter(|n| sector[*n] != whole[*n]).collect();
    let Some(first) = bytes.first() else {
        return (0, "its checksum is wrong".to_owned());
    };
    let flipped = (sector[*first] ^ whole[*first]).trailing_zeros();
    let what = match bits {
        1 => format!("bit {flipped} is flipped: 0x{:02x} was written, 0x{:02x} is read", whole[*first], sector[*first]),
        _ => format!("{} bytes differ from what was written, from here on", bytes.len()),
    };
    (*first as u64, format!("{what} ({aimed})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proved(block: &[u8], offset: u64) -> (VerifyCounts, Vec<Mismatch>) {
        proved_of(block, offset, false)
    }

    fn proved_of(block: &[u8], offset: u64, stamped_throughout: bool) -> (VerifyCounts, Vec<Mismatch>) {
        let (mut proofs, mut wrong) = (VerifyCounts::default(), Vec::new());
        prove(block, (Path::new("/dev/x"), stamped_throughout), offset, None, &mut proofs, |mismatch| {
            wrong.push(mismatch)
        });
        (proofs, wrong)
    }

    fn block(offset: u64) -> Vec<u8> {
        let mut block = vec![0; 8192];
        stamp(&mut block, Stamp { offset, sequence: 7, run: 99 });
        block
    }

    #[test]
    fn what_was_written_is_proved_and_what_others_wrote_is_left_alone() {
        let (proofs, wrong) = proved(&block(8192), 8192);
        assert_eq!((proofs.stamped, proofs.unstamped, wrong.len()), (16, 0, 0));
        let (proofs, wrong) = proved(&[0; 4096], 0);
        assert_eq!((proofs.stamped, proofs.unstamped, wrong.len()), (0, 8, 0));
    }

    #[test]
    fn what_carries_no_stamp_is_wrong_where_everything_did() {
        let mut half = block(8192);
        half[4096..].fill(0xa5);
        let (proofs, wrong) = proved_of(&half, 8192, true);
        let offsets: Vec<u64> = wrong.iter().map(|mismatch| mismatch.offset_bytes).collect();
        assert_eq!((proofs.stamped, proofs.unstamped), (8, 0));
        assert_eq!(offsets, (0..8).map(|n| 12_288 + n * 512).collect::<Vec<_>>());
        assert!(wrong[0].what.contains("carries no stamp"), "{}", wrong[0].what);
    }

    #[test]
    fn what_belongs_elsewhere_is_found() {
        let (_, wrong) = proved(&block(8192), 16384);
        assert_eq!(wrong.len(), 16);
        assert_eq!((wrong[0].offset_bytes, wrong[1].offset_bytes), (16384, 16896));
        assert!(wrong[1].what.contains("put at offset 8704"), "{}", wrong[1].what);
    }

    proptest! {
        #[test]
        fn one_flipped_bit_is_found_wherever_it_is(byte in 0usize..8192, bit in 0u8..8) {
            let mut block = block(40960);
            block[byte] ^= 1 << bit;
            let (_, wrong) = proved(&block, 40960);
            prop_assert_eq!(wrong.len(), 1);
            prop_assert_eq!(wrong[0].offset_bytes, 40960 + byte as u64, "{}", &wrong[0].what);
            let flipped = format!("bit {bit} is flipped");
            prop_assert!(wrong[0].what.contains(&flipped), "{}", &wrong[0].what);
        }

        #[test]
        fn no_two_sectors_are_alike(a in 0u64..1_000_000, b in 0u64..1_000_000) {
            prop_assume!(a != b);
            let (mut first, mut second) = ([0; 512], [0; 512]);
            stamp(&mut first, Stamp { offset: a * 512, sequence: 1, run: 5 });
            stamp(&mut second, Stamp { offset: b * 512, sequence: 1, run: 5 });
            prop_assert!((0..64).filter(|n| word(&first, *n) == word(&second, *n)).count() <= 4);
        }
    }
}
