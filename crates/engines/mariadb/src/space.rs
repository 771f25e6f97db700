//! How much room the data takes. Measured on 10.11, with pages of 16 KiB: 360 to 380 bytes a row in its page, 39 to 65
//! for its keys. Each partition is a file of its own, which grows by whole extents once it is longer than one, for each
//! key and the rows, and keeps some in reserve: 6 to 9 MiB of a file are empty, however long it is.

use super::{TABLE_NAMES, layout};
use dbdyno_engine::server::compression;
use dbdyno_model::{Compression, Size, TableName, TableShape};

/// Bytes of a row with its keys, in a file that grows by extents; in one that grows by pages some are half empty.
const ROW_BYTES: u64 = 450;
const SHORT_ROW_BYTES: u64 = 600;
/// What is empty in a file that grows by extents, and in one that does not.
const RESERVE_BYTES: u64 = 9 << 20;
const SHORT_RESERVE_BYTES: u64 = 64 << 10;
/// The longest file that grows by pages.
const SHORT_BYTES: u64 = 1 << 20;
/// What a compressed table takes of the room of another one, in per cent: less than half of it is compressed away.
const COMPRESSED_PCT: u64 = 60;
/// An index on three columns, and the files that its build sorts through.
const INDEX_BUILD_ROW_BYTES: u64 = 120;
/// Jobs of a bulk load that space is kept for.
const BULK_JOBS: u64 = 4;
/// What takes rows back that are not yet committed: of each session that loads, the leaf that it fills.
const UNDO_ROW_BYTES: u64 = 40;

/// Bytes of the pages of one table and its keys, as they are cached; files are longer.
pub(super) fn table_bytes(size: &Size, shape: TableShape) -> u64 {
    size.rows(shape) * ROW_BYTES
}

/// Bytes that loading a size and measuring on it take, wherever the server keeps its temporary files. A binary log
/// comes on top, with as many bytes as the data.
pub(super) fn needed_bytes(size: &Size) -> u64 {
    let data: u64 = TABLE_NAMES.iter().map(|table| bytes(size, *table)).sum();
    let bulk = BULK_JOBS * size.bulk_partitions_per_job * file_bytes(size.small_rows);
    let undo = size.small_rows * UNDO_ROW_BYTES;
    data + undo + bulk.max(size.large_rows * INDEX_BUILD_ROW_BYTES)
}

/// Bytes of a table with its keys.
fn bytes(size: &Size, table: TableName) -> u64 {
    let files = layout::parts(table.organisation()).max(1);
    let bytes = files * file_bytes(table.rows(size) / files);
    if compression(table) != Compression::None { bytes * COMPRESSED_PCT / 100 } else { bytes }
}

/// Bytes of a file with so many rows and their keys.
fn file_bytes(rows: u64) -> u64 {
    match rows * ROW_BYTES {
        short if short < SHORT_BYTES => rows * SHORT_ROW_BYTES + SHORT_RESERVE_BYTES,
        long => long + RESERVE_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `du` found after loads of sizes T and D.
    #[test]
    fn what_was_measured_has_room_and_not_much_more() {
        let size = |small_rows: u64| Size {
            small_rows,
            large_rows: 32 * small_rows,
            ..dbdyno_testkit::conformance::catalogue::size_t()
        };
        let measured = [
            (TableName::SmallHeap, 9_441_280, 23_072_768),
            (TableName::SmallIot, 9_441_280, 22_024_192),
            (TableName::SmallHash, 2_097_152, 78_675_968),
            (TableName::SmallHeapList, 2_187_264, 75_530_240),
            (TableName::LargeHeapRangeList, 58_171_392, 1_611_137_024),
            (TableName::LargeCompressed, 31_145_984, 805_830_656),
        ];
        for (table, small, large) in measured {
            for (found, rows) in [(small, 3_200), (large, 32_000)] {
                let told = bytes(&size(rows), table);
                assert!((found..found * 3 / 2).contains(&told), "{table} of {rows}: {told} for {found}");
            }
        }
        assert!((226_492_416..250_000_000).contains(&file_bytes(512_000)), "{}", file_bytes(512_000));
    }
}
