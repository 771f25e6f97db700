//! Checksums over the rows of a table.

use std::fmt;
use std::str::FromStr;

/// Columns that a checksum is taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Columns {
    /// All of them: what a table holds right after loading.
    #[default]
    All,
    /// Those that no test changes: what it holds ever after.
    Unchanging,
}

/// A checksum over rows, in any order: their number and the wrapping sum of XXH3-64 over each row's canonical bytes,
/// which [`RowSum`](super::RowSum) makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Rows counted.
    pub rows: u64,
    /// The sum.
    pub sum: u64,
}

impl Checksum {
    /// Adds the canonical bytes of a row.
    pub(super) fn add_bytes(&mut self, row: &[u8]) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(xxhash_rust::xxh3::xxh3_64(row));
    }

    /// Adds another part of the same table.
    pub fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}", self.rows, self.sum)
    }
}

impl FromStr for Checksum {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (rows, sum) = text.split_once(':').ok_or(())?;
        Ok(Self { rows: rows.parse().map_err(|_| ())?, sum: u64::from_str_radix(sum, 16).map_err(|_| ())? })
    }
}
