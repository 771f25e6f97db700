//! Pauses of users between transactions and within them: functions of a seed and the job's number.

use super::timetable::uniform;
use dbdyno_engine::data::mix;
use dbdyno_model::Think;

/// The pauses of one job, drawn with SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub(super) struct ThinkTimes {
    think: Think,
    counter: u64,
}

impl ThinkTimes {
    pub(super) fn new(think: Think, seed: u64, job: u32) -> Self {
        Self { think, counter: mix(seed ^ mix(u64::from(job) + 1)) }
    }

    /// The next number, above 0 and at most 1.
    fn draw(&mut self) -> f64 {
        self.counter = self.counter.wrapping_add(1);
        uniform(mix(self.counter))
    }

    /// The pause before the first transaction: a random part of a think time, so that the jobs do not run in step.
    pub(super) fn first_ns(&mut self) -> u64 {
        (self.draw() * self.think.most_ns as f64) as u64
    }

    /// The next pause.
    pub(super) fn next_ns(&mut self) -> u64 {
        let Think { least_ns, most_ns } = self.think;
        least_ns + (self.draw() * (most_ns - least_ns) as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_stay_in_their_span() {
        let mut think_times = ThinkTimes::new("5ms..10ms".parse().unwrap(), 1, 0);
        let drawn: Vec<u64> = (0..10_000).map(|_| think_times.next_ns()).collect();
        assert!(drawn.iter().all(|ns| (5_000_000..=10_000_000).contains(ns)));
        let mean = drawn.iter().sum::<u64>() as f64 / 1e4;
        assert!((mean - 7.5e6).abs() < 5e4, "{mean}");
        assert_eq!(ThinkTimes::new("5ms".parse().unwrap(), 1, 0).next_ns(), 5_000_000);
    }
}
