//! Every procedure and every statement, filled in; the mixes; the mappings.

use super::super::script;
use super::*;
use dbdyno_engine::PointSpec;
use dbdyno_model::{Cache, Mapping, TestCode};
use dbdyno_testkit::conformance::catalogue::size_t as size;
use dbdyno_testkit::conformance::catalogue::{spec, test, tests};

#[test]
fn every_mapped_test_has_a_recipe_without_gaps() {
    for test in tests() {
        assert!(!matches!(DIALECT.mapping(&test), Mapping::None { .. }), "{} is mapped", test.code);
        let procedure = of(&test).unwrap();
        let mut texts = procedure.creates().unwrap();
        texts.extend(shared(&procedure).unwrap());
        for text in &texts {
            assert!(!text.contains(['{', '}']) && text.ends_with(';'), "{}: {text}", test.code);
        }
        let create = format!("PROCEDURE dbdyno.{}(", procedure.name);
        assert!(texts.iter().any(|text| text.contains(&create)), "{create}");
        let call = format!("CALL dbdyno.{}($1::bigint, $2::bigint, ", procedure.name);
        assert!(
            procedure.call().unwrap().starts_with(&call)
                && procedure.call().unwrap().ends_with("$10::bigint, 0, 0, 0, 0)")
        );
        for (jobs, threads) in [(1, 1), (1, 3), (2, 1), (2, 3)] {
            let spec = PointSpec { jobs, ..spec(&test, threads) };
            let explain = procedure.explain(&spec).unwrap();
            let expected = procedure.expected_plan(&spec).unwrap();
            assert_eq!(explain.is_some(), expected.is_some(), "{}: a plan that nobody explains", test.code);
            assert!(expected.is_none_or(|plan| !plan.contains(['{', '}'])), "{}", test.code);
            let left = ["v_", "p_first", "p_small", "/*"];
            assert!(explain.is_none_or(|text| left.iter().all(|l| !text.contains(l))), "{}", test.code);
        }
        let script = script::of_test(&test, &size()).unwrap();
        assert!(script.contains(&create) && !script.contains("::bigint, $"), "{script}");
    }
}

#[test]
fn statements_are_explained_as_the_procedures_run_them() {
    let of = |procedure, table| of(&test("T616", procedure, Some(table), Cache::NonCached)).unwrap();
    let sent = of("select_primary", TableName::SmallHeap).client_form().unwrap().texts.remove(0);
    assert_eq!(sent.sql, "SELECT quantity FROM dbdyno.small_heap WHERE id = $1");
    assert_eq!(sent.parameters.len(), 1);
    let explained = |procedure: ProcedureSpec| procedure.explain(&spec(&procedure.test, 1)).unwrap().unwrap();
    let explain = explained(of("select_primary", TableName::LargeHeapRangeList));
    assert!(explain.contains("PREPARE dbdyno_test(bigint, date, date) AS SELECT"), "{explain}");
    assert!(explain.contains("EXECUTE dbdyno_test('1', '2020-01-01', '2020-02-01')"), "{explain}");
}

#[test]
fn jobs_side_by_side_begin_their_scans_in_other_months() {
    let scan = of(&test("T426", "scan", Some(TableName::LargeHeapRangeList), Cache::NonCached)).unwrap();
    let of_jobs = |jobs, threads| PointSpec { jobs, ..spec(&scan.test, threads) };
    let alone = scan.explain(&of_jobs(1, 1)).unwrap().unwrap();
    assert!(alone.contains("SELECT count(*), sum(quantity) FROM dbdyno.large_heap_range_list;"), "{alone}");
    let beside = scan.explain(&of_jobs(2, 1)).unwrap().unwrap();
    let months: Vec<String> =
        (0..32).map(|month| format!("SELECT quantity FROM dbdyno.large_heap_range_list_r{month:02}")).collect();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = format!("SELECT count(*), sum(quantity) FROM ( {} ) AS months;", months.join(" UNION ALL "));
    assert!(words(&beside).contains(&whole), "{beside}");
    // Whatever the order, the work is that of the table.
    let plan = |jobs, threads| scan.expected_plan(&of_jobs(jobs, threads)).unwrap().unwrap();
    assert_eq!(plan(2, 1), "Aggregate > Append > 128 x Seq Scan on large_heap_range_list");
    assert_eq!((plan(1, 1), plan(1, 3)), (plan(2, 1), plan(2, 3)));
    assert!(
        plan(2, 3).ends_with("Parallel Append > 128 x Parallel Seq Scan on large_heap_range_list"),
        "{}",
        plan(2, 3)
    );
    // A small table stays in the cache, where nobody reads for anybody.
    assert!(!of(&test("T421", "scan", Some(TableName::SmallHeap), Cache::Cached)).unwrap().has_text_beside());
}

#[test]
fn executions_are_counted_by_what_they_scan() {
    let of = |procedure, table| counting(&of(&test("T616", procedure, Some(table), Cache::NonCached)).unwrap());
    let index = |index: &str, per_execution| Counting::IndexScans { index: index.to_owned(), per_execution };
    let large = TableName::LargeHeapRangeList;
    assert_eq!(of("select_primary", large), index("large_heap_range_list_pk", 1));
    assert_eq!(of("select_secondary", large), index("large_heap_range_list_customer", 128));
    assert_eq!(of("select_secondary", TableName::SmallHash), index("small_hash_customer", 1));
    assert_eq!(of("insert", TableName::SmallIotList), index("small_heap_pk", 1));
    let range = of("scan_range", large);
    assert_eq!(range, Counting::TableScans { table: large, leaves: 4, range: true });
    assert_eq!(range.rows_per_execution(&size()), size().small_rows);
    assert_eq!(of("scan", large).rows_per_execution(&size()), size().large_rows);
}

#[test]
fn workers_are_as_many_as_threads() {
    let scan = test("T426", "scan", Some(TableName::LargeHeapRangeList), Cache::NonCached);
    let procedure = of(&scan).unwrap();
    let value = |threads, name: &str| {
        let settings = procedure.settings(&spec(&scan, threads)).unwrap();
        let all: Vec<String> = settings.into_iter().filter(|(n, _)| n == name).map(|(_, v)| v).collect();
        assert_eq!(all.len(), 1, "{name} is set once");
        all[0].clone()
    };
    assert_eq!(value(1, "max_parallel_workers_per_gather"), "0");
    assert_eq!(value(3, "max_parallel_workers_per_gather"), "3");
    assert_eq!(value(3, "max_parallel_workers"), "1024", "the server alone limits workers");
    assert_eq!((value(1, "parallel_leader_participation"), value(3, "parallel_leader_participation")).1, "off");
}

#[test]
fn older_versions_prune_updates_when_they_plan_them() {
    let custom = ("plan_cache_mode".to_owned(), "force_custom_plan".to_owned());
    let has = |table, version| {
        let test = test("T714", "update_primary", Some(table), Cache::Cached);
        of(&test).unwrap().settings_of_version(&spec(&test, 1), version).unwrap().contains(&custom)
    };
    assert!(has(TableName::SmallHeapList, 130_023) && !has(TableName::SmallHeapList, 150_000));
    assert!(!has(TableName::SmallHeap, 130_023));
}

/// The text between the marks of a mix, without its casts.
fn mix(name: &str) -> String {
    let text = &DIALECT.get(&format!("cpu/{name}")).unwrap().text;
    let (_, rest) = text.split_once("/*mix*/").unwrap();
    let (mix, _) = rest.split_once("/*end*/").unwrap();
    mix.replace("::bigint", "").replace("::real", "")
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
        let functions = ["abs", "sqrt", "power", "ln"].map(|f| calls(&mix, f));
        assert_eq!(functions, [6, 3, 3, 3], "{name}");
        let random = 1;
        assert_eq!(counts.iter().sum::<usize>() + functions.iter().sum::<usize>() + random, 38);
        assert!(DIALECT.get(&format!("cpu/{name}")).unwrap().text.contains("p_state * 48271 % 2147483647"));
    }
}

#[test]
fn the_string_mix_has_its_29_operations() {
    let mix = mix("cpu_string_mix");
    let functions = ["strpos", "length", "substr", "chr", "upper"].map(|f| calls(&mix, f));
    assert_eq!(functions, [6, 3, 3, 1, 5]);
    let (concat, modulo, random) = (mix.matches("||").count(), mix.matches('%').count(), 1);
    assert_eq!((concat, modulo), (9, 1));
    assert_eq!(functions.iter().sum::<usize>() + concat + modulo + random, 29);
    // A constant's letter would be found once, when the statement is planned.
    let (_, letter) = mix.split_once("chr(").unwrap();
    let depends = letter.split_once("15").is_some_and(|(before, _)| before.contains("v_pass"));
    assert!(depends, "the same in each pass: {letter}");
}

#[test]
fn every_code_of_the_catalogue_is_mapped() {
    let mut codes: Vec<String> = Vec::new();
    for (class, numbers) in [
        (1, "11 21 22 31 32 33 34 41 51 52 53 54"),
        (2, "11"),
        (3, "11 12 13 21 22 31 32"),
        (4, "21 22 23 24 25 26 27 28"),
        (5, "11 12 13 14 15"),
        (6, "11 12 13 14 15 16 21 22 23 24 25 26"),
        (7, "11 12 13 14 15 16 21"),
        (8, "11 16"),
    ] {
        codes.extend(numbers.split(' ').map(|n| format!("T{class}{n}")));
    }
    codes.extend(["DBL-11", "DBL-21", "DBL-31", "DBL-32", "DBL-33", "DBL-34"].map(str::to_owned));
    codes.extend(["DBS-12", "DBS-13", "DBS-14", "DBA-11", "DBA-12"].map(str::to_owned));
    codes.extend(["DBX-12", "DBX-13", "DBX-14", "DBX-22", "DBX-23", "DBX-24"].map(str::to_owned));
    let mappings = DIALECT.mappings().unwrap();
    let mapped: Vec<String> = mappings.codes().map(ToString::to_string).collect();
    codes.sort();
    assert_eq!(mapped, codes);
    let orabench = |code: &&String| code.starts_with('T') && !["T152", "T153", "T154", "T721"].contains(&code.as_str());
    let supported = codes
        .iter()
        .filter(orabench)
        .filter(|code| !matches!(mappings.get(&TestCode::new(code).unwrap()), Mapping::None { .. }));
    assert!(supported.count() >= 46, "of the 50 tests of the suite orabench");
}

#[test]
fn every_statement_says_what_it_is() {
    for file in ["tables", "procedures", "lookups", "cpu", "statistics"].map(|name| DIALECT.file(name).unwrap()) {
        for name in file.names() {
            let statement = file.get(name).unwrap();
            let said = statement.notes.contains_key("proves") || statement.notes.contains_key("what");
            let ends = statement.text.ends_with(';') || name == "procedure";
            assert!(said && ends, "{name}");
            assert!(!statement.text.starts_with("--"), "{name}: a note that is none: {}", statement.text);
        }
    }
    for file in ["procedures", "lookups", "cpu"].map(|name| DIALECT.file(name).unwrap()) {
        let procedures = file.names().filter(|name| !["procedure", "fibonacci"].contains(name));
        assert!(procedures.map(|name| &file.get(name).unwrap().notes).all(|notes| notes.contains_key("touches")));
    }
}

#[test]
fn the_schema_is_printed_whole() {
    let script = script::of_schema(&size()).unwrap();
    assert!(!script.contains(['{', '}']));
    assert_eq!(script.matches("CREATE TABLE").count(), 1 + 3 + 2 * 9 + 1 + 32 + 128);
    assert!(script.contains("FROM (make_date(2022, 8, 1)) TO (make_date(2022, 9, 1))"), "the last month");
    let adopted = script.rfind("ALTER TABLE dbdyno.large_heap_range_list ADD CONSTRAINT").unwrap();
    let leaf = script.rfind("ALTER TABLE dbdyno.large_heap_range_list_r31_p4 ADD CONSTRAINT").unwrap();
    assert!(leaf < adopted, "leaves are indexed first");
}
