//! Size classes: how many rows the two table shapes have and how large the engine's cache is.

use serde::{Deserialize, Serialize};

/// The two shapes that all test tables have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableShape {
    /// The table fits in the engine's cache.
    Small,
    /// 32 times the small one: the table does not fit.
    Large,
}

/// One size class (T, D, N …).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Its name: `D`.
    pub id: String,
    /// What it is meant for.
    pub title: String,
    /// Rows of a small table.
    pub small_rows: u64,
    /// Rows of a large table: 32 x small.
    pub large_rows: u64,
    /// Bytes of the engine's cache.
    pub engine_cache_bytes: u64,
    /// Bytes of each file that T211 writes.
    pub file_bytes: u64,
    /// Copies of the small table that each job of a bulk load writes; each copy is one range partition.
    pub bulk_partitions_per_job: u64,
}

impl Size {
    /// Range partitions of a large table; each holds as many rows as a small table.
    pub const RANGES: u64 = 32;
    /// Rows per secondary-key value in small tables.
    pub const SMALL_ROWS_PER_VALUE: u64 = 320;
    /// Rows per secondary-key value in large tables.
    pub const LARGE_ROWS_PER_VALUE: u64 = 10_240;

    /// Rows of a table of this shape.
    #[must_use]
    pub fn rows(&self, shape: TableShape) -> u64 {
        match shape {
            TableShape::Small => self.small_rows,
            TableShape::Large => self.large_rows,
        }
    }

    /// Rows that share one secondary-key value.
    #[must_use]
    pub fn rows_per_value(&self, shape: TableShape) -> u64 {
        match shape {
            TableShape::Small => Self::SMALL_ROWS_PER_VALUE,
            TableShape::Large => Self::LARGE_ROWS_PER_VALUE,
        }
    }

    /// Distinct secondary-key values.
    #[must_use]
    pub fn values(&self, shape: TableShape) -> u64 {
        self.rows(shape) / self.rows_per_value(shape)
    }
}
