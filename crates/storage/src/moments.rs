//! When it happened, and where: the window in steps, and what each device or file did. Sums and maxima alone, so that
//! writing them down costs next to nothing and memory does not grow with I/Os.

use crate::Load;

const SECOND_NS: u64 = 1_000_000_000;
/// Steps are a second long, unless there would be more of them than this.
const MOST_STEPS: u64 = 3_600;

/// A step of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    /// I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What they took together, in nanoseconds: from when each was due where a rate was asked for, or else from when it
    /// was sent.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// The device or file that the longest waited for, by its place.
    pub max_lun: u32,
}

/// What one device or file did inside the window. An I/O that lies on several is one of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LunTimes {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// What they took together, in nanoseconds.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// When in the window it belongs to, in nanoseconds from the beginning.
    pub max_at_ns: u64,
    /// I/Os that failed here, warm-up and tail included.
    pub errors: u64,
}

/// All steps, and all devices and files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moments {
    /// Length of a step.
    pub step_ns: u64,
    /// From the window's beginning; steps at its end in which nothing happened are left out.
    pub steps: Vec<Step>,
    /// In the order in which they were named.
    pub luns: Vec<LunTimes>,
}

/// One I/O, or the part of one that lies on one device or file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// From the window's beginning.
    pub at_ns: u64,
    pub took_ns: u64,
    pub bytes: u64,
    pub lun: u32,
    pub write: bool,
}

impl Moments {
    pub(crate) fn new(load: &Load, luns: usize) -> Self {
        let seconds = (load.duration_s.ceil() as u64).div_ceil(MOST_STEPS).max(1);
        Self { step_ns: seconds * SECOND_NS, steps: Vec::new(), luns: vec![LunTimes::default(); luns] }
    }

    /// One of the same shape, and empty.
    pub(crate) fn empty(&self) -> Self {
        Self { step_ns: self.step_ns, steps: Vec::new(), luns: vec![LunTimes::default(); self.luns.len()] }
    }

    /// A whole I/O.
    #[inline]
    pub(crate) fn io(&mut self, moment: Moment) {
        let step = (moment.at_ns / self.step_ns.max(1)) as usize;
        if step >= self.steps.len() {
            self.steps.resize(step + 1, Step::default());
        }
        self.steps[step].add(Step {
            ios: 1,
            bytes: moment.bytes,
            sum_ns: moment.took_ns,
            max_ns: moment.took_ns,
            max_lun: moment.lun,
        });
    }

    /// What a device or file had of one.
    #[inline]
    pub(crate) fn part(&mut self, moment: Moment) {
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

    /// Adds another's.
    pub(crate) fn merge(&mut self, other: &Self) {
        if self.steps.len() < other.steps.len() {
            self.steps.resize(other.steps.len(), Step::default());
        }
        self.steps.iter_mut().zip(&other.steps).for_each(|(ours, theirs)| ours.add(*theirs));
        self.luns.iter_mut().zip(&other.luns).for_each(|(ours, theirs)| ours.add(*theirs));
    }
}

impl Step {
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

    fn moments(duration_s: f64) -> Moments {
        let load = Load {
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
        };
        Moments::new(&load, 2)
    }

    #[test]
    fn the_longest_is_known_with_its_second_and_its_device() {
        let (mut one, mut other) = (moments(5.0), moments(5.0));
        let at = |at_ms: u64, took_ms: u64, lun| Moment {
            at_ns: at_ms * 1_000_000,
            took_ns: took_ms * 1_000_000,
            bytes: 8192,
            lun,
            write: lun == 1,
        };
        for (moments, moment) in [(0, at(100, 1, 0)), (1, at(3_200, 800, 1)), (0, at(3_900, 2, 0))] {
            let moments = if moments == 0 { &mut one } else { &mut other };
            moments.io(moment);
            moments.part(moment);
        }
        other.error(0);
        one.merge(&other);
        assert_eq!(one.steps.len(), 4);
        assert_eq!((one.steps[3].ios, one.steps[3].max_ns, one.steps[3].max_lun), (2, 800_000_000, 1));
        assert_eq!(one.steps[1], Step::default());
        assert_eq!((one.luns[0].reads, one.luns[0].writes, one.luns[0].errors), (2, 0, 1));
        assert_eq!((one.luns[1].max_ns, one.luns[1].max_at_ns), (800_000_000, 3_200_000_000));
        assert_eq!(one.luns.iter().map(|lun| lun.bytes).sum::<u64>(), 3 * 8192);
    }

    #[test]
    fn steps_are_seconds_unless_there_are_too_many() {
        assert_eq!(moments(60.0).step_ns, SECOND_NS);
        assert_eq!(moments(0.3).step_ns, SECOND_NS);
        assert_eq!(moments(86_400.0).step_ns, 24 * SECOND_NS);
    }
}
