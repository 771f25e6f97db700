//! Files of acceptance projects: what they may contain, and the messages about errors.

use super::embedded;
use crate::{Bound, Project, RatioLimit, Role, StepCommand};

const SOUND: &str = r#"
name = "orders"
title = "Orders"
[[variant]]
name = "alone"
role = "baseline"
target = "sqlite:a.db"
[[variant]]
name = "standby"
title = "With a standby"
role = "candidate"
target = "sqlite:b.db"
up = "postgres --size 'D'"
[[step]]
name = "load"
run = "order-entry --until-saturated"
[[step]]
name = "crash"
durability = "--cuts 5"
variants = ["standby"]
[[step]]
name = "cost"
pair = "T711 --pairs 8"
[[requirement]]
title = "Orders"
step = "load"
workload = "order-entry"
metric = "tx_per_s"
minimum = 500
[[requirement]]
title = "Nothing is lost"
lost = 0
at_most_lossy_pct = 50
[[requirement]]
title = "Cost"
step = "cost"
ratio_at_least = 0.8
"#;

fn parsed(text: &str) -> Result<Project, String> {
    Project::parse("p.toml", text, &embedded()).map_err(|error| error.to_string())
}

#[test]
fn a_sound_project_is_read() {
    let project = parsed(SOUND).unwrap();
    let roles: Vec<(&str, Role)> = project.variants.iter().map(|of| (of.title.as_str(), of.role)).collect();
    assert_eq!(roles, [("alone", Role::Baseline), ("With a standby", Role::Candidate)]);
    assert_eq!(project.variants[1].up.as_ref().unwrap().join("|"), "postgres|--size|D");
    let steps: Vec<(StepCommand, &[usize])> = project.steps.iter().map(|of| (of.command, &of.variants[..])).collect();
    assert_eq!(
        steps,
        [(StepCommand::Run, &[0, 1][..]), (StepCommand::Durability, &[1]), (StepCommand::Pair, &[0, 1])],
        "a pair is of baseline and candidate"
    );
    assert!(matches!(project.requirements[0].of, Bound::Figure(_)));
    assert_eq!(project.requirements[1].of, Bound::Lost { at_most_lossy_pct: Some(50.0) });
    assert_eq!(project.requirements[2].of, Bound::Ratio { test: None, limit: RatioLimit::AtLeast(0.8) });
    assert_eq!(project.judged(&project.requirements[0]), [1], "candidates decide");
}

#[test]
fn the_same_definition_has_the_same_label_and_another_has_not() {
    let label = |text: &str, step: usize, variant: usize| {
        let project = parsed(text).unwrap();
        project.label(&project.steps[step], variant)
    };
    let first = label(SOUND, 0, 0);
    assert!(first.starts_with("orders/alone/load#") && first.len() <= 64, "{first}");
    assert_eq!(first, label(&SOUND.replace("title = \"Orders\"", "title = \"Other\""), 0, 0));
    assert_ne!(first, label(&SOUND.replace("--until-saturated", "--users 4"), 0, 0));
    assert_ne!(label(SOUND, 0, 1), label(&SOUND.replace("'D'", "N"), 0, 1));
    assert_eq!(label(SOUND, 0, 0), label(&SOUND.replace("'D'", "N"), 0, 0), "another variant changes nothing");
    assert_ne!(label(SOUND, 2, 0), label(&SOUND.replace("'D'", "N"), 2, 0), "but for a pair with it");
}

#[test]
fn errors_name_the_entry_and_what_would_be_right() {
    let cases = [
        ("name = \"orders\"", "name = \"Or ders\"", "small letters, digits and dashes"),
        ("name = \"orders\"", "", "the key 'name' is missing"),
        ("name = \"standby\"\ntitle", "name = \"alone\"\ntitle", "the name 'alone' stands twice"),
        ("role = \"baseline\"", "role = \"basline\"", "did you mean 'baseline'?"),
        ("target = \"sqlite:a.db\"", "targt = \"sqlite:a.db\"", "unknown key 'targt'; did you mean 'target'?"),
        ("target = \"sqlite:a.db\"", "", "[[step]] load: it is done on 'alone', and this variant has no key 'target'"),
        ("run = \"order", "rnu = \"order", "unknown key 'rnu'; did you mean 'run'?"),
        ("durability = \"--cuts 5\"", "durability = \"'--cuts\"", "is not closed"),
        ("durability = \"--cuts 5\"", "durability = \"\"\nrun = \"T611\"", "and not several"),
        ("variants = [\"standby\"]", "variants = [\"standy\"]", "did you mean 'standby'?"),
        ("variants = [\"standby\"]", "variants = []", "at least one variant"),
        ("role = \"candidate\"", "", "a pair is of two variants"),
        ("step = \"load\"", "step = \"laod\"", "did you mean 'load'?"),
        ("step = \"load\"", "step = \"cost\"", "a figure needs a step that is a run or orion"),
        ("step = \"load\"", "step = \"load\"\nvariant = \"x\"", "unknown name 'x'"),
        ("metric = \"tx_per_s\"", "metric = \"tx_per\"", "tx_per_s"),
        ("lost = 0", "lost = 3", "can only be 0"),
        ("at_most_lossy_pct = 50", "at_most_lossy_pct = 0", "above 0 and at most 100"),
        ("at_most_lossy_pct = 50", "jobs = 3", "key 'jobs' has no meaning beside lost"),
        ("ratio_at_least = 0.8", "ratio_at_least = -1", "above zero"),
        ("ratio_at_least = 0.8", "ratio_at_least = 0.8\nratio_at_most = 2", "only one of"),
        ("ratio_at_least = 0.8", "ratio_at_least = 0.8\nlost = 0", "each has its own entry"),
    ];
    for (from, to, expected) in cases {
        let text = SOUND.replacen(from, to, 1);
        assert_ne!(text, SOUND, "{from}");
        let error = parsed(&text).unwrap_err();
        assert!(error.contains(expected) && error.starts_with("p.toml: "), "{to}: {error}");
    }
    assert!(parsed("name = \"a\"\ntitle = \"b\"").unwrap_err().contains("there is no [[variant]]"));
}

#[test]
fn keys_of_projects_may_not_stand_in_files_of_requirements() {
    let text = "title = \"x\"\n[[requirement]]\ntitle = \"y\"\nlost = 0\n";
    let error = crate::Requirements::parse("r.toml", text, &embedded()).unwrap_err().to_string();
    assert!(error.contains("key 'lost' may only stand in an acceptance project"), "{error}");
}
