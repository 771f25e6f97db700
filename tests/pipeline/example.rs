//! This repository's own examples: the planted loss is found, and without it none is.

use crate::github::{self, released};
use crate::place::{Place, Variables};
use crate::{ROOT, yaml};
use serde_json::Value;

/// What the workflow of the example gives to the action, with windows that a test can wait for.
fn workflow(place: &Place) -> Variables {
    let workflow = yaml::file("examples/pipeline/github.yml");
    let steps = workflow["jobs"]["compare"]["steps"].as_array().unwrap();
    let of_action = |step: &&Value| step["uses"].as_str().is_some_and(|name| name.starts_with("OWNER/dbdyno@"));
    let step = steps.iter().find(of_action).unwrap();
    let mut with = yaml::variables(&step["with"]);
    // More runs show the loss on a machine with other work, too.
    with.extend(released(place, &[("options", "--jobs 1 --duration 1s"), ("runs", "5")]));
    with
}

fn json(place: &Place, name: &str) -> Value {
    serde_json::from_str(&place.text(&format!("dbdyno-comparison/{name}"))).unwrap()
}

#[test]
fn the_planted_loss_of_the_example_is_found() {
    let place = Place::new();
    place.copy("base", "base");
    place.copy("changed", "changed");
    let ended = github::run(&place, &workflow(&place)).expect(1);
    assert!(ended.stderr.contains("more than 20 %"), "{}", ended.stderr);
    let compared = json(&place, "compare.json");
    assert_eq!(compared["regression"]["broken"].as_array().unwrap().len(), 2, "{compared:#}");
    let summary = place.text("dbdyno-comparison/summary.md");
    let conclusion = "# base and changed\n\n**✗** 2 rows of 2 are shown to be worse than A (base) by more than 20 %.\n";
    assert!(summary.starts_with(conclusion) && summary.contains("| T711 |"), "{summary}");
    assert_eq!(place.text(github::SUMMARY), summary);
    assert!(place.text("dbdyno-comparison/junit.xml").contains("tests=\"2\" failures=\"2\""));
    assert!(place.text("dbdyno-comparison/report.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn without_the_planted_loss_none_is_found() {
    let place = Place::new();
    place.copy("base", "base");
    place.copy("base", "changed");
    github::run(&place, &workflow(&place)).expect(0);
    let compared = json(&place, "compare.json");
    assert_eq!(compared["regression"]["judged"], 2, "{compared:#}");
    assert!(place.text("dbdyno-comparison/summary.md").contains("**✓** No row is shown to be worse"));
    assert!(place.text("dbdyno-comparison/junit.xml").contains("tests=\"2\" failures=\"0\">"));
}

/// A change of engine: what the changed side cannot do is neither passed nor forgotten, though all else is better. T612
/// is native on both sides; an equivalent would not be judged at all.
#[test]
fn a_test_that_only_the_base_can_do_is_no_pass() {
    let place = Place::new();
    let given = [
        ("tests", "T132 T612"),
        ("options", "--jobs 1 --duration 1s"),
        ("size", "T"),
        ("base-target", "null:?speed=1000"),
        ("changed-target", "sqlite:changed.sqlite"),
    ];
    let ended = github::run(&place, &released(&place, &given)).expect(4);
    assert!(ended.stderr.contains("a test has figures of the base alone"), "{}", ended.stderr);
    let compared = json(&place, "compare.json");
    assert_eq!(compared["regression"]["judged"], 2, "{compared:#}");
    let summary = place.text("dbdyno-comparison/summary.md");
    let conclusion =
        "**✗** No row is shown to be worse than A (base) by more than 5 %, but only A (base) has figures of T132.\n";
    assert!(summary.contains(conclusion) && !summary.contains('✓'), "{summary}");
    let junit = place.text("dbdyno-comparison/junit.xml");
    assert!(junit.contains("tests=\"3\" failures=\"0\" skipped=\"1\">"), "{junit}");
    assert!(junit.contains("name=\"T132\"") && junit.contains("only base has figures of it"), "{junit}");
}

/// Servers of its own, with settings that a set-up gives them. What the setting costs depends on the machine, and no
/// machine loses nearly everything by it.
#[test]
fn a_private_server_has_the_settings_of_its_revision() {
    let place = Place::new();
    place.copy("private/base", "base");
    place.copy("private/changed", "changed");
    let setup = format!("bash '{ROOT}/examples/pipeline/private/apply_settings'");
    let given = [
        ("tests", "T611"),
        ("options", "--jobs 1 --duration 600ms"),
        ("size", "T"),
        ("target", "private:postgres"),
        ("setup", &setup),
        ("base-folder", "base"),
        ("changed-folder", "changed"),
        ("max-regression", "99%"),
    ];
    github::run(&place, &released(&place, &given)).expect(0);
    let compared = json(&place, "compare.json");
    assert_eq!(compared["regression"]["judged"], 2, "{compared:#}");
    let settings = compared["settings"].as_array().unwrap();
    let setting = settings.iter().find(|setting| setting["name"] == "auto_explain.log_analyze");
    assert_eq!(setting.unwrap_or_else(|| panic!("{settings:?}"))["values"], serde_json::json!([null, "on"]));
}
