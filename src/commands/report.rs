//! `dbdyno report`: a run, or a comparison of several, as one HTML page.

use super::context::Context;
use super::{compare, named_runs, verdict};
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::Extent;
use dbdyno_report::compare::CompareOptions;
use dbdyno_report::verdict::{Variant, Verdict};

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let requirements = args.requirements.as_ref().map(|file| verdict::requirements(file, context)).transpose()?;
    let catalogue = &context.catalogue;
    let page = if let [asked] = &args.runs[..] {
        let mut reported = named_runs::reported(asked, context)?;
        if let Some(requirements) = requirements {
            let variant = Variant { name: asked.clone(), runs: named_runs::side(asked, context)?.runs };
            reported.verdict = Verdict::of_variants(&[variant], &requirements, &[]).pop();
        }
        reported.document(catalogue).page()
    } else {
        let sides = compare::sides(&args.runs, context)?;
        let options = CompareOptions { baseline: args.baseline.as_deref(), ..CompareOptions::default() };
        let comparison = dbdyno_report::compare::compare(&sides, &options, catalogue)?;
        let variants: Vec<Variant> =
            sides.iter().map(|side| Variant { name: side.name.clone(), runs: side.runs.clone() }).collect();
        let judged = requirements.map(|needs| Verdict::of_variants(&variants, &needs, &[])).unwrap_or_default();
        comparison.document(&sides, &judged, catalogue, Extent::Page).page()
    };
    output::file(&args.output, &page)
}
