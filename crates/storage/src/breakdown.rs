//! The window in steps, and the figures of each device or file. Only sums and maxima are kept, so that recording costs
//! next to nothing and memory does not grow with the number of I/Os.

use crate::IoLoad;
use serde::{Deserialize, Serialize};

const SECOND_NS: u64 = 1_000_000_000;
/// A step lasts a second, unless there would be more steps than this.
const MOST_STEPS: u64 = 3_600;

/// A step of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakdownStep {
    /// I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Total nanoseconds of the I/Os: from when each was due where a rate was set, else from when it was submitted.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// The device or file, by index, that the longest I/O waited for.
    pub max_lun: u32,
}

/// What one device or file did inside the window. An I/O that spans several counts once on each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LunTimes {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Total nanoseconds of the I/Os.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// When the longest I/O was, in nanoseconds from the window's beginning.
    pub max_at_ns: u64,
    /// I/Os that failed on it, warm-up and tail included.
    pub errors: u64,
}

/// All steps, and all devices and files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakdown {
    /// Length of a step.
    pub step_ns: u64,
    /// From the window's beginning on; empty steps at its end are left out.
    pub steps: Vec<BreakdownStep>,
    /// In the given order.
    pub luns: Vec<LunTimes>,
}

/// One I/O, or its part on one device or file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IoSample {
    /// Nanoseconds from the window's beginning.
    pub at_ns: u64,
    pub took_ns: u64,
    pub bytes: u64,
    pub lun: u32,
    pub write: bool,
}

impl Breakdown {
    pub(crate) fn new(load: &IoLoad, luns: usize) -> Self {
        let seconds = (load.duration_s.ceil() as u64).div_ceil(MOST_STEPS).max(1);
        Self { step_ns: seconds * SECOND_NS, steps: Vec::new(), luns: vec![LunTimes::default(); luns] }
    }

    /// An empty breakdown of the same layout.
    pub(crate) fn empty(&self) -> Self {
        Self { step_ns: self.step_ns, steps: Vec::new(), luns: vec![LunTimes::default(); self.luns.len()] }
    }

    /// Adds a whole I/O.
    #[inline]
    pub(crate) fn io(&mut self, moment: IoSample) {
        let step = (moment.at_ns / self.step_ns.max(1)) as usize;
        if step >= self.steps.len() {
            self.steps.resize(step + 1, BreakdownStep::default());
        }
        self.steps[step].add(BreakdownStep {
            ios: 1,
            bytes: moment.bytes,
            sum_ns: moment.took_ns,
            max_ns: moment.took_ns,
            max_lun: moment.lun,
        });
    }

    /// Adds the part of an I/O on one device or file.
    #[inline]
    pub(crate) fn part(&mut self, moment: IoSample) {
        let Some(lun) = self.luns.get_mut(moment.lun as usize) else { return };
        lun.add(LunTimes {
            reads: u64::from(!moment.write),
            writes: u64::from(moment.write),
            bytes: moment.bytes,
            sum_ns: moment.took_ns,
            max_ns: moment.took_ns,
            max_at_ns: moment.at_ns,
            errors: 0,
        });
    }

    pub(crate) fn error(&mut self, lun: u32) {
        if let Some(lun) = self.luns.get_mut(lun as usize) {
            lun.errors += 1;
        }
    }

    /// Adds another breakdown.
    pub(crate) fn merge(&mut self, other: &Self) {
        if self.steps.len() < other.steps.len() {
            self.steps.resize(other.steps.len(), BreakdownStep::default());
        }
        self.steps.iter_mut().zip(&other.steps).for_each(|(ours, theirs)| ours.add(*theirs));
        self.luns.iter_mut().zip(&other.luns).for_each(|(ours, theirs)| ours.add(*theirs));
    }
}

impl BreakdownStep {
    #[inline]
    fn add(&mut self, other: Self) {
        if other.max_ns > self.max_ns {
            (self.max_ns, self.max_lun) = (other.max_ns, other.max_lun);
        }
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.sum_ns += other.sum_ns;
    }
}

impl LunTimes {
    #[inline]
    fn add(&mut self, other: Self) {
        if other.max_ns > self.max_ns {
            (self.max_ns, self.max_at_ns) = (other.max_ns, other.max_at_ns);
        }
        self.reads += other.reads;
        self.writes += other.writes;
        self.bytes += other.bytes;
        self.sum_ns += other.sum_ns;
        self.errors += other.errors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Pattern};

    fn breakdown(duration_s: f64) -> Breakdown {
        let load = IoLoad {
            small: 1,
            large: 0,
            small_bytes: 8192,
            large_bytes: 1 << 20,
            pattern: Pattern::Random,
            write_pct: 0,
            layout: Layout::Concat,
            warm_up_s: 0.0,
            duration_s,
            rate: None,
            verify: false,
            huge_pages: true,
            seed: 1,
            share: None,
        };
        Breakdown::new(&load, 2)
    }

    #[test]
    fn the_longest_is_known_with_its_second_and_its_device() {
        let (mut one, mut other) = (breakdown(5.0), breakdown(5.0));
        let at = |at_ms: u64, took_ms: u64, lun| IoSample {
            at_ns: at_ms * 1_000_000,
            took_ns: took_ms * 1_000_000,
            bytes: 8192,
            lun,
            write: lun == 1,
        };
        for (breakdown, moment) in [(0, at(100, 1, 0)), (1, at(3_200, 800, 1)), (0, at(3_900, 2, 0))] {
            let breakdown = if breakdown == 0 { &mut one } else { &mut other };
            breakdown.io(moment);
            breakdown.part(moment);
        }
        other.error(0);
        one.merge(&other);
        assert_eq!(one.steps.len(), 4);
        assert_eq!((one.steps[3].ios, one.steps[3].max_ns, one.steps[3].max_lun), (2, 800_000_000, 1));
        assert_eq!(one.steps[1], BreakdownStep::default());
        assert_eq!((one.luns[0].reads, one.luns[0].writes, one.luns[0].errors), (2, 0, 1));
        assert_eq!((one.luns[1].max_ns, one.luns[1].max_at_ns), (800_000_000, 3_200_000_000));
        assert_eq!(one.luns.iter().map(|lun| lun.bytes).sum::<u64>(), 3 * 8192);
    }

    #[test]
    fn steps_are_seconds_unless_there_are_too_many() {
        assert_eq!(breakdown(60.0).step_ns, SECOND_NS);
        assert_eq!(breakdown(0.3).step_ns, SECOND_NS);
        assert_eq!(breakdown(86_400.0).step_ns, 24 * SECOND_NS);
    }
}
