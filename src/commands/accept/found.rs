//! What the results file holds of a project.

use super::super::context::Context;
use super::super::named_runs;
use crate::error::Error;
use dbdyno_catalogue::{Project, ProjectStep, StepCommand};
use dbdyno_engine::Target;
use dbdyno_model::{DURABILITY_VERSION, DurabilityJson, Experiment, ExperimentKind, RunJson, RunStatus};
use dbdyno_report::acceptance::{Left, StepResult};
use dbdyno_report::compare::{CompareOptions, compare};
use dbdyno_results::{FileAccess, Repository, ResultsError};

/// The variants of a step that have a result of their own; of a pair B alone.
pub(super) fn of_step(step: &ProjectStep) -> &[usize] {
    if step.command == StepCommand::Pair { step.variants.get(1..).unwrap_or_default() } else { &step.variants }
}

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
        for &variant in of_step(step) {
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
        // Storage is named by paths, and some steps name a target of their own.
        StepCommand::Orion => run(repository, label, None, context),
        StepCommand::Run => {
            let names_target = step.words.iter().any(|word| word == "--target" || word.starts_with("--target="));
            let target = project.variants[variant].target.as_deref().filter(|_| !names_target);
            run(repository, label, target, context)
        }
        StepCommand::Durability => durability(repository, label),
        StepCommand::Pair => {
            let of = |variant: &usize| (project.label(step, *variant), project.variants[*variant].target.as_deref());
            let sides: Vec<(String, Option<&str>)> = step.variants.iter().map(of).collect();
            pair(repository, &sides, context)
        }
    }
}

/// The runs of a label, the newest first, that were measured here. A label is a claim: a run that was measured
/// elsewhere, or on another target, is none of the step's.
fn runs(repository: &Repository, label: &str, target: Option<&str>, context: &Context) -> Result<Vec<RunJson>, Error> {
    let mut runs = Vec::new();
    for id in repository.runs_with_label(label)? {
        if repository.is_imported(&id)? {
            continue;
        }
        let run = named_runs::load(repository, &id, context)?;
        let same = |target: &str| Target::parse(target).is_ok_and(|target| target.to_string() == run.run.target);
        if target.is_none_or(same) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The newest run that is done, else the newest.
fn run(repository: &Repository, label: &str, target: Option<&str>, context: &Context) -> Result<Left, Error> {
    let mut newest: Option<RunJson> = None;
    for run in runs(repository, label, target, context)? {
        if run.run.status == RunStatus::Done {
            return Ok(Left::Run(Box::new(run)));
        }
        newest.get_or_insert(run);
    }
    Ok(newest.map_or(Left::Nothing, |run| Left::Run(Box::new(run))))
}

fn of_kind(repository: &Repository, kind: ExperimentKind) -> Result<Vec<Experiment>, Error> {
    let mut all = repository.experiments()?;
    all.retain(|experiment| experiment.kind == kind);
    // Those that ended as planned precede; the order is that of time otherwise.
    all.sort_by_key(|experiment| !experiment.complete);
    Ok(all)
}

fn durability(repository: &Repository, label: &str) -> Result<Left, Error> {
    let all = of_kind(repository, ExperimentKind::Durability)?;
    match all.iter().find(|experiment| experiment.label.as_deref() == Some(label)) {
        Some(experiment) => {
            let document: DurabilityJson = repository.experiment(&experiment.id, DURABILITY_VERSION)?;
            Ok(Left::Durability(Box::new(document)))
        }
        None => Ok(Left::Nothing),
    }
}

/// The newest run of each side, if they were measured in turn with each other, to their end.
fn pair(repository: &Repository, of: &[(String, Option<&str>)], context: &Context) -> Result<Left, Error> {
    let mut sides = Vec::new();
    for (label, target) in of {
        let Some(run) = runs(repository, label, *target, context)?.into_iter().next() else { return Ok(Left::Nothing) };
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
