//! `dbdyno report`: a run, or a comparison of several, as one HTML page.

use super::context::Context;
use super::{compare, named_runs, verdict};
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::compare::CompareOptions;
use dbdyno_report::html;
use dbdyno_report::verdict::Verdict;

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let requirements = args.requirements.as_ref().map(|file| verdict::requirements(file, context)).transpose()?;
    let catalogue = &context.catalogue;
    let page = if let [asked] = &args.runs[..] {
        let mut reported = named_runs::reported(asked, context)?;
        reported.verdict = requirements.map(|requirements| Verdict::of(&reported.run, &requirements));
        html::page(&reported, catalogue)
    } else {
        let sides = compare::sides(&args.runs, context)?;
        let options = CompareOptions { baseline: args.baseline.as_deref(), ..CompareOptions::default() };
        let comparison = dbdyno_report::compare::compare(&sides, &options, catalogue)?;
        let newest = sides.iter().filter_map(|side| side.runs.first());
        let judged = requirements.iter().flat_map(|r| newest.clone().map(|run| Verdict::of(run, r)));
        html::comparison(&comparison, &sides, &judged.collect::<Vec<_>>(), catalogue)
    };
    output::file(&args.output, &page)
}
