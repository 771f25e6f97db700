//! What the results file holds of a project.

use super::super::context::Context;
use super::super::named_runs;
use super::check;
use crate::cli::{Command, DurabilityArgs, RunArgs};
use crate::error::Error;
use clap::ValueEnum as _;
use dbdyno_catalogue::{Project, ProjectStep, StepCommand};
use dbdyno_engine::Target;
use dbdyno_model::{DURABILITY_VERSION, DurabilityJson, Experiment, ExperimentKind, RunJson, RunStatus};
use dbdyno_report::acceptance::{Left, StepResult};
use dbdyno_report::compare::{CompareOptions, compare};
use dbdyno_results::{FileAccess, Repository, ResultsError};

/// What there is of each step on each of its variants, in the project's order.
///
/// # Errors
/// The results cannot be read.
pub(super) fn look(project: &Project, context: &Context) -> Result<Vec<StepResult>, Error> {
    let repository = match Repository::open(&context.results, FileAccess::ReadOnly) {
        Err(ResultsError::NoResults(_)) => None,
        opened => Some(opened?),
    };
    let mut found = Vec::new();
    for (n, step) in project.steps.iter().enumerate() {
        for &variant in step.with_results() {
            let label = project.label(step, variant);
            let left = match &repository {
                Some(repository) => left(repository, project, (step, variant), &label, context)?,
                None => Left::Nothing,
            };
            found.push(StepResult { step: n, variant, label, left });
        }
    }
    Ok(found)
}

fn left(
    repository: &Repository,
    project: &Project,
    (step, variant): (&ProjectStep, usize),
    label: &str,
    context: &Context,
) -> Result<Left, Error> {
    match step.command {
        // Storage is named by paths.
        StepCommand::Orion => run(repository, label, &|_| true, context),
        StepCommand::Run => match check::parsed(&check::words(project, step, variant)) {
            Ok(Command::Run(args)) => run(repository, label, &|run| is_run_asked_for(&args, run), context),
            _ => Ok(Left::Nothing),
        },
        StepCommand::Durability => durability(repository, label, &check::words(project, step, variant)),
        StepCommand::Pair => {
            let of = |variant: &usize| (project.label(step, *variant), project.variants[*variant].target.as_deref());
            let sides: Vec<(String, Option<&str>)> = step.variants.iter().map(of).collect();
            let Ok(Command::Pair(args)) = check::parsed(&check::words(project, step, variant)) else {
                return Ok(Left::Nothing);
            };
            pair(repository, &args.work.what.join(" "), &sides, context)
        }
    }
}

/// The runs of a label, the newest first, that were measured here and as the step asks. A label alone is a claim.
fn runs(
    repository: &Repository,
    label: &str,
    is_asked_for: &dyn Fn(&RunJson) -> bool,
    context: &Context,
) -> Result<Vec<RunJson>, Error> {
    let mut runs = Vec::new();
    for id in repository.runs_with_label(label)? {
        if repository.is_imported(&id)? {
            continue;
        }
        let run = named_runs::load(repository, &id, context)?;
        if is_asked_for(&run) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The newest run that is done, else the newest.
fn run(
    repository: &Repository,
    label: &str,
    is_asked_for: &dyn Fn(&RunJson) -> bool,
    context: &Context,
) -> Result<Left, Error> {
    let mut newest: Option<RunJson> = None;
    for run in runs(repository, label, is_asked_for, context)? {
        if run.run.status == RunStatus::Done {
            return Ok(Left::Run(Box::new(run)));
        }
        newest.get_or_insert(run);
    }
    Ok(newest.map_or(Left::Nothing, |run| Left::Run(Box::new(run))))
}

/// Whether a run is on a target.
fn is_on(run: &RunJson, target: &str) -> bool {
    Target::parse(target).is_ok_and(|target| target.to_string() == run.run.target)
}

/// Whether a run is of what a step asks for, on its target.
fn is_run_asked_for(args: &RunArgs, run: &RunJson) -> bool {
    let RunArgs { target, work, .. } = args;
    run.run.suite == work.what.join(" ")
        && target.target.as_ref().is_none_or(|target| is_on(run, target))
        && (run.run.is_of_workload() || target.size.as_ref().is_none_or(|size| *size == run.run.size))
}

fn of_kind(repository: &Repository, kind: ExperimentKind) -> Result<Vec<Experiment>, Error> {
    let mut all = repository.experiments()?;
    all.retain(|experiment| experiment.kind == kind);
    // Those that ended as planned precede; the order is that of time otherwise.
    all.sort_by_key(|experiment| !experiment.complete);
    Ok(all)
}

/// The crash test of a label that was asked for as the step asks; of several one that has lost something: who repeats a
/// test until it loses nothing has shown a loss.
fn durability(repository: &Repository, label: &str, words: &[String]) -> Result<Left, Error> {
    let Ok(Command::Durability(args)) = check::parsed(words) else { return Ok(Left::Nothing) };
    let mut found: Option<DurabilityJson> = None;
    for experiment in of_kind(repository, ExperimentKind::Durability)? {
        if experiment.label.as_deref() != Some(label) {
            continue;
        }
        let test: DurabilityJson = repository.experiment(&experiment.id, DURABILITY_VERSION)?;
        let is_worse = found.as_ref().is_none_or(|found| found.lossy_cuts == 0 && test.lossy_cuts > 0);
        if is_worse && is_asked_for(&args, &test) {
            found = Some(test);
        }
    }
    Ok(found.map_or(Left::Nothing, |test| Left::Durability(Box::new(test))))
}

/// Whether a crash test says that it was asked for so. A label alone is a claim.
fn is_asked_for(args: &DurabilityArgs, test: &DurabilityJson) -> bool {
    let standby = args.standby.map(|kind| kind.to_string());
    let of_standby = (standby, args.hold_link) == (test.standby.clone(), test.link_held_s);
    let asked = (&args.target, args.cuts, args.seed, args.control.is_some(), args.replication_log);
    let made = (&test.target, test.planned_cuts, test.seed, test.control_asked, test.replication_log);
    let way = args.by.and_then(|by| Some(by.to_possible_value()?.get_name() == test.cut_by)).unwrap_or(true);
    let sessions = args.sessions.is_none_or(|sessions| sessions == test.sessions);
    let control = args.control.as_deref().filter(|name| !name.is_empty());
    let control = control.zip(test.control.as_ref()).is_none_or(|(asked, made)| asked == made.name);
    of_standby && asked == made && way && sessions && control
}

/// The newest run of each side, if they were measured in turn with each other, to their end.
fn pair(repository: &Repository, suite: &str, of: &[(String, Option<&str>)], context: &Context) -> Result<Left, Error> {
    let mut sides = Vec::new();
    for (label, target) in of {
        let is_asked_for = |run: &RunJson| run.run.suite == suite && target.is_none_or(|target| is_on(run, target));
        let Some(run) = runs(repository, label, &is_asked_for, context)?.into_iter().next() else {
            return Ok(Left::Nothing);
        };
        sides.push(named_runs::side(run.run.id.as_str(), context)?);
    }
    let newest = || sides.iter().filter_map(|side| side.runs.first());
    if let Some(running) = newest().find(|run| run.run.status == RunStatus::Running) {
        return Ok(Left::Run(Box::new(running.clone())));
    }
    let newest: Vec<&RunJson> = sides.iter().filter_map(|side| side.runs.first()).collect();
    let is_done = newest.iter().all(|run| run.run.status == RunStatus::Done);
    let Some(b) = newest.get(1).map(|run| run.run.id.clone()).filter(|_| is_done) else { return Ok(Left::Nothing) };
    let comparison = compare(&sides, &CompareOptions::default(), &context.catalogue)?;
    Ok(if comparison.pairs.is_empty() { Left::Nothing } else { Left::Pair(b, comparison.pairs) })
}
