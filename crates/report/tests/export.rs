//! Exports as other programs read them. `DBDYNO_BLESS=1` writes the golden files again; read the difference before you
//! commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test file uses its part")]
mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunJson, Status};
use dbdyno_report::export::{csv, openmetrics};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

/// A run whose texts try to escape from their context.
fn hostile() -> RunJson {
    let mut run = fixture::run();
    run.run.label = Some("=1+1\",\n\\\"} 7\r\n# EOF".to_owned());
    run.database.version = "<b>15.1</b>, \"x\"\u{1b}[2J".to_owned();
    for point in &mut run.points {
        point.reason = Some("@SUM(A1)\n\"quoted\", and more".to_owned());
    }
    run
}

fn records(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = ::csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    assert_eq!(heads.iter().collect::<BTreeSet<_>>().len(), heads.len(), "a head stands twice");
    reader
        .records()
        .map(|r| heads.iter().map(str::to_owned).zip(r.unwrap().iter().map(str::to_owned)).collect())
        .collect()
}

#[test]
fn exports_are_as_their_golden_files_say() {
    golden("run.csv", &csv(&fixture::run()).unwrap());
    golden("run.openmetrics", &openmetrics(&fixture::run(), &catalogue()));
}

#[test]
fn a_csv_file_has_every_point_with_its_figures() {
    for run in [fixture::run(), hostile(), catalogue().platform("hp_dl980_violin_2012").unwrap()] {
        let records = records(&csv(&run).unwrap());
        assert_eq!(records.len(), run.points.len());
        for (record, point) in records.iter().zip(&run.points) {
            assert_eq!(
                (record["test"].as_str(), record["status"].as_str()),
                (point.subject.as_str(), point.status.name())
            );
            let rate = record["ops_per_s"].parse::<f64>().ok();
            assert_eq!(rate, point.ops_per_s, "every digit, and nothing where there is nothing");
            assert!(!record.values().any(|text| text.starts_with(['=', '@', '+'])), "{record:?}");
        }
    }
    let violin = catalogue().platform("hp_dl980_violin_2012").unwrap();
    assert!(records(&csv(&violin).unwrap()).iter().any(|r| r["doubts"].contains("warmup")));
}

/// Every column about run, platform and database is a key of the document, so none is empty because of a wrong name.
/// The test beside the list of columns checks those of a point.
#[test]
fn every_column_of_a_run_is_a_path_of_the_document() {
    let mut run = fixture::run();
    // Workloads and clusters alone have them.
    run.points[0].database.device_read_pct = Some(1.0);
    run.points[0].database.remote_blocks_per_s = Some(1.0);
    let point = serde_json::to_value(&run.points[0]).unwrap();
    let text = csv(&run).unwrap();
    let head = text.lines().next().unwrap();
    let whole = serde_json::to_value(&run).unwrap();
    for path in head.split(',').filter(|head| *head != "doubts") {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let known = match first {
            "run" | "platform" => whole.pointer(&format!("/{}", path.replace('.', "/"))).is_some(),
            "database" => whole["database"].get(rest).is_some() || point["database"].get(rest).is_some(),
            _ => continue,
        };
        assert!(known, "{path}");
    }
}

/// The format's rules: families in one piece, each with one TYPE, its unit as the end of its name, no duplicate
/// samples, and the end mark.
#[track_caller]
fn check_openmetrics(text: &str) -> Vec<(String, f64)> {
    assert!(text.ends_with("\n# EOF\n"));
    assert_eq!(text.lines().filter(|l| *l == "# EOF").count(), 1);
    let (mut family, mut families, mut samples) = (String::new(), BTreeSet::new(), BTreeSet::new());
    let mut values = Vec::new();
    for line in text.trim_end_matches("# EOF\n").lines() {
        if let Some(meta) = line.strip_prefix("# ") {
            let mut words = meta.splitn(3, ' ');
            let (kind, name, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            match kind {
                "TYPE" => {
                    assert!(["gauge", "info"].contains(&rest), "{line}");
                    assert!(families.insert(name.to_owned()), "{name} comes twice");
                    family = name.to_owned();
                }
                "UNIT" => assert!(name == family && name.ends_with(&format!("_{rest}")), "{line}"),
                "HELP" => assert!(name == family && !rest.is_empty(), "{line}"),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (name, rest) = line.split_once('{').unwrap();
        assert_eq!(name.strip_suffix("_info").unwrap_or(name), family, "{line}");
        let (labels, figures) = rest.rsplit_once("} ").unwrap();
        assert!(samples.insert(format!("{name}{{{labels}")), "twice: {line}");
        let unescaped = labels.replace("\\\\", "").replace("\\\"", "").replace("\\n", "");
        assert!(unescaped.matches('"').count() % 2 == 0 && !unescaped.contains('\\'), "{line}");
        let value: f64 = figures.split(' ').next().unwrap().parse().unwrap();
        assert!(value.is_finite());
        values.push((name.to_owned(), value));
    }
    values
}

#[test]
fn openmetrics_text_is_sound_whatever_the_texts_hold() {
    let catalogue = catalogue();
    for run in [fixture::run(), hostile()] {
        let values = check_openmetrics(&openmetrics(&run, &catalogue));
        let rates = run.points.iter().filter(|p| p.status == Status::Ok).filter_map(|p| p.ops_per_s);
        let told = values.iter().filter(|(name, _)| name == "dbdyno_ops_per_second").map(|(_, value)| *value);
        assert_eq!(told.collect::<Vec<_>>(), rates.collect::<Vec<_>>());
        let points = values.iter().filter(|(name, _)| name == "dbdyno_point_ok").count();
        assert_eq!(points, run.points.len());
    }
    for id in catalogue.platform_ids() {
        check_openmetrics(&openmetrics(&catalogue.platform(id).unwrap(), &catalogue));
    }
}
