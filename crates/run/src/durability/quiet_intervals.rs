//! Intervals in which a server wrote no page. InnoDB counts syncs of its log and of its data files together (from 10.8
//! on), so only in such intervals each sync is one of the log.

/// The counts of an interval.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Interval {
    pub(super) commits: u64,
    pub(super) syncs: u64,
    /// Upper bound for the syncs of data files among them.
    pub(super) of_data: u64,
    pub(super) ns: u64,
}

impl Interval {
    fn add(&mut self, other: Self) {
        self.commits += other.commits;
        self.syncs += other.syncs;
        self.of_data += other.of_data;
        self.ns += other.ns;
    }
}

/// Successive intervals, and the sum of those without page writes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuietIntervals {
    pub(super) sum: Interval,
    /// Number of intervals without page writes.
    pub(super) quiet: u64,
    /// Number of all intervals.
    pub(super) of: u64,
    all: Interval,
    /// Whether the last interval had no page writes. Before the first interval this is unknown.
    last_is_quiet: bool,
}

impl QuietIntervals {
    pub(super) fn add(&mut self, interval: Interval) {
        // Files are synced after their pages were written, perhaps in the next interval.
        let was_quiet = std::mem::replace(&mut self.last_is_quiet, interval.of_data == 0);
        self.of += 1;
        self.all.add(interval);
        if was_quiet && self.last_is_quiet {
            self.quiet += 1;
            self.sum.add(interval);
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.sum.ns as f64 / 1e9
    }

    /// Upper bound for syncs of the log: where all intervals had page writes, the syncs of pages are included.
    pub(super) fn syncs_per_s(&self) -> f64 {
        let Interval { syncs, ns, .. } = if self.quiet == 0 { self.all } else { self.sum };
        syncs as f64 / (ns.max(1) as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_has_no_pages_in_it_nor_right_before_it() {
        let mut intervals = QuietIntervals::default();
        for (n, of_data) in [0, 0, 8, 0, 0, 0].into_iter().enumerate() {
            intervals.add(Interval { commits: 20, syncs: 20 + n as u64, of_data, ns: 500_000_000 });
        }
        let QuietIntervals { sum, quiet, of, .. } = intervals;
        assert_eq!((quiet, of), (3, 6), "the second, and the last two");
        assert_eq!((sum.commits, sum.syncs), (60, 21 + 24 + 25));
        assert_eq!((intervals.seconds(), intervals.syncs_per_s()), (1.5, 70.0 / 1.5));
        assert_eq!(QuietIntervals::default().syncs_per_s(), 0.0);
        let mut busy = QuietIntervals::default();
        busy.add(Interval { syncs: 8, of_data: 8, ns: 500_000_000, commits: 0 });
        assert_eq!((busy.quiet, busy.syncs_per_s()), (0, 16.0));
    }
}
