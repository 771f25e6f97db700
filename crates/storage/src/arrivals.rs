//! When I/Os of an open loop are due: on a timetable that does not depend on how long they take. All threads share it,
//! so that the first free thread takes the I/O that has waited longest.

use crate::IoLoad;
use dbdyno_model::Arrivals;
use dbdyno_stats::SplitMix64;
use std::sync::{Mutex, PoisonError};

/// The due moments of the small or of the large I/Os.
#[derive(Debug)]
pub(crate) struct Timetable(Mutex<NextDue>);

#[derive(Debug)]
struct NextDue {
    arrivals: Arrivals,
    draws: SplitMix64,
    distance_ns: f64,
    /// Kept as a float, so that distances below a nanosecond add up.
    due_ns: f64,
    window: (u64, u64),
    due_in_window: u64,
}

impl Timetable {
    /// The timetables of small and of large I/Os, each with its share of the outstanding I/Os; `None` in a closed loop.
    pub(crate) fn of(load: &IoLoad, origin_ns: u64, window: (u64, u64)) -> Option<[Option<Self>; 2]> {
        load.rate.map(|rate| {
            [(load.small, 1), (load.large, 2)].map(|(n, salt)| {
                let per_s = rate.iops * f64::from(n) / f64::from(load.outstanding());
                // Hosts that share a rate take turns: each begins at another moment.
                let phase_ns = load.share.map_or(0.0, |share| share.phase * 1e9 / per_s);
                (n > 0).then(|| Self::new(rate.arrivals, per_s, origin_ns as f64 + phase_ns, window, load.seed ^ salt))
            })
        })
    }

    fn new(arrivals: Arrivals, per_s: f64, origin_ns: f64, window: (u64, u64), seed: u64) -> Self {
        let distance_ns = 1e9 / per_s;
        Self(Mutex::new(NextDue {
            arrivals,
            draws: SplitMix64::new(seed),
            distance_ns,
            due_ns: origin_ns,
            window,
            due_in_window: 0,
        }))
    }

    /// Takes the next due moment for the caller alone.
    pub(crate) fn take(&self) -> u64 {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due_ns = next.due_ns as u64;
        next.due_in_window += u64::from((next.window.0..next.window.1).contains(&due_ns));
        next.due_ns += match next.arrivals {
            Arrivals::Constant => next.distance_ns,
            Arrivals::Poisson => -(1.0 - next.draws.uniform()).ln() * next.distance_ns,
        };
        due_ns
    }

    /// How many I/Os were due in the window up to a moment: those taken, and an estimate of those that no thread took.
    pub(crate) fn due_in_window(&self, until_ns: u64) -> u64 {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left_ns = until_ns as f64 - next.due_ns.max(next.window.0 as f64);
        next.due_in_window + (left_ns / next.distance_ns).ceil().max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_as_asked_and_what_is_due_is_counted() {
        let window = (20_000_000, 80_000_000);
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let table = Timetable::new(arrivals, 3e6, 0.0, window, 42);
            let due: Vec<u64> = (0..300_000).map(|_| table.take()).collect();
            assert!(due.windows(2).all(|pair| pair[0] <= pair[1]));
            let mean = *due.last().unwrap() as f64 / 3e5;
            assert!((mean / (1e9 / 3e6) - 1.0).abs() < 0.01, "{arrivals:?} {mean}");
            let spread = due.windows(2).filter(|pair| pair[1] - pair[0] > 334).count() as f64 / 3e5;
            // A share of exp(-1) of exponential distances is longer than the mean.
            let aimed = if arrivals == Arrivals::Poisson { 0.367 } else { 0.0 };
            assert!((spread - aimed).abs() < 0.01, "{arrivals:?} {spread}");
            // Half of them taken, and the others estimated.
            let half = Timetable::new(arrivals, 3e6, 0.0, window, 42);
            (0..150_000).for_each(|_| _ = half.take());
            let inside = due.iter().filter(|ns| (window.0..window.1).contains(*ns)).count() as u64;
            assert!(half.due_in_window(window.1).abs_diff(inside) < 3_000);
            let all = Timetable::new(arrivals, 3e6, 0.0, window, 42);
            (0..300_000).for_each(|_| _ = all.take());
            assert_eq!(all.due_in_window(window.1), inside);
        }
    }
}
