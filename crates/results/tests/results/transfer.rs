//! Exported and imported runs: complete or not at all, once, and never over another run.

use crate::sample::{self, begin, id, open};
use dbdyno_model::{Described, DescribedDifference, DescribedValue, RunStatus, Status};
use dbdyno_results::{ExportedRun, HistogramKind, Imported, Repository, ResultsError, TransferError};
use dbdyno_stats::Histogram;
use proptest::prelude::*;
use std::sync::LazyLock;

/// A run of three planned points, the middle one missing, with two histograms and a superseded attempt.
fn measured(repository: &mut Repository) {
    begin(repository, &sample::run("abc123", Some("mine"), 0), 3);
    let mut times = Histogram::new();
    (1..5_000).for_each(|n| times.record_ns(n * n));
    let run = id("abc123");
    let both = [HistogramKind::Service, HistogramKind::Response].map(|kind| sample::of_test(kind, times.clone()));
    repository.record_point(&run, 0, &sample::point(0, Status::Failed), &[]).unwrap();
    let mut point = sample::point(0, Status::Ok);
    point.drive = dbdyno_model::Drive::Client;
    point.transactions = point.as_one_type().into_iter().collect();
    repository.record_point(&run, 0, &point, &both).unwrap();
    repository.record_point(&run, 2, &sample::point(2, Status::Invalid), &[]).unwrap();
    repository.set_status(&run, RunStatus::Interrupted).unwrap();
}

static EXPORTED: LazyLock<String> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = open(&folder.path().join("here.db"));
    measured(&mut repository);
    repository.transfer(&id("abc123")).unwrap().to_json().unwrap()
});

fn rewritten(change: impl Fn(&mut serde_json::Value)) -> Result<ExportedRun, TransferError> {
    let mut document = serde_json::from_str(&EXPORTED).unwrap();
    change(&mut document);
    ExportedRun::from_json(&document.to_string())
}

#[test]
fn a_run_is_elsewhere_what_it_was_here() {
    let folder = tempfile::tempdir().unwrap();
    let (mut here, mut there) = (open(&folder.path().join("here.db")), open(&folder.path().join("there.db")));
    measured(&mut here);
    let run = id("abc123");
    let transfer = ExportedRun::from_json(&EXPORTED).unwrap();
    assert_eq!(transfer, here.transfer(&run).unwrap());
    assert_eq!(there.import(&transfer).unwrap(), Imported::New);
    assert_eq!(there.load(&run).unwrap(), here.load(&run).unwrap());
    assert_eq!(there.plan(&run).unwrap(), here.plan(&run).unwrap());
    for place in 0..3 {
        assert_eq!(there.histograms(&run, place).unwrap(), here.histograms(&run, place).unwrap());
    }
    assert_eq!(there.histograms(&run, 0).unwrap().len(), 2);
    assert_eq!(there.unmeasured(&run).unwrap(), [1]);
    assert_eq!(there.transfer(&run).unwrap().to_json().unwrap(), *EXPORTED);
}

#[test]
fn the_same_run_may_come_twice_and_another_never_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let mut there = open(&folder.path().join("there.db"));
    let transfer = ExportedRun::from_json(&EXPORTED).unwrap();
    assert_eq!(there.import(&transfer).unwrap(), Imported::New);
    assert_eq!(there.import(&transfer).unwrap(), Imported::Same);
    let mut other = transfer.clone();
    other.run.points[0].ops_per_s = Some(1.0);
    let refused = there.import(&other).unwrap_err();
    assert!(matches!(&refused, ResultsError::OtherContent { .. }), "{refused}");
    assert_eq!(there.transfer(&id("abc123")).unwrap(), transfer);
    assert_eq!(there.list_runs().unwrap().len(), 1);
}

/// Something said of a platform.
fn said(array: &str) -> Described {
    Described {
        file: "platform.toml".to_owned(),
        at: Some("2026-11-25T12:00:00Z".parse().unwrap()),
        storage: [("array".to_owned(), DescribedValue::Text(array.to_owned()))].into(),
        ..Described::default()
    }
}

#[test]
fn a_description_is_replaced_and_removed_and_goes_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (mut here, mut there) = (open(&folder.path().join("here.db")), open(&folder.path().join("there.db")));
    measured(&mut here);
    let run = [id("abc123")];
    let before = here.load(&run[0]).unwrap();
    assert_eq!(before.described, None);
    assert_eq!(here.describe(&run, Some(&said("one"))).unwrap(), [false]);
    assert_eq!(here.describe(&run, Some(&said("two"))).unwrap(), [true]);
    assert_eq!(here.load(&run[0]).unwrap().described, Some(said("two")));
    assert_eq!(dbdyno_model::RunJson { described: None, ..here.load(&run[0]).unwrap() }, before);
    let transfer = ExportedRun::from_json(&here.transfer(&run[0]).unwrap().to_json().unwrap()).unwrap();
    assert_eq!(there.import(&transfer).unwrap(), Imported::New);
    assert_eq!(there.load(&run[0]).unwrap().described, Some(said("two")));
    // What is said here stays; where nothing is said, what the document says is taken.
    there.describe(&run, Some(&said("three"))).unwrap();
    assert_eq!(there.import(&transfer).unwrap(), Imported::OtherDescription);
    assert_eq!(there.load(&run[0]).unwrap().described, Some(said("three")));
    assert_eq!(there.describe(&run, None).unwrap(), [true]);
    assert_eq!(there.import(&transfer).unwrap(), Imported::Described);
    assert_eq!(there.import(&transfer).unwrap(), Imported::Same);
    assert_eq!(there.describe(&run, None).unwrap(), [true]);
    assert_eq!(there.describe(&run, None).unwrap(), [false]);
    assert_eq!(there.load(&run[0]).unwrap(), before);
}

#[test]
fn all_runs_are_described_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut here = open(&folder.path().join("here.db"));
    measured(&mut here);
    let refused = here.describe(&[id("abc123"), id("missing")], Some(&said("one"))).unwrap_err();
    assert!(matches!(refused, ResultsError::RunNotFound { .. }), "{refused}");
    assert_eq!(here.load(&id("abc123")).unwrap().described, None);
}

#[test]
fn a_description_from_elsewhere_is_checked_and_its_conclusions_are_not_believed() {
    let described = |value: serde_json::Value| rewritten(|document| document["described"] = value.clone());
    let storage = |array: &str| serde_json::json!({ "file": "x", "storage": { "array": array } });
    assert!(described(storage("plain")).is_ok());
    let refused = described(storage("\u{1b}[2J")).unwrap_err();
    assert!(matches!(&refused, TransferError::Damaged(why) if why.contains("storage.array")), "{refused}");
    assert!(described(storage(&"x".repeat(100_000))).is_err());
    assert!(described(serde_json::json!({ "storage": [] })).is_err());
    let mut told = storage("plain");
    let differs = DescribedDifference {
        key: "platform.cores".to_owned(),
        title: "Cores".to_owned(),
        said: "1".to_owned(),
        observed: "2".to_owned(),
    };
    told["differs"] = serde_json::json!([differs]);
    assert_eq!(described(told).unwrap().run.described.unwrap().differs, []);
}

#[test]
fn an_import_that_fails_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut there = open(&folder.path().join("there.db"));
    let mut transfer = ExportedRun::from_json(&EXPORTED).unwrap();
    // An error that is found at the last point.
    transfer.plan_indexes[1] = 3;
    assert!(there.import(&transfer).is_err());
    assert!(there.list_runs().unwrap().is_empty());
    transfer.plan_indexes[1] = 2;
    assert_eq!(there.import(&transfer).unwrap(), Imported::New);
}

#[test]
fn who_was_still_measuring_did_not_measure_here() {
    let transfer = rewritten(|d| d["run"]["status"] = "running".into()).unwrap();
    assert_eq!(transfer.run.run.status, RunStatus::Interrupted);
}

#[test]
fn what_is_no_run_is_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&mut serde_json::Value)| rewritten(change).unwrap_err().to_string();
    for (change, words) in [
        (
            &(|d: &mut serde_json::Value| d["schema_version"] = 99.into()) as &dyn Fn(&mut serde_json::Value),
            "it was written by a newer dbdyno (document 99;",
        ),
        (&|d| _ = d.as_object_mut().unwrap().remove("plan"), "it lacks the plan of the run"),
        (&|d| d["published"] = serde_json::json!({}), "it is a published result and no run"),
        (&|d| d["run"]["id"] = "../../etc".into(), "it is no run of dbdyno's ('../../etc' is not a valid run id"),
        (
            &|d| {
                (d["points"][0]["test"], d["points"][0]["subject"]["name"]) = ("T712".into(), "T712".into());
            },
            "it is damaged: a point of T712 stands at place 0, where its plan has none",
        ),
        (
            &|d| d["plan_indexes"][1] = 7.into(),
            "it is damaged: a point of T611 stands at place 7, where its plan has none",
        ),
        (&|d| d["plan_indexes"] = serde_json::json!([2, 0]), "it is damaged: its points are not in the plan's order"),
        (
            &|d| d["plan_indexes"] = serde_json::json!([0]),
            "it is damaged: it has 2 points, and places in the plan for 1",
        ),
        (
            &|d| d["histograms"][0]["plan_index"] = 1.into(),
            "it is damaged: its service histogram of place 1 belongs to no point",
        ),
        (
            &|d| d["histograms"][1]["kind"] = "service".into(),
            "it is damaged: its service histogram of place 0 belongs to no point",
        ),
        (
            &|d| d["histograms"][0]["type"] = "T612".into(),
            "it is damaged: its service histogram of place 0 is of the transaction type T612, and the point has T611",
        ),
        (
            &|d| _ = d["points"][0].as_object_mut().unwrap().remove("transactions"),
            "it is damaged: its service histogram of place 0 is of the transaction type T611, and the point has none",
        ),
        (
            &|d| d["histograms"][0]["kind"] = "other".into(),
            "it is damaged: the other histogram of place 0: there is no such kind",
        ),
        (&|d| d["histograms"][0]["hdr_v2_base64"] = "AAAA".into(), "it is damaged: the service histogram of place 0: "),
        (&|d| d["histograms"][0]["hdr_v2_base64"] = "?".into(), "it is damaged: the service histogram of place 0: "),
        // A magic number, and four bytes that ask for 4 GiB.
        (
            &|d| {
                d["histograms"][0]["hdr_v2_base64"] = "HISTE/////8AAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAA==".into();
            },
            "it is damaged: the service histogram of place 0: the stored histogram cannot be read: it has 0 bytes of counts and claims \
             4294967295",
        ),
        (
            &|d| d["points"][1] = d["points"][0].clone(),
            "it is damaged: a point of T611, begun at 2026-01-01T00:00:00Z, is in it twice",
        ),
    ] {
        let refusal = refused(change);
        assert!(refusal.starts_with(words), "{refusal}");
    }
    let twice = EXPORTED.replacen("\"label\": \"mine\",", "\"label\": \"mine\",\n\"label\": \"yours\",", 1);
    let refusal = ExportedRun::from_json(&twice).unwrap_err().to_string();
    assert!(refusal.starts_with("it is damaged: it says 'label' twice"), "{refusal}");
    for (text, words) in [
        ("", "it ends in the middle, in line 1"),
        ("{\"offset\": -", "it ends in the middle, in line 1"),
        ("[1, 2]", "it is no run of dbdyno's ("),
        ("PK\u{3}\u{4}", "it is no run of dbdyno's ("),
        ("{\"schema_version\": 1}", "it lacks the plan"),
    ] {
        let refusal = ExportedRun::from_json(text).unwrap_err().to_string();
        assert!(refusal.starts_with(words), "{text}: {refusal}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_file_that_was_cut_off_is_never_a_run(share in 0.0_f64..1.0) {
        let mut end = (share * EXPORTED.trim_end().len() as f64) as usize;
        while !EXPORTED.is_char_boundary(end) {
            end -= 1;
        }
        let refused = ExportedRun::from_json(&EXPORTED[..end]).unwrap_err();
        prop_assert!(matches!(refused, TransferError::CutOff { .. }), "{}", refused);
    }

    #[test]
    fn a_damaged_file_is_refused_or_sound(place in any::<prop::sample::Index>(), byte in 32_u8..127) {
        let mut bytes = EXPORTED.clone().into_bytes();
        let at = place.index(bytes.len());
        bytes[at] = byte;
        // No panic, and whatever is accepted can be stored.
        if let Ok(transfer) = ExportedRun::from_json(&String::from_utf8_lossy(&bytes)) {
            let folder = tempfile::tempdir().unwrap();
            let mut there = open(&folder.path().join("there.db"));
            prop_assert_eq!(there.import(&transfer).unwrap(), Imported::New);
        }
    }
}
