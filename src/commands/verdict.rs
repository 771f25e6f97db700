//! `dbdyno verdict`: whether a run meets what a project needs.

use super::{Context, named};
use crate::cli::VerdictArgs;
use crate::error::Error;
use crate::output::{self, Format};
use dbdyno_catalogue::Requirements;
use dbdyno_report::verdict::{self, Outcome, Verdict};

pub(super) fn verdict(args: &VerdictArgs, context: &Context) -> Result<(), Error> {
    let shown = args.requirements.display().to_string();
    let text = std::fs::read_to_string(&args.requirements)
        .map_err(|e| Error::Usage(format!("cannot read the requirements from {shown}: {e}")))?;
    let requirements = Requirements::parse(&shown, &text, &context.catalogue)?;
    let run = named::one(&args.run, context)?;
    let verdict = Verdict::of(&run, &requirements);
    if let Some(file) = &args.junit {
        let xml = verdict::junit(&verdict).map_err(|e| Error::Internal(format!("no XML: {e}")))?;
        std::fs::write(file, xml).map_err(|e| Error::Usage(format!("cannot write {}: {e}", file.display())))?;
    }
    match args.shown.format() {
        Format::Json => output::json(&verdict)?,
        Format::Text => output::text(&page(&verdict, run.database.notice.as_deref()))?,
    }
    if verdict.met {
        return Ok(());
    }
    let all = verdict.lines.len();
    let unmet = all - verdict.count(Outcome::Met);
    Err(Error::Missed { run: verdict.run, title: verdict.title, unmet, all })
}

fn page(verdict: &Verdict, notice: Option<&str>) -> String {
    let width = output::width();
    let notice = notice.map(|notice| dbdyno_report::notice(notice, width)).unwrap_or_default();
    format!("{}{notice}", verdict::page(verdict, width))
}
