//! Tests of the catalogue, small enough for a conformance run: every procedure on every table that it supports.

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
pub fn test(code: &str, procedure: &str, table: Option<TableName>, cache: Cache) -> Test {
    Test::plain(TestCode::new(code).unwrap(), Procedure::named(procedure).unwrap(), table, cache)
}

/// Every procedure on every table that it supports.
pub fn tests() -> Vec<Test> {
    use Cache::{Any, Cached, NonCached};
    use TableName::*;
    let cpu = |code, procedure, ops_per_pass| Test { ops_per_pass, ..test(code, procedure, None, Any) };
    let rows = |test: Test, n| Test { rows_per_tx: Some(n), ..test };
    let mut tests = vec![
        cpu("T111", "cpu_loop", 1),
        cpu("T121", "cpu_random_number", 1),
        cpu("T122", "cpu_random_string", 1),
        cpu("T131", "cpu_integer_mix", 38),
        cpu("T132", "cpu_decimal_mix", 38),
        cpu("T133", "cpu_float_mix", 38),
        cpu("T134", "cpu_double_mix", 38),
        cpu("T141", "cpu_string_mix", 29),
        // Naive fibonacci(12) makes 2 * F(13) - 1 calls.
        Test { argument: Some(12), ..cpu("T151", "cpu_fibonacci", 465) },
        Test { argument: Some(100), ..cpu("T152", "cpu_primes", 99) },
        Test { argument: Some(100), ..cpu("T153", "cpu_quicksort", 100) },
        test("T211", "write_file", None, Any),
        test("T331", "bulk_load", Some(LargeHeapRangeList), Any),
        test("DBL-21", "bulk_load", Some(SmallHeap), Any),
        rows(test("DBL-11", "insert", Some(SmallHeap), Any), 5),
        test("T426", "scan", Some(LargeHeapRangeList), NonCached),
        test("T427", "scan_range", Some(LargeHeapRangeList), NonCached),
        test("T511", "index_unique", Some(LargeHeapRangeList), NonCached),
        test("T512", "index_non_unique", Some(LargeHeapRangeList), NonCached),
        test("T513", "sort", Some(LargeHeapRangeList), NonCached),
        test("T514", "group", Some(LargeHeapRangeList), NonCached),
        test("T515", "report", Some(LargeHeapRangeList), NonCached),
        rows(test("T616", "select_primary", Some(LargeHeapRangeList), NonCached), 32),
        rows(test("DBX-12", "select_primary", Some(LargeHeapRangeList), NonCached), 1),
        test("T626", "select_secondary", Some(LargeHeapRangeList), NonCached),
        rows(test("T716", "update_primary", Some(LargeHeapRangeList), NonCached), 32),
        rows(test("DBX-22", "update_primary", Some(LargeHeapRangeList), NonCached), 1),
        test("T721", "update_secondary", Some(SmallHeap), Cached),
        test("T811", "join", Some(SmallHeap), Cached),
        test("T816", "join", Some(LargeHeapRangeList), NonCached),
    ];
    for (n, table) in (1..).zip([SmallHeap, SmallIot, SmallHash, SmallHeapList, SmallIotList]) {
        let insert = if n <= 3 { format!("T31{n}") } else { format!("T32{}", n - 3) };
        tests.push(rows(test(&insert, "insert", Some(table), Any), 2));
        tests.push(test(&format!("T42{n}"), "scan", Some(table), Cached));
        tests.push(rows(test(&format!("T61{n}"), "select_primary", Some(table), Cached), 1));
        tests.push(test(&format!("T62{n}"), "select_secondary", Some(table), Cached));
        tests.push(rows(test(&format!("T71{n}"), "update_primary", Some(table), Cached), 1));
    }
    // No test of the catalogue has this procedure. What is said of the tables' other tests is true of these.
    tests.push(rows(test("T611", "select_range", Some(SmallHeap), Cached), 5));
    tests.push(rows(test("T612", "select_range", Some(SmallIot), Cached), 50));
    tests
}

/// A specification with two jobs, for trying procedures.
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
