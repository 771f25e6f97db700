//! What a target holds of a workload, as its book-keeping says.

use dbdyno_engine::data::DEFAULT_SEED;
use dbdyno_model::Scale;

/// A workload's data on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkloadData {
    /// There is none.
    Nothing,
    /// The part that an interrupted load left.
    Partly {
        /// Its scale.
        scale: Scale,
        /// Its seed.
        seed: u64,
    },
    /// All of its data.
    Complete {
        /// Its scale.
        scale: Scale,
        /// Its seed.
        seed: u64,
    },
}

impl WorkloadData {
    /// Reads the workload's entry in the book-keeping.
    pub(crate) fn read(entry: &str) -> Self {
        let words: Vec<&str> = entry.split(' ').collect();
        let (stage, scale, seed) = match words.as_slice() {
            [stage, "scale", scale] => (*stage, scale.parse().ok(), Some(DEFAULT_SEED)),
            [stage, "scale", scale, "seed", seed] => (*stage, scale.parse().ok(), seed.parse().ok()),
            _ => return Self::Nothing,
        };
        match (stage, scale.zip(seed)) {
            ("loading" | "filling", Some((scale, seed))) => Self::Partly { scale, seed },
            ("complete", Some((scale, seed))) => Self::Complete { scale, seed },
            _ => Self::Nothing,
        }
    }

    /// The scale of the data, if there is any.
    #[must_use]
    pub fn scale(self) -> Option<Scale> {
        self.scale_and_seed().map(|(scale, _)| scale)
    }

    /// The seed of the data, if there is any.
    #[must_use]
    pub fn seed(self) -> Option<u64> {
        self.scale_and_seed().map(|(_, seed)| seed)
    }

    fn scale_and_seed(self) -> Option<(Scale, u64)> {
        match self {
            Self::Nothing => None,
            Self::Partly { scale, seed } | Self::Complete { scale, seed } => Some((scale, seed)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::data_words;

    #[test]
    fn what_the_book_keeping_says_of_scale_and_seed_is_read_back() {
        let scale: Scale = "0.05".parse().unwrap();
        for seed in [DEFAULT_SEED, 7, u64::MAX] {
            let words = data_words(scale, seed);
            assert_eq!(WorkloadData::read(&format!("complete {words}")), WorkloadData::Complete { scale, seed });
            assert_eq!(WorkloadData::read(&format!("filling {words}")), WorkloadData::Partly { scale, seed });
        }
        let earlier = WorkloadData::read("complete scale 0.05");
        assert_eq!(earlier, WorkloadData::Complete { scale, seed: DEFAULT_SEED });
        for other in ["", "complete", "complete scale x", "complete scale 0.05 seed x", "gone scale 0.05"] {
            assert_eq!(WorkloadData::read(other), WorkloadData::Nothing, "{other}");
        }
    }
}
