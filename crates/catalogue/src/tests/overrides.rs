//! A folder that overrides the embedded catalogue.

use super::embedded;
use crate::Catalogue;
use dbdyno_model::Subject;
use std::fs;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn a_file_of_the_same_name_replaces_and_another_adds() {
    let sizes = "[[size]]\nid = \"Q\"\ntitle = \"x\"\nsmall_rows = 320\nlarge_rows = 10240\n\
                 engine_cache_bytes = 1\nfile_bytes = 1\nbulk_partitions_per_job = 1\n";
    let class = "class = \"T600\"\ntitle = \"Data select\"\n[[test]]\ncode = \"MY-1\"\ntitle = \"x\"\n\
                 layer = \"server\"\nprocedure = \"select_primary\"\ntable = \"small_heap\"\nramp = [\"jobs\"]\n\
                 rhythm = \"chunks\"\nrows_per_tx = 4\nmetrics = [\"tx_per_s\"]\n";
    let suite = "id = \"mine\"\ntitle = \"x\"\nduration_s = 1\nrepeat = 1\nramp = \"1,2\"\n\
                 [[step]]\ntests = [\"MY-1\", \"T611\"]\n";
    let files = [("sizes.toml", sizes), ("tests/mine.toml", class), ("suites/mine.toml", suite)];
    let dir = folder(&[&files[..], &[("README.md", "x"), (".git/x.toml", "x"), ("tests/old.toml~", "x")]].concat());
    let catalogue = Catalogue::with_overrides(dir.path()).unwrap();
    assert_eq!(catalogue.sizes().iter().map(|s| s.id.as_str()).collect::<Vec<_>>(), ["Q"]);
    assert_eq!(catalogue.suite("mine").unwrap().steps[0].tests[0].as_str(), "MY-1");
    assert_eq!(catalogue.class_title(Subject::<()>::of_database("MY-1").unwrap().name()), "Data select");
    assert_eq!(catalogue.tests().len(), embedded().tests().len() + 1);
}

#[test]
fn an_override_is_shown_by_its_path() {
    let text = include_str!("../../../../catalogue/tests/T600_select.toml").replacen("table =", "tabel =", 1);
    let dir = folder(&[("tests/T600_select.toml", &text)]);
    let error = Catalogue::with_overrides(dir.path()).unwrap_err().to_string();
    let path = dir.path().join("tests/T600_select.toml");
    let expected = format!("{}: [[test]] T611: unknown key 'tabel'; did you mean 'table'? (line 12)", path.display());
    assert_eq!(error, expected);
}

#[test]
fn a_name_that_means_nothing_is_refused() {
    for (name, hint) in [
        ("size.toml", "'size.toml' is no part of a catalogue; did you mean 'sizes.toml'?"),
        ("test/T600.toml", "'test' is no part of a catalogue; did you mean 'tests'?"),
        (
            "T600_select.toml",
            "'T600_select.toml' is no part of a catalogue; tests stand in tests/, suites in suites/, platforms in platforms/, the rest in \
             sizes.toml and metrics.toml",
        ),
    ] {
        let dir = folder(&[(name, "")]);
        let error = Catalogue::with_overrides(dir.path()).unwrap_err().to_string();
        assert!(error.ends_with(hint), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let dir = folder(&[]);
    let missing = dir.path().join("missing");
    let error = Catalogue::with_overrides(&missing).unwrap_err().to_string();
    assert!(error.starts_with(&format!("the catalogue cannot be read from '{}': ", missing.display())), "{error}");
    fs::write(dir.path().join("sizes.toml"), [0xff, 0xfe]).unwrap();
    let error = Catalogue::with_overrides(dir.path()).unwrap_err().to_string();
    assert!(error.contains("sizes.toml': ") && error.contains("UTF-8"), "{error}");
}
