//! When transactions are due: on a timetable that does not depend on how long they take.
//!
//! All sessions share one timetable, like those of a connection pool: whichever session is free takes the next
//! transaction. (Where each session has a queue of its own, each has its own timetable with its share of the rate; see
//! [`super::context`].) A free session takes a transaction before it is due and sleeps until then. It will be free at
//! that moment, so no other session could begin the transaction earlier, and a session that becomes free meanwhile
//! takes the next one. A session that pauses for other reasons takes none.
//!
//! Taking a transaction is one atomic operation on one number. With equal distances it is the next number; with Poisson
//! arrivals it is the last due moment, because the distance to the next is a function of the seed and that moment. So
//! the due moments do not depend on which session took them, and the transactions that nobody took can be computed
//! afterwards.
//!
//! Several hosts may share a timetable. Each transaction belongs to one of all their jobs. With equal distances the
//! jobs take turns; with Poisson arrivals a hash of the due moment selects the job, so that the arrivals of each host
//! are independent again. Each host computes the whole timetable and takes the transactions of its own jobs, so
//! together they serve exactly what one host would.

use dbdyno_engine::data::mix;
use dbdyno_model::Arrivals;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Fractions of a nanosecond in which due moments of Poisson arrivals are stored, so that short distances stay exact.
/// The 64-bit number lasts for seven weeks.
const PARTS: f64 = 4_096.0;
/// Up to this many untaken transactions are counted one by one; more are estimated in slices at the mean rate.
const MOST_COUNTED: u64 = 1_000_000;
const SLICES: u64 = 10_000;

/// Due moments of an open loop.
#[derive(Debug)]
pub struct Timetable {
    arrivals: Arrivals,
    origin_ns: u64,
    seed: u64,
    /// Mean distance between two transactions.
    distance_ns: f64,
    /// The jobs whose transactions are taken, and the number of all jobs.
    own: Range<u64>,
    of: u64,
    /// With equal distances, the number of transactions taken; else the last due moment that was taken, in fractions of
    /// a nanosecond since the origin.
    taken: AtomicU64,
}

impl Timetable {
    /// The timetable of `per_s` transactions a second, from `origin_ns` on.
    #[must_use]
    pub fn new(arrivals: Arrivals, per_s: f64, origin_ns: u64, seed: u64) -> Self {
        let (seed, distance_ns, taken) = (mix(seed), 1e9 / per_s, AtomicU64::new(0));
        Self { arrivals, origin_ns, seed, distance_ns, own: 0..1, of: 1, taken }
    }

    /// The part of the timetable that belongs to these jobs, out of the jobs on all hosts.
    #[must_use]
    pub(super) fn part(self, own: Range<u32>, of: u32) -> Self {
        if own == (0..of) { self } else { Self { own: own.start.into()..own.end.into(), of: of.into(), ..self } }
    }

    /// Takes the next transaction for the caller alone, and returns when it is due.
    #[inline]
    pub fn take(&self) -> u64 {
        // The number synchronises nothing else, so relaxed order is enough.
        match self.arrivals {
            Arrivals::Constant => self.equal(self.own_number(self.taken.fetch_add(1, Ordering::Relaxed))),
            Arrivals::Poisson => {
                let mut last = self.taken.load(Ordering::Relaxed);
                loop {
                    let next = self.own_after(last);
                    match self.taken.compare_exchange_weak(last, next, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => return self.moment_ns(next),
                        Err(other) => last = other,
                    }
                }
            }
        }
    }

    /// Transactions due before `until_ns` that nobody took: moments, and how many are due at about each.
    pub(super) fn left(&self, until_ns: u64, mut each: impl FnMut(u64, u64)) {
        let taken = self.taken.load(Ordering::Relaxed);
        let next_ns = match self.arrivals {
            Arrivals::Constant => self.equal(self.own_number(taken)),
            Arrivals::Poisson => self.moment_ns(self.own_after(taken)),
        };
        let left_ns = until_ns.saturating_sub(next_ns);
        let own_distance_ns = self.distance_ns * self.of as f64 / self.jobs() as f64;
        if left_ns as f64 / own_distance_ns <= MOST_COUNTED as f64 {
            let again = Self { taken: AtomicU64::new(taken), own: self.own.clone(), ..*self };
            let moments = std::iter::from_fn(|| Some(again.take())).take_while(|due_ns| *due_ns < until_ns);
            return moments.for_each(|due_ns| each(due_ns, 1));
        }
        let per_slice = left_ns as f64 / SLICES as f64 / own_distance_ns;
        let (mut due, mut told) = (0.0, 0);
        for slice in 0..SLICES {
            due += per_slice;
            let n = due as u64 - told;
            told += n;
            each(next_ns + (u128::from(left_ns) * u128::from(2 * slice + 1) / u128::from(2 * SLICES)) as u64, n);
        }
    }

    fn jobs(&self) -> u64 {
        self.own.end - self.own.start
    }

    /// The index among all transactions of this host's n-th: jobs take turns.
    #[inline]
    fn own_number(&self, n: u64) -> u64 {
        if self.of == 1 { n } else { n / self.jobs() * self.of + self.own.start + n % self.jobs() }
    }

    /// The next arrival of this host's jobs after a moment.
    #[inline]
    fn own_after(&self, last: u64) -> u64 {
        let mut next = self.after(last);
        while self.of > 1 && !self.own.contains(&(mix(!self.seed ^ next) % self.of)) {
            next = self.after(next);
        }
        next
    }

    fn equal(&self, n: u64) -> u64 {
        self.origin_ns + (n as f64 * self.distance_ns) as u64
    }

    /// The arrival after another: exponentially distributed distances make independent arrivals.
    #[inline]
    fn after(&self, last: u64) -> u64 {
        let distance = -uniform(mix(self.seed ^ mix(last))).ln() * self.distance_ns * PARTS;
        last.saturating_add((distance as u64).max(1))
    }

    fn moment_ns(&self, parts: u64) -> u64 {
        self.origin_ns + parts / PARTS as u64
    }
}

/// A number above 0 and at most 1, uniformly distributed.
pub(super) fn uniform(mixed: u64) -> f64 {
    ((mixed >> 11) + 1) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn due(arrivals: Arrivals, per_s: f64, n: usize) -> Vec<u64> {
        let table = Timetable::new(arrivals, per_s, 500, 42);
        (0..n).map(|_| table.take()).collect()
    }

    fn distances(due: &[u64]) -> Vec<f64> {
        due.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
    }

    #[test]
    fn poisson_arrivals_have_the_asked_mean_and_spread() {
        let distances = distances(&due(Arrivals::Poisson, 100_000.0, 200_000));
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!((mean - 10_000.0).abs() < 100.0, "{mean}");
        let variance = distances.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / distances.len() as f64;
        // Of an exponential distribution the standard deviation is the mean, and a share of 1/e is longer than the
        // mean.
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{}", variance.sqrt());
        let longer = distances.iter().filter(|d| **d > mean).count() as f64 / distances.len() as f64;
        assert!((longer - (-1.0f64).exp()).abs() < 0.01, "{longer}");
        // A distance says nothing about the next one.
        let with_next = distances.windows(2).map(|d| (d[0] - mean) * (d[1] - mean)).sum::<f64>();
        assert!((with_next / distances.len() as f64 / variance).abs() < 0.01);
        let other = Timetable::new(Arrivals::Poisson, 100_000.0, 500, 43);
        assert_ne!(other.take(), due(Arrivals::Poisson, 100_000.0, 1)[0], "another seed, other moments");
    }

    #[test]
    fn rates_that_are_no_divisor_of_a_second_lose_nothing() {
        assert_eq!(due(Arrivals::Constant, 1_000.0, 100), (0..100).map(|n| 500 + n * 1_000_000).collect::<Vec<_>>());
        for (arrivals, off) in [(Arrivals::Constant, 1e-6), (Arrivals::Poisson, 5e-3)] {
            let due = due(arrivals, 3e7, 300_001);
            let whole = (due[300_000] - due[0]) as f64;
            assert!((whole / 1e7 - 1.0).abs() < off, "{arrivals:?} {whole}");
        }
    }

    #[test]
    fn whoever_takes_them_moments_are_the_same_and_each_has_one() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let table = Timetable::new(arrivals, 1e6, 500, 42);
            let taken: Vec<Vec<u64>> = std::thread::scope(|scope| {
                let take = || (0..20_000).map(|_| table.take()).collect();
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(taken.iter().all(|own| own.is_sorted()));
            let mut all = taken.concat();
            all.sort_unstable();
            assert_eq!(all, due(arrivals, 1e6, 80_000));
        }
    }

    #[test]
    fn what_nobody_came_to_is_told() {
        for (arrivals, per_s) in [(Arrivals::Constant, 1e6), (Arrivals::Poisson, 1e6), (Arrivals::Poisson, 1e8)] {
            let table = Timetable::new(arrivals, per_s, 500, 42);
            let taken: BTreeSet<u64> = (0..1_000).map(|_| table.take()).collect();
            let until_ns = 500 + 50_000_000;
            let (mut n, mut ages) = (0u64, 0.0);
            table.left(until_ns, |due_ns, due| {
                assert!(taken.last().unwrap() <= &due_ns && due_ns < until_ns);
                n += due;
                ages += (until_ns - due_ns) as f64 * due as f64;
            });
            let truth = per_s * 0.05 - 1_000.0;
            assert!((n as f64 / truth - 1.0).abs() < 0.02, "{arrivals:?} {n} for {truth}");
            let mean_ns = 5e7 * truth / (per_s * 0.05) / 2.0;
            assert!((ages / n as f64 / mean_ns - 1.0).abs() < 0.02, "{arrivals:?}");
            // Looking has taken nothing.
            assert!(table.take() >= *taken.last().unwrap() && table.take() < 500 + 2_000_000);
        }
        let table = Timetable::new(Arrivals::Poisson, 10.0, 500, 42);
        table.left(500, |_, _| panic!("nothing is due before the beginning"));
    }
}
