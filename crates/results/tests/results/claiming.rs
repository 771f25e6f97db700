//! Only one process measures a run.

use crate::{process, sample};
use dbdyno_model::RunStatus;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};

/// The process that measures a run until its input ends.
#[test]
#[ignore = "a part that another test starts"]
fn measurer() {
    let Some(folder) = process::part() else { return };
    let mut repository = sample::open(&folder.join("dbdyno.db"));
    sample::begin(&mut repository, &sample::run("r1", None, 0), 1);
    println!("measuring r1");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn measuring(folder: &Path) -> Child {
    let mut child = process::playing("claiming::measurer", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("measuring r1")));
    child
}

#[test]
fn a_run_is_taken_over_only_from_the_dead() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = measuring(folder.path());
    let mut repository = sample::open(&folder.path().join("dbdyno.db"));
    let run = sample::id("r1");
    let refused = repository.claim(&run).unwrap_err().to_string();
    let text = format!(
        "run r1 is being measured by process {}: wait until it is done, or stop it, and resume then",
        child.id()
    );
    assert_eq!(refused, text);
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = |repository: &dbdyno_results::Repository| {
        [repository.load(&run).unwrap().run.status, repository.list_runs().unwrap()[0].run.status]
    };
    assert_eq!(shown(&repository), [RunStatus::Interrupted; 2], "nobody measures it");
    repository.claim(&run).unwrap();
    repository.claim(&run).unwrap();
    assert_eq!(shown(&repository), [RunStatus::Running; 2], "whoever lives does");
}

#[test]
fn a_run_that_was_given_up_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = measuring(folder.path());
    let mut repository = sample::open(&folder.path().join("dbdyno.db"));
    let run = sample::id("r1");
    repository.set_status(&run, RunStatus::Running).unwrap();
    assert!(repository.claim(&run).is_err());
    repository.set_status(&run, RunStatus::Interrupted).unwrap();
    repository.claim(&run).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}
