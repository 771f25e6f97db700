//! The embedded data contains what the documents name.

use super::{codes, embedded};
use dbdyno_model::{Cache, Layer, Point, ProcedureShape, TableShape, TestCode};
use std::collections::BTreeSet;

/// Every code of the documents; an asterisk stands for "(r)", reconstructed.
const DOCUMENTED: &str = "T111 T121 T122 T131 T132 T133 T134 T141 T151 T152* T153* T154* \
    T211 \
    T311 T312 T313 T321 T322 T331 T332 DBL-11 DBL-21 DBL-31 DBL-32 DBL-33 DBL-34 \
    T421 T422* T423* T424* T425* T426 T427* T428* DBS-12 DBS-13 DBS-14 \
    T511* T512 T513* T514* T515* DBA-11 DBA-12 \
    T611 T612 T613 T614 T615 T616 T621 T622 T623 T624 T625 T626 DBX-12 DBX-13 DBX-14 \
    T711 T712 T713 T714 T715 T716 T721 DBX-22 DBX-23 DBX-24 \
    T811* T816";

#[test]
fn every_documented_code_is_there_and_says_whether_it_was_reconstructed() {
    let catalogue = embedded();
    let documented: Vec<&str> = DOCUMENTED.split_whitespace().collect();
    assert_eq!(codes(catalogue.tests()), documented.iter().map(|c| c.trim_end_matches('*')).collect::<Vec<_>>());
    for (test, documented) in catalogue.tests().iter().zip(documented) {
        assert_eq!(test.reconstructed, documented.ends_with('*'), "{documented}");
        assert!(!test.reconstructed || test.note.is_some(), "{documented} does not say how");
        assert_eq!(test.variant_of.is_some(), test.code.as_str().contains('-'), "{documented}");
    }
}

#[test]
fn the_suites_hold_what_their_names_promise() {
    let catalogue = embedded();
    let suite = |id: &str| -> Vec<String> {
        catalogue.suite(id).unwrap().steps.iter().flat_map(|s| &s.tests).map(ToString::to_string).collect()
    };
    let orabench = suite("orabench");
    let plain = codes(catalogue.tests()).into_iter().filter(|c| !c.contains('-'));
    let expected: Vec<&str> = plain.filter(|c| !["T152", "T153", "T154", "T721"].contains(c)).collect();
    assert_eq!(orabench, expected);
    assert_eq!(orabench.len(), 50);

    let variants: BTreeSet<&str> = codes(catalogue.tests()).into_iter().filter(|c| c.contains('-')).collect();
    assert_eq!(suite("bps8.4").iter().map(String::as_str).collect::<BTreeSet<_>>(), variants);

    let published = "T132 T133 T141 T151 T211 T311 T331 T332 T421 T426 T512 T611 T616 T621 T626 T716 T721";
    assert_eq!(suite("bps8.0"), published.split(' ').collect::<Vec<_>>());

    // Every test that is about processors alone.
    let of_processors =
        catalogue.tests().iter().filter(|test| test.procedure.is_cpu()).map(|test| test.code.to_string());
    assert_eq!(suite("cpu"), of_processors.collect::<Vec<_>>());

    let quick = suite("quick");
    let classes: BTreeSet<String> = quick.iter().map(|c| TestCode::new(c).unwrap().class()).collect();
    assert_eq!(classes.len(), 8, "quick leaves a class out");
    let baseline = suite("baseline");
    assert!(quick.iter().all(|c| baseline.contains(c)), "baseline shows less than quick");
    let layers =
        |codes: &[String]| -> BTreeSet<Layer> { codes.iter().map(|c| catalogue.test(c).unwrap().layer).collect() };
    assert_eq!(layers(&quick).len(), 4);
}

#[test]
fn some_codes_are_the_same_work_as_others_and_a_name_makes_none() {
    let catalogue = embedded();
    let of = |test: &dbdyno_model::Test| -> Vec<String> {
        let same = catalogue.same_work(test.code.as_str()).filter(|other| other.code.as_str().contains('-'));
        same.map(|other| format!("{} {}", test.code, other.code)).collect()
    };
    let pairs: Vec<String> = catalogue.tests().iter().flat_map(of).collect();
    // DBL-21 loads another table than T331, DBX-12 selects one row and T616 32, DBS-13 reads from another tier.
    assert_eq!(pairs, ["T311 DBL-11", "T426 DBS-12", "T511 DBA-11", "T512 DBA-12"]);
    let back: Vec<&str> = catalogue.same_work("DBS-12").map(|test| test.code.as_str()).collect();
    assert_eq!(back, ["T426"]);
}

#[test]
fn a_suite_for_decisions_keeps_the_least_window() {
    let catalogue = embedded();
    for suite in catalogue.suites().iter().filter(|s| s.repeat >= 3) {
        for step in &suite.steps {
            let window_s = step.duration_s.unwrap_or(suite.duration_s);
            for code in &step.tests {
                let least_s = catalogue.test(code.as_str()).unwrap().least_duration_s.unwrap_or(1);
                assert!(window_s >= least_s, "{}: {code}", suite.id);
            }
        }
    }
}

#[test]
fn sizes_are_those_of_the_documents() {
    let catalogue = embedded();
    let rows: Vec<(&str, u64, u64)> =
        catalogue.sizes().iter().map(|s| (s.id.as_str(), s.small_rows, s.engine_cache_bytes >> 20)).collect();
    let million = 1_000_000;
    assert_eq!(
        rows,
        [
            ("T", 3_200, 8),
            ("D", 32_000, 64),
            ("N", 2 * million, 3 << 10),
            ("S", 4 * million, 6 << 10),
            ("M", 8 * million, 12 << 10),
            ("L", 16 * million, 42 << 10),
            ("VL", 32 * million, 168 << 10),
            ("XL", 64 * million, 256 << 10),
        ]
    );
}

#[test]
fn a_cached_table_is_small_and_an_uncached_one_large() {
    for test in embedded().tests() {
        let shape = test.table.map(dbdyno_model::TableName::shape);
        match test.cache {
            Cache::Cached => assert_eq!(shape, Some(TableShape::Small), "{}", test.code),
            Cache::NonCached => assert_eq!(shape, Some(TableShape::Large), "{}", test.code),
            Cache::Any => {}
        }
        let reads = test.procedure == "scan" || test.procedure.shape == ProcedureShape::Select;
        assert!(!reads || test.cache != Cache::Any, "{}", test.code);
    }
}

/// The catalogue's metrics are exactly the figures that a point knows.
#[test]
fn metrics_are_what_a_point_knows() {
    let known: BTreeSet<&str> = Point::metric_ids().collect();
    let catalogue = embedded();
    let listed: BTreeSet<&str> = catalogue.metrics().iter().map(|m| m.id.as_str()).collect();
    assert_eq!(listed, known);

    let everything = r#"
        subject = { kind = "storage", name = "ORION" }
        definition = "0123456789abcdef"
        mapping = "native"
        drive = "server"
        nodes = 1
        jobs = 1
        threads = 1
        rows_per_tx = 1
        repeat = 1
        started_at = "2026-01-01T00:00:00Z"
        status = "ok"
        ops_per_s = 1.0
        rows_per_s = 1.0
        tx_per_s = 1.0
        work_mib_per_s = 1.0
        elapsed_s = 1.0
        service_time_s.mean = 1.0
        response_time_s.mean = 1.0
        cpu.busy_pct = 1.0
        [io]
        read_iops = 1.0
        write_iops = 1.0
        read_mib_per_s = 1.0
        write_mib_per_s = 1.0
        read_service_time_s = 1.0
        write_service_time_s = 1.0
        [redo]
        mib_per_s = 1.0
        writes_per_s = 1.0
        write_service_time_s = 1.0
        sync_writes_per_s = 1.0
        sync_service_time_s = 1.0
        [storage]
        small_outstanding = 1
        large_outstanding = 1
        small_bytes = 8192
        large_bytes = 1048576
        pattern = "random"
        write_pct = 0
        luns = 1
        layout = "concat"
        verify = false
        paths = []
        backend = "threads"
        small.read = { ios = 1, bytes = 8192, iops = 1.0, mib_per_s = 1.0, service_time_s = {} }
        large.write = { ios = 1, bytes = 1048576, iops = 1.0, mib_per_s = 1.0, service_time_s = {} }
    "#;
    let point: Point = toml::from_str(everything).unwrap();
    for metric in catalogue.metrics() {
        assert_eq!(point.value(&metric.id), Some(1.0), "{}", metric.id);
    }
}

#[test]
fn an_operation_touches_the_rows_of_the_documents() {
    let catalogue = embedded();
    let size = catalogue.size("D").unwrap();
    let rows = [("T311", 2), ("T611", 1), ("T616", 32), ("T621", 320), ("T626", 10_240), ("T711", 1), ("T716", 32)];
    let more = [("T721", 320), ("T811", 320), ("T816", 320), ("DBX-12", 1), ("DBX-22", 1), ("T331", size.small_rows)];
    let whole =
        [("T421", size.small_rows), ("T426", size.large_rows), ("T427", size.small_rows), ("T512", size.large_rows)];
    for (code, expected) in rows.into_iter().chain(more).chain(whole) {
        let test = catalogue.test(code).unwrap();
        assert_eq!(test.rows_per_op(size, test.rows_per_tx.unwrap_or(0)), Some(expected), "{code}");
    }
}
