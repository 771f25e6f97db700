//! The last acknowledged write of each block. If a write was acknowledged but never done, the block still has its
//! earlier content, which is intact and has a valid stamp. Only the number of the last write shows the loss.

use crate::layout::Piece;
use crate::{IoLoad, Layout, SECTOR_BYTES};
use std::ops::Range;

/// The most blocks whose last write is stored: with small I/Os of a database 512 GiB, in a quarter of a GiB of memory.
const MOST_BLOCKS: usize = 64 << 20;

/// The last write of each block. It is unknown for blocks that were not written, or that an error left in doubt.
#[derive(Debug, Default)]
pub(crate) struct LastWrites {
    /// Every I/O consists of blocks of this length.
    block_bytes: u64,
    /// The range of blocks of each device or file.
    luns: Vec<Range<usize>>,
    /// The mark of each block's last write; 0 where it is unknown.
    marks: Vec<u32>,
    /// Blocks that are not stored.
    left_out: u64,
}

/// A hash of a write's number; two numbers have the same one with a probability of 1 in 4 thousand million.
fn mark(sequence: u64) -> u32 {
    (sequence % u64::from(u32::MAX)) as u32 + 1
}

/// The last writes to a piece that is read.
#[derive(Debug)]
pub(crate) struct LastWrite {
    pub(crate) run: u64,
    offset: u64,
    block_bytes: u64,
    marks: Vec<u32>,
}

impl LastWrites {
    /// For devices and files of these sizes.
    pub(crate) fn new(sizes: impl Iterator<Item = u64>, load: &IoLoad) -> Self {
        let stripe_bytes = if let Layout::Raid0 { stripe_bytes } = load.layout { stripe_bytes } else { 0 };
        let used = |n: u32, bytes: u64| if n > 0 { bytes } else { 0 };
        let block_bytes = [used(load.small, load.small_bytes), used(load.large, load.large_bytes), stripe_bytes];
        let block_bytes = block_bytes.into_iter().fold(0, gcd).max(SECTOR_BYTES as u64);
        let (mut luns, mut end, mut left_out) = (Vec::new(), 0, 0);
        for size_bytes in sizes {
            let all = size_bytes / block_bytes;
            let known = all.min((MOST_BLOCKS - end) as u64);
            luns.push(end..end + known as usize);
            (end, left_out) = (end + known as usize, left_out + all - known);
        }
        // Zeroed memory is taken from the system only when it is first written to.
        Self { block_bytes, luns, marks: vec![0; end], left_out }
    }

    /// Stores the write of a range; `None` for a failed write, whose extent is unknown.
    pub(crate) fn set(&mut self, lun: u32, bytes: Range<u64>, sequence: Option<u64>) {
        let blocks = self.blocks(lun, bytes);
        self.marks[blocks].fill(sequence.map_or(0, mark));
    }

    /// The last writes to a piece, in this run.
    pub(crate) fn of(&self, piece: Piece, run: u64) -> LastWrite {
        let blocks = self.blocks(piece.lun, piece.offset..piece.offset + u64::from(piece.bytes));
        LastWrite { run, offset: piece.offset, block_bytes: self.block_bytes, marks: self.marks[blocks].to_vec() }
    }

    /// A note, where not all blocks are stored.
    pub(crate) fn note(&self) -> Option<String> {
        let bytes = self.marks.len() as u64 * self.block_bytes;
        (self.left_out > 0).then(|| {
            format!("of lost writes only those are noticed that belong to the first {bytes} bytes; use larger I/Os to see more")
        })
    }

    fn blocks(&self, lun: u32, bytes: Range<u64>) -> Range<usize> {
        let Some(all) = self.luns.get(lun as usize) else { return 0..0 };
        let at = |byte: u64| all.start + ((byte / self.block_bytes) as usize).min(all.len());
        at(bytes.start)..at(bytes.end)
    }
}

impl LastWrite {
    /// Whether the last write to the sector at an offset is known and has another number than this.
    pub(crate) fn is_not(&self, offset: u64, run: u64, sequence: u64) -> bool {
        self.is_known(offset) && !(run == self.run && self.mark_at(offset) == mark(sequence))
    }

    /// Whether the last write to the sector at an offset is known.
    pub(crate) fn is_known(&self, offset: u64) -> bool {
        self.mark_at(offset) != 0
    }

    fn mark_at(&self, offset: u64) -> u32 {
        let block = (offset - self.offset) / self.block_bytes;
        self.marks.get(block as usize).copied().unwrap_or(0)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::memory_disk::{MemoryDisk, MemoryDiskQueue};
    use crate::backend::{BackendKind, now_ns};
    use crate::io_threads::{IoThreads, ThreadBody};
    use crate::measure::run_schedule;
    use crate::shared_state::SharedState;
    use crate::{Luns, Pattern, StorageMeasurement};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    const LUNS: [u64; 2] = [4 << 20, 2 << 20];

    fn load(layout: Layout) -> IoLoad {
        IoLoad {
            small: 4,
            large: 2,
            small_bytes: 8192,
            large_bytes: 64 << 10,
            pattern: Pattern::Random,
            write_pct: 50,
            layout,
            warm_up_s: 0.0,
            duration_s: 0.3,
            rate: None,
            verify: true,
            huge_pages: true,
            seed: 1,
            share: None,
        }
    }

    /// What is seen on a disk that acknowledges each write and drops one in this many, with three threads.
    fn on_a_disk(layout: Layout, drops: Option<u64>) -> (StorageMeasurement, Vec<(u32, u64)>) {
        let storage = Arc::new(Mutex::new(MemoryDisk::new(&LUNS, drops)));
        let ours = Arc::clone(&storage);
        let run: Arc<ThreadBody> = Arc::new(move |io_loop, ready, _| {
            let mut disk = MemoryDiskQueue { storage: Arc::clone(&ours), pushed: vec![] };
            ready(vec![]).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut disk))
        });
        let shared = Arc::new(SharedState::new(&Luns::imagined(&LUNS), &load(layout), 7).unwrap());
        let io_threads = IoThreads::new(&shared, 3, &run).unwrap();
        let measured = run_schedule(
            &shared,
            &io_threads,
            (now_ns(), &AtomicBool::new(false)),
            &mut |_| (),
            BackendKind::Null,
            None,
        );
        let dropped = storage.lock().unwrap().dropped.clone();
        (measured, dropped)
    }

    #[test]
    fn writes_that_were_acknowledged_and_dropped_are_found_where_they_belong() {
        for layout in [Layout::Concat, Layout::Raid0 { stripe_bytes: 12 << 10 }] {
            let (healthy, dropped) = on_a_disk(layout, None);
            assert!(dropped.is_empty() && healthy.mismatched == 0, "{:?}", healthy.mismatches);
            assert!(healthy.small.read.count > 0 && healthy.large.read.count > 0 && healthy.small.write.count > 0);

            let (lossy, dropped) = on_a_disk(layout, Some(10));
            assert!(lossy.mismatched > 0, "{} writes were dropped", dropped.len());
            for mismatch in &lossy.mismatches {
                assert!(mismatch.what.contains("acknowledged"), "{mismatch:?}");
                let at = |(_, offset): &(u32, u64)| (*offset..offset + (64 << 10)).contains(&mismatch.offset_bytes);
                assert!(dropped.iter().any(at), "{mismatch:?}");
            }
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        let known = LastWrites::new([1 << 40, 1 << 40].into_iter(), &IoLoad { large: 0, ..load(Layout::Concat) });
        assert_eq!((known.block_bytes, known.marks.len()), (8192, MOST_BLOCKS));
        assert!(known.note().unwrap().contains("the first 549755813888 bytes"));
        let piece = |lun, offset| known.of(Piece { lun, offset, bytes: 8192 }, 1).marks.len();
        assert_eq!((piece(0, 0), piece(0, 1 << 39), piece(1, 0)), (1, 0, 0));
        assert_eq!(LastWrites::new([1 << 30].into_iter(), &load(Layout::Concat)).note(), None);
    }

    proptest! {
        #[test]
        fn the_last_write_alone_is_the_last(writes in proptest::collection::vec((0u64..8, 1u64..4, any::<bool>()), 1..40)) {
            let mut written = LastWrites::new([88 << 10].into_iter(), &load(Layout::Concat));
            let mut last = [None; 11];
            for (sequence, (block, blocks, failed)) in writes.into_iter().enumerate() {
                let sequence = (!failed).then_some(sequence as u64);
                written.set(0, block * 8192..(block + blocks) * 8192, sequence);
                (block..block + blocks).for_each(|n| last[n as usize] = sequence);
            }
            let known = written.of(Piece { lun: 0, offset: 0, bytes: 88 << 10 }, 5);
            for (block, last) in (0..).zip(last) {
                let offset = block * 8192 + 512;
                prop_assert_eq!(known.is_known(offset), last.is_some());
                prop_assert!(!last.is_some_and(|sequence| known.is_not(offset, 5, sequence)));
                prop_assert_eq!(known.is_not(offset, 5, last.unwrap_or(0) + 1), last.is_some());
                prop_assert_eq!(known.is_not(offset, 6, last.unwrap_or(0)), last.is_some(), "another run's");
            }
        }
    }
}
