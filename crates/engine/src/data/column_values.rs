//! What the rows of a workload's table have in a column, said as data. Every value is a pure function of a seed, of the
//! row's id and of the names of table and column, so that parts of a table can be made in any order, and read back as
//! proof.

use super::mix::mix;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The seed of data for which none is named.
pub const DEFAULT_SEED: u64 = 42;

/// What the rows of a table have in a column, by their ids from 1 on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnValues {
    /// The id.
    #[default]
    Serial,
    /// The id of a parent that has so many rows: 1 for the first so many rows, then 2.
    Parent(u64),
    /// 1 to this number, over and over.
    Cycle(u64),
    /// 1 to the number of rows of another table, over and over.
    CycleOf(String),
    /// This number.
    Constant(i64),
    /// Blanks, as many as the column takes.
    Blank,
    /// A number from one to another one, drawn: a whole number, days from 1970-01-01 on, or hundredths.
    Drawn(i64, i64),
    /// One of these texts, drawn.
    OneOf(Vec<String>),
    /// A drawn text of each list, one after the other.
    Joined(Vec<Vec<String>>),
    /// So many lower-case letters at least and at most, drawn.
    Letters(u64, u64),
    /// The ids of the table's rows in another order: neighbours in the table are none in these numbers, nor the other
    /// way round.
    Shuffled,
    /// The same, as it is known when all tables are read: 1 to `of` for every `every`-th row, and the same negative for
    /// the rows that follow each of these.
    #[serde(skip)]
    Permutation {
        /// How many numbers.
        of: u64,
        /// Rows for each of them.
        every: u64,
    },
    /// As many letters as the column takes: drawn if this parameter is set, else one and the same.
    LettersIf(String),
    /// The sum over children of what two of their columns have, multiplied: each row has so many children, one after
    /// the other, in another table.
    Total {
        /// The table of the children.
        table: String,
        /// Children of a row.
        rows: u64,
        /// Two of its columns, which are drawn.
        of: [String; 2],
    },
    /// The same, as it is known when all tables are read.
    #[serde(skip)]
    SumOfProducts {
        /// Children of a row.
        rows: u64,
        /// What they have in both columns.
        of: [Drawn; 2],
    },
}

/// Numbers that are drawn: each a pure function of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    seed: u64,
    from: i64,
    to: i64,
}

impl Drawn {
    /// Numbers from one to another one, by a seed.
    pub(super) fn new(seed: u64, from: i64, to: i64) -> Self {
        Self { seed, from, to }
    }

    /// The numbers of a column of a table in data of a seed, from one number to another one.
    #[must_use]
    pub fn of_column(table: &str, column: &str, seed: u64, (from, to): (i64, i64)) -> Self {
        Self { seed: seed_of(table, column, seed), from, to }
    }

    /// The number of an id.
    #[must_use]
    pub fn of(self, id: u64) -> i64 {
        let count = self.to.abs_diff(self.from) + 1;
        self.from.saturating_add_unsigned(draw(self.seed, id, count))
    }
}

/// The seed of a column in data of a seed, which no other column has.
pub(super) fn seed_of(table: &str, column: &str, seed: u64) -> u64 {
    // What was loaded before there were seeds is data of the default one.
    xxh3_64_with_seed(format!("{table}.{column}").as_bytes(), seed.wrapping_sub(DEFAULT_SEED))
}

/// A number of 0..n for each number of 0..n, each once (Feistel network over the smallest square that has n numbers,
/// walked on where it leads out of them: Black and Rogaway, CT-RSA 2002).
pub(super) fn permuted(seed: u64, number: u64, n: u64) -> u64 {
    const ROUNDS: u64 = 4;
    let side = n.isqrt() + u64::from(n.isqrt() * n.isqrt() < n);
    let mut number = number;
    loop {
        let (mut left, mut right) = (number / side, number % side);
        for round in 0..ROUNDS {
            (left, right) = (right, (left + draw(mix(seed ^ round), right, side)) % side);
        }
        number = left * side + right;
        if number < n {
            return number;
        }
    }
}

/// One of 0..n, drawn for an id.
pub(super) fn draw(seed: u64, id: u64, n: u64) -> u64 {
    let drawn = mix(seed ^ mix(id));
    ((u128::from(drawn) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_permutation_has_each_number_once(seed in any::<u64>(), n in 1_u64..3_000) {
            let mut seen = vec![false; n as usize];
            for number in 0..n {
                let to = permuted(seed, number, n) as usize;
                prop_assert!(!std::mem::replace(&mut seen[to], true));
            }
        }
    }

    #[test]
    fn neighbours_are_strangers_after_a_permutation() {
        for n in [10_240_u64, 100_000] {
            let mean = (n - 1) as f64 / 2.0;
            let products = (0..n).map(|i| (i as f64 - mean) * (permuted(42, i, n) as f64 - mean)).sum::<f64>();
            let squares = (0..n).map(|i| (i as f64 - mean).powi(2)).sum::<f64>();
            assert!((products / squares).abs() < 0.03, "{n}");
            let near = (1..n).filter(|i| permuted(42, *i, n).abs_diff(permuted(42, i - 1, n)) < n / 1_000).count();
            assert!((near as f64) < n as f64 * 0.01, "{n}: {near} neighbours stayed near");
        }
    }
}
