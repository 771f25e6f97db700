//! `dbdyno report`: runs as one HTML page.

use super::Context;
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_model::{Drive, RunId};
use dbdyno_report::html::{self, Subject, Times};
use dbdyno_results::{Access, HistogramKind, Repository};

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let repository = Repository::open(&context.results, Access::ReadOnly)?;
    let mut subjects = Vec::new();
    for asked in &args.runs {
        subjects.push(subject(&repository, &repository.find(asked)?)?);
    }
    let page = html::page(&subjects, &context.catalogue);
    output::file(&args.output, &page)
}

/// A run with the times that its clients recorded.
fn subject(repository: &Repository, id: &RunId) -> Result<Subject, Error> {
    let run = repository.load(id)?;
    let places = repository.recorded(id)?;
    let mut times = Vec::new();
    for (point, recorded) in places.iter().enumerate() {
        if run.points.get(point).is_some_and(|p| p.drive == Drive::Client) {
            for (kind, histogram) in repository.histograms(id, recorded.plan_index)? {
                times.push(Times { point, from_due: kind == HistogramKind::Response, histogram });
            }
        }
    }
    Ok(Subject { run, times })
}
