//! `dbdyno report`: runs as one HTML page.

use super::{Context, named};
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::html::{self, Subject};
use dbdyno_report::verdict::Verdict;

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let subjects = args.runs.iter().map(|asked| named::subject(asked, context));
    let mut subjects: Vec<Subject> = subjects.collect::<Result<_, _>>()?;
    if let Some(file) = &args.requirements {
        let requirements = super::verdict::requirements(file, context)?;
        for subject in &mut subjects {
            subject.verdict = Some(Verdict::of(&subject.run, &requirements));
        }
    }
    output::file(&args.output, &html::page(&subjects, &context.catalogue))
}
