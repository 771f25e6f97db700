//! How much room the data takes. Measured at size D on version 15: 393 bytes a row with its page's share and free
//! space, 16 to 41 for the primary key, 8 for the secondary one.

use super::TABLE_NAMES;
use dbdyno_model::{Size, TableShape};

const SMALL_ROW_BYTES: u64 = 430;
const LARGE_ROW_BYTES: u64 = 450;
/// An index on three columns, and the files that its build sorts through.
const INDEX_BUILD_ROW_BYTES: u64 = 120;
/// Jobs of a bulk load that space is kept for.
const BULK_JOBS: u64 = 4;
/// The log, beside the data.
const LOG_BYTES: u64 = 1 << 30;

/// Bytes of one table with its indexes.
pub(super) fn table_bytes(size: &Size, shape: TableShape) -> u64 {
    match shape {
        TableShape::Small => size.small_rows * SMALL_ROW_BYTES,
        TableShape::Large => size.large_rows * LARGE_ROW_BYTES,
    }
}

/// Bytes that loading a size and measuring on it take.
pub(super) fn needed_bytes(size: &Size) -> u64 {
    let small_tables = TABLE_NAMES.iter().filter(|t| t.shape() == TableShape::Small).count() as u64;
    let data = small_tables * table_bytes(size, TableShape::Small) + table_bytes(size, TableShape::Large);
    let bulk = BULK_JOBS * size.bulk_partitions_per_job * size.small_rows * SMALL_ROW_BYTES;
    data + bulk.max(size.large_rows * INDEX_BUILD_ROW_BYTES) + LOG_BYTES.min(2 * data)
}
