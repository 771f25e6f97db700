//! `dbdyno report`: a run, or a comparison of several, as one HTML page.

use super::context::Context;
use super::{compare, named_runs, verdict};
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::compare::CompareOptions;
use dbdyno_report::verdict::{Variant, Verdict};
use dbdyno_report::{Document, Extent, numbers};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::{Path, PathBuf};

/// A name of a file that is made of names is no longer than this, so that every file system takes it.
const LONGEST_NAME: usize = 120;

/// What is written as %20 or the like.
const OTHERS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-');

pub(super) fn report(args: &ReportArgs, context: &Context) -> Result<(), Error> {
    let requirements = args.requirements.as_ref().map(|file| verdict::requirements(file, context)).transpose()?;
    let catalogue = &context.catalogue;
    let (page, names) = if let [asked] = &args.runs[..] {
        let mut reported = named_runs::reported(asked, context)?;
        if let Some(requirements) = requirements {
            let variant = Variant { name: asked.clone(), runs: named_runs::side(asked, context)?.runs };
            reported.verdict = Verdict::of_variants(&[variant], &requirements, &[]).pop();
        }
        (reported.document(catalogue).page(), vec![reported.run.run.id.to_string()])
    } else {
        let sides = compare::sides(&args.runs, context)?;
        let options = CompareOptions { baseline: args.baseline.as_deref(), ..CompareOptions::default() };
        let comparison = dbdyno_report::compare::compare(&sides, &options, catalogue)?;
        let variants: Vec<Variant> =
            sides.iter().map(|side| Variant { name: side.name.clone(), runs: side.runs.clone() }).collect();
        let judged = requirements.map(|needs| Verdict::of_variants(&variants, &needs, &[])).unwrap_or_default();
        let names = sides.iter().map(|side| match side.runs.first() {
            // What the newest run is will be another one tomorrow.
            Some(run) if side.name == "last" => run.run.id.to_string(),
            _ => side.name.clone(),
        });
        let names = names.collect();
        (comparison.document(&sides, &judged, catalogue, Extent::Page).page(), names)
    };
    match &args.output {
        Some(file) => {
            output::file(file, &page)?;
            if file != Path::new("-") {
                context.say(&format!("next: open {} in a browser", file.display()));
            }
            Ok(())
        }
        None => written(&file_name(&names), &page, context),
    }
}

/// Writes a page to a file that is named after its runs, and says so.
pub(super) fn written(file: &Path, page: &str, context: &Context) -> Result<(), Error> {
    let instead = match std::fs::symlink_metadata(file) {
        Err(_) => "",
        Ok(found) if found.is_file() && dbdyno_files::text(file).is_ok_and(|old| Document::is_page(&old)) => {
            ", in place of an older page"
        }
        Ok(_) => {
            let file = file.display();
            return Err(Error::Usage(format!("{file} is no page of dbdyno's, and stays; name another file with -o")));
        }
    };
    output::write(file, page)?;
    let size = numbers::bytes(page.len() as u64);
    context.say(&format!("written: {} ({size}{instead}); open it in a browser", file.display()));
    Ok(())
}

/// The file that a page of these runs goes to if no other is named. A label may hold any character; two labels never
/// become one name.
fn file_name(names: &[String]) -> PathBuf {
    let mut name = utf8_percent_encode(&names.join("-"), OTHERS).to_string();
    name.truncate(LONGEST_NAME);
    PathBuf::from(format!("dbdyno-{name}.html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_after_its_runs_and_stays_in_the_folder() {
        let of = |names: &[&str]| file_name(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["7xk2abcd"]), Path::new("dbdyno-7xk2abcd.html"));
        assert_eq!(of(&["before", "after the upgrade"]), Path::new("dbdyno-before-after%20the%20upgrade.html"));
        assert_eq!(of(&["../../etc/x\u{e9}"]), Path::new("dbdyno-..%2F..%2Fetc%2Fx%C3%A9.html"));
        assert!(of(&["x".repeat(1_000).as_str()]).as_os_str().len() < 140);
    }
}
