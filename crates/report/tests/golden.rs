//! Golden files: every registered report, without a width and in 80 columns. `DBDYNO_BLESS=1` writes them again; read
//! the difference before you commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_report::{REPORTS, Reported, lists, report};
use std::path::Path;

fn golden(name: &str, text: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if expected == text { Ok(()) } else { Err(format!("{name} differs from its golden file. It is now:\n{text}")) }
}

#[test]
fn every_report_is_as_its_golden_files_say() {
    let catalogue = Catalogue::embedded().unwrap();
    let (run, storage) = (Reported::of(fixture::run()), Reported::of(fixture::storage::run()));
    let mut wrong = Vec::new();
    for report in REPORTS {
        for (suffix, width) in [("", None), (".80", Some(80))] {
            let of = if report.name == "storage" { &storage } else { &run };
            wrong.extend(golden(&format!("{}{suffix}", report.name), &report.of(of, &catalogue).text(width)).err());
        }
    }
    let searched = Reported::of(fixture::searched::run());
    let beside = Reported::of(fixture::storage::beside());
    let pooled = Reported::of(fixture::pooled());
    let workload = Reported::of(fixture::workload());
    let slob = Reported::of(fixture::slob());
    let shared = Reported::of(fixture::shared());
    let long_ramps = Reported::of(catalogue.platform("hp_dl980_violin_2012").unwrap());
    for (name, variant, run) in [
        ("summary", "storage", &storage),
        ("summary", "share", &beside),
        ("cells", "storage", &storage),
        ("platform", "storage", &storage),
        ("latency", "connections", &pooled),
        ("cells", "connections", &pooled),
        ("scaling", "ramps", &long_ramps),
        ("searches", "found", &searched),
        ("transactions", "workload", &workload),
        ("latency", "pauses", &workload),
        ("slob", "cores", &slob),
        ("hosts", "shared", &shared),
    ] {
        let text = report(name).unwrap().of(run, &catalogue).text(Some(100));
        wrong.extend(golden(&format!("{name}.{variant}"), &text).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_golden_file_belongs_to_a_report() {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".txt").trim_end_matches(".80");
        let name = name.trim_end_matches(".storage").trim_end_matches(".share").trim_end_matches(".connections");
        let name = name.trim_end_matches(".ramps").trim_end_matches(".found");
        let name = name.trim_end_matches(".workload").trim_end_matches(".pauses").trim_end_matches(".cores");
        let name = name.trim_end_matches(".shared");
        assert!(report(name).is_some(), "tests/golden/{name}.txt belongs to no report");
    }
}

#[test]
fn the_summary_fits_one_screen() {
    let catalogue = Catalogue::embedded().unwrap();
    let page = report("summary").unwrap().of(&Reported::of(fixture::run()), &catalogue).text(Some(80));
    let table_end = page.lines().position(|l| l.starts_with("Speed is")).unwrap();
    assert!(table_end <= 50, "{table_end} lines:\n{page}");
}

#[test]
fn a_run_without_points_says_so() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut run = fixture::run();
    run.points.clear();
    run.cells.clear();
    let run = Reported::of(run);
    for report in REPORTS {
        assert!(!report.of(&run, &catalogue).text(Some(80)).is_empty(), "{}", report.name);
    }
    let page = report("summary").unwrap().of(&run, &catalogue).text(Some(80));
    assert!(page.contains("Random read       T626 not measured"), "{page}");
}

#[test]
fn lists_are_aligned() {
    let rows = [vec!["T611".to_owned(), "select".to_owned()], vec!["DBL-11".to_owned(), "load".to_owned()]];
    assert_eq!(
        lists::table(&["code", "title"], &rows, None),
        "code    title\n------  ------\nT611    select\nDBL-11  load\n"
    );
}
