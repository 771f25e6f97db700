//! How much room the data takes. Reckoned from the row's length and Oracle's block of 8 KiB with its free tenth, not
//! yet measured: 320 bytes of a row with its header, 22 rows a block; keys of 16 to 25 bytes; a hash cluster has 384
//! bytes a row whether they are used or not. Each part of a large table has a first extent of 1 MiB, each of a small
//! one 8 MiB.

use super::procedure::INSERTS_PER_JOB;
use dbdyno_engine::server::partition_count;
use dbdyno_model::{Organisation, Size, TableName, TableShape};

/// Bytes of a row in its block, with its share of the block's head and free tenth, and those of its keys.
const ROW_BYTES: u64 = 372;
const KEYS_BYTES: u64 = 56;
/// Bytes of a row in a hash cluster: 384 asked for, 20 to a block.
const CLUSTER_ROW_BYTES: u64 = 410;
/// First extents.
const SMALL_PART_BYTES: u64 = 8 << 20;
const LARGE_PART_BYTES: u64 = 1 << 20;
/// What a compressed table takes of the room of another one, in per cent: half of a row's text is random.
const COMPRESSED_PCT: u64 = 70;
/// What is set aside for a table without parts.
const EXTENT_BYTES: u64 = 1 << 20;
/// An index on three columns.
const INDEX_BUILD_ROW_BYTES: u64 = 40;
/// Jobs of a bulk load, or of inserts into a hash cluster, that space is kept for.
const BULK_JOBS: u64 = 4;

/// Bytes of one table with its keys, as they are cached.
pub(super) fn table_bytes(size: &Size, shape: TableShape) -> u64 {
    size.rows(shape) * (ROW_BYTES + KEYS_BYTES)
}

/// Bytes that loading these tables of a size and measuring on them take in the user's tablespace; sorts take room in
/// the temporary one, up to as much as the large table's keys.
pub(super) fn needed_bytes(size: &Size, tables: &[TableName]) -> u64 {
    let data: u64 = tables.iter().map(|table| bytes(size, *table)).sum();
    let bulk = BULK_JOBS * size.bulk_partitions_per_job * (size.small_rows * ROW_BYTES + EXTENT_BYTES);
    let cluster = BULK_JOBS * INSERTS_PER_JOB * CLUSTER_ROW_BYTES;
    let cluster = if tables.contains(&TableName::SmallHash) { cluster } else { 0 };
    data + bulk.max(size.large_rows * INDEX_BUILD_ROW_BYTES).max(cluster)
}

/// Bytes of a table with its keys.
fn bytes(size: &Size, table: TableName) -> u64 {
    let rows = table.rows(size);
    let parts = partition_count(table.organisation());
    let of_rows = match table.organisation() {
        Organisation::Hash => rows * CLUSTER_ROW_BYTES,
        _ => rows * ROW_BYTES,
    };
    let compressed = table == TableName::LargeCompressed;
    let (of_rows, keys) = if compressed { (of_rows * COMPRESSED_PCT / 100, 0) } else { (of_rows, rows * KEYS_BYTES) };
    let first = match table.shape() {
        TableShape::Small => SMALL_PART_BYTES,
        TableShape::Large => LARGE_PART_BYTES,
    };
    // The last extent of each part is half empty.
    of_rows.max(parts * first) + parts * first / 2 + EXTENT_BYTES + keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_with_rows_and_parts() {
        let size = dbdyno_testkit::conformance::catalogue::size_t();
        let large = Size { small_rows: 32_000, large_rows: 1_024_000, ..size.clone() };
        assert!(bytes(&size, TableName::LargeHeapRangeList) >= 128 << 20, "its first extents");
        assert!(bytes(&size, TableName::SmallIotList) >= 64 << 20);
        assert!(bytes(&large, TableName::SmallHash) > bytes(&large, TableName::SmallHeap) - 32_000 * KEYS_BYTES);
        assert!(bytes(&large, TableName::LargeCompressed) < bytes(&large, TableName::LargeHeapRangeList));
        let all = TableName::ALL;
        assert!(needed_bytes(&large, &all) > needed_bytes(&size, &all));
        assert!(needed_bytes(&large, &all[..3]) < needed_bytes(&large, &all) / 4, "without partitions");
        let told = needed_bytes(&large, &all) >> 20;
        assert!((800..2_000).contains(&told), "{told} MiB");
    }
}
