//! What was read, and where it came from.

use super::*;

const AFAR: Features = Features { in_process: false, local: false, block_bytes: 8_192, ..EMBEDDED };
const LOCAL: Features = Features { local: true, ..AFAR };

/// A case in which the engine and the devices read this much, with this many requests.
fn read(code: &str, own_bytes: u64, device_bytes: u64, requests: u64) -> Case {
    let mut case = Case::new(code, 10);
    case.telemetry.process_read_bytes = Some(own_bytes);
    case.telemetry.device_read_bytes = Some(device_bytes);
    case.telemetry.device_read_ops = Some(requests);
    case
}

#[test]
fn cached_means_fewer_than_one_physical_read_in_a_thousand() {
    let reads = |physical| {
        Case::new("T611", 1_000).count(Counter::LogicalReads, 1_000_000).count(Counter::PhysicalReads, physical)
    };
    assert_eq!(reads(999).flags(), []);
    assert_eq!(reads(1_000).flags(), [Flag::NotCached]);
}

#[test]
fn an_engines_own_catalogue_is_not_the_table_under_test() {
    // 296 transactions/s for 2 s, as measured on a slow platform.
    let slow = |ops, physical| {
        Case::new("T611", ops).count(Counter::LogicalReads, 6_246).count(Counter::PhysicalReads, physical)
    };
    assert_eq!(slow(592, 19).flags(), []);
    assert_eq!(slow(590, 60).flags(), [Flag::NotCached], "one for each ten operations is the work's own");
    assert_eq!(slow(590, 600).flags(), [Flag::NotCached]);
    // Where the engine counts by table, only those counts matter.
    let by_table = |physical, logical| {
        slow(592, 600).count(Counter::TablePhysicalReads, physical).count(Counter::TableLogicalReads, logical)
    };
    assert_eq!(by_table(0, 2_000).flags(), []);
    assert_eq!(by_table(10, 2_000).flags(), [], "blocks that the tables grew by");
    assert_eq!(by_table(11, 2_000).flags(), [Flag::NotCached]);
}

#[test]
fn not_cached_means_seven_device_reads_in_ten_block_visits() {
    // T626: 10,240 rows an operation, each visiting a block of 4 KiB.
    let visits = 10 * 10_240;
    let flags = |blocks: u64, requests: u64| read("T626", blocks * 4_096, blocks * 4_096, requests).flags();
    assert_eq!(flags(visits * 7 / 10 + 1, visits), []);
    assert_eq!(flags(visits * 6 / 10, visits), [Flag::ServedFromOsCache]);
    // Bytes alone prove nothing: neighbours that were read ahead are not visits.
    assert_eq!(flags(visits, visits / 2), [Flag::ServedFromOsCache]);
}

#[test]
fn a_scan_from_storage_reads_its_rows_bytes() {
    let scan = |bytes: u64| read("T426", bytes, bytes, 1);
    let least = 10 * 1_024_000 * 280 * 7 / 10;
    assert_eq!(scan(least + 1).flags(), []);
    assert_eq!(scan(least - 1).flags(), [Flag::ServedFromOsCache]);
    // The engine knows the length of its rows: 350 bytes each here.
    let blocks = 10 * 1_024_000 * 350 / 4_096;
    let counted = |bytes| scan(bytes).count(Counter::PhysicalReads, blocks).flags();
    assert_eq!(counted(least + 1), [Flag::ServedFromOsCache], "38 % of the scan came from memory");
    assert_eq!(counted(10 * 1_024_000 * 350 * 7 / 10 + 1), []);
}

#[test]
fn rows_of_a_compressed_table_have_no_least_length_and_its_blocks_may_be_shorter() {
    let rows = 10 * 1_024_000;
    // 220 bytes a row lie in blocks of 8 KiB, which the engine counts as blocks of 16 KiB.
    let scan = |code: &str, bytes: u64| {
        let mut case = read(code, bytes, bytes, 1).count(Counter::PhysicalReads, rows * 220 / 8_192);
        case.features.block_bytes = 16_384;
        case.count(Counter::ReadBytes, rows * 220)
    };
    assert_eq!(scan("T428", rows * 220).flags(), []);
    assert_eq!(scan("T428", rows * 150).flags(), [Flag::ServedFromOsCache]);
    assert_eq!(scan("T426", rows * 150).flags(), [Flag::ServedFromOsCache]);
    let case = scan("T428", rows * 220);
    let point = Point { rows_per_s: Some(1_000.0), ..case.judged() };
    let told = case.evidence().scanned_bytes_per_s(&point).unwrap();
    assert!((told / 220_000.0 - 1.0).abs() < 0.01, "{told}");
}

#[test]
fn a_scan_reads_no_more_than_the_devices_gave() {
    // The engine reads 480 bytes a row, of which 360 were ever written.
    let rows = 10 * 1_024_000;
    let told = |code: &str, own: u64, rows_per_s| {
        let case = read(code, rows * own, rows * own, 1).count(Counter::PhysicalReads, rows * 480 / 4_096);
        let point = Point { rows_per_s, ..case.judged() };
        case.evidence().scanned_bytes_per_s(&point)
    };
    let rate = Some(1_024_000.0);
    assert_eq!(told("T426", 360, rate), Some(360.0 * 1_024_000.0));
    assert_eq!(told("T426", 500, rate), Some(480.0 * 1_024_000.0), "what is read ahead and thrown away is no use");
    assert_eq!(
        told("T426", 100, rate),
        Some(480.0 * 1_024_000.0),
        "a figure of memory is told as the engine counts it"
    );
    assert_eq!(told("T426", 360, None), None);
    assert_eq!(told("T626", 360, rate), None, "single blocks");
    assert_eq!(told("T421", 360, rate), None, "cached");
    // On another machine only the engine's count is known.
    let far = Case { features: AFAR, ..Case::new("T426", 10) }.count(Counter::PhysicalReads, rows * 480 / 8_192);
    let point = Point { rows_per_s: rate, ..far.judged() };
    assert_eq!(far.evidence().scanned_bytes_per_s(&point), Some(480.0 * 1_024_000.0));
}

#[test]
fn the_share_of_reads_from_a_device_is_what_devices_gave_and_the_engine_needed() {
    let block_bytes = Case::new("T611", 10).features.block_bytes;
    let told = |blocks: u64, physical: u64| {
        let case = read("T611", blocks * block_bytes, blocks * block_bytes, blocks);
        case.count(Counter::LogicalReads, 1_000).count(Counter::PhysicalReads, physical).evidence().device_read_pct()
    };
    let case = Case::new("T611", 10);
    // Counters and telemetry have intervals of their own.
    let scale = case.evidence().counters_s / case.telemetry.seconds;
    let near = |told: Result<f64, String>, pct: f64| {
        let told = told.unwrap();
        assert!((told - pct).abs() < 1e-6, "{told}, not {pct}");
    };
    near(told(250, 400), 25.0 * scale);
    near(told(900, 300), 30.0);
    near(told(0, 300), 0.0);
    let uncounted = read("T611", 1, 1, 1).evidence().device_read_pct().unwrap_err();
    assert!(uncounted.contains("does not count"), "{uncounted}");
    let idle = read("T611", 1, 1, 1).count(Counter::LogicalReads, 0).evidence().device_read_pct().unwrap_err();
    assert_eq!(idle, "no block was asked for");
    let far = Case { features: AFAR, ..Case::new("T611", 10) }.count(Counter::LogicalReads, 1_000);
    assert_eq!(far.evidence().device_read_pct().unwrap_err(), "the target's devices are not seen from here");
}

#[test]
fn reads_for_others_are_foreign_and_prove_nothing() {
    let needed = 10 * 1_024_000 * 280;
    assert_eq!(read("T426", needed, needed * 12 / 10, 1).flags(), []);
    let beside = read("T426", needed, needed * 12 / 10 + 4_096, 1).judged();
    assert_eq!(beside.flags, [Flag::ForeignLoad]);
    let note = &beside.flag_notes["foreign_load"];
    assert!(note.contains("the devices read 328 MiB/s, of which 273 for the database"), "{note}");
    // The database read next to nothing, and others kept the device busy.
    let cached = read("T426", needed / 10, needed, 1);
    assert_eq!(cached.flags(), [Flag::ForeignLoad, Flag::ServedFromOsCache]);
    // The same for a server's processes.
    let mut server = read("T426", 0, needed * 2, 1);
    server.features = LOCAL;
    server.telemetry.server_read_bytes = Some(needed);
    assert_eq!(server.flags(), [Flag::ForeignLoad]);
    server.telemetry.server_read_bytes = Some(needed * 2);
    assert_eq!(server.flags(), []);
    // dbdyno's own reads are not those of others.
    server.telemetry.server_read_bytes = Some(needed);
    server.telemetry.process_read_bytes = Some(needed);
    assert_eq!(server.flags(), []);
}

#[test]
fn what_is_not_seen_is_not_proved() {
    let mut unseen = read("T426", 0, 0, 1);
    unseen.features = LOCAL;
    unseen.telemetry.server_read_bytes = Some(u64::MAX);
    unseen.telemetry.device_read_bytes = None;
    assert_eq!(unseen.flags(), [Flag::NotProved], "no device is known, as with a file system of its own kind");
    let mut closed = read("T426", 0, u64::MAX, 1);
    closed.features = LOCAL;
    closed.telemetry.missing.insert("server_read_bytes".to_owned(), "/proc/7/io may not be read".to_owned());
    let judged = closed.judged();
    assert_eq!(judged.flags, [Flag::NotProved]);
    assert!(judged.flag_notes["not_proved"].contains("/proc/7/io"), "{judged:?}");
    closed.features = AFAR;
    assert_eq!(closed.judged().flags, [Flag::NotProved]);
}

#[test]
fn a_closed_account_is_made_up_for_by_the_engines_own_count() {
    // T426 reads 350 bytes a row by the engine's count; T616 reads a block for each visit.
    let (rows, visits) = (10 * 1_024_000, 1_000 * 32);
    let fetched = rows * 350;
    let closed = |code: &str, ops, blocks: u64, device_bytes: u64, requests: u64| {
        let mut case = Case::new(code, ops).count(Counter::PhysicalReads, blocks);
        case.features = LOCAL;
        case.telemetry.device_read_bytes = Some(device_bytes);
        case.telemetry.device_read_ops = Some(requests);
        case.telemetry.missing.insert("server_read_bytes".to_owned(), "/proc/7/io may not be read".to_owned());
        case
    };
    let scan = |device_bytes| closed("T426", 10, fetched / 8_192, device_bytes, 1);
    assert_eq!(scan(fetched).flags(), []);
    assert_eq!(scan(fetched * 119 / 100).flags(), []);
    // Additional reads were for others, or for an unknown purpose.
    let beyond = scan(fetched * 121 / 100).judged();
    assert_eq!(beyond.flags, [Flag::NotProved]);
    let note = &beyond.flag_notes["not_proved"];
    assert!(note.contains("/proc/7/io") && note.contains("the engine fetched 342 from below its cache"), "{note}");
    // Fewer reads mean that the rest came from the page cache.
    assert_eq!(scan(fetched * 71 / 100).flags(), []);
    assert_eq!(scan(fetched * 69 / 100).flags(), [Flag::ServedFromOsCache]);
    let lookups = |blocks, device_blocks: u64| closed("T616", 1_000, blocks, device_blocks * 8_192, device_blocks);
    assert_eq!(lookups(visits, visits).flags(), []);
    assert_eq!(lookups(visits, visits / 2).flags(), [Flag::ServedFromOsCache]);
    assert_eq!(lookups(visits / 2, visits / 2).flags(), [Flag::ServedFromOsCache], "from the engine's own cache");
    assert_eq!(lookups(visits, visits * 2).flags(), [Flag::NotProved]);
    // dbdyno's own reads do not count, and an engine that does not count proves nothing.
    let mut beside = scan(fetched * 13 / 10);
    beside.telemetry.process_read_bytes = Some(fetched / 5);
    assert_eq!(beside.flags(), []);
    beside.counters.values.remove(&Counter::PhysicalReads);
    assert_eq!(beside.flags(), [Flag::NotProved]);
}

#[test]
fn files_in_memory_are_read_from_memory() {
    let needed = 10 * 1_024_000 * 280;
    let mut case = read("T426", needed, needed, 1);
    case.share_in_memory = 0.29;
    assert_eq!(case.flags(), []);
    case.share_in_memory = 0.31;
    assert_eq!(case.flags(), [Flag::ServedFromOsCache]);
}

#[test]
fn a_server_elsewhere_says_how_long_a_block_takes() {
    let visits = 10 * 10_240;
    let timed = |code: &str, blocks: u64, mean_ns: u64| {
        let mut case = Case::new(code, 10).count(Counter::PhysicalReads, blocks);
        case.features = AFAR;
        case.count(Counter::FileReads, blocks).count(Counter::FileReadNs, blocks * mean_ns)
    };
    assert_eq!(timed("T626", visits, 90_000).flags(), []);
    assert!(timed("T626", visits, 90_000).judged().missing.contains_key("proof.non_cached.devices"));
    assert_eq!(timed("T626", visits, 3_000).flags(), [Flag::ServedFromOsCache]);
    assert_eq!(
        timed("T626", visits / 2, 90_000).flags(),
        [Flag::ServedFromOsCache],
        "half came from the engine's cache"
    );
    let mut untimed = timed("T626", visits, 90_000);
    untimed.counters.values.remove(&Counter::FileReadNs);
    assert_eq!(untimed.flags(), [Flag::NotProved]);
    // A scan is read ahead, so its waits prove nothing.
    assert_eq!(timed("T426", visits, 90_000).flags(), [Flag::NotProved]);
}

#[test]
fn what_others_write_is_foreign_where_it_can_be_told() {
    let wrote = |device: u64, own: u64, others: u64| {
        let mut case = Case::new("T211", 10);
        case.log.chunks.iter_mut().for_each(|c| c.bytes = 1 << 20);
        let t = &mut case.telemetry;
        (t.device_write_bytes, t.process_write_bytes) = (Some(device << 20), Some(own << 20));
        t.others_write_bytes = Some(others << 20);
        case.flags()
    };
    assert_eq!(wrote(150, 100, 10), [], "the journal's and the mirror's are the server's own doing");
    assert_eq!(wrote(150, 100, 29), []);
    assert_eq!(wrote(150, 100, 31), [Flag::ForeignLoad]);
    assert_eq!(wrote(100, 100, 60), [], "on another device");
}

#[test]
fn an_engine_in_this_process_is_believed_by_its_own_account_where_the_device_is_not_known() {
    let visits = 10 * 10_240;
    let read = |blocks: Option<u64>| {
        let mut case = Case::new("T626", 10);
        case.telemetry.process_read_bytes = blocks.map(|n| n * 4_096);
        case.telemetry.device_read_bytes = None;
        case.flags()
    };
    assert_eq!(read(Some(visits)), []);
    assert_eq!(read(Some(visits / 2)), [Flag::ServedFromOsCache]);
    assert_eq!(read(None), [Flag::NotProved]);
}
