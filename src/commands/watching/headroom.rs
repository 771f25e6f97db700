//! `dbdyno headroom`: a profile of production beside what a platform was measured to carry.

use super::super::context::Context;
use super::super::experiments;
use super::super::named_runs;
use crate::cli::HeadroomArgs;
use crate::error::Error;
use crate::output;
use dbdyno_model::{ExperimentKind, PROFILE_VERSION, ProfileJson};
use dbdyno_report::headroom::{HeadroomOptions, HeadroomOutcome, headroom as compute};
use dbdyno_report::headroom_document;

pub(crate) fn headroom(args: &HeadroomArgs, context: &Context) -> Result<(), Error> {
    let profile = profile(&args.profile, context)?;
    let run = named_runs::one(&args.run, context)?;
    let own = args.own.as_ref().map(|own| named_runs::one(own, context)).transpose()?;
    let options = HeadroomOptions { own: own.as_ref(), curve: args.curve.as_deref() };
    let found = compute(&profile, &run, &options).map_err(|error| Error::Usage(error.to_string()))?;
    args.shown.format().show(&found, || headroom_document(&found).text(output::width()))?;
    match found.outcome {
        HeadroomOutcome::DoesNotCarry => {
            Err(Error::DoesNotCarry { profile: args.profile.clone(), run: args.run.clone() })
        }
        _ => Ok(()),
    }
}

fn profile(asked: &str, context: &Context) -> Result<ProfileJson, Error> {
    match experiments::named(asked, context)? {
        Some((repository, experiment)) if experiment.kind == ExperimentKind::Profile => {
            Ok(repository.experiment(&experiment.id, PROFILE_VERSION)?)
        }
        Some((_, experiment)) => Err(Error::Usage(format!(
            "{} is {}, and headroom asks for a profile first: `dbdyno monitor --target URL --record NAME` makes one",
            experiment.id,
            experiment.kind.words()
        ))),
        None => Err(Error::Usage(format!(
            "there is no profile {asked} in {}: `dbdyno list experiments` names those that are there, and `dbdyno \
             monitor --target URL --record NAME` makes one",
            context.results.display()
        ))),
    }
}
