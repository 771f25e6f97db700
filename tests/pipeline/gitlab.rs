//! The template, as GitLab runs a job that extends it: the commands before and those of the job in one shell.

use crate::place::{Ended, Place, VERSION, Variables};
use crate::{ROOT, yaml};
use serde_json::Value;
use std::path::Path;

fn template() -> Value {
    yaml::file("pipeline/gitlab.yml")[".dbdyno"].clone()
}

/// Variables with those of others in place; `$$` is a dollar.
fn expanded(variables: &Variables, others: &Variables) -> Variables {
    let expand = |text: &String| {
        let text = text.replace("$$", "\0");
        let text = others.iter().fold(text, |text, (name, value)| text.replace(&format!("${name}"), value));
        text.replace('\0', "$")
    };
    variables.iter().map(|(name, value)| (name.clone(), expand(value))).collect()
}

/// A repository of dbdyno's with the scripts alone, and its URL.
fn source(place: &Place) -> String {
    let script = format!(
        "git init --quiet --initial-branch=main source
         cp --recursive '{ROOT}/pipeline' source/
         cd source && git add . && git -c user.name=t -c user.email=t@example.invalid commit --quiet --message=scripts
         git tag v{VERSION}"
    );
    place.bash(&["-e"], &script, &Variables::new()).expect(0);
    format!("file://{}", place.path("source").display())
}

/// Runs a job that extends the template by these variables.
fn run(place: &Place, own: &[(&str, &str)]) -> Ended {
    let template = template();
    let mut variables = yaml::variables(&template["variables"]);
    variables.extend(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let variables = expanded(&variables, &Variables::new());
    let commands = [&template["before_script"], &template["script"]].map(yaml::commands).concat();
    place.bash(&["-eo", "pipefail"], &commands.join("\n"), &variables)
}

#[test]
fn a_job_that_extends_the_template_finds_a_loss() {
    let place = Place::new();
    let (source, releases) = (source(&place), place.own_release());
    let revision = format!("v{VERSION}");
    let ended = run(
        &place,
        &[
            ("DBDYNO_SOURCE", &source),
            ("DBDYNO_REVISION", &revision),
            ("DBDYNO_VERSION", VERSION),
            ("DBDYNO_RELEASES", &releases),
            ("DBDYNO_TESTS", "T611"),
            ("DBDYNO_OPTIONS", "--jobs 1 --duration 600ms"),
            ("DBDYNO_BASE_TARGET", "null:"),
            ("DBDYNO_CHANGED_TARGET", "null:?speed=1000"),
        ],
    );
    let ended = ended.expect(1);
    assert!(ended.stdout.contains("2 of 2 rows broke the limit"), "{}", ended.stdout);
    // What the template keeps is there.
    let artifacts = &template()["artifacts"];
    assert_eq!(artifacts["when"], "always");
    for path in yaml::commands(&artifacts["paths"]) {
        assert!(place.path(path).is_dir(), "{path}");
    }
    let junit = place.text(artifacts["reports"]["junit"].as_str().unwrap());
    assert!(junit.contains("failures=\"2\""), "{junit}");
}

/// Every variable of the template and of its example is one that the scripts know.
#[test]
fn variables_are_known() {
    let scripts = ["pipeline/install", "pipeline/compare_revisions", "pipeline/gitlab.yml"];
    let scripts = scripts.map(|script| std::fs::read_to_string(Path::new(ROOT).join(script)).unwrap()).concat();
    let example = yaml::file("examples/pipeline/gitlab.yml")["performance"].clone();
    assert_eq!(example["extends"], ".dbdyno");
    let others = Variables::from([("CI_SERVER_URL".to_owned(), "https://gitlab.invalid".to_owned())]);
    let variables = expanded(&yaml::variables(&example["variables"]), &others);
    assert_eq!(variables["DBDYNO_SETUP"], "export DBDYNO_TARGET=\"sqlite:example.sqlite?$(cat settings)\"");
    let of_template = yaml::variables(&template()["variables"]);
    for name in variables.keys().chain(of_template.keys()).filter(|name| name.starts_with("DBDYNO_")) {
        assert!(scripts.contains(&format!("{name}:-")) || scripts.contains(&format!("\"${name}\"")), "{name}");
    }
}
