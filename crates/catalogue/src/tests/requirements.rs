//! Files of requirements: what they may contain, and the messages about errors.

use super::embedded;
use crate::{Percentile, RequiredFigure, RequiredSubject, RequirementLimit, Requirements};
use dbdyno_model::{Drive, Flag};

const SOUND: &str = r#"
title = "Warehouse"

[[requirement]]
title = "Updates"
test = "t711"
metric = "tx_per_s"
minimum = 2000

[[requirement]]
title = "Tail"
test = "T611"
metric = "response_time_s.p99.9"
maximum = 0.005
drive = "client"
jobs = 8
rate_per_s = 2000.0
accept = ["foreign_load"]

[[requirement]]
title = "I/O"
result = "io_rate"
unit = "iops"
minimum = 10_000

[[requirement]]
title = "Transfers"
workload = "tpcb"
transaction = "transfer"
metric = "service_time_s.p99"
maximum = 0.01
variant = "with_replication"

[[requirement]]
title = "Reads"
storage = "8K random reads"
metric = "service_time_s.max"
small_outstanding = 60
maximum = 0.005
"#;

fn parsed(text: &str) -> Result<Requirements, String> {
    Requirements::parse("needs.toml", text, &embedded()).map_err(|e| e.to_string())
}

#[test]
fn a_file_says_figures_places_and_limits() {
    let read = parsed(SOUND).unwrap();
    assert_eq!((read.title.as_str(), read.list.len()), ("Warehouse", 5));
    let RequiredFigure::Measured(updates) = &read.list[0].of else { panic!("{:?}", read.list[0]) };
    assert!(matches!(&updates.subject, RequiredSubject::Test(code) if code.as_str() == "T711"), "{updates:?}");
    assert_eq!((updates.unit.as_str(), updates.jobs), ("1/s", None));
    assert_eq!(read.list[0].limit, RequirementLimit::Minimum(2_000.0));
    let RequiredFigure::Measured(tail) = &read.list[1].of else { panic!("{:?}", read.list[1]) };
    assert_eq!((tail.percentile, tail.drive, tail.jobs), (Some(Percentile::P99_9), Some(Drive::Client), Some(8)));
    assert_eq!(
        (read.list[1].limit, &read.list[1].accept[..]),
        (RequirementLimit::Maximum(0.005), &[Flag::ForeignLoad][..])
    );
    let RequiredFigure::Result { name, unit } = &read.list[2].of else { panic!("{:?}", read.list[2]) };
    assert_eq!((name.as_str(), &read.list[2].variant, unit.as_str()), ("io_rate", &None, "iops"));
    let RequiredFigure::Measured(transfers) = &read.list[3].of else { panic!("{:?}", read.list[3]) };
    let RequiredSubject::Workload { name, transaction } = &transfers.subject else { panic!("{transfers:?}") };
    assert_eq!((name.as_str(), transaction.as_deref()), ("tpcb", Some("transfer")));
    assert_eq!(read.list[3].variant.as_deref(), Some("with_replication"));
    let RequiredFigure::Measured(reads) = &read.list[4].of else { panic!("{:?}", read.list[4]) };
    let RequiredSubject::Storage { work, small_outstanding, large_outstanding } = &reads.subject else {
        panic!("{reads:?}")
    };
    assert_eq!((work.as_deref(), *small_outstanding, *large_outstanding), (Some("8K random reads"), Some(60), None));
}

#[test]
fn the_files_of_the_folder_are_sound() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue/requirements");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let read = Requirements::parse(&path.to_string_lossy(), &std::fs::read_to_string(&path).unwrap(), &embedded());
        assert!(!read.unwrap().list.is_empty());
        files += 1;
    }
    assert!(files >= 2);
}

#[test]
fn what_is_wrong_is_named_with_its_key_and_line() {
    for (from, to, words) in [
        (
            "\"tx_per_s\"",
            "\"tx_per_sec\"",
            "[[requirement]] Updates: key 'metric': there is no metric 'tx_per_sec'; nearest: tx_per_s; `dbdyno list metrics` shows all (line 4)",
        ),
        (
            "\"t711\"",
            "\"T771\"",
            "[[requirement]] Updates: key 'test': there is no test 'T771'; nearest: T711, T721; `dbdyno list tests` shows all (line 4)",
        ),
        (
            "s.p99.9",
            "s.p98",
            "[[requirement]] Tail: key 'metric': there is no percentile 'p98'; it can be p50, p90, p95, p99, p99_9, p99_99, max (line 10)",
        ),
        (
            "\"tx_per_s\"",
            "\"tx_per_s.p99\"",
            "[[requirement]] Updates: key 'metric': 'tx_per_s' has no percentiles; service_time_s and response_time_s have (line 4)",
        ),
        (
            "minimum = 2000",
            "minimum = 2000\nmaximum = 1",
            "[[requirement]] Updates: one of the keys 'minimum' and 'maximum' must stand here, and not both (line 4)",
        ),
        (
            "minimum = 2000",
            "minimum = \"2000\"",
            "[[requirement]] Updates: key 'minimum': invalid type: string \"2000\", expected f64 (line 8)",
        ),
        ("minimum = 2000", "minimum = -1", "[[requirement]] Updates: key 'minimum' must be above zero (line 4)"),
        (
            "minimum = 2000",
            "minium = 2000",
            "[[requirement]] Updates: unknown key 'minium'; did you mean 'minimum'? (line 8)",
        ),
        ("jobs = 8", "jobs = 0", "[[requirement]] Tail: key 'jobs' must be at least 1 (line 10)"),
        (
            "\"foreign_load\"",
            "\"foreign\"",
            "[[requirement]] Tail: key 'accept': unknown value 'foreign'; did you mean 'foreign_load'? (line 18)",
        ),
        ("unit = \"iops\"", "", "[[requirement]] I/O: the key 'unit' is missing (line 20)"),
        (
            "unit = \"iops\"",
            "unit = \"iops\"\njobs = 1",
            "[[requirement]] I/O: key 'jobs' may only stand beside 'test' or 'workload' (line 20)",
        ),
        (
            "result = \"io_rate\"",
            "",
            "[[requirement]] I/O: one of the keys 'test', 'workload', 'storage' and 'result' must stand here, and not several (line 20)",
        ),
        (
            "small_outstanding = 60",
            "",
            "[[requirement]] Reads: a maximum of storage needs the kind of I/O and the load that it is for: 'small_outstanding', 'large_outstanding' or 'rate_per_s' (line 34)",
        ),
        (
            "small_outstanding = 60",
            "small_outstanding = 60\njobs = 4",
            "[[requirement]] Reads: key 'jobs' may only stand beside 'test' or 'workload' (line 34)",
        ),
        (
            "\"tx_per_s\"",
            "\"tx_per_s\"\nlarge_outstanding = 2",
            "[[requirement]] Updates: key 'large_outstanding' may only stand beside 'storage' (line 4)",
        ),
        (
            "\"service_time_s.p99\"",
            "\"redo_mib_per_s\"",
            "[[requirement]] Transfers: a transaction has no 'redo_mib_per_s'; it has tx_per_s, service_time_s and response_time_s (line 26)",
        ),
        ("title = \"Warehouse\"", "", "head: the key 'title' is missing"),
        (
            "minimum = 2000",
            "minimum = ",
            "[[requirement]]: key 'minimum': string values must be quoted, expected literal string (line 8)",
        ),
    ] {
        assert!(SOUND.contains(from), "{from}");
        assert_eq!(parsed(&SOUND.replacen(from, to, 1)).unwrap_err(), format!("needs.toml: {words}"));
    }
    assert_eq!(parsed("title = \"x\"").unwrap_err(), "needs.toml: head: there is no [[requirement]]");
    assert_eq!(parsed("title = \"x\"\nrequirement = []").unwrap_err(), "needs.toml: head: there is no [[requirement]]");
}
