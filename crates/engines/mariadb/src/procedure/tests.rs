//! Every procedure and every statement, filled in; the mixes; the mappings.

use super::*;
use crate::{TABLE_NAMES, script};
use dbdyno_model::{Cache, Compression, Mapping, TableName, TestCode};
use dbdyno_testkit::conformance::catalogue::size_t as size;
use dbdyno_testkit::conformance::catalogue::{spec, test, tests};

/// Those of them that MariaDB has, and those that only it has.
fn mapped() -> Vec<Test> {
    let mut all = tests();
    all.retain(|test| test.procedure != "cpu_quicksort");
    all.push(test("T428", "scan", Some(TableName::LargeCompressed), Cache::NonCached));
    for (code, compression) in [("T332", Compression::Basic), ("DBL-32", Compression::Oltp)] {
        let mut load = test(code, "bulk_load", Some(TableName::LargeCompressed), Cache::Any);
        load.compression = compression;
        all.push(load);
    }
    all
}

#[test]
fn every_mapped_test_has_a_recipe_without_gaps() {
    for test in mapped() {
        assert!(!matches!(DIALECT.mapping(&test), Mapping::None { .. }), "{} is mapped", test.code);
        let procedure = of(&test).unwrap();
        let mut texts = procedure.creates().unwrap();
        texts.extend(shared(&procedure).unwrap());
        for text in &texts {
            assert!(!text.contains(['{', '}']) && !text.ends_with(';'), "{}: {text}", test.code);
        }
        let create = format!("CREATE PROCEDURE {}(", procedure.name);
        assert!(texts.iter().any(|text| text.contains(&create)), "{create}");
        assert!(counting(&procedure).is_ok(), "{}", test.code);
        let spec = spec(&test, 1);
        let (explain, expected) = (procedure.explain(&spec).unwrap(), procedure.expected_plan(&spec).unwrap());
        assert_eq!(explain.is_some(), expected.is_some(), "{}: a plan that nobody explains", test.code);
        assert!(expected.is_none_or(|plan| !plan.contains(['{', '}'])), "{}", test.code);
        let left = [" v_", " p_", "@", "/*"];
        assert!(explain.is_none_or(|text| left.iter().all(|l| !text.contains(l))), "{}", test.code);
        let script = script::of_test(&test, &size()).unwrap();
        assert!(script.contains(&create) && !script.contains('?'), "{script}");
    }
}

#[test]
fn statements_are_explained_as_the_procedures_run_them() {
    let of = |procedure, table| of(&test("T616", procedure, Some(table), Cache::NonCached)).unwrap();
    let explained = |procedure: ProcedureSpec| procedure.explain(&spec(&procedure.test, 1)).unwrap().unwrap();
    let explain = explained(of("select_primary", TableName::SmallHeap));
    assert_eq!(explain, "EXPLAIN FORMAT = JSON SELECT 0 + 1, 0 + quantity FROM small_heap WHERE id = 1");
    let explain = explained(of("select_primary", TableName::LargeHeapRangeList));
    assert!(explain.contains("booked_on < DATE '2020-01-01' + INTERVAL 1 MONTH"), "{explain}");
}

#[test]
fn compressed_loads_make_compressed_tables() {
    let columns = |compression| {
        let mut load = test("T332", "bulk_load", Some(TableName::LargeCompressed), Cache::Any);
        load.compression = compression;
        of(&load).unwrap().creates().unwrap().concat()
    };
    assert!(columns(Compression::Basic).contains("ROW_FORMAT = COMPRESSED KEY_BLOCK_SIZE = 8"));
    assert!(columns(Compression::Oltp).contains("PAGE_COMPRESSED = 1"));
    assert!(!columns(Compression::None).contains("COMPRESSED"));
}

/// The text between the marks of a mix, without its casts.
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
    for (name, divide) in
        [("cpu_integer_mix", "DIV"), ("cpu_decimal_mix", "/"), ("cpu_float_mix", "/"), ("cpu_double_mix", "/")]
    {
        let mix = mix(name);
        let operator = |o: &str| mix.matches(&format!(" {o} ")).count();
        let counts = [operator("+"), operator("-"), operator("*"), operator(divide)];
        assert_eq!(counts, [8, 7, 4, 3], "{name}: add, subtract, multiply, divide in {mix}");
        let functions = ["ABS", "SQRT", "POWER", "LN"].map(|f| calls(&mix, f));
        assert_eq!(functions, [6, 3, 3, 3], "{name}");
        assert!(
            DIALECT.get(&format!("cpu/{name}")).unwrap().text.contains("p_state * 48271 % 2147483647"),
            "the random number"
        );
    }
}

#[test]
fn the_string_mix_has_its_29_operations() {
    let mix = mix("cpu_string_mix");
    let functions = ["INSTR", "CONCAT", "LENGTH", "SUBSTR", "CHAR", "UPPER", "MOD"].map(|f| calls(&mix, f));
    assert_eq!(functions, [6, 9, 3, 3, 1, 5, 1]);
    let random = 1;
    assert_eq!(functions.iter().sum::<usize>() + random, 29);
    // A constant's letter would be found once, when the statement is planned.
    let (_, letter) = mix.split_once("CHAR(").unwrap();
    let depends = letter.split_once("15").is_some_and(|(before, _)| before.contains("v_pass"));
    assert!(depends, "the same in each pass: {letter}");
}

#[test]
fn every_code_that_another_server_maps_is_mapped() {
    let mappings = DIALECT.mappings().unwrap();
    let none = |code: &str| matches!(mappings.get(&TestCode::new(code).unwrap()), Mapping::None { .. });
    let codes: Vec<String> = mappings.codes().map(ToString::to_string).collect();
    assert_eq!(codes.len(), 54 + 6 + 5 + 6, "{codes:?}");
    let others = ["T152", "T153", "T154", "T721"];
    let orabench = codes.iter().filter(|code| code.starts_with('T') && !others.contains(&code.as_str()));
    let (lacking, supported): (Vec<_>, Vec<_>) = orabench.partition(|code| none(code));
    assert_eq!((lacking.len(), supported.len()), (0, 50), "{lacking:?}");
}

#[test]
fn every_statement_says_what_it_is() {
    for file in ["tables", "procedures", "lookups", "cpu", "statistics"].map(|name| DIALECT.file(name).unwrap()) {
        for name in file.names() {
            let statement = file.get(name).unwrap();
            let said = statement.notes.contains_key("proves") || statement.notes.contains_key("what");
            assert!(said && !statement.text.ends_with(';'), "{name}");
            assert!(!statement.text.starts_with("--"), "{name}: a note that is none: {}", statement.text);
        }
    }
    let no_work = ["procedure", "fibonacci", "create_noise", "write_file_end", "write_file_bytes"];
    for file in ["procedures", "lookups", "cpu"].map(|name| DIALECT.file(name).unwrap()) {
        let procedures = file.names().filter(|name| !no_work.contains(name));
        assert!(procedures.map(|name| &file.get(name).unwrap().notes).all(|notes| notes.contains_key("touches")));
    }
}

#[test]
fn the_schema_is_printed_whole() {
    let script = script::of_schema(&size()).unwrap();
    assert!(!script.contains(['{', '}']));
    assert_eq!(script.matches("CREATE TABLE").count(), 1 + TABLE_NAMES.len());
}
