//! The keys that tests ask for: a function of (seed, job, pass), however the passes are cut into chunks. A
//! multiplicative congruential generator (modulus 2^31 - 1, multiplier 48271: Park, Miller and Stockmeyer, CACM 36(7),
//! 1993), whose every step fits a 64-bit SQL integer, with a jump to any pass.

use super::mix::mix;

/// The stream of key draws of one job. Procedures on every engine take `state` as an argument and go on from there:
/// `state = state * 48271 % 2147483647` before each draw, a draw over n being `state * n / 2147483647`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// 1 .. 2^31 - 2.
    pub state: u64,
}

impl Keys {
    /// The modulus.
    pub const MODULUS: u64 = 2_147_483_647;
    /// The multiplier.
    pub const FACTOR: u64 = 48_271;

    /// The stream of a job, advanced by `draws` draws.
    #[must_use]
    pub fn at(seed: u64, job: u32, draws: u64) -> Self {
        let start = 1 + mix(seed ^ mix(u64::from(job) + 1)) % (Self::MODULUS - 1);
        let (mut state, mut factor, mut n) = (start, Self::FACTOR, draws % (Self::MODULUS - 1));
        while n > 0 {
            if n & 1 == 1 {
                state = state * factor % Self::MODULUS;
            }
            factor = factor * factor % Self::MODULUS;
            n >>= 1;
        }
        Self { state }
    }

    /// The next draw, 0..n.
    pub fn draw(&mut self, n: u64) -> u64 {
        self.state = self.state * Self::FACTOR % Self::MODULUS;
        self.state * n / Self::MODULUS
    }

    /// Primary key number `i` of `k` in a transaction, keys ascending: each comes from its own k-th of the job's keys.
    /// Jobs share all keys when `jobs` is 1, and own those that are `job` modulo `jobs` otherwise.
    pub fn primary(&mut self, rows: u64, i: u64, k: u64, job: u64, jobs: u64) -> u64 {
        let stratum = rows / jobs / k;
        1 + (i * stratum + self.draw(stratum)) * jobs + job
    }

    /// The first of `k` primary keys that follow each other.
    pub fn range(&mut self, rows: u64, k: u64) -> u64 {
        1 + self.draw((rows + 1).saturating_sub(k))
    }

    /// A secondary-key value; with `jobs` above 1, one of the job's own.
    pub fn secondary(&mut self, values: u64, job: u64, jobs: u64) -> u64 {
        1 + self.draw(values / jobs) * jobs + job
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stream_can_be_entered_anywhere(seed in any::<u64>(), job in 0u32..64, skip in 0u64..5_000) {
            let mut walked = Keys::at(seed, job, 0);
            for _ in 0..skip {
                walked.draw(7);
            }
            prop_assert_eq!(walked, Keys::at(seed, job, skip));
        }

        #[test]
        fn keys_ascend_stay_inside_and_belong_to_their_job(
            seed in any::<u64>(), jobs in 1u64..16, k in 1u64..64, rows in 3_200u64..1_000_000
        ) {
            for job in 0..jobs {
                let mut keys = Keys::at(seed, job as u32, 0);
                let tx: Vec<u64> = (0..k).map(|i| keys.primary(rows, i, k, job, jobs)).collect();
                prop_assert!(tx.windows(2).all(|w| w[0] < w[1]));
                prop_assert!(tx.iter().all(|key| (1..=rows).contains(key) && (key - 1) % jobs == job));
            }
        }
    }
}
