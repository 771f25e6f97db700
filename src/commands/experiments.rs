//! Tests that are no runs, as they are kept among the runs: finding one, and showing it again.

use super::context::Context;
use super::durability;
use crate::cli::ShowArgs;
use crate::error::Error;
use crate::output;
use dbdyno_model::{DURABILITY_VERSION, DurabilityJson, Experiment, ExperimentKind, PROFILE_VERSION, ProfileJson};
use dbdyno_report::profile_document;
use dbdyno_results::{FileAccess, Repository, ResultsError};

/// The experiment that a name means, unless it means a run or a platform.
///
/// # Errors
/// Several ids begin like this, or the results cannot be read.
pub(super) fn named(asked: &str, context: &Context) -> Result<Option<(Repository, Experiment)>, Error> {
    if context.catalogue.platform_ids().any(|id| id == asked) {
        return Ok(None);
    }
    match Repository::open(&context.results, FileAccess::ReadOnly) {
        Err(ResultsError::NoResults(_)) => Ok(None),
        opened => {
            let repository = opened?;
            let found = repository.find_experiment(asked)?;
            Ok(found.map(|experiment| (repository, experiment)))
        }
    }
}

/// Shows an experiment as the command did that made it.
///
/// # Errors
/// Something of it was asked for that only runs have, or it cannot be read.
pub(super) fn show(repository: &Repository, experiment: &Experiment, args: &ShowArgs) -> Result<(), Error> {
    let Experiment { id, kind, .. } = experiment;
    if args.test.is_some() || args.table.is_some() {
        let what = kind.words();
        return Err(Error::Usage(format!(
            "{id} is {what}, and --test and --table choose parts of runs; leave them away: `dbdyno show {id}` shows all of it"
        )));
    }
    let format = args.shown.format();
    match kind {
        ExperimentKind::Durability => {
            let document: DurabilityJson = repository.experiment(id, DURABILITY_VERSION)?;
            format.show(&document, || durability::page(&document))
        }
        ExperimentKind::Profile => {
            let document: ProfileJson = repository.experiment(id, PROFILE_VERSION)?;
            format.show(&document, || profile_document(&document).text(output::width()))
        }
    }
}
