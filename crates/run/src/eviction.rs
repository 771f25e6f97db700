//! Evicting data files from the page cache while jobs read them.

use crate::Window;
use dbdyno_model::RepeatMode;
use dbdyno_probe::page_cache::{EvictMode, Evictor};
use std::time::Duration;

/// Scans read ahead, so evicting everything at every tick would discard pages that are about to be used.
const SCAN_EVICTION_TICKS: u32 = 5;
/// A scan that is shorter than this ends before its position can be estimated, so everything is evicted at every tick.
const SHORTEST_SCAN_NS: u64 = 60_000_000;
/// The time between two evictions as a share of a short scan, so that no scan finds the pages of the one before.
const SHARE_OF_SHORT_SCAN: f64 = 0.8;
/// Evicting more often would keep a processor busy.
const SHORTEST_TICK: Duration = Duration::from_millis(2);
/// The boundary between the two halves of the files.
const MIDDLE: f64 = 0.45;
/// While a scan is estimated to be in the first half, the second half can be evicted, and the reverse. The margins
/// allow for errors of the estimate.
const IN_FIRST_HALF: std::ops::Range<f64> = 0.02..0.30;
const IN_SECOND_HALF: std::ops::Range<f64> = 0.60..0.95;

/// A page cache that can hold no more than this share of the files is left to the system, which takes pages back on
/// the server's account. Evicting them would cost as much, on dbdyno's.
const LEFT_TO_THE_SYSTEM: f64 = 0.1;
/// Sessions take memory while they work, so the room is looked at again after so many ticks.
const LOOK_AGAIN_TICKS: u32 = 25;

/// What is evicted at a tick of the measuring thread.
#[derive(Debug, Clone, Copy, PartialEq)]
enum EvictedPart {
    Nothing,
    All,
    /// This range of the files' bytes, as shares of them.
    Share(f64, f64),
}

/// Evicts pages while jobs read.
pub(crate) struct Eviction<'a> {
    evictor: &'a Evictor,
    window: &'a Window,
    repeat_mode: RepeatMode,
    /// Whether a single reader goes through the files from beginning to end, so that its position can be estimated from
    /// the time.
    alone: bool,
    ticks: u32,
    /// The scan in which a half was evicted last, and which half.
    evicted: Option<(u64, bool)>,
    /// Asks for the bytes that the page cache may take, where something limits them.
    room_bytes: &'a dyn Fn() -> Option<u64>,
    is_left_to_the_system: bool,
}

impl<'a> Eviction<'a> {
    pub(crate) fn new(
        evictor: &'a Evictor,
        window: &'a Window,
        (repeat_mode, alone): (RepeatMode, bool),
        room_bytes: &'a dyn Fn() -> Option<u64>,
    ) -> Self {
        let (ticks, evicted, is_left_to_the_system) = (0, None, false);
        Self { evictor, window, repeat_mode, alone, ticks, evicted, room_bytes, is_left_to_the_system }
    }

    /// Evicts what may be evicted now.
    pub(crate) fn tick(&mut self, now_ns: u64) {
        if self.ticks.is_multiple_of(LOOK_AGAIN_TICKS) {
            let most = self.evictor.bytes() as f64 * LEFT_TO_THE_SYSTEM;
            self.is_left_to_the_system = (self.room_bytes)().is_some_and(|room| room as f64 <= most);
        }
        let part = self.part(now_ns);
        if self.is_left_to_the_system {
            return;
        }
        let evicted = match part {
            EvictedPart::Nothing => return,
            EvictedPart::All => self.evictor.evict_all(EvictMode::AsIs),
            EvictedPart::Share(from, to) => self.evictor.evict_share(from, to),
        };
        // Whether eviction worked is judged by the reads of the devices.
        drop(evicted);
    }

    /// The time until the next eviction: `tick`, or less where a lone scan is shorter than that.
    pub(crate) fn interval(&self, tick: Duration) -> Duration {
        match self.window.last_chunk().filter(|_| self.alone && self.repeat_mode != RepeatMode::Chunks) {
            Some((_, took_ns)) => {
                Duration::from_nanos(took_ns).mul_f64(SHARE_OF_SHORT_SCAN).clamp(SHORTEST_TICK.min(tick), tick)
            }
            None => tick,
        }
    }

    fn part(&mut self, now_ns: u64) -> EvictedPart {
        self.ticks = self.ticks.wrapping_add(1);
        if self.repeat_mode == RepeatMode::Chunks {
            return EvictedPart::All;
        }
        let (began_ns, took_ns) = match self.window.last_chunk().filter(|_| self.alone) {
            Some((_, took_ns)) if took_ns < SHORTEST_SCAN_NS => return EvictedPart::All,
            Some(last) => last,
            None if self.ticks.is_multiple_of(SCAN_EVICTION_TICKS) => return EvictedPart::All,
            None => return EvictedPart::Nothing,
        };
        let done = now_ns.saturating_sub(began_ns) as f64 / took_ns as f64;
        let first = IN_FIRST_HALF.contains(&done);
        let here = Some((began_ns, first));
        if !(first || IN_SECOND_HALF.contains(&done)) || self.evicted == here {
            return EvictedPart::Nothing;
        }
        self.evicted = here;
        if first { EvictedPart::Share(MIDDLE, 1.0) } else { EvictedPart::Share(0.0, MIDDLE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WindowMode;

    #[test]
    fn a_lone_scan_is_followed_by_the_half_that_it_is_not_in() {
        let (evictor, window) = (Evictor::open(&[]).unwrap(), Window::new(WindowMode::steady(1.0), 1));
        let mut eviction = Eviction::new(&evictor, &window, (RepeatMode::Statements, true), &|| None);
        let at = |eviction: &mut Eviction<'_>, ms: u64| eviction.part(ms * 1_000_000);
        // The duration of a scan is not known yet.
        let parts: Vec<EvictedPart> = (0..5).map(|n| at(&mut eviction, n)).collect();
        assert_eq!((parts[0], parts[4]), (EvictedPart::Nothing, EvictedPart::All));
        window.chunk_ended(0, 1_000_000_000, 1);
        assert_eq!(at(&mut eviction, 1_010), EvictedPart::Nothing, "it has hardly begun");
        assert_eq!(at(&mut eviction, 1_100), EvictedPart::Share(MIDDLE, 1.0));
        assert_eq!(at(&mut eviction, 1_120), EvictedPart::Nothing, "once is enough");
        assert_eq!(at(&mut eviction, 1_500), EvictedPart::Nothing, "too near to the reader");
        assert_eq!(at(&mut eviction, 1_700), EvictedPart::Share(0.0, MIDDLE));
        assert_eq!(at(&mut eviction, 1_720), EvictedPart::Nothing);
        window.chunk_ended(1_720_000_000, 1_750_000_000, 1);
        assert_eq!(at(&mut eviction, 1_760), EvictedPart::All, "too short to be followed");
        window.chunk_ended(1_000_000_000, 2_000_000_000, 1);
        assert_eq!(at(&mut eviction, 2_100), EvictedPart::Share(MIDDLE, 1.0));
    }

    #[test]
    fn a_page_cache_that_can_hold_little_is_left_to_the_system() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1_000_000).unwrap();
        let evictor = Evictor::open(&[file.path().to_owned()]).unwrap();
        let window = Window::new(WindowMode::steady(1.0), 1);
        for (room, left) in [(None, false), (Some(100_001), false), (Some(100_000), true), (Some(0), true)] {
            let room = || room;
            let mut eviction = Eviction::new(&evictor, &window, (RepeatMode::Chunks, false), &room);
            eviction.tick(0);
            assert_eq!(eviction.is_left_to_the_system, left);
        }
    }

    #[test]
    fn a_scan_shorter_than_a_tick_is_evicted_more_often() {
        let (evictor, window) = (Evictor::open(&[]).unwrap(), Window::new(WindowMode::steady(1.0), 1));
        let of = |repeat_mode, alone| Eviction::new(&evictor, &window, (repeat_mode, alone), &|| None).interval(TICK);
        const TICK: Duration = Duration::from_millis(20);
        assert_eq!(of(RepeatMode::Statements, true), TICK, "no scan has ended");
        for (took_ms, interval_ms) in [(10, 8), (1, 2), (500, 20)] {
            window.chunk_ended(0, took_ms * 1_000_000, 1);
            assert_eq!(of(RepeatMode::Statements, true), Duration::from_millis(interval_ms));
        }
        window.chunk_ended(0, 12_000_000, 1);
        assert_eq!(of(RepeatMode::Chunks, true), TICK);
        assert_eq!(of(RepeatMode::Statements, false), TICK, "scans beside each other read for each other");
    }

    #[test]
    fn random_reads_and_readers_beside_each_other_let_go_of_everything() {
        let (evictor, window) = (Evictor::open(&[]).unwrap(), Window::new(WindowMode::steady(1.0), 2));
        window.chunk_ended(0, 1_000_000_000, 1);
        let mut random = Eviction::new(&evictor, &window, (RepeatMode::Chunks, true), &|| None);
        assert_eq!(random.part(1_100_000_000), EvictedPart::All);
        let mut several = Eviction::new(&evictor, &window, (RepeatMode::Statements, false), &|| None);
        let parts: Vec<EvictedPart> = (0..10).map(|n| several.part(1_100_000_000 + n)).collect();
        assert_eq!(parts.iter().filter(|part| **part == EvictedPart::All).count(), 2);
    }
}
