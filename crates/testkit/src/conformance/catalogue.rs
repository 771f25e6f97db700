//! Tests as the catalogue has them, small enough for a conformance run: every procedure on every table that it is for.

use dbdyno_engine::{PointSpec, Sampling};
use dbdyno_model::{Cache, CommitMode, Drive, Procedure, Size, TableName, Test, TestCode};

/// The size class for tests of dbdyno itself.
pub fn size_t() -> Size {
    Size {
        id: "T".to_owned(),
        title: "tests of dbdyno itself".to_owned(),
        small_rows: 3_200,
        large_rows: 102_400,
        engine_cache_bytes: 8 << 20,
        file_bytes: 4 << 20,
        bulk_partitions_per_job: 1,
    }
}

/// One test.
pub fn test(code: &str, procedure: Procedure, table: Option<TableName>, cache: Cache) -> Test {
    Test::plain(TestCode::new(code).unwrap(), procedure, table, cache)
}

/// Every procedure on every table that it is for.
pub fn tests() -> Vec<Test> {
    use Cache::{Any, Cached, NonCached};
    use Procedure::*;
    use TableName::*;
    let cpu = |code, procedure, ops_per_pass| Test { ops_per_pass, ..test(code, procedure, None, Any) };
    let rows = |test: Test, n| Test { rows_per_tx: Some(n), ..test };
    let mut tests = vec![
        cpu("T111", CpuLoop, 1),
        cpu("T121", CpuRandomNumber, 1),
        cpu("T122", CpuRandomString, 1),
        cpu("T131", CpuIntegerMix, 38),
        cpu("T132", CpuDecimalMix, 38),
        cpu("T133", CpuFloatMix, 38),
        cpu("T134", CpuDoubleMix, 38),
        cpu("T141", CpuStringMix, 29),
        // Naive fibonacci(12) makes 2 * F(13) - 1 calls.
        Test { argument: Some(12), ..cpu("T151", CpuFibonacci, 465) },
        Test { argument: Some(100), ..cpu("T152", CpuPrimes, 99) },
        Test { argument: Some(100), ..cpu("T153", CpuQuicksort, 100) },
        test("T211", WriteFile, None, Any),
        test("T331", BulkLoad, Some(LargeHeapRangeList), Any),
        test("DBL-21", BulkLoad, Some(SmallHeap), Any),
        rows(test("DBL-11", Insert, Some(SmallHeap), Any), 5),
        test("T426", Scan, Some(LargeHeapRangeList), NonCached),
        test("T427", ScanRange, Some(LargeHeapRangeList), NonCached),
        test("T511", IndexUnique, Some(LargeHeapRangeList), NonCached),
        test("T512", IndexNonUnique, Some(LargeHeapRangeList), NonCached),
        test("T513", Sort, Some(LargeHeapRangeList), NonCached),
        test("T514", Group, Some(LargeHeapRangeList), NonCached),
        test("T515", Report, Some(LargeHeapRangeList), NonCached),
        rows(test("T616", SelectPrimary, Some(LargeHeapRangeList), NonCached), 32),
        rows(test("DBX-12", SelectPrimary, Some(LargeHeapRangeList), NonCached), 1),
        test("T626", SelectSecondary, Some(LargeHeapRangeList), NonCached),
        rows(test("T716", UpdatePrimary, Some(LargeHeapRangeList), NonCached), 32),
        rows(test("DBX-22", UpdatePrimary, Some(LargeHeapRangeList), NonCached), 1),
        test("T721", UpdateSecondary, Some(SmallHeap), Cached),
        test("T811", Join, Some(SmallHeap), Cached),
        test("T816", Join, Some(LargeHeapRangeList), NonCached),
    ];
    for (n, table) in (1..).zip([SmallHeap, SmallIot, SmallHash, SmallHeapList, SmallIotList]) {
        let insert = if n <= 3 { format!("T31{n}") } else { format!("T32{}", n - 3) };
        tests.push(rows(test(&insert, Insert, Some(table), Any), 2));
        tests.push(test(&format!("T42{n}"), Scan, Some(table), Cached));
        tests.push(rows(test(&format!("T61{n}"), SelectPrimary, Some(table), Cached), 1));
        tests.push(test(&format!("T62{n}"), SelectSecondary, Some(table), Cached));
        tests.push(rows(test(&format!("T71{n}"), UpdatePrimary, Some(table), Cached), 1));
    }
    tests
}

/// A task of two jobs, to try recipes on.
pub fn spec(test: &Test, threads: u32) -> PointSpec {
    PointSpec {
        test: test.clone(),
        size: size_t(),
        seed: 42,
        key_seed: 7,
        nodes: 1,
        jobs: 2,
        jobs_before: 0,
        jobs_after: 0,
        threads,
        rows_per_tx: 2,
        commit: CommitMode::Durable,
        drive: Drive::Server,
        sampling: Sampling::Off,
    }
}
