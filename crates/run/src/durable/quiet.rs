//! Stretches of time in which a server wrote no page. InnoDB counts syncs of its log and of its data files together
//! (from 10.8 on), so only there is each sync one of the log.

/// What was counted in a stretch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stretch {
    pub(super) commits: u64,
    pub(super) syncs: u64,
    /// Those of them that may be of data files, at most.
    pub(super) of_data: u64,
    pub(super) ns: u64,
}

impl Stretch {
    fn add(&mut self, other: Self) {
        self.commits += other.commits;
        self.syncs += other.syncs;
        self.of_data += other.of_data;
        self.ns += other.ns;
    }
}

/// Stretches one after the other, and the sum of those without pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quiet {
    pub(super) sum: Stretch,
    pub(super) stretches: u64,
    pub(super) of: u64,
    all: Stretch,
    /// Whether the last one had no pages. Before the first nobody has looked.
    calm: bool,
}

impl Quiet {
    pub(super) fn add(&mut self, stretch: Stretch) {
        // Files are synced when their pages have been written, perhaps in the next stretch.
        let was_calm = std::mem::replace(&mut self.calm, stretch.of_data == 0);
        self.of += 1;
        self.all.add(stretch);
        if was_calm && self.calm {
            self.stretches += 1;
            self.sum.add(stretch);
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.sum.ns as f64 / 1e9
    }

    /// Syncs of the log, at most: where all stretches had pages, their syncs are among them.
    pub(super) fn syncs_per_s(&self) -> f64 {
        let Stretch { syncs, ns, .. } = if self.stretches == 0 { self.all } else { self.sum };
        syncs as f64 / (ns.max(1) as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_has_no_pages_in_it_nor_right_before_it() {
        let mut quiet = Quiet::default();
        for (n, of_data) in [0, 0, 8, 0, 0, 0].into_iter().enumerate() {
            quiet.add(Stretch { commits: 20, syncs: 20 + n as u64, of_data, ns: 500_000_000 });
        }
        let Quiet { sum, stretches, of, .. } = quiet;
        assert_eq!((stretches, of), (3, 6), "the second, and the last two");
        assert_eq!((sum.commits, sum.syncs), (60, 21 + 24 + 25));
        assert_eq!((quiet.seconds(), quiet.syncs_per_s()), (1.5, 70.0 / 1.5));
        assert_eq!(Quiet::default().syncs_per_s(), 0.0);
        let mut busy = Quiet::default();
        busy.add(Stretch { syncs: 8, of_data: 8, ns: 500_000_000, commits: 0 });
        assert_eq!((busy.stretches, busy.syncs_per_s()), (0, 16.0));
    }
}
