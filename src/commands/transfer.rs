//! `dbdyno export` and `dbdyno import`: a run for other programs, and for other machines.

use super::context::Context;
use super::named_runs;
use crate::cli::{ExportArgs, ExportFormat, ImportArgs};
use crate::error::Error;
use crate::output;
use crate::secrets;
use dbdyno_report::export;
use dbdyno_results::{ExportedRun, FileAccess, Imported, Repository};
use std::path::Path;

/// The longest document that is accepted, because all of it is read into memory. A long run with a client's histograms
/// has 100 MiB.
const LONGEST_BYTES: u64 = 1 << 30;

pub(super) fn export(args: &ExportArgs, context: &Context) -> Result<(), Error> {
    let run = named_runs::one(&args.run, context)?;
    match args.format {
        ExportFormat::Csv => output::text(&export::csv(&run).map_err(|e| Error::Internal(format!("no CSV: {e}")))?),
        ExportFormat::Openmetrics => output::text(&export::openmetrics(&run, &context.catalogue)),
        // A published result has no plan, and is part of every dbdyno.
        ExportFormat::Json if run.published.is_some() => output::json(&run),
        ExportFormat::Json => {
            let repository = Repository::open(&context.results, FileAccess::ReadOnly)?;
            output::text(&repository.transfer(&run.run.id)?.to_json()?)?;
            context.suggest_next("dbdyno import FILE", "takes it in on another machine");
            Ok(())
        }
    }
}

/// Reads an exported run; `doing` is what it is read for.
///
/// # Errors
/// It cannot be read, or is none.
pub(super) fn read(file: &Path, doing: &str) -> Result<ExportedRun, Error> {
    let shown = file.display();
    let text =
        dbdyno_files::read(file, LONGEST_BYTES).map_err(|e| Error::Usage(format!("cannot read {shown}: {e}")))?;
    // A file that is not text is not JSON either, and the JSON parser reports it best.
    let mut exported = ExportedRun::from_json(&String::from_utf8_lossy(&text))
        .map_err(|e| Error::Usage(format!("cannot {doing} {shown}: {e}")))?;
    // dbdyno stores no passwords, but the writer of the file may have added one.
    exported.run.run.target = secrets::without_passwords(&exported.run.run.target);
    Ok(exported)
}

pub(super) fn import(args: &ImportArgs, context: &Context) -> Result<(), Error> {
    let transfer = read(&args.file, "import")?;
    // Only now, so that a file that cannot be imported leaves no empty results file.
    let imported = Repository::open(&context.results, FileAccess::ReadWrite)?.import(&transfer)?;
    let run = &transfer.run.run;
    let (points, histograms) = (transfer.run.points.len(), transfer.histograms.len());
    let answer = serde_json::json!({
        "run": run.id, "label": run.label, "new": imported == Imported::New, "points": points, "histograms": histograms,
        "description": match imported {
            Imported::Described => Some("added"),
            Imported::OtherDescription => Some("kept"),
            Imported::New | Imported::Same => None,
        },
    });
    let (id, results, place) = (&run.id, context.results.display(), &context.same_files);
    // A label from outside must not add a line to the output.
    let label = run.label.as_ref().map(|l| format!(" ({})", output::clean(l).replace('\n', "\\n"))).unwrap_or_default();
    let already = format!("Run {id}{label} is in {results} already, and is the same");
    args.shown.format().show(&answer, || match imported {
        Imported::New => format!(
            "Run {id}{label} of {points} points and {histograms} histograms is in {results} now"
        ),
        Imported::Same => format!("{already}: nothing was changed"),
        Imported::Described => format!("{already}: what the file says of its platform was added"),
        Imported::OtherDescription => format!(
            "{already}: nothing was changed. The file says something else of its platform; `dbdyno describe {id}{place} \
             --remove` and another import take that over"
        ),
    })?;
    context.say_next(&format!("dbdyno show {id}"), "shows it; `dbdyno report` makes a page of it");
    Ok(())
}
