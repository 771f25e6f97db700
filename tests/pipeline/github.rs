//! The action, as GitHub runs a composite one: inputs become variables of a step, each step is a script of its own, and
//! what a step adds to the path is there for the next.

use crate::ROOT;
use crate::place::{Ended, Place, VERSION, Variables};
use crate::yaml;
use serde_json::Value;
use std::path::Path;

/// How GitHub calls a shell of `shell: bash`.
const OPTIONS: [&str; 4] = ["--noprofile", "--norc", "-eo", "pipefail"];
/// Where the summary of a job is collected.
pub(crate) const SUMMARY: &str = "github-summary.md";

fn action() -> Value {
    yaml::file("action.yml")
}

fn steps(action: &Value) -> &Vec<Value> {
    action["runs"]["steps"].as_array().unwrap()
}

/// A text with its expressions in place: of these few kinds only.
#[track_caller]
fn evaluated(text: &str, inputs: &Variables) -> String {
    let mut parts = text.split("${{");
    let mut evaluated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (expression, rest) = part.split_once("}}").unwrap();
        let value = match expression.trim() {
            "github.action_path" => ROOT,
            "github.server_url" => "https://github.invalid",
            "github.action_repository" => "owner/dbdyno",
            other => {
                other.strip_prefix("inputs.").and_then(|name| inputs.get(name)).unwrap_or_else(|| panic!("{other}"))
            }
        };
        evaluated.push_str(value);
        evaluated.push_str(rest);
    }
    evaluated
}

/// The value of every input: the default, or what a workflow gives.
#[track_caller]
fn inputs(action: &Value, given: &Variables) -> Variables {
    let known = action["inputs"].as_object().unwrap();
    let mut inputs: Variables =
        known.iter().map(|(name, input)| (name.clone(), yaml::scalar(&input["default"]))).collect();
    for (name, value) in given {
        assert!(inputs.insert(name.clone(), value.clone()).is_some(), "the action has no input {name}");
    }
    inputs
}

/// Runs the action up to its first step that fails.
#[track_caller]
pub(crate) fn run(place: &Place, given: &Variables) -> Ended {
    let action = action();
    let inputs = inputs(&action, given);
    let added = place.write("github-path", "");
    let mut ended = Ended { code: Some(0), stdout: String::new(), stderr: String::new() };
    for step in steps(&action).iter().filter(|step| step["run"].is_string()) {
        assert_eq!(step["shell"], "bash");
        let mut variables: Variables = yaml::variables(&step["env"]);
        variables.values_mut().for_each(|value| *value = evaluated(value, &inputs));
        let mut path: Vec<String> = std::fs::read_to_string(&added).unwrap().lines().map(str::to_owned).collect();
        path.extend(std::env::var("PATH"));
        variables.insert("PATH".to_owned(), path.join(":"));
        variables.insert("GITHUB_PATH".to_owned(), added.display().to_string());
        variables.insert("GITHUB_STEP_SUMMARY".to_owned(), place.path(SUMMARY).display().to_string());
        ended = place.bash(&OPTIONS, step["run"].as_str().unwrap(), &variables);
        if ended.code != Some(0) {
            break;
        }
    }
    ended
}

/// Inputs that a workflow gives.
pub(crate) fn with(given: &[(&str, &str)]) -> Variables {
    given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The same, with a release of the dbdyno under test.
pub(crate) fn released(place: &Place, given: &[(&str, &str)]) -> Variables {
    let mut with = with(given);
    with.extend([("version".to_owned(), VERSION.to_owned()), ("releases".to_owned(), place.own_release())]);
    with
}

#[test]
fn inputs_reach_scripts_by_the_environment_alone() {
    let action = action();
    let scripts = ["pipeline/install", "pipeline/compare_revisions"];
    let scripts = scripts.map(|script| std::fs::read_to_string(Path::new(ROOT).join(script)).unwrap()).concat();
    let mut used = String::new();
    for step in steps(&action) {
        assert!(!yaml::scalar(&step["run"]).contains("${{"), "{step:#}");
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            assert!(name == "DBDYNO_ACTION" || scripts.contains(&format!("${{{name}:-")), "no script reads {name}");
            used.push_str(&yaml::scalar(value));
        }
        used.push_str(&step["with"].to_string());
    }
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(used.contains(&format!("${{{{ inputs.{name} }}}}")), "the input {name} is of no use");
        assert!(input["description"].as_str().is_some_and(|text| text.len() > 10), "{name}");
        assert!(input["default"].is_string(), "a default that is no text: {name}");
    }
    let last = &steps(&action)[2];
    assert!(last["uses"].as_str().unwrap().starts_with("actions/upload-artifact@"), "{last:#}");
    assert!(last["if"].as_str().unwrap().contains("always()"), "the report of a failed comparison is what is wanted");
}

#[test]
fn no_input_is_a_command() {
    let place = Place::new();
    let evil = "T611\"; touch taken; $(touch taken) `touch taken` #";
    for name in ["tests", "options", "size", "target", "base-folder", "runs", "max-regression", "version", "sha256"] {
        let mut given = released(&place, &[("tests", "T611"), ("target", "null:")]);
        given.insert(name.to_owned(), evil.to_owned());
        let ended = run(&place, &given).expect(2);
        assert!(!ended.stderr.is_empty(), "{name}");
        assert!(!place.path("taken").exists(), "{name} was run");
        _ = std::fs::remove_dir_all(place.path("dbdyno-comparison"));
    }
}
