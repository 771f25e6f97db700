//! Commits of others while dbdyno has a load of its own. The server counts everybody's, and may be late by about a
//! second; dbdyno knows its own. Over a while the difference says that there are others, and never more than there are.

use std::collections::VecDeque;

/// How many readings are looked at: a minute.
const MOST: usize = 60;
/// The first readings of a window are left out: what sessions did while they warmed up is counted late.
const SETTLING: usize = 2;
/// A server may tell of commits by so much later than they were made.
const LATE_S: f64 = 1.0;

/// A lower bound of the commits of others.
#[derive(Debug, Default)]
pub(super) struct ForeignCommits {
    /// Seconds, commits that the server counted, and those of dbdyno's own.
    seen: VecDeque<(f64, f64, f64)>,
    left_out: usize,
    /// dbdyno's own commits/s right before the first of these: so many may be counted late, among them.
    before_per_s: f64,
}

impl ForeignCommits {
    /// Another window, or none.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes in a reading, and answers with the commits/s of others that there are at least.
    pub(super) fn add(&mut self, seconds: f64, all: f64, own: f64) -> Option<f64> {
        if self.left_out < SETTLING {
            self.left_out += 1;
            self.before_per_s = own / seconds;
            return None;
        }
        self.seen.push_back((seconds, all, own));
        if self.seen.len() > MOST
            && let Some((seconds, _, own)) = self.seen.pop_front()
        {
            self.before_per_s = own / seconds;
        }
        let sum = |of: fn(&(f64, f64, f64)) -> f64| self.seen.iter().map(of).sum::<f64>();
        let beyond = sum(|s| s.1) - sum(|s| s.2) - self.before_per_s * LATE_S;
        Some((beyond / sum(|s| s.0)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_counts_are_nobodys_commits_and_others_are_seen_in_the_end() {
        let mut foreign = ForeignCommits::default();
        assert_eq!((foreign.add(1.0, 5_000.0, 1_000.0), foreign.add(1.0, 5_000.0, 1_000.0)), (None, None));
        // Half a second's commits come now late and now early.
        for n in 0..30 {
            let all = if n % 2 == 0 { 1_500.0 } else { 500.0 };
            assert_eq!(foreign.add(1.0, all, 1_000.0), Some(0.0), "{n}");
        }
        let told: Vec<f64> = (0..60).filter_map(|_| foreign.add(1.0, 1_080.0, 1_000.0)).collect();
        assert!(told.iter().all(|told| *told <= 80.0), "{told:?}");
        assert!(told[59] > 60.0, "{told:?}");
        foreign.clear();
        assert_eq!(foreign.add(1.0, 9.0, 0.0), None);
    }

    #[test]
    fn one_fast_second_of_dbdynos_own_hides_nobody() {
        let mut foreign = ForeignCommits::default();
        let told = (0..20).filter_map(|n| {
            let own = if n == 5 { 5_000.0 } else { 500.0 };
            foreign.add(1.0, own + 90.0, own)
        });
        assert!(told.last().unwrap() > 60.0, "less one second of 500 over 18 s");
    }
}
