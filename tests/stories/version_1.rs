//! What version 1 wrote is opened, shown, compared, exported, imported and resumed, with the same figures.

use crate::document::check_point;
use crate::support::{Room, points, statuses, text};
use serde_json::Value;

const LABELS: [&str; 5] = ["mine", "client", "paced", "cut", "disk"];

const RESULTS: &[u8] = include_bytes!("../fixtures/v1/dbdyno.db");

/// A run that version 1 exported.
fn export(label: &str) -> String {
    let path = format!("{}/tests/fixtures/v1/{label}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The same as a document.
fn exported(label: &str) -> Value {
    serde_json::from_str(&export(label)).unwrap()
}

/// A room with the results file of version 1.
fn room() -> Room {
    let room = Room::new();
    std::fs::write(room.path("dbdyno.db"), RESULTS).unwrap();
    room
}

/// Values of an older document that a newer one changed or lacks; additional values of the newer one do not matter.
fn unlike(old: &Value, new: &Value, at: &str, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                unlike(value, new.get(key).unwrap_or(&Value::Null), &format!("{at}/{key}"), found);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().for_each(|(n, (old, new))| unlike(old, new, &format!("{at}/{n}"), found));
        }
        _ if old == new => {}
        _ => found.push(format!("{at} was {old} and is {new}")),
    }
}

/// Asserts that a document of today contains what one of version 1 did, except for the intended changes.
#[track_caller]
fn says_the_same(label: &str, new: &Value) {
    let mut old = exported(label);
    let keys = old.as_object_mut().unwrap();
    for key in ["schema_version", "plan", "plan_indexes", "histograms"] {
        keys.remove(key).unwrap();
    }
    assert_eq!(new["schema_version"], 2);
    for list in ["points", "cells"] {
        let old = old[list].as_array_mut().unwrap();
        for (old, new) in old.iter_mut().zip(new[list].as_array().unwrap()) {
            assert_eq!(new["subject"]["name"], old["test"], "{label}");
            let kind = if label == "disk" { "storage" } else { "test" };
            assert_eq!(new["subject"]["kind"], kind, "{label}");
            // Storage is not a test.
            if kind == "storage" {
                old.as_object_mut().unwrap().remove("test").unwrap();
            }
        }
    }
    let mut found = Vec::new();
    unlike(&old, new, "", &mut found);
    assert!(found.is_empty(), "{label}:\n{}", found.join("\n"));
    points(new).iter().for_each(check_point);
}

#[test]
fn every_run_is_shown_with_the_figures_that_it_had() {
    let room = room();
    assert_eq!(room.runs().len(), LABELS.len());
    for label in LABELS {
        says_the_same(label, &room.show(label));
        let id = text(&exported(label), "/run/id").to_owned();
        assert!(room.run(&format!("show {label}")).expect(0).stdout.contains(&id), "{label}");
        let sheet = room.run(&format!("show {label} --table platform")).expect(0).stdout;
        assert!(sheet.contains("Build") && sheet.contains("not known: the run is from before"), "{sheet}");
        room.run(&format!("report {label} -o {label}.html")).expect(0);
        assert!(std::fs::read_to_string(room.path(&format!("{label}.html"))).unwrap().contains(&id), "{label}");
    }
    assert!(room.run("show client --table latency").expect(0).stdout.contains("T311"));
    assert!(room.run("show disk").expect(0).stdout.contains("8K random reads"));
    assert_eq!(statuses(&room.show("mine")).len(), 18);
    // A reader leaves the file as it is for the dbdyno that wrote it.
    assert_eq!(std::fs::read(room.path("dbdyno.db")).unwrap(), RESULTS);
}

#[test]
fn runs_of_both_versions_stand_side_by_side() {
    let room = room();
    let line = "run T611 --target sqlite:new.sqlite --size T --drive client --ramp 1,2 --duration 200ms --label new";
    room.run(line).expect(0);
    for sides in ["mine client", "mine new", "client new", "disk mine new"] {
        let compared = room.run(&format!("compare {sides} --json")).expect(0).json();
        assert_eq!(compared["sides"].as_array().unwrap().len(), sides.split(' ').count(), "{sides}");
        // The build of version 1 is unknown, which is no difference.
        let warned = |warning: &Value| warning["kind"] == "builds";
        assert!(!compared["warnings"].as_array().unwrap().iter().any(warned), "{compared:#}");
        assert!(compared["rows"].as_array().unwrap().iter().any(|row| row["test"] == "T611"), "{sides}");
    }
    room.run("report mine client new -o sides.html").expect(0);
    // The file is upgraded now, with the same contents.
    assert_ne!(std::fs::read(room.path("dbdyno.db")).unwrap(), RESULTS);
    LABELS.iter().for_each(|label| says_the_same(label, &room.show(label)));
}

#[test]
fn every_run_is_exported_and_comes_in_elsewhere() {
    let (here, there) = (room(), Room::new());
    for label in LABELS {
        for format in ["csv", "openmetrics"] {
            let lines = here.run(&format!("export {label} --format {format}")).expect(0).stdout;
            let each = lines.lines().filter(|l| format == "csv" || l.starts_with("dbdyno_point_ok{")).count();
            let heads = usize::from(format == "csv");
            assert_eq!(each, points(&exported(label)).len() + heads, "{label} as {format}");
        }
        // An export of version 1, and an export of today of the same run, are one run.
        std::fs::write(there.path("old.json"), export(label)).unwrap();
        let document = here.run(&format!("export {label}")).expect(0).stdout;
        std::fs::write(there.path("new.json"), &document).unwrap();
        assert!(there.run("import old.json").expect(0).stdout.contains(" is in ./dbdyno.db now"), "{label}");
        let again = there.run("import new.json").expect(0).stdout;
        assert!(again.contains("and is the same: nothing was changed"), "{label}: {again}");
        assert_eq!(there.show(label), here.show(label));
        let histograms = |document: &str| {
            let document: Value = serde_json::from_str(document).unwrap();
            let all = document["histograms"].as_array().unwrap().iter();
            all.map(|h| [h["plan_index"].clone(), h["kind"].clone(), h["hdr_v2_base64"].clone()]).collect::<Vec<_>>()
        };
        assert_eq!(histograms(&document), histograms(&export(label)), "{label}");
        // Each has its test's single type; storage has none.
        let document: Value = serde_json::from_str(&document).unwrap();
        for histogram in document["histograms"].as_array().unwrap() {
            let place = usize::try_from(histogram["plan_index"].as_u64().unwrap()).unwrap();
            let test = document["plan"]["points"][place].get("test");
            assert_eq!(histogram.get("type"), test, "{label}");
        }
        assert_eq!(there.run(&format!("export {label}")).expect(0).json(), document);
    }
}

#[test]
fn a_run_goes_on_where_version_1_left_it_and_storage_does_not() {
    let room = room();
    let refused = room.run("resume disk").expect(2).stderr;
    assert!(refused.contains("start it again with `dbdyno orion`"), "{refused}");
    // As if it had been measured here by this dbdyno: other differences are refused, which is not about versions.
    let line = "run T512 T511 T611 --jobs 1 --threads 1 --duration 10ms --target null:?delay_us=50000 --label here";
    room.run(line).expect(0);
    let here: Value = serde_json::from_str(&room.run("export here").expect(0).stdout).unwrap();
    let mut old = exported("cut");
    (old["platform"], old["database"]) = (here["platform"].clone(), here["database"].clone());
    old["run"]["tool_version"] = here["run"]["tool_version"].clone();
    for (old, here) in old["plan"]["points"].as_array_mut().unwrap().iter_mut().zip(points(&here["plan"])) {
        old["definition"] = here["definition"].clone();
    }
    let there = Room::new();
    std::fs::write(there.path("old.json"), old.to_string()).unwrap();
    there.run("import old.json").expect(0);
    let kept = points(&there.show("cut"))[0].clone();
    let ending = there.run("resume cut --target null:").expect(0);
    let measured: Vec<&str> = ending.stderr.lines().filter(|l| l.starts_with('[')).map(|l| &l[..10]).collect();
    assert_eq!(measured, ["[2/3] T511", "[3/3] T611"], "{}", ending.stderr);
    assert_eq!(statuses(&there.show("cut")), ["T512 ok", "T511 ok", "T611 ok"]);
    assert_eq!(points(&there.show("cut"))[0], kept);
    // A run of another machine is refused, as always.
    std::fs::write(there.path("elsewhere.json"), export("cut").replace("\"host\": \"vm\"", "\"host\": \"other\""))
        .unwrap();
    let other = Room::new();
    std::fs::copy(there.path("elsewhere.json"), other.path("run.json")).unwrap();
    other.run("import run.json").expect(0);
    let refused = other.run("resume cut --target null:").expect(2).stderr;
    assert!(refused.contains("the host was other and is "), "{refused}");
}
