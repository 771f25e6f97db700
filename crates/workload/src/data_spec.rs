//! What decides the rows of a workload's data, and how the book-keeping of a target says it.

use dbdyno_engine::data::DEFAULT_SEED;
use dbdyno_model::{Parameters, Scale};
use std::fmt;

/// What decides the rows of a workload's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSpec {
    /// How much there is, in units of the workload.
    pub scale: Scale,
    /// Where drawn values come from.
    pub seed: u64,
    /// Parameters of the workload that decide its rows; empty for a workload that has none.
    pub parameters: Parameters,
}

impl DataSpec {
    /// Data of a scale and a seed, where nothing else decides the rows.
    #[must_use]
    pub fn new(scale: Scale, seed: u64) -> Self {
        Self { scale, seed, parameters: Parameters::default() }
    }

    /// Reads what [`DataSpec`] writes; `None` where that is something else.
    pub(crate) fn read(words: &str) -> Option<Self> {
        let (size, parameters) = words.split_once(" with ").unwrap_or((words, ""));
        let (scale, seed) = match size.split(' ').collect::<Vec<_>>().as_slice() {
            ["scale", scale] => (scale.parse().ok()?, DEFAULT_SEED),
            ["scale", scale, "seed", seed] => (scale.parse().ok()?, seed.parse().ok()?),
            _ => return None,
        };
        Some(Self { scale, seed, parameters: parameters.parse().ok()? })
    }
}

impl fmt::Display for DataSpec {
    /// The default seed is not named, as it was not before there were others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scale {}", self.scale)?;
        if self.seed != DEFAULT_SEED {
            write!(f, " seed {}", self.seed)?;
        }
        if self.parameters.is_empty() { Ok(()) } else { write!(f, " with {}", self.parameters) }
    }
}
