//! The documents of runs are correct for all tests, and the checks detect errors.

use crate::document::{absent_without_a_reason, check_document};
use crate::support::{Room, points};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn the_document_of_a_run_keeps_its_promises() {
    let room = Room::with_data();
    let line = "run T121 T611 T613 T711 T512 T421 T426 T211 --target sqlite:x.sqlite --ramp 1 --duration 100ms --json";
    let ending = room.run(line).expect(0);
    let document = ending.json();
    assert_eq!(points(&document).len(), 8);
    assert_eq!(document, room.show("last"), "`run --json` and `show --json` are one document");
    assert!(!ending.stderr.contains('{'), "the document is on stdout alone: {}", ending.stderr);
    check_document(&document);
}

/// Every figure has a value or a reason for its absence.
#[test]
fn whatever_is_absent_says_why() {
    let room = Room::with_data();
    let mut silent = BTreeSet::new();
    for target in ["sqlite:x.sqlite", "null:"] {
        let line = format!("run T121 T611 T711 T512 T421 T211 --target {target} --ramp 1 --duration 50ms --json");
        silent.extend(absent_without_a_reason(&room.run(&line).expect(0).json()));
    }
    for load in ["", "--rate 500/s"] {
        let line = format!("run T611 T311 T711 --target null: --drive client --jobs 2 --duration 200ms --json {load}");
        silent.extend(absent_without_a_reason(&room.run(&line).expect(0).json()));
    }
    let silent: Vec<String> = silent.into_iter().collect();
    assert!(silent.is_empty(), "absent without a reason in `missing`:\n{}", silent.join("\n"));
}

#[test]
fn repeats_make_cells_with_intervals() {
    let room = Room::new();
    let line = "run T512 T211 --duration 20ms --target null:?delay_us=10000 --repeat 3 --json";
    let document = room.run(line).expect(0).json();
    assert!(points(&document).len() >= 6);
    assert!(document["cells"].as_array().unwrap().iter().all(|c| c["n"] == 3), "{:#}", document["cells"]);
    check_document(&document);
}

#[test]
fn json_is_all_that_stdout_says_even_when_points_fail() {
    let room = Room::new();
    let line =
        "run T512 --jobs 1 --threads 1 --duration 20ms --target null:?error_at=1&error_class=out_of_space --json";
    let ending = room.run(line).expect(4);
    check_document(&ending.json());
    let quiet = room.run(&format!("{line} --quiet")).expect(4);
    check_document(&quiet.json());
    assert_eq!(quiet.stderr.lines().count(), 1, "only the complaint: {}", quiet.stderr);
}

/// The checks above must detect errors.
#[test]
fn a_document_that_was_tampered_with_is_noticed() {
    let room = Room::new();
    let line = "run T512 T211 --jobs 1 --threads 1 --duration 20ms --target null:?delay_us=10000 --repeat 3 --json";
    let document = room.run(line).expect(0).json();
    check_document(&document);
    let tampered: &[(&str, Value)] = &[
        ("/schema_version", 1.into()),
        ("/points/0/subject/kind", "storage".into()),
        ("/points/0/subject/name", "T611".into()),
        ("/points/0/test", "T611".into()),
        ("/run/status", "finished".into()),
        ("/run/started_at", "yesterday".into()),
        ("/points/0/status", "fine".into()),
        ("/points/0/definition", "".into()),
        ("/points/0/jobs", "1".into()),
        ("/points/0/outcomes/requests", 1_000_000.into()),
        ("/points/0/ops_total", 0.into()),
        ("/points/0/ops_per_s", 1e9.into()),
        ("/points/0/window_s", Value::Null),
        ("/points/0/metric", Value::Null),
        ("/points/0/reason", "it went well".into()),
        ("/points/0/jobs", 2.into()),
        ("/cells/0/n", 2.into()),
        ("/cells/0/median", 1.5.into()),
        ("/cells/0/low", Value::Null),
        ("/cells/0/high", 0.into()),
    ];
    for (pointer, value) in tampered {
        let mut document = document.clone();
        *document.pointer_mut(pointer).unwrap() = value.clone();
        let checked = std::panic::catch_unwind(|| check_document(&document));
        assert!(checked.is_err(), "{pointer} = {value} was not noticed");
    }
    let mut silent = document;
    silent["points"][0]["cpu"]["busy_pct"] = Value::Null;
    silent["points"][0]["missing"] = Value::Object(serde_json::Map::new());
    assert!(absent_without_a_reason(&silent).contains("null T512 cpu.busy_pct"));
}
