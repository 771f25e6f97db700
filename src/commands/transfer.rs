//! `dbdyno export` and `dbdyno import`: a run for other programs, and on its way to another machine.

use super::{Context, named};
use crate::cli::{ExportArgs, ExportFormat, ImportArgs};
use crate::error::Error;
use crate::output::{self, Format};
use crate::secrets;
use dbdyno_report::export;
use dbdyno_results::{Access, Repository, Transfer};

/// The longest document that is taken in: all of it comes to lie in memory. A long run with a client's histograms has
/// 100 MiB.
const LONGEST_BYTES: u64 = 1 << 30;

pub(super) fn export(args: &ExportArgs, context: &Context) -> Result<(), Error> {
    let run = named::one(&args.run, context)?;
    match args.format {
        ExportFormat::Csv => output::text(&export::csv(&run).map_err(|e| Error::Internal(format!("no CSV: {e}")))?),
        ExportFormat::Openmetrics => output::text(&export::openmetrics(&run, &context.catalogue)),
        // A published result has no plan, and is everywhere already.
        ExportFormat::Json if run.published.is_some() => output::json(&run),
        ExportFormat::Json => {
            let repository = Repository::open(&context.results, Access::ReadOnly)?;
            output::text(&repository.transfer(&run.run.id)?.to_json()?)
        }
    }
}

pub(super) fn import(args: &ImportArgs, context: &Context) -> Result<(), Error> {
    let file = args.file.display();
    let text =
        dbdyno_files::read(&args.file, LONGEST_BYTES).map_err(|e| Error::Usage(format!("cannot read {file}: {e}")))?;
    // What is no text is no JSON either, and the reader of JSON says so best.
    let mut transfer = Transfer::from_json(&String::from_utf8_lossy(&text))
        .map_err(|e| Error::Usage(format!("cannot import {file}: {e}")))?;
    // dbdyno stores no passwords, and whoever wrote the file may have put one there.
    transfer.run.run.target = secrets::without_passwords(&transfer.run.run.target);
    // Only now, so that a file that cannot be imported leaves no empty results behind.
    let is_new = Repository::open(&context.results, Access::ReadWrite)?.import(&transfer)?;
    let run = &transfer.run.run;
    let (points, histograms) = (transfer.run.points.len(), transfer.histograms.len());
    match args.shown.format() {
        Format::Json => output::json(&serde_json::json!({
            "run": run.id, "label": run.label, "new": is_new, "points": points, "histograms": histograms,
        })),
        Format::Text => {
            let results = context.results.display();
            let label = run.label.as_ref().map(|l| format!(" ({})", one_line(l))).unwrap_or_default();
            output::text(&if is_new {
                let place = &context.same_place;
                format!(
                    "Run {}{label} of {points} points and {histograms} histograms is in {results} now; `dbdyno show {}{place}` shows it",
                    run.id, run.id
                )
            } else {
                format!("Run {}{label} is in {results} already, and is the same: nothing was changed", run.id)
            })
        }
    }
}

/// Somebody else's text with everything that steers a terminal as escapes, line ends too: it must not say a line of its
/// own.
fn one_line(text: &str) -> String {
    output::clean(text).replace('\n', "\\n")
}
