//! The timetables of a team: one that all sessions serve, or one for each of them.

use super::timetable::Timetable;
use dbdyno_model::{Arrivals, Load};
use std::sync::OnceLock;

/// The timetables of a team. They begin when its first job has passed the barrier.
#[derive(Debug)]
pub(super) struct Queues {
    arrivals: Arrivals,
    /// Of all jobs together.
    per_s: f64,
    seed: u64,
    tables: Vec<OnceLock<Timetable>>,
}

impl Queues {
    pub(super) fn new(load: Load, per_s: f64, seed: u64, jobs: usize) -> Self {
        let tables = if load.queues_apart() { jobs.max(1) } else { 1 };
        let tables = (0..tables).map(|_| OnceLock::new()).collect();
        Self { arrivals: load.arrivals.unwrap_or_default(), per_s, seed, tables }
    }

    /// The timetable that a job serves.
    pub(super) fn of(&self, job: u32, origin_ns: u64) -> &Timetable {
        let n = job as usize % self.tables.len();
        self.tables[n].get_or_init(|| {
            let begins_ns = match self.arrivals {
                // All together are at equal distances.
                Arrivals::Constant => origin_ns + (n as f64 * 1e9 / self.per_s) as u64,
                // Poisson arrivals of all together are Poisson again.
                Arrivals::Poisson => origin_ns,
            };
            Timetable::new(
                self.arrivals,
                self.per_s / self.tables.len() as f64,
                begins_ns,
                self.seed.wrapping_add(n as u64),
            )
        })
    }

    /// What was due before a moment and nobody came to: moments, and how many are due at about each.
    pub(super) fn left(&self, until_ns: u64, mut each: impl FnMut(u64, u64)) {
        self.tables.iter().filter_map(OnceLock::get).for_each(|table| table.left(until_ns, &mut each));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::Queue;

    #[test]
    fn constant_arrivals_of_all_queues_are_at_equal_distances() {
        let load =
            Load { rate: Some("1000/s".parse().unwrap()), arrivals: Some(Arrivals::Constant), ..Load::default() };
        for queue in [Queue::Shared, Queue::Session] {
            let queues = Queues::new(Load { queue: Some(queue), ..load }, 1_000.0, 1, 4);
            let of_job = |job| (0..25).map(move |_| job);
            let mut due: Vec<u64> = (0..4).flat_map(of_job).map(|job| queues.of(job, 500).take()).collect();
            due.sort_unstable();
            assert_eq!(due, (0..100).map(|n| 500 + n * 1_000_000).collect::<Vec<_>>());
            let mut left = 0;
            queues.left(500 + 110_000_000, |_, n| left += n);
            assert_eq!(left, 10);
        }
    }

    #[test]
    fn queues_of_one_rate_have_moments_of_their_own() {
        let load = Load { rate: Some("9/s".parse().unwrap()), queue: Some(Queue::Session), ..Load::default() };
        let queues = Queues::new(load, 1e6, 1, 2);
        let due = |job| (0..1_000).map(|_| queues.of(job, 0).take()).collect::<Vec<_>>();
        let (one, two) = (due(0), due(1));
        assert_ne!(one, two);
        // Half of the rate each.
        assert!([one, two].iter().all(|due| (due[999] as f64 / 2e6 - 1.0).abs() < 0.15));
    }
}
