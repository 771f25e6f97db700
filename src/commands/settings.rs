//! What a user sets of a workload that has parameters: by a file, and by options that come after it.

use crate::cli::{RunArgs, SettingsArgs};
use crate::error::Error;
use dbdyno_workload::{Settings, Workload, slob_conf as conf};
use std::path::Path;

/// The longest file of parameters that is read.
const MOST_BYTES: u64 = 1 << 20;

/// The settings of a workload.
///
/// # Errors
/// The file cannot be read, a parameter is none, or has a value that it cannot have.
pub(super) fn of(workload: &dyn Workload, args: &SettingsArgs) -> Result<Settings, Error> {
    let refused = |error: conf::ConfError| Error::Usage(error.to_string());
    let mut assignments = match &args.conf {
        Some(path) => conf::read(&path.display().to_string(), &text_of(path)?).map_err(refused)?,
        None => Vec::new(),
    };
    for set in &args.set {
        assignments.push(conf::option(set).map_err(refused)?);
    }
    if let Some(pct) = &args.update_pct {
        assignments.push(conf::option_of("--update-pct", "UPDATE_PCT", pct.clone()));
    }
    workload.settings(&assignments).map_err(Error::Usage)
}

/// The settings of what a run measures.
///
/// # Errors
/// As for [`of`], or options that what is measured has no use for.
pub(super) fn of_run(args: &RunArgs, workload: Option<&'static dyn Workload>) -> Result<Settings, Error> {
    let Some(workload) = workload else {
        refuse(&args.work.settings)?;
        return Ok(Settings::default());
    };
    let settings = of(workload, &args.work.settings)?;
    if settings.transactions_each.is_some() && args.work.client.rate.is_some() {
        return Err(Error::Usage(
            "WORK_LOOP ends a session after so many operations, and --rate says when operations are due: leave one of them away"
                .to_owned(),
        ));
    }
    if let (Some(script), false) = (&settings.script, args.allow_scripts) {
        return Err(Error::Usage(format!(
            "EXTERNAL_SCRIPT is {script}, which is a program: read it, and add --allow-scripts so that it is run, or leave it away (--set \
             EXTERNAL_SCRIPT=)"
        )));
    }
    Ok(settings)
}

/// Refuses them where no workload has a use for them.
///
/// # Errors
/// One was given.
pub(super) fn refuse(args: &SettingsArgs) -> Result<(), Error> {
    let given =
        [("--conf", args.conf.is_some()), ("--set", !args.set.is_empty()), ("--update-pct", args.update_pct.is_some())];
    given.into_iter().find(|(_, given)| *given).map_or(Ok(()), |(option, _)| {
        Err(Error::Usage(format!("{option} is for the workload slob, as in `dbdyno run slob {option} ...`")))
    })
}

fn text_of(path: &Path) -> Result<String, Error> {
    let refused = |why: String| Error::Usage(format!("--conf {}: {why}", path.display()));
    let metadata = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refused("it is no file; write what it should have into one".to_owned()));
    }
    let length = metadata.len();
    if length > MOST_BYTES {
        return Err(refused(format!("{length} bytes are too many for a slob.conf")));
    }
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| refused("it is no text in UTF-8".to_owned()))
}
