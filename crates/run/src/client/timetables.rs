//! The timetables of a point: one that all sessions serve, or one for each session.

use super::timetable::Timetable;
use crate::work::PointWork;
use dbdyno_model::{Arrivals, ClientLoad};
use std::ops::Range;
use std::sync::OnceLock;

/// The timetables of a point. They begin when the first job passes the barrier. If the window was told when to begin,
/// they begin a warm-up before that. Hosts that share a point have timetables that together equal those of one host
/// with all the jobs.
#[derive(Debug)]
pub(super) struct Timetables {
    arrivals: Arrivals,
    /// Rate of all jobs on all hosts together.
    per_s: f64,
    seed: u64,
    /// Numbers of this host's jobs, and the number of jobs on all hosts.
    jobs: Range<u32>,
    of: u32,
    /// Whether each job has a timetable of its own.
    apart: bool,
    tables: Vec<OnceLock<Timetable>>,
}

impl Timetables {
    /// The timetables of a point's jobs; `per_s` is the rate of all jobs on all hosts together.
    pub(super) fn new(load: ClientLoad, per_s: f64, work: PointWork<'_>) -> Self {
        let (jobs, of) = (work.job_numbers(), work.jobs_in_all().max(1));
        let apart = load.queues_apart();
        let tables = (0..if apart { jobs.len() } else { 1 }).map(|_| OnceLock::new()).collect();
        Self { arrivals: load.arrivals.unwrap_or_default(), per_s, seed: work.key_seed(), jobs, of, apart, tables }
    }

    /// Whether each job has a timetable of its own.
    pub(super) fn are_apart(&self) -> bool {
        self.apart
    }

    /// The timetable that a job serves.
    pub(super) fn of(&self, job: u32, origin_ns: u64) -> &Timetable {
        self.tables[self.place(job)].get_or_init(|| self.table(job, origin_ns))
    }

    /// When the next transaction of a job is due, once the job has passed the barrier.
    #[inline]
    pub(super) fn take(&self, job: u32) -> Option<u64> {
        self.tables[self.place(job)].get().map(Timetable::take)
    }

    #[inline]
    fn place(&self, job: u32) -> usize {
        if self.apart { (job - self.jobs.start) as usize } else { 0 }
    }

    fn table(&self, job: u32, origin_ns: u64) -> Timetable {
        if !self.apart {
            let whole = Timetable::new(self.arrivals, self.per_s, origin_ns, self.seed);
            return whole.part(self.jobs.clone(), self.of);
        }
        let begins_ns = match self.arrivals {
            // The timetables of all jobs together have equal distances.
            Arrivals::Constant => origin_ns + (f64::from(job) * 1e9 / self.per_s) as u64,
            // Poisson arrivals of all jobs together are Poisson again.
            Arrivals::Poisson => origin_ns,
        };
        let seed = self.seed.wrapping_add(job.into());
        Timetable::new(self.arrivals, self.per_s / f64::from(self.of), begins_ns, seed)
    }

    /// Transactions that were due before a moment and were not taken: moments, and how many are due at about each.
    pub(super) fn left(&self, until_ns: u64, mut each: impl FnMut(u64, u64)) {
        self.tables.iter().filter_map(OnceLock::get).for_each(|table| table.left(until_ns, &mut each));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::spec;
    use dbdyno_engine::PointSpec;
    use dbdyno_model::Queue;

    fn load(arrivals: Arrivals, queue: Queue) -> ClientLoad {
        ClientLoad {
            rate: Some("1000/s".parse().unwrap()),
            arrivals: Some(arrivals),
            queue: Some(queue),
            ..ClientLoad::default()
        }
    }

    #[test]
    fn constant_arrivals_of_all_queues_are_at_equal_distances() {
        for queue in [Queue::Shared, Queue::Session] {
            let timetables = Timetables::new(load(Arrivals::Constant, queue), 1_000.0, PointWork::Test(&spec(4)));
            let of_job = |job| (0..25).map(move |_| job);
            let mut due: Vec<u64> = (0..4).flat_map(of_job).map(|job| timetables.of(job, 500).take()).collect();
            due.sort_unstable();
            assert_eq!(due, (0..100).map(|n| 500 + n * 1_000_000).collect::<Vec<_>>());
            let mut left = 0;
            timetables.left(500 + 110_000_000, |_, n| left += n);
            assert_eq!(left, 10);
        }
    }

    #[test]
    fn queues_of_one_rate_have_moments_of_their_own() {
        let timetables = Timetables::new(load(Arrivals::Poisson, Queue::Session), 1e6, PointWork::Test(&spec(2)));
        let due = |job| (0..1_000).map(|_| timetables.of(job, 0).take()).collect::<Vec<_>>();
        let (one, two) = (due(0), due(1));
        assert_ne!(one, two);
        // Half of the rate each.
        assert!([one, two].iter().all(|due| (due[999] as f64 / 2e6 - 1.0).abs() < 0.15));
    }

    /// All transactions of a host's jobs in the first second.
    fn in_a_second(load: ClientLoad, spec: &PointSpec) -> Vec<u64> {
        let timetables = Timetables::new(load, 10_000.0, PointWork::Test(spec));
        let of_job = |job| {
            std::iter::repeat_with(|| timetables.of(job, 500).take())
                .take_while(|due_ns| *due_ns < 1_000_000_500)
                .collect()
        };
        let jobs = if load.queues_apart() { spec.job_numbers() } else { spec.jobs_before..spec.jobs_before + 1 };
        jobs.flat_map::<Vec<u64>, _>(of_job).collect()
    }

    #[test]
    fn hosts_that_share_a_point_serve_together_what_one_would() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            for queue in [Queue::Shared, Queue::Session] {
                let load = load(arrivals, queue);
                let mut whole = in_a_second(load, &spec(5));
                let hosts = [(0, 2, 3), (2, 1, 2), (3, 2, 0)];
                let hosts =
                    hosts.map(|(jobs_before, jobs, jobs_after)| PointSpec { jobs_before, jobs_after, ..spec(jobs) });
                let parts = hosts.map(|spec| in_a_second(load, &spec));
                // Each host has the share of its jobs: 10,000 transactions in all, with some hundred of chance.
                for (part, jobs) in parts.iter().zip([2.0, 1.0, 2.0]) {
                    assert!((part.len() as f64 / (2_000.0 * jobs) - 1.0).abs() < 0.1, "{load:?}: {}", part.len());
                }
                let mut together = parts.concat();
                whole.sort_unstable();
                together.sort_unstable();
                assert_eq!(together, whole, "{load:?}");
            }
        }
    }

    #[test]
    fn of_a_share_no_more_is_left_than_belongs_to_it() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let first = PointSpec { jobs_after: 3, ..spec(1) };
            for (per_s, until_ns) in [(10_000.0, 1_000_000_000), (1e8, 1_000_000_000)] {
                let timetables = Timetables::new(load(arrivals, Queue::Shared), per_s, PointWork::Test(&first));
                timetables.of(0, 0).take();
                let mut left = 0;
                timetables.left(until_ns, |_, n| left += n);
                assert!((left as f64 / (per_s / 4.0) - 1.0).abs() < 0.06, "{arrivals:?} {per_s}: {left}");
            }
        }
    }
}
