//! What was read, and from where.

use super::*;

#[test]
fn cached_means_fewer_than_one_physical_read_in_a_thousand() {
    let reads = |physical| {
        Case::new("T611", 1_000).count(Counter::LogicalReads, 10_000).count(Counter::PhysicalReads, physical)
    };
    assert_eq!(reads(9).flags(), []);
    assert_eq!(reads(10).flags(), [Flag::NotCached]);
}

#[test]
fn not_cached_means_seven_device_reads_in_ten_block_visits() {
    // T626: 10,240 rows an operation, each a visit of a block of 4 KiB.
    let visits = 10 * 10_240;
    let read = |blocks: u64, requests: u64| {
        let mut case = Case::new("T626", 10);
        case.telemetry.process_read_bytes = Some(blocks * 4_096);
        case.telemetry.device_read_ops = Some(requests);
        case.flags()
    };
    assert_eq!(read(visits * 7 / 10 + 1, visits), []);
    assert_eq!(read(visits * 6 / 10, visits), [Flag::ServedFromOsCache]);
    // Bytes alone prove nothing: neighbours that were read ahead are no visits.
    assert_eq!(read(visits, visits / 2), [Flag::ServedFromOsCache]);
}

#[test]
fn a_scan_from_storage_reads_its_rows_bytes() {
    let read = |bytes: u64| {
        let mut case = Case::new("T426", 10);
        case.telemetry.process_read_bytes = Some(bytes);
        case.flags()
    };
    let least = 10 * 1_024_000 * 280 * 7 / 10;
    assert_eq!(read(least + 1), []);
    assert_eq!(read(least - 1), [Flag::ServedFromOsCache]);
}
