//! Every procedure and every statement, filled in; the mixes; the mappings.

use super::*;
use crate::script;
use dbdyno_model::{Cache, Mapping, TestCode};
use dbdyno_testkit::conformance::catalogue::size_t as size;
use dbdyno_testkit::conformance::catalogue::{spec, test, tests};

/// Every test of the catalogue's kinds, compressed loads and tiers among them.
fn all() -> Vec<Test> {
    let mut all = tests();
    all.push(test("T428", "scan", Some(TableName::LargeCompressed), Cache::NonCached));
    let loads = [
        ("T332", TableName::LargeCompressed, Compression::Basic),
        ("DBL-31", TableName::SmallHeap, Compression::Basic),
        ("DBL-32", TableName::SmallHeap, Compression::Oltp),
        ("DBL-33", TableName::SmallHeap, Compression::HccQueryLow),
        ("DBL-34", TableName::SmallHeap, Compression::HccArchiveLow),
    ];
    for (code, table, compression) in loads {
        all.push(Test { compression, ..test(code, "bulk_load", Some(table), Cache::Any) });
    }
    for (code, work, tier) in [
        ("DBS-13", "scan", StorageTier::DatabaseFlash),
        ("DBX-14", "select_primary", StorageTier::CellFlash),
        ("DBX-23", "update_primary", StorageTier::DatabaseFlash),
    ] {
        all.push(Test { tier, ..test(code, work, Some(TableName::LargeHeapRangeList), Cache::NonCached) });
    }
    all
}

fn package_of(test: &Test, commit: CommitMode) -> [String; 2] {
    package(&[of(test).unwrap()], commit).unwrap()
}

#[test]
fn every_test_has_a_procedure_without_gaps() {
    for test in all() {
        assert!(!matches!(DIALECT.mapping(&test), Mapping::None { .. }), "{} is mapped", test.code);
        let (procedure, spec) = (of(&test).unwrap(), spec(&test, 4));
        let [outside, inside] = package_of(&test, CommitMode::Durable);
        let begin = format!("  PROCEDURE {}(\n", procedure.name);
        assert!(outside.contains(&begin) && inside.contains(&begin), "{inside}");
        assert!(inside.ends_with(&format!("\n  END {};\nEND dbdyno_work;", procedure.name)), "{inside}");
        assert!(procedure.name.len() <= 30, "{}", procedure.name);
        let mut texts = vec![outside, inside];
        texts.extend(shared(&procedure, &spec).unwrap());
        texts.extend(drops_made(&procedure, &spec).unwrap());
        for text in &texts {
            assert!(!text.contains(['{', '}']), "{}: {text}", test.code);
        }
        let explain = procedure.explain(&spec).unwrap();
        // A load is put together when it runs: its plan is read when it has run.
        assert_eq!(
            explain.is_some() || test.procedure.shape == ProcedureShape::Load,
            procedure.expected_plan(&spec).unwrap().is_some(),
            "{}: who explains it?",
            test.code
        );
        let left = [" v_", "(v_", " p_", "/*test", "/*end"];
        assert!(explain.is_none_or(|text| left.iter().all(|l| !text.contains(l))), "{}", test.code);
        let script = script::of_test(&test, &size()).unwrap();
        assert!(script.contains(&begin) && script.contains(super::super::NOTICE), "{script}");
    }
}

#[test]
fn a_statement_that_is_counted_names_its_query_block_once() {
    for test in all() {
        let [_, inside] = package_of(&test, CommitMode::Durable);
        let named = inside.matches(QUERY_BLOCK).count();
        assert_eq!(named, usize::from(counting(&of(&test).unwrap()) != Counting::Nothing), "{}: {inside}", test.code);
    }
}

#[test]
fn statements_are_explained_as_the_procedures_run_them() {
    let of = |procedure, table| of(&test("T616", procedure, Some(table), Cache::NonCached)).unwrap();
    let explained = |procedure: ProcedureSpec| procedure.explain(&spec(&procedure.test, 1)).unwrap().unwrap();
    let explain = explained(of("select_primary", TableName::SmallHash));
    let expected =
        "EXPLAIN PLAN SET STATEMENT_ID = 'dbdyno' FOR SELECT /*+ QB_NAME(DBDYNO_TEST) HASH(small_hash) */ quantity
        FROM small_hash WHERE id = 1";
    assert_eq!(explain, expected);
    let explain = explained(of("scan_range", TableName::LargeHeapRangeList));
    assert!(explain.contains("booked_on < ADD_MONTHS(DATE '2020-01-01', 1)"), "{explain}");
}

#[test]
fn commits_are_durable_unless_somebody_wants_the_engines_own() {
    let insert = test("T311", "insert", Some(TableName::SmallHeap), Cache::Any);
    let commits = |commit| {
        let [_, inside] = package_of(&insert, commit);
        inside
            .lines()
            .filter(|line| line.trim_start().starts_with("COMMIT"))
            .map(|line| line.trim().to_owned())
            .collect()
    };
    let durable: Vec<String> = commits(CommitMode::Durable);
    assert_eq!(durable, ["COMMIT WRITE IMMEDIATE WAIT;"]);
    let own: Vec<String> = commits(CommitMode::EngineDefault);
    assert_eq!(own, ["COMMIT;"]);
}

#[test]
fn threads_are_the_sessions() {
    let sort = test("T513", "sort", Some(TableName::LargeHeapRangeList), Cache::NonCached);
    let settings = of(&sort).unwrap().set(&spec(&sort, 4)).unwrap();
    assert!(settings.contains(&"ALTER SESSION FORCE PARALLEL QUERY PARALLEL 4".to_owned()), "{settings:?}");
    assert!(settings.contains(&"ALTER SESSION DISABLE PARALLEL DDL".to_owned()), "{settings:?}");
    let build = test("T511", "index_unique", Some(TableName::LargeHeapRangeList), Cache::NonCached);
    let settings = of(&build).unwrap().set(&spec(&build, 4)).unwrap();
    assert!(settings.contains(&"ALTER SESSION FORCE PARALLEL DDL PARALLEL 4".to_owned()), "{settings:?}");
    let settings = of(&build).unwrap().set(&spec(&build, 1)).unwrap();
    assert!(settings.contains(&"ALTER SESSION DISABLE PARALLEL DDL".to_owned()), "{settings:?}");
    let local = |threads| {
        let settings = of(&sort).unwrap().set(&spec(&sort, threads)).unwrap();
        settings.into_iter().filter(|setting| setting.contains("parallel_force_local")).collect::<Vec<_>>()
    };
    assert_eq!(local(4), ["ALTER SESSION SET parallel_force_local = TRUE"]);
    assert_eq!(local(1), ["ALTER SESSION SET parallel_force_local = FALSE"]);
    let of_release = |release| of(&sort).unwrap().settings_of_version(&spec(&sort, 4), release).unwrap();
    assert!(of_release(12).is_empty(), "12.2 knows no such setting");
    assert!(of_release(18)[0].1.contains("optimizer_ignore_hints = FALSE"), "{:?}", of_release(18));
    let lookup = test("T611", "select_primary", Some(TableName::SmallHeap), Cache::Cached);
    let settings = of(&lookup).unwrap().set(&spec(&lookup, 4)).unwrap();
    assert!(settings.iter().all(|setting| !setting.contains("FORCE")), "{settings:?}");
}

#[test]
fn scans_go_through_the_cache_or_past_it_as_the_test_is_meant() {
    let direct = |code: &str| {
        let tests = tests();
        let test = tests.iter().find(|test| test.code.as_str() == code).unwrap();
        let settings = of(test).unwrap().settings(&spec(test, 1)).unwrap();
        let found = settings.into_iter().find(|(name, _)| name == "_serial_direct_read");
        found.map(|(_, sql)| sql.rsplit_once(' ').unwrap().1.to_owned()).unwrap_or_default()
    };
    for code in ["T421", "T425", "T331"] {
        assert_eq!(direct(code), "NEVER", "{code}");
    }
    for code in ["T426", "T427", "T511", "T513"] {
        assert_eq!(direct(code), "ALWAYS", "{code}");
    }
    for code in ["T211", "T311", "T611", "T616", "T711"] {
        assert_eq!(direct(code), "", "{code} scans nothing, and the owner's setting stays");
    }
}

#[test]
fn a_cluster_has_room_for_what_its_jobs_insert() {
    let insert = test("T313", "insert", Some(TableName::SmallHash), Cache::Any);
    let keys = |jobs| {
        let made = shared(&of(&insert).unwrap(), &PointSpec { jobs, ..spec(&insert, 1) }).unwrap().concat();
        made.split_once("HASHKEYS ").unwrap().1.split(' ').next().unwrap().to_owned()
    };
    assert_eq!((keys(1).as_str(), keys(4).as_str()), ("125000", "500000"));
}

#[test]
fn what_is_licensed_apart_is_named() {
    let needs_of = |code: &str| {
        let all = all();
        let test = all.iter().find(|test| test.code.as_str() == code).unwrap();
        needs(test).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(needs_of("T611"), []);
    assert_eq!(needs_of("T321"), [Part::Partitioning]);
    assert_eq!(needs_of("T816"), [Part::Partitioning]);
    assert_eq!(needs_of("DBL-31"), [], "BASIC compression is part of the Enterprise Edition");
    assert_eq!(needs_of("DBL-32"), [Part::AdvancedCompression]);
    assert_eq!(needs_of("DBL-33"), [Part::HybridColumnarCompression]);
    assert_eq!(needs_of("DBS-13"), [Part::Partitioning, Part::FlashCache]);
}

#[test]
fn jobs_have_partitions_and_tables_of_their_own() {
    let load = test("T331", "bulk_load", Some(TableName::LargeHeapRangeList), Cache::Any);
    let mut spec = spec(&load, 1);
    spec.jobs = 40;
    let table = shared(&of(&load).unwrap(), &spec).unwrap().concat();
    assert!(table.contains("PARTITION r39 VALUES LESS THAN (TO_DATE('2023-05-01'"), "{table}");
    let heap = test("DBL-21", "bulk_load", Some(TableName::SmallHeap), Cache::Any);
    let drops = drops_made(&of(&heap).unwrap(), &spec).unwrap();
    assert_eq!(drops.len(), 40);
    assert!(drops[39].contains("DROP TABLE load_heap_39 PURGE"), "{}", drops[39]);
}

#[test]
fn compressed_loads_make_compressed_tables() {
    let source = |code: &str| {
        let all = all();
        let test = all.iter().find(|test| test.code.as_str() == code).unwrap();
        let mut texts = shared(&of(test).unwrap(), &spec(test, 1)).unwrap();
        texts.extend(package_of(test, CommitMode::Durable));
        texts.concat()
    };
    assert!(source("T332").contains("ROW STORE COMPRESS BASIC PARTITION BY RANGE"));
    for (code, clause) in [
        ("DBL-21", "NOCOMPRESS'"),
        ("DBL-31", "ROW STORE COMPRESS BASIC'"),
        ("DBL-32", "ROW STORE COMPRESS ADVANCED'"),
        ("DBL-33", "COLUMN STORE COMPRESS FOR QUERY LOW'"),
        ("DBL-34", "COLUMN STORE COMPRESS FOR ARCHIVE LOW'"),
    ] {
        assert!(source(code).contains(clause), "{code}: {}", source(code));
    }
}

/// The text between the marks of a mix.
fn mix(name: &str) -> String {
    let text = &DIALECT.get(&format!("cpu/{name}")).unwrap().text;
    let (_, rest) = text.split_once("/*mix*/").unwrap();
    let (mix, _) = rest.split_once("/*end*/").unwrap();
    mix.to_owned()
}

fn calls(text: &str, function: &str) -> usize {
    text.match_indices(&format!("{function}(")).filter(|(at, _)| !text[..*at].ends_with(char::is_alphabetic)).count()
}

#[test]
fn the_arithmetic_mixes_have_their_38_operations() {
    for name in ["cpu_integer_mix", "cpu_decimal_mix", "cpu_float_mix", "cpu_double_mix"] {
        let mix = mix(name);
        let operator = |o: &str| mix.matches(&format!(" {o} ")).count();
        let counts = [operator("+"), operator("-"), operator("*"), operator("/")];
        assert_eq!(counts, [8, 7, 4, 3], "{name}: add, subtract, multiply, divide in {mix}");
        let functions = ["ABS", "SQRT", "POWER", "LN"].map(|f| calls(&mix, f));
        assert_eq!(functions, [6, 3, 3, 3], "{name}");
        let text = &DIALECT.get(&format!("cpu/{name}")).unwrap().text;
        assert_eq!(text.matches("v_state := MOD(v_state * ").count(), 1, "the random number");
    }
}

#[test]
fn the_string_mix_has_its_29_operations() {
    let mix = mix("cpu_string_mix");
    let functions = ["INSTR", "CONCAT", "LENGTH", "SUBSTR", "CHR", "UPPER", "MOD"].map(|f| calls(&mix, f));
    assert_eq!(functions, [6, 9, 3, 3, 1, 5, 1]);
    let random = 1;
    assert_eq!(functions.iter().sum::<usize>() + random, 29);
    // A constant's letter would be found once, when the statement is planned.
    let (_, letter) = mix.split_once("CHR(").unwrap();
    let depends = letter.split_once("16").is_some_and(|(before, _)| before.contains("v_pass"));
    assert!(depends, "the same in each pass: {letter}");
}

#[test]
fn every_code_is_mapped() {
    let mappings = DIALECT.mappings().unwrap();
    let codes: Vec<String> = mappings.codes().map(ToString::to_string).collect();
    assert_eq!(codes.len(), 54 + 6 + 5 + 6, "{codes:?}");
    let none = |code: &String| matches!(mappings.get(&TestCode::new(code).unwrap()), Mapping::None { .. });
    assert!(!codes.iter().any(none), "Oracle is what the documents were about");
}

#[test]
fn every_statement_says_what_it_is() {
    for file in ["tables", "procedures", "parts", "lookups", "cpu"].map(|name| DIALECT.file(name).unwrap()) {
        for name in file.names() {
            let statement = file.get(name).unwrap();
            let notes = &statement.notes;
            assert!(notes.contains_key("proves") || notes.contains_key("what"), "{name}");
            assert!(!notes.contains_key("proves") || notes.contains_key("touches"), "{name}");
            assert!(!statement.text.starts_with("--"), "{name}: a note that is none: {}", statement.text);
        }
    }
}

#[test]
fn the_schema_and_the_package_are_printed_whole() {
    let script = script::of_schema(&size()).unwrap();
    assert!(!script.contains(['{', '}']));
    assert_eq!(script.matches("\nCREATE TABLE").count(), 1 + TableName::ALL.len());
    // Where an administrator runs it, everything is said to be in dbdyno's schema.
    assert!(script.contains("SHOW ERRORS PACKAGE BODY dbdyno.dbdyno_work\n") && !script.contains("=> USER"));
    for test in all() {
        let begin = format!("  PROCEDURE {}(\n", of(&test).unwrap().name);
        assert_eq!(script.matches(&begin).count(), 2, "outside and inside: {begin}");
    }
}

#[test]
fn a_plan_has_what_it_must_have_in_that_order_and_nothing_that_it_must_not() {
    let problem = |work, table, plan: &str| {
        let test = test("T611", work, Some(table), Cache::Cached);
        of(&test).unwrap().plan_problem(&spec(&test, 1), plan).unwrap()
    };
    let lookup = |plan: &str| problem("select_primary", TableName::SmallHeap, plan);
    let good = "TABLE ACCESS BY INDEX ROWID on small_heap > INDEX UNIQUE SCAN on small_heap_pk";
    assert_eq!(lookup(good), None);
    assert_eq!(lookup("TABLE ACCESS BY GLOBAL INDEX ROWID on small_heap > INDEX UNIQUE SCAN on small_heap_pk"), None);
    let turned = "INDEX UNIQUE SCAN on small_heap_pk > TABLE ACCESS BY INDEX ROWID on small_heap";
    assert!(lookup(turned).is_some_and(|problem| problem.contains("must have TABLE")));
    let both = format!("{good} > TABLE ACCESS FULL on small_heap");
    assert!(lookup(&both).is_some_and(|problem| problem.contains("must have no TABLE")));
    let parallel = "SORT AGGREGATE > PX COORDINATOR > PX SEND QC (RANDOM) on :tq10000 > SORT AGGREGATE > \
                    PX BLOCK ITERATOR > TABLE ACCESS FULL on large_heap_range_list";
    assert_eq!(problem("scan", TableName::LargeHeapRangeList, parallel), None);
    let range = "TABLE ACCESS BY INDEX ROWID BATCHED on small_heap > INDEX RANGE SCAN on small_heap_pk";
    assert_eq!(problem("select_range", TableName::SmallHeap, range), None);
    assert!(problem("select_range", TableName::SmallHeap, &format!("SORT ORDER BY > {range}")).is_some());
    let loops = test("T111", "cpu_loop", None, Cache::Any);
    assert!(of(&loops).unwrap().expected_plan(&spec(&loops, 1)).unwrap().is_none());
}
