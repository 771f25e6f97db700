//! `dbdyno accept`: an acceptance project. What is missing is run, step by step, and everything is judged together.

mod check;
mod dry_run;
mod found;
mod steps;

use super::context::Context;
use super::report;
use crate::cli::AcceptArgs;
use crate::error::Error;
use crate::output;
use crate::secrets::without_passwords;
use crate::signals;
use dbdyno_catalogue::Project;
use dbdyno_report::acceptance::{Acceptance, AcceptanceOutcome};
use dbdyno_results::Repository;
use std::path::{Path, PathBuf};

/// Runs what is missing, and judges.
///
/// # Errors
/// The project is unsound, a step could not be done, or a requirement is not met.
pub(super) fn accept(args: &AcceptArgs, context: &Context) -> Result<(), Error> {
    let project = project(&args.project, context)?;
    check::check(&project, context)?;
    let page_file =
        args.output.clone().unwrap_or_else(|| PathBuf::from(format!("dbdyno-accept-{}.html", project.name)));
    for file in [Some(&page_file).filter(|file| *file != Path::new("-")), args.junit.as_ref()].into_iter().flatten() {
        check::can_be_written(file)?;
    }
    let found = found::look(&project, context)?;
    if args.dry_run {
        return dry_run::show(&project, &found, args.shown.format(), context);
    }
    Repository::can_write(&context.results)?;
    let found = if found.iter().all(|result| result.is_complete()) {
        found
    } else {
        let stop = signals::stop(None, None)?;
        steps::Steps::new(&project, &stop, context)?.run(&found)?;
        found::look(&project, context)?
    };
    // What is shown has no passwords.
    let mut project = project;
    for target in project.variants.iter_mut().filter_map(|variant| variant.target.as_mut()) {
        *target = without_passwords(target);
    }
    let acceptance = Acceptance::of(&project, found, jiff::Timestamp::now(), env!("CARGO_PKG_VERSION"));
    show(&acceptance, &page_file, args, context)?;
    judge(&acceptance)
}

/// Reads a project's file.
fn project(file: &Path, context: &Context) -> Result<Project, Error> {
    let shown = file.display().to_string();
    let text = dbdyno_files::text(file).map_err(|e| Error::Usage(format!("cannot read the project {shown}: {e}")))?;
    let here = std::env::current_dir().map_err(|error| Error::Internal(format!("no current folder: {error}")))?;
    let project = Project::parse(&shown, &text, &context.catalogue)?;
    Ok(Project { folder: here.display().to_string(), ..project })
}

fn show(acceptance: &Acceptance, page_file: &Path, args: &AcceptArgs, context: &Context) -> Result<(), Error> {
    let document = acceptance.document(&context.catalogue);
    if let Some(file) = &args.junit {
        let xml = acceptance.junit().map_err(|e| Error::Internal(format!("no XML: {e}")))?;
        output::write(file, &xml)?;
    }
    if page_file == Path::new("-") {
        return output::text(&document.page());
    }
    match args.output.is_some() {
        true => output::write(page_file, &document.page())?,
        false => report::written(page_file, &document.page(), context)?,
    }
    args.shown.format().show(acceptance, || document.text(output::width()))?;
    if args.output.is_some() {
        context.say(&format!("next: open {} in a browser", page_file.display()));
    }
    Ok(())
}

/// How it came out.
fn judge(acceptance: &Acceptance) -> Result<(), Error> {
    let bad = acceptance.bad_points();
    let (title, summary) = (acceptance.title.clone(), acceptance.summary());
    match acceptance.outcome {
        _ if acceptance.lost_something => Err(Error::NotAccepted { title, summary }),
        AcceptanceOutcome::Missed => Err(Error::NotAccepted { title, summary }),
        AcceptanceOutcome::Met if bad == 0 => Ok(()),
        AcceptanceOutcome::Met => {
            let summary =
                format!("{summary}, but {bad} points failed or are invalid: `dbdyno show ID` has the reasons");
            Err(Error::NotDecided { title, summary })
        }
        AcceptanceOutcome::NotMeasured | AcceptanceOutcome::Refused | AcceptanceOutcome::Undecided => {
            Err(Error::NotDecided { title, summary })
        }
    }
}
