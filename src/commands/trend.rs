//! `dbdyno trend`: whether figures changed over many runs.

use super::context::Context;
use super::named_runs;
use crate::cli::{StepBy, TrendArgs};
use crate::error::Error;
use crate::output::{self, shell_word};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use dbdyno_model::{Run, RunId};
use dbdyno_report::trend::{NewLosses, TrendOptions, TrendRuns};
use dbdyno_report::trend_document;
use dbdyno_results::{FileAccess, Repository, ResultsError};
use std::path::Path;

/// A run of a trend, and the step that it belongs to.
struct Chosen {
    run: RunId,
    step: String,
}

pub(super) fn trend(args: &TrendArgs, context: &Context) -> Result<(), Error> {
    let tests = args.test.as_deref().map(|pattern| context.catalogue.select(pattern)).transpose()?;
    let tests = tests.map(|tests| tests.iter().map(|test| test.code.as_str()).collect());
    if let Some(metric) = &args.metric {
        context.catalogue.metric(&metric.as_str().into())?;
    }
    let chosen = chosen(args, context)?;
    let repository = Repository::open(&context.results, FileAccess::ReadOnly)?;
    let options = TrendOptions { tests, metric: args.metric.as_deref(), most_loss_pct: args.fail_on_new };
    let mut runs = TrendRuns::new(&context.catalogue, options);
    for Chosen { run, step } in &chosen {
        runs.add(&repository.load(run)?, step);
    }
    let trend = runs.trend().map_err(|error| Error::Usage(error.to_string()))?;
    let asked = args.of.join(", ");
    match &args.output {
        Some(file) => {
            output::file(file, &trend_document(&trend, &asked).page())?;
            if file != Path::new("-") {
                context.say(&format!("next: open {} in a browser", file.display()));
            }
        }
        None => {
            args.shown.format().show(&trend, || trend_document(&trend, &asked).text(output::width()))?;
            context.suggest_next(&format!("dbdyno trend {} -o trend.html", words(args)), "draws it, for a browser");
        }
    }
    match trend.new_losses {
        Some(NewLosses { broken, ended, limit_pct, .. }) if !broken.is_empty() || !ended.is_empty() => {
            Err(Error::NewLosses { series: broken.len(), ended: ended.len(), limit_pct })
        }
        _ => Ok(()),
    }
}

/// What the same trend is asked for by, for a shell.
fn words(args: &TrendArgs) -> String {
    let by = args.by.and_then(|by| by.to_possible_value());
    let by = by.as_ref().map(PossibleValue::get_name);
    let options = [("--test", args.test.as_deref()), ("--metric", args.metric.as_deref()), ("--by", by)];
    let options = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), shell_word(value?)]));
    args.of.iter().map(|name| shell_word(name)).chain(options.flatten()).collect::<Vec<_>>().join(" ")
}

/// The runs that were asked for, in the order of their steps.
fn chosen(args: &TrendArgs, context: &Context) -> Result<Vec<Chosen>, Error> {
    let all: Vec<Run> = match Repository::open(&context.results, FileAccess::ReadOnly) {
        // The newest is first there. Of runs that began at the same time the first recorded one comes first here.
        Ok(repository) => repository.list_runs()?.into_iter().rev().map(|listed| listed.run).collect(),
        // Then no name is known, which is said in the same words as elsewhere.
        Err(ResultsError::NoResults(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let labels = args.of.iter().filter(|name| all.iter().any(|run| run.label.as_ref() == Some(name))).count();
    let by = args.by.unwrap_or(if labels > 1 { StepBy::Label } else { StepBy::Run });
    let mut chosen: Vec<&Run> = Vec::new();
    let mut named: Vec<RunId> = Vec::new();
    for name in &args.of {
        let of_label = || all.iter().filter(|run| run.label.as_ref() == Some(name));
        let mut of_name: Vec<&Run> = of_label().collect();
        if of_name.is_empty() {
            of_name = all.iter().filter(|run| run.suite == *name).collect();
        }
        if of_name.is_empty() {
            let ids = named_runs::own(name, context)?;
            of_name = all.iter().filter(|run| ids.contains(&run.id)).collect();
        }
        of_name.sort_by_key(|run| run.started_at);
        let new = of_name.into_iter().filter(|run| !named.contains(&run.id));
        let new: Vec<&Run> = new.collect();
        named.extend(new.iter().map(|run| run.id.clone()));
        chosen.extend(new);
    }
    match by {
        StepBy::Run => chosen.sort_by_key(|run| run.started_at),
        // Stable: of each label the runs come together, in the order of time.
        StepBy::Label => {
            let first_of = |run: &&Run| chosen_place(&chosen, run);
            let places: Vec<usize> = chosen.iter().map(first_of).collect();
            let mut placed: Vec<(usize, &Run)> = places.into_iter().zip(chosen).collect();
            placed.sort_by_key(|(place, run)| (*place, run.started_at));
            chosen = placed.into_iter().map(|(_, run)| run).collect();
        }
    }
    let step = |run: &Run| match by {
        StepBy::Run => run.id.to_string(),
        StepBy::Label => run.label.clone().unwrap_or_else(|| run.id.to_string()),
    };
    Ok(chosen.into_iter().map(|run| Chosen { run: run.id.clone(), step: step(run) }).collect())
}

/// Where the first run of a run's label stands; a run without one stands where it is.
fn chosen_place(chosen: &[&Run], run: &Run) -> usize {
    let is_like = |other: &&Run| other.id == run.id || run.label.is_some() && other.label == run.label;
    chosen.iter().position(is_like).unwrap_or(usize::MAX)
}
