//! `dbdyno report`: runs as one HTML page.

use super::{Context, named};
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::html::{self, Subject};

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let subjects = args.runs.iter().map(|asked| named::subject(asked, context));
    let subjects: Vec<Subject> = subjects.collect::<Result<_, _>>()?;
    output::file(&args.output, &html::page(&subjects, &context.catalogue))
}
