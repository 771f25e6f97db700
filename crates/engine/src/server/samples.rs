//! Tests to try recipes on: every procedure on every table that it is for, without the catalogue.

use crate::Task;
use crate::data::smallest;
use dbdyno_model::{Cache, CommitMode, Procedure, TableName, Test, TestCode};

/// A test that is nothing but its procedure and its table.
pub(crate) fn test(code: &str, procedure: Procedure, table: Option<TableName>, cache: Cache) -> Test {
    Test::plain(TestCode::new(code).unwrap(), procedure, table, cache)
}

/// Every procedure on every table that it is for, under a code that is mapped.
pub(crate) fn tests() -> Vec<Test> {
    use Cache::{Any, Cached, NonCached};
    use Procedure::*;
    use TableName::*;
    let cpu = [
        ("T111", CpuLoop),
        ("T121", CpuRandomNumber),
        ("T122", CpuRandomString),
        ("T131", CpuIntegerMix),
        ("T132", CpuDecimalMix),
        ("T133", CpuFloatMix),
        ("T134", CpuDoubleMix),
        ("T141", CpuStringMix),
        ("T151", CpuFibonacci),
        ("T152", CpuPrimes),
        ("T153", CpuQuicksort),
    ];
    let mut tests: Vec<Test> = cpu.into_iter().map(|(code, work)| test(code, work, None, Any)).collect();
    tests.extend([
        test("T211", WriteFile, None, Any),
        test("T331", BulkLoad, Some(LargeHeapRangeList), Any),
        test("DBL-21", BulkLoad, Some(SmallHeap), Any),
        test("T426", Scan, Some(LargeHeapRangeList), NonCached),
        test("T427", ScanRange, Some(LargeHeapRangeList), NonCached),
        test("T511", IndexUnique, Some(LargeHeapRangeList), NonCached),
        test("T512", IndexNonUnique, Some(LargeHeapRangeList), NonCached),
        test("T513", Sort, Some(LargeHeapRangeList), NonCached),
        test("T514", Group, Some(LargeHeapRangeList), NonCached),
        test("T515", Report, Some(LargeHeapRangeList), NonCached),
        test("T616", SelectPrimary, Some(LargeHeapRangeList), NonCached),
        test("T626", SelectSecondary, Some(LargeHeapRangeList), NonCached),
        test("T716", UpdatePrimary, Some(LargeHeapRangeList), NonCached),
        test("T721", UpdateSecondary, Some(SmallHeap), Cached),
        test("T811", Join, Some(SmallIot), Cached),
        test("T816", Join, Some(LargeHeapRangeList), NonCached),
    ]);
    for (n, table) in (1..).zip([SmallHeap, SmallIot, SmallHash, SmallHeapList, SmallIotList]) {
        let insert = if n <= 3 { format!("T31{n}") } else { format!("T32{}", n - 3) };
        tests.push(test(&insert, Insert, Some(table), Any));
        tests.push(test(&format!("T42{n}"), Scan, Some(table), Cached));
        tests.push(test(&format!("T61{n}"), SelectPrimary, Some(table), Cached));
        tests.push(test(&format!("T62{n}"), SelectSecondary, Some(table), Cached));
        tests.push(test(&format!("T71{n}"), UpdatePrimary, Some(table), Cached));
    }
    tests
}

/// A task of two jobs.
pub(crate) fn task(test: &Test, threads: u32) -> Task {
    let (test, size) = (test.clone(), smallest());
    Task {
        test,
        size,
        seed: 42,
        key_seed: 7,
        nodes: 1,
        jobs: 2,
        threads,
        rows_per_tx: 2,
        commit: CommitMode::Durable,
        drive: dbdyno_model::Drive::Server,
        sampling: crate::Sampling::Off,
    }
}
