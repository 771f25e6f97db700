//! `dbdyno accept --dry-run`: what is there, what would be run, and how long that takes.

use super::super::context::Context;
use super::check;
use crate::error::Error;
use crate::output::{self, Format};
use crate::progress::about;
use dbdyno_catalogue::{Project, StepCommand};
use dbdyno_report::acceptance::{Left, StepResult};
use dbdyno_report::lists;
use serde::Serialize;
use std::process::{Command, Stdio};

/// About how long a cut takes, with the second that is not disturbed and a recovery.
const CUT_S: f64 = 3.0;

#[derive(Debug, Serialize)]
struct DryRunDocument<'a> {
    name: &'a str,
    title: &'a str,
    steps: Vec<DryStep>,
    /// Seconds of all steps of which that is known.
    at_least_s: f64,
}

#[derive(Debug, Serialize)]
struct DryStep {
    step: String,
    variant: String,
    command: String,
    /// `done`, `begun` or `missing`.
    state: &'static str,
    id: Option<String>,
    /// Seconds that it takes; absent where it is done, or nobody knows.
    at_least_s: Option<f64>,
}

/// Says it.
///
/// # Errors
/// Stdout cannot be written.
pub(super) fn show(project: &Project, found: &[StepResult], format: Format, context: &Context) -> Result<(), Error> {
    let steps: Vec<DryStep> = found.iter().map(|result| step(project, result, context)).collect();
    let at_least_s = steps.iter().filter_map(|step| step.at_least_s).sum();
    let document = DryRunDocument { name: &project.name, title: &project.title, steps, at_least_s };
    format.show(&document, || page(&document))
}

fn step(project: &Project, result: &StepResult, context: &Context) -> DryStep {
    let step = &project.steps[result.step];
    let words = check::words(project, step, result.variant);
    let state = match (&result.left, result.is_complete()) {
        (_, true) => "done",
        (Left::Nothing, _) => "missing",
        _ => "begun",
    };
    let at_least_s = match (result.is_complete(), step.command) {
        (true, _) => None,
        (false, StepCommand::Run) => of_run(&words, context),
        (false, StepCommand::Durability) => Some(of_cuts(&step.words)),
        (false, StepCommand::Orion | StepCommand::Pair) => None,
    };
    let command = [&[step.command.name().to_owned()], &step.words[..]].concat().join(" ");
    DryStep {
        step: step.name.clone(),
        variant: project.variants[result.variant].name.clone(),
        command,
        state,
        id: result.id().map(ToString::to_string),
        at_least_s,
    }
}

/// What `run --dry-run` says, if the target is there.
fn of_run(words: &[String], context: &Context) -> Option<f64> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(words).args(["--dry-run", "--json", "--quiet", "--results"]).arg(&context.results);
    if let Some(folder) = &context.catalogue_folder {
        command.arg("--catalogue").arg(folder);
    }
    let said = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let document: serde_json::Value = serde_json::from_slice(&said.stdout).ok()?;
    document["at_least_s"].as_f64()
}

/// The cuts, twice where a control is cut as often.
fn of_cuts(words: &[String]) -> f64 {
    let value = words.iter().position(|word| word == "--cuts").and_then(|at| words.get(at + 1));
    let value = value.map(String::as_str).or_else(|| words.iter().find_map(|word| word.strip_prefix("--cuts=")));
    let cuts: f64 = value.and_then(|value| value.parse().ok()).unwrap_or(20.0);
    let times = if words.iter().any(|word| word.starts_with("--control")) { 2.0 } else { 1.0 };
    cuts * times * CUT_S
}

fn page(document: &DryRunDocument<'_>) -> String {
    let row = |step: &DryStep| {
        let time = match (step.state, step.at_least_s) {
            ("done", _) => String::new(),
            (_, Some(s)) => about(s),
            (_, None) => "not known yet".to_owned(),
        };
        let state = step.id.as_ref().map_or_else(|| step.state.to_owned(), |id| format!("{}: {id}", step.state));
        vec![step.variant.clone(), step.step.clone(), state, time, step.command.clone()]
    };
    let rows: Vec<Vec<String>> = document.steps.iter().map(row).collect();
    let mut page = lists::table(&["variant", "step", "state", "about", "command"], &rows, output::width());
    let left = document.steps.iter().filter(|step| step.state != "done").count();
    page.push_str(&match left {
        0 => "\neverything is there: `dbdyno accept` judges it\n".to_owned(),
        _ => format!(
            "\n{left} of {} steps are to be done; those whose time is known take about {} or more. Loads, searches and servers \
             come on top.\ndry run: nothing was measured, loaded or stored\n",
            document.steps.len(),
            about(document.at_least_s)
        ),
    });
    page
}
