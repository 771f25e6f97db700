//! Choosing each I/O: where it goes, and whether it reads or writes.

use crate::layout::Space;
use crate::{IoLoad, Luns, StorageError};
use dbdyno_stats::SplitMix64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What all threads of a point share.
#[derive(Debug)]
pub(crate) struct IoTargets {
    /// The address spaces of small and of large I/Os, where there are such.
    spaces: [Option<Space>; 2],
    streams: Vec<Stream>,
    write_pct: u64,
}

/// One sequential stream.
#[derive(Debug)]
struct Stream {
    from: u64,
    write_pct: u64,
    /// I/Os that it has begun.
    begun: AtomicU64,
}

/// Whether the `n`th of many I/Os writes. After any number of them, the number of writes follows the percentage.
#[inline]
fn turn_to_write(n: u64, pct: u64) -> bool {
    (n + 1) * pct / 100 > n * pct / 100
}

impl IoTargets {
    pub(crate) fn new(luns: &Luns, load: &IoLoad) -> Result<Self, StorageError> {
        let space = |large: bool, n: u32| (n > 0).then(|| Space::new(luns, load.layout, load.bytes(large))).transpose();
        let spaces = [space(false, load.small)?, space(true, load.large)?];
        let units = spaces[1].as_ref().map_or(0, |space| space.units);
        let pct = u64::from(load.write_pct);
        // Streams are numbered over all hosts that share a load.
        let (first, n) = load.share.map_or((0, load.streams()), |share| (share.streams_before, share.streams_in_all));
        let (first, n) = (u64::from(first), u64::from(n));
        let streams = (first..first + u64::from(load.streams()))
            .map(|stream| Stream {
                from: units * stream / n,
                write_pct: (n * pct).saturating_sub(stream * 100).min(100),
                begun: AtomicU64::new(0),
            })
            .collect();
        Ok(Self { spaces, streams, write_pct: pct })
    }

    pub(crate) fn space(&self, large: bool) -> Option<&Space> {
        self.spaces[usize::from(large)].as_ref()
    }

    /// Number of streams; 0 where large I/Os are random.
    pub(crate) fn streams(&self) -> u32 {
        self.streams.len() as u32
    }
}

/// Draws the I/Os of one thread.
#[derive(Debug)]
pub(crate) struct IoGenerator {
    /// Random numbers, also for the data that is written.
    pub mixer: SplitMix64,
    /// Random I/Os drawn so far, small and large.
    drawn: [u64; 2],
}

impl IoGenerator {
    pub(crate) fn new(seed: u64, thread: u32, threads: u32) -> Self {
        let mut mixer = SplitMix64::new(seed ^ u64::from(thread + 1).wrapping_mul(0xd6e8_feb8_6659_fd93));
        // Threads begin at different places of the write pattern.
        let first_drawn = 100 * u64::from(thread) / u64::from(threads.max(1));
        (0..3).for_each(|_| _ = mixer.draw());
        Self { mixer, drawn: [first_drawn; 2] }
    }

    /// The next I/O: its unit of the space, and whether it writes.
    #[inline]
    pub(crate) fn next(&mut self, targets: &IoTargets, large: bool, stream: u32) -> (u64, bool) {
        let units = targets.space(large).map_or(0, |space| space.units);
        if large && let Some(stream) = targets.streams.get(stream as usize) {
            let n = stream.begun.fetch_add(1, Relaxed);
            return ((stream.from + n) % units, turn_to_write(n, stream.write_pct));
        }
        let n = &mut self.drawn[usize::from(large)];
        *n += 1;
        (self.mixer.below(units), turn_to_write(*n, targets.write_pct))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_many_are_written_as_the_percentage_says(n in 0u64..2_000, pct in 0u64..=100) {
            let written = (0..n).filter(|n| turn_to_write(*n, pct)).count() as u64;
            prop_assert_eq!(written, n * pct / 100);
        }
    }
}
