//! Files that do not have the form of the model.

use super::{edited, message, with_file};
use crate::files;
use crate::{Catalogue, CatalogueError};
use proptest::prelude::*;
use std::borrow::Cow;

#[test]
fn a_wrong_key_or_value_is_named_with_file_entry_and_line() {
    let error = edited("tests/T600_select.toml", "table = \"small_heap\"", "tabel = \"small_heap\"").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("tests/T600_select.toml: [[test]] T611: unknown key 'tabel'; did you mean 'table'?"));
    let CatalogueError::Invalid { line, .. } = error else { panic!("{text}") };
    let file = include_str!("../../../../catalogue/tests/T600_select.toml");
    assert_eq!(line, file.lines().position(|l| l == "table = \"small_heap\"").map(|n| n + 1));
}

#[test]
fn the_form_of_entries_is_checked() {
    let select = "tests/T600_select.toml";
    let quick = "suites/quick.toml";
    let cases = [
        (select, "title = \"Select by primary key, heap, cached\"\n", "", "[[test]] T611: the key 'title' is missing"),
        (
            select,
            "layer = \"server\"",
            "layer = \"sever\"",
            "[[test]] T611: key 'layer': unknown value 'sever'; did you mean 'server'?",
        ),
        (
            select,
            "layer = \"server\"",
            "layer = \"x\"",
            "[[test]] T611: key 'layer': unknown value 'x'; it can be cpu, server, storage, database",
        ),
        (
            select,
            "ramp = [\"jobs\"]",
            "ramp = [\"job\"]",
            "[[test]] T611: key 'ramp': unknown value 'job'; did you mean 'jobs'?",
        ),
        (
            select,
            "rows_per_tx = 1",
            "rows_per_tx = \"1\"",
            "[[test]] T611: key 'rows_per_tx': invalid type: string \"1\", expected u64",
        ),
        (
            select,
            "rows_per_tx = 1",
            "rows_per_tx = -1",
            "[[test]] T611: key 'rows_per_tx': invalid value: integer '-1', expected u64",
        ),
        (
            select,
            "code = \"T611\"",
            "code = \"t611\"",
            "[[test]] t611: key 'code': 't611' is not a valid test code: letters and digits, as in T611 or DBL-11",
        ),
        (select, "code = \"T611\"\n", "", "[[test]] number 1: the key 'code' is missing"),
        (select, "class = ", "clas = ", "head: unknown key 'clas'; did you mean 'class'?"),
        (select, "title = \"Data select\"", "title = \"\"", "head: key 'title' is empty"),
        (
            select,
            "rows_per_tx = 1",
            "rows_per_tx = 1\nrows_per_tx = 1",
            "[[test]] T611: key 'rows_per_tx': duplicate key",
        ),
        (
            quick,
            "ramp = \"1x\"",
            "ramp = \"0\"",
            "head: key 'ramp': '0' in '0' is no degree of parallelism; a ramp is a list of degrees of parallelism from 1 to 65535, as in 1,2,4",
        ),
        (
            quick,
            "tests = [\"T211\"]",
            "test = [\"T211\"]",
            "[[step]] number 2: unknown key 'test'; did you mean 'tests'?",
        ),
        (quick, "duration_s = 2", "duration = 2", "head: unknown key 'duration'; did you mean 'duration_s'?"),
        ("sizes.toml", "small_rows = 3_200\n", "", "[[size]] T: the key 'small_rows' is missing"),
        (
            "metrics.toml",
            "better = \"higher\"",
            "better = \"more\"",
            "[[metric]] ops_per_s: key 'better': unknown value 'more'; it can be higher, lower",
        ),
        ("metrics.toml", "[[metric]]", "[[metrics]]", "head: unknown key 'metrics'; no key may stand here"),
    ];
    for (file, from, to, expected) in cases {
        assert_eq!(message(edited(file, from, to)), format!("{file}: {expected}"));
    }
}

#[test]
fn an_empty_suite_or_class_is_refused() {
    let head = "id = \"mine\"\ntitle = \"x\"\nduration_s = 1\nrepeat = 1\nramp = \"1\"\n";
    assert_eq!(message(with_file("suites/mine.toml", head)), "suites/mine.toml: head: there is no [[step]]");
    assert_eq!(
        message(with_file("suites/mine.toml", &format!("step = []\n{head}"))),
        "suites/mine.toml: head: the suite is empty: it needs at least one [[step]] with tests, or a [workload]"
    );
    let both = format!("{head}[workload]\nname = \"w\"\nscale = 1\n[[step]]\ntests = [\"T611\"]\n");
    assert_eq!(
        message(with_file("suites/mine.toml", &both)),
        "suites/mine.toml: head: the suite has a [workload] and tests: it can have one of the two"
    );
    assert_eq!(
        message(with_file("tests/mine.toml", "class = \"T900\"\n")),
        "tests/mine.toml: head: there is no [[test]]"
    );
    assert_eq!(
        message(with_file("tests/mine.toml", "class = \"T900\"\ntest = 1\n")),
        "tests/mine.toml: head: 'test' must be a list of tables, each beginning with [[test]]"
    );
    assert_eq!(
        message(with_file("tests/mine.toml", "class = \"T600\"\ntitle = \"x\"\ntest = []\n")),
        "tests/mine.toml: head: key 'title': class T600 is called 'Data select' in another file"
    );
}

#[test]
fn a_file_that_is_no_toml_is_named_with_its_line() {
    let error =
        with_file("tests/mine.toml", "class = \"T900\"\n\n[[test]]\ncode = \"T911\"\ntitle = oops\n").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("tests/mine.toml: [[test]] T911: key 'title': "), "{text}");
    assert!(text.ends_with("(line 5)"), "{text}");
}

proptest! {
    #[test]
    fn no_override_panics(cut in 0usize..4000, noise in "[\\[\\]=\"'#\\n a-z0-9]{0,20}") {
        let mut sources = files::embedded();
        let source = sources.get_mut("tests/T700_update.toml").unwrap();
        let mut text = source.text.to_string();
        text.insert_str(cut.min(text.len()), &noise);
        source.text = Cow::Owned(text);
        if let Err(error) = Catalogue::from_sources(&sources) {
            prop_assert!(error.to_string().contains(".toml: "));
        }
    }
}
