//! When a job's transactions begin: on a timetable that knows nothing of how long they take, or after a pause. Both are
//! functions of a seed and of the job.
//!
//! Each job has a timetable of its own with its share of the rate. Constant arrivals of all jobs together are at equal distances,
//! because the jobs are staggered; Poisson arrivals of all jobs together are Poisson again (superposition).

use dbdyno_engine::data::mix;
use dbdyno_model::{Arrivals, Think};

/// Numbers that are evenly spread over 0..1, from a mixed counter (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64, job: u32) -> Self {
        Self(mix(seed ^ mix(u64::from(job) + 1)))
    }

    /// The next number above 0 and up to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        ((mix(self.0) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// Due moments of one job of an open loop.
#[derive(Debug, Clone)]
pub struct Timetable {
    arrivals: Arrivals,
    draws: Draws,
    /// Mean distance between two of this job's transactions.
    distance_ns: f64,
    /// When the next one is due: kept as it is, so that distances below a nanosecond add up.
    due_ns: f64,
}

impl Timetable {
    /// The timetable of a job among `jobs` that begin `per_s` transactions a second together, from `origin_ns` on.
    #[must_use]
    pub fn new(arrivals: Arrivals, per_s: f64, origin_ns: u64, seed: u64, job: u32, jobs: u32) -> Self {
        let distance_ns = 1e9 * f64::from(jobs) / per_s;
        let mut table = Self { arrivals, draws: Draws::new(seed, job), distance_ns, due_ns: origin_ns as f64 };
        match arrivals {
            Arrivals::Constant => table.due_ns += distance_ns * f64::from(job) / f64::from(jobs),
            Arrivals::Poisson => table.advance(),
        }
        table
    }

    /// When the current transaction is due.
    #[must_use]
    pub fn due_ns(&self) -> u64 {
        self.due_ns as u64
    }

    /// Goes on to the next transaction.
    pub fn advance(&mut self) {
        self.due_ns += match self.arrivals {
            Arrivals::Constant => self.distance_ns,
            Arrivals::Poisson => -self.draws.next().ln() * self.distance_ns,
        };
    }
}

/// Pauses of one job of a closed loop.
#[derive(Debug, Clone)]
pub(super) struct Pauses {
    think: Think,
    draws: Draws,
}

impl Pauses {
    pub(super) fn new(think: Think, seed: u64, job: u32) -> Self {
        Self { think, draws: Draws::new(seed, job) }
    }

    /// The pause before the first transaction: some part of one, so that the jobs do not go in step.
    pub(super) fn first_ns(&mut self) -> u64 {
        (self.draws.next() * self.think.most_ns as f64) as u64
    }

    /// The next pause.
    pub(super) fn next_ns(&mut self) -> u64 {
        let Think { least_ns, most_ns } = self.think;
        least_ns + (self.draws.next() * (most_ns - least_ns) as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(arrivals: Arrivals, per_s: f64, n: usize) -> Vec<f64> {
        let mut table = Timetable::new(arrivals, per_s, 0, 42, 3, 8);
        let due = (0..=n).map(|_| {
            let due_ns = table.due_ns();
            table.advance();
            due_ns as f64
        });
        due.collect::<Vec<_>>().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn poisson_arrivals_have_the_asked_mean_and_spread() {
        // 8 jobs share 800,000 a second: 10 us between two of one job.
        let distances = distances(Arrivals::Poisson, 800_000.0, 200_000);
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!((mean - 10_000.0).abs() < 100.0, "{mean}");
        let variance = distances.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / distances.len() as f64;
        // Of an exponential distribution the deviation is the mean, and a share of 1/e is longer than it.
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{}", variance.sqrt());
        let longer = distances.iter().filter(|d| **d > mean).count() as f64 / distances.len() as f64;
        assert!((longer - (-1.0f64).exp()).abs() < 0.01, "{longer}");
    }

    #[test]
    fn constant_arrivals_of_all_jobs_are_at_equal_distances() {
        let mut due: Vec<u64> = Vec::new();
        for job in 0..4 {
            let mut table = Timetable::new(Arrivals::Constant, 1_000.0, 500, 1, job, 4);
            for _ in 0..25 {
                due.push(table.due_ns());
                table.advance();
            }
        }
        due.sort_unstable();
        assert_eq!(due, (0..100).map(|n| 500 + n * 1_000_000).collect::<Vec<_>>());
    }

    #[test]
    fn rates_that_are_no_divisor_of_a_second_lose_nothing() {
        let distances = distances(Arrivals::Constant, 8.0 * 3e6, 300_000);
        assert!((distances.iter().sum::<f64>() - 1e8).abs() < 1_000.0);
    }

    #[test]
    fn pauses_stay_in_their_span() {
        let mut pauses = Pauses::new("5ms..10ms".parse().unwrap(), 1, 0);
        let drawn: Vec<u64> = (0..10_000).map(|_| pauses.next_ns()).collect();
        assert!(drawn.iter().all(|ns| (5_000_000..=10_000_000).contains(ns)));
        let mean = drawn.iter().sum::<u64>() as f64 / 1e4;
        assert!((mean - 7.5e6).abs() < 5e4, "{mean}");
        assert_eq!(Pauses::new("5ms".parse().unwrap(), 1, 0).next_ns(), 5_000_000);
    }
}
