//! What a server has counted: for everybody, and exactly for a point.

use dbdyno_model::{Counter, Counters};
use std::time::{Duration, Instant};

/// Commits of others per second from which they count: housekeeping and monitoring make some each minute everywhere.
const HOUSEKEEPING_PER_S: f64 = 1.0;

/// What is told of a point alone: of its sessions, tables and statements, of who is seen beside it, and what may run
/// backwards.
const OF_A_POINT: [Counter; 8] = [
    Counter::Executions,
    Counter::ForeignCommits,
    Counter::ForeignBusyNs,
    Counter::RowsScanned,
    Counter::WorkersLaunched,
    Counter::TableLogicalReads,
    Counter::TablePhysicalReads,
    Counter::BlocksDirtied,
];

/// The part of counters that the server counts for everybody: each is there, or has its reason.
#[must_use]
pub fn for_everybody(mut counters: Counters) -> Counters {
    for counter in OF_A_POINT {
        counters.values.remove(&counter);
        counters.missing.insert(counter, "it is told of a point, and not of the server as a whole".to_owned());
    }
    counters
}

/// Commits of others than dbdyno on one node until a moment, as far as they can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Others {
    /// All that the server counts, without those of dbdyno's own sessions. Means something by its differences alone.
    pub commits: i64,
    /// Whether the test's own commits are what its procedures claim. Where the server then counts fewer, it is
    /// believed.
    pub beside_claims: bool,
}

/// What was counted until a moment for the point that has begun: the server's counters, with those of the point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointStatistics {
    /// Cumulative counters.
    pub counters: Counters,
    /// By node; none where the counters hold what is to be told of others.
    others: Result<Vec<Others>, String>,
    at: Instant,
}

impl From<Counters> for PointStatistics {
    fn from(counters: Counters) -> Self {
        Self::new(counters, Ok(Vec::new()))
    }
}

impl PointStatistics {
    /// What was counted until now, and the commits of others by node, or why they are not told.
    #[must_use]
    pub fn new(counters: Counters, others: Result<Vec<Others>, String>) -> Self {
        Self { counters, others, at: Instant::now() }
    }

    /// The commits of others on a node.
    #[must_use]
    pub fn others(&self, node: usize) -> Option<Others> {
        self.others.as_ref().ok()?.get(node).copied()
    }

    /// What was counted since `earlier`, in the same point.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Counters {
        let mut counters = self.counters.since(&earlier.counters);
        match (&self.others, &earlier.others) {
            (Ok(now), Ok(_)) if now.is_empty() => {}
            (Ok(now), Ok(before)) => {
                let passed = self.at.saturating_duration_since(earlier.at);
                let mut foreign = 0;
                for (now, before) in now.iter().zip(before) {
                    let beyond = now.commits - before.commits;
                    foreign += noted(beyond, passed);
                    if let Some(commits) = counters.values.get_mut(&Counter::Commits)
                        && now.beside_claims
                        && beyond < 0
                    {
                        *commits = commits.saturating_sub(beyond.unsigned_abs());
                    }
                }
                if !counters.missing.contains_key(&Counter::ForeignCommits) {
                    counters.values.insert(Counter::ForeignCommits, foreign);
                }
            }
            (Err(why), _) | (_, Err(why)) => _ = counters.missing.insert(Counter::ForeignCommits, why.clone()),
        }
        counters
    }
}

/// Commits of others beyond housekeeping.
fn noted(commits: i64, passed: Duration) -> u64 {
    let commits = u64::try_from(commits).unwrap_or(0);
    if commits as f64 > HOUSEKEEPING_PER_S * passed.as_secs_f64().max(1.0) { commits } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn commits_of_others_count_from_some_a_second_on() {
        assert_eq!(noted(2, Duration::from_secs(2)), 0, "housekeeping");
        assert_eq!(noted(50, Duration::from_secs(2)), 50);
        assert_eq!(noted(-1, Duration::from_secs(2)), 0);
    }

    /// A reading after this many own commits, and this many of others.
    fn reading(own: u64, commits: i64, beside_claims: bool) -> PointStatistics {
        let counters = Counters { values: BTreeMap::from([(Counter::Commits, own)]), ..Counters::default() };
        PointStatistics::new(counters, Ok(vec![Others { commits, beside_claims }]))
    }

    #[test]
    fn what_is_beyond_the_tests_commits_is_foreign() {
        let told = |own, others, beside_claims| {
            let counted = reading(own, others, beside_claims).since(&reading(1_000, -7, beside_claims));
            (counted.get(Counter::Commits), counted.get(Counter::ForeignCommits))
        };
        assert_eq!(told(1_100, -7, true), (Some(100), Some(0)));
        assert_eq!(told(1_100, 43, true), (Some(100), Some(50)));
        assert_eq!(told(1_100, -8, true), (Some(99), Some(0)), "a commit that the server does not know");
        assert_eq!(told(1_100, -8, false), (Some(100), Some(0)), "what it counts of a session is what it knows");
        assert_eq!(told(1_000, -900, true), (Some(0), Some(0)));
    }

    #[test]
    fn what_cannot_be_told_of_others_has_its_reason() {
        let before = reading(1, 0, false);
        let mut now = reading(2, 70, false);
        now.counters.missing.insert(Counter::ForeignCommits, "idle sessions commit, too".to_owned());
        assert_eq!(now.since(&before).get(Counter::ForeignCommits), None);
        now.others = Err("not told".to_owned());
        assert_eq!(now.since(&before).missing[&Counter::ForeignCommits], "not told");
        assert_eq!((now.others(0), before.others(0).unwrap().commits, before.others(1)), (None, 0, None));
        let own = PointStatistics::from(Counters::default());
        assert_eq!(own.since(&own), Counters::default(), "nothing is made up");
    }

    #[test]
    fn what_is_of_a_point_is_not_for_everybody() {
        let values = BTreeMap::from([(Counter::Commits, 3), (Counter::BlocksDirtied, 5)]);
        let told = for_everybody(Counters { values, ..Counters::default() });
        assert_eq!((told.get(Counter::Commits), told.get(Counter::BlocksDirtied)), (Some(3), None));
        assert!(OF_A_POINT.iter().all(|counter| told.missing[counter].contains("of a point")));
    }
}
