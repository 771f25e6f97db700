//! `dbdyno verdict`: whether a run meets a project's requirements.

use super::context::Context;
use super::named_runs;
use crate::cli::VerdictArgs;
use crate::error::Error;
use crate::output;
use dbdyno_catalogue::Requirements;
use dbdyno_report::verdict::{self, RequirementOutcome, Verdict};
use std::path::Path;

pub(super) fn verdict(args: &VerdictArgs, context: &Context) -> Result<(), Error> {
    let requirements = requirements(&args.requirements, context)?;
    let run = named_runs::one(&args.run, context)?;
    let verdict = Verdict::accepting(&run, &requirements, &args.accept);
    if let Some(file) = &args.junit {
        let xml = verdict::junit(&verdict).map_err(|e| Error::Internal(format!("no XML: {e}")))?;
        output::write(file, &xml)?;
    }
    args.shown.format().show(&verdict, || page(&verdict, run.database.notice.as_deref()))?;
    if verdict.met {
        return Ok(());
    }
    let all = verdict.lines.len();
    let unmet = all - verdict.count(RequirementOutcome::Met);
    Err(Error::Missed { run: verdict.run, title: verdict.title, unmet, all })
}

/// The requirements in a file.
///
/// # Errors
/// It cannot be read, or is not a file of requirements.
pub(super) fn requirements(file: &Path, context: &Context) -> Result<Requirements, Error> {
    let shown = file.display().to_string();
    let text = dbdyno_files::text(file)
        .map_err(|e| Error::Usage(format!("cannot read the requirements from {shown}: {e}")))?;
    Ok(Requirements::parse(&shown, &text, &context.catalogue)?)
}

fn page(verdict: &Verdict, notice: Option<&str>) -> String {
    let width = output::width();
    let notice = notice.map(|notice| dbdyno_report::notice(notice, width)).unwrap_or_default();
    format!("{}{notice}", verdict::page(verdict, width))
}
