//! When the page cache lets go of the data files while jobs read them.

use crate::Window;
use dbdyno_model::RepeatMode;
use dbdyno_probe::page_cache::{EvictMode, Evictor};

/// Scans read ahead: letting go of the page cache at every tick would throw away what is about to be used.
const SCAN_EVICTION_TICKS: u32 = 5;
/// Scans shorter than this are over before anybody can look where they are: all goes at every tick.
const SHORTEST_SCAN_NS: u64 = 60_000_000;
/// Where the one half of the files ends and the other begins.
const MIDDLE: f64 = 0.45;
/// While a scan is in the first half, by its time, the other can go; and the other way round. It may be some way off.
const IN_FIRST_HALF: std::ops::Range<f64> = 0.02..0.30;
const IN_SECOND_HALF: std::ops::Range<f64> = 0.60..0.95;

/// What is evicted at a tick of the measuring thread.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Nothing,
    All,
    /// This span of the files' bytes, as shares of them.
    Share(f64, f64),
}

/// Lets go of the page cache behind the jobs.
#[derive(Debug)]
pub(crate) struct Eviction<'a> {
    evictor: &'a Evictor,
    window: &'a Window,
    rhythm: RepeatMode,
    /// One reader goes through the files from their beginning to their end: where it is can be told by its time.
    alone: bool,
    ticks: u32,
    /// The scan in which a half was evicted last, and which.
    evicted: Option<(u64, bool)>,
}

impl<'a> Eviction<'a> {
    pub(crate) fn new(evictor: &'a Evictor, window: &'a Window, rhythm: RepeatMode, alone: bool) -> Self {
        Self { evictor, window, rhythm, alone, ticks: 0, evicted: None }
    }

    /// Evicts what may go now.
    pub(crate) fn tick(&mut self, now_ns: u64) {
        let evicted = match self.part(now_ns) {
            Part::Nothing => return,
            Part::All => self.evictor.evict_all(EvictMode::AsIs),
            Part::Share(from, to) => self.evictor.evict_share(from, to),
        };
        // Whether eviction worked is judged by what the devices read.
        drop(evicted);
    }

    fn part(&mut self, now_ns: u64) -> Part {
        self.ticks = self.ticks.wrapping_add(1);
        if self.rhythm == RepeatMode::Chunks {
            return Part::All;
        }
        let (began_ns, took_ns) = match self.window.last_chunk().filter(|_| self.alone) {
            Some((_, took_ns)) if took_ns < SHORTEST_SCAN_NS => return Part::All,
            Some(last) => last,
            None if self.ticks.is_multiple_of(SCAN_EVICTION_TICKS) => return Part::All,
            None => return Part::Nothing,
        };
        let done = now_ns.saturating_sub(began_ns) as f64 / took_ns as f64;
        let first = IN_FIRST_HALF.contains(&done);
        let here = Some((began_ns, first));
        if !(first || IN_SECOND_HALF.contains(&done)) || self.evicted == here {
            return Part::Nothing;
        }
        self.evicted = here;
        if first { Part::Share(MIDDLE, 1.0) } else { Part::Share(0.0, MIDDLE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pace;

    #[test]
    fn a_lone_scan_is_followed_by_the_half_that_it_is_not_in() {
        let (evictor, window) = (Evictor::open(&[]).unwrap(), Window::new(Pace::steady(1.0), 1));
        let mut eviction = Eviction::new(&evictor, &window, RepeatMode::Statements, true);
        let at = |eviction: &mut Eviction<'_>, ms: u64| eviction.part(ms * 1_000_000);
        // How long a scan takes is not known yet.
        let parts: Vec<Part> = (0..5).map(|n| at(&mut eviction, n)).collect();
        assert_eq!((parts[0], parts[4]), (Part::Nothing, Part::All));
        window.chunk_ended(0, 1_000_000_000);
        assert_eq!(at(&mut eviction, 1_010), Part::Nothing, "it has hardly begun");
        assert_eq!(at(&mut eviction, 1_100), Part::Share(MIDDLE, 1.0));
        assert_eq!(at(&mut eviction, 1_120), Part::Nothing, "once is enough");
        assert_eq!(at(&mut eviction, 1_500), Part::Nothing, "too near to the reader");
        assert_eq!(at(&mut eviction, 1_700), Part::Share(0.0, MIDDLE));
        assert_eq!(at(&mut eviction, 1_720), Part::Nothing);
        window.chunk_ended(1_720_000_000, 1_750_000_000);
        assert_eq!(at(&mut eviction, 1_760), Part::All, "too short to be followed");
        window.chunk_ended(1_000_000_000, 2_000_000_000);
        assert_eq!(at(&mut eviction, 2_100), Part::Share(MIDDLE, 1.0));
    }

    #[test]
    fn random_reads_and_readers_beside_each_other_let_go_of_everything() {
        let (evictor, window) = (Evictor::open(&[]).unwrap(), Window::new(Pace::steady(1.0), 2));
        window.chunk_ended(0, 1_000_000_000);
        let mut random = Eviction::new(&evictor, &window, RepeatMode::Chunks, true);
        assert_eq!(random.part(1_100_000_000), Part::All);
        let mut several = Eviction::new(&evictor, &window, RepeatMode::Statements, false);
        let parts: Vec<Part> = (0..10).map(|n| several.part(1_100_000_000 + n)).collect();
        assert_eq!(parts.iter().filter(|part| **part == Part::All).count(), 2);
    }
}
