//! `dbdyno verdict`: whether runs meet a project's requirements.

use super::context::Context;
use super::named_runs;
use crate::cli::VerdictArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use dbdyno_catalogue::Requirements;
use dbdyno_report::verdict::{self, RequirementOutcome, Variant, Verdict};
use std::path::Path;

pub(super) fn verdict(args: &VerdictArgs, context: &Context) -> Result<(), Error> {
    let requirements = requirements(&args.requirements, context)?;
    let variants =
        args.runs.iter().map(|name| Ok(Variant { name: name.clone(), runs: named_runs::side(name, context)?.runs }));
    let variants = variants.collect::<Result<Vec<Variant>, Error>>()?;
    for (n, variant) in variants.iter().enumerate() {
        let newest = |variant: &Variant| variant.runs.first().map(|run| run.run.id.clone());
        if let Some(before) = variants[..n].iter().find(|before| newest(before) == newest(variant)) {
            let (one, other) = (&before.name, &variant.name);
            return Err(Error::Usage(format!("'{one}' and '{other}' are the same run; name each once")));
        }
    }
    let verdicts = Verdict::of_variants(&variants, &requirements, &args.accept);
    if let Some(file) = &args.junit {
        let xml = verdict::junit(&verdicts).map_err(|e| Error::Internal(format!("no XML: {e}")))?;
        output::write(file, &xml)?;
    }
    let page = || page(&verdicts, &variants);
    match &verdicts[..] {
        [one] => args.shown.format().show(one, page)?,
        several => args.shown.format().show(&several, page)?,
    }
    let runs: Vec<String> = args.runs.iter().map(|run| shell_word(run)).collect();
    let file = shell_word(&args.requirements.to_string_lossy());
    context.suggest_next(
        &format!("dbdyno report {} --requirements {file}", runs.join(" ")),
        "makes a page of it for a browser",
    );
    let all = verdicts.iter().map(|verdict| verdict.lines.len()).sum();
    let met: usize = verdicts.iter().map(|verdict| verdict.count(RequirementOutcome::Met)).sum();
    if met == all {
        return Ok(());
    }
    let unmet: Vec<&str> = verdicts.iter().filter(|verdict| !verdict.met).map(|verdict| verdict.run.as_str()).collect();
    Err(Error::Missed { runs: unmet.join(", "), title: requirements.title, unmet: all - met, all })
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

/// The verdicts, and what has not been verified of the engines.
fn page(verdicts: &[Verdict], variants: &[Variant]) -> String {
    let width = output::width();
    let mut page = Verdict::document(verdicts).text(width);
    let mut notices: Vec<&String> = variants.iter().filter_map(|v| v.runs.first()?.database.notice.as_ref()).collect();
    notices.dedup();
    for notice in notices {
        page.push_str(&dbdyno_report::notice(notice, width));
    }
    page
}
