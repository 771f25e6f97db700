//! `dbdyno compare`: runs and platforms side by side.

use super::context::Context;
use super::named_runs;
use crate::cli::CompareArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use dbdyno_report::Extent;
use dbdyno_report::compare::{self, CompareError, CompareOptions, MOST_SIDES, Side};
use std::panic::resume_unwind;
use std::thread;

pub(super) fn compare(args: &CompareArgs, context: &Context) -> Result<(), Error> {
    // Checked before anything is read, because twenty runs can be large.
    if !(2..=MOST_SIDES).contains(&args.runs.len()) {
        return Err(CompareError::Sides(args.runs.len()).into());
    }
    if let Some(pattern) = &args.test {
        context.catalogue.select(pattern)?;
    }
    let sides = sides(&args.runs, context)?;
    let options = CompareOptions {
        baseline: args.baseline.as_deref(),
        tests: args.test.as_deref(),
        max_regression_pct: args.max_regression,
    };
    let comparison = compare::compare(&sides, &options, &context.catalogue)?;
    if let Some(file) = &args.junit {
        let xml = comparison.junit().map_err(|e| Error::Internal(format!("no XML: {e}")))?;
        output::write(file, &xml)?;
    }
    let document = |show: Extent| comparison.document(&sides, &[], &context.catalogue, show);
    let show = if args.test.is_some() { Extent::ScreenAllTests } else { Extent::Screen };
    match args.markdown {
        true => output::text(&document(Extent::Summary).markdown())?,
        false => args.shown.format().show(&comparison, || document(show).text(output::width()))?,
    }
    let runs: Vec<String> = args.runs.iter().map(|run| shell_word(run)).collect();
    context.suggest_next(&format!("dbdyno report {}", runs.join(" ")), "makes a page of it for a browser");
    match comparison.regression {
        Some(regression) if !regression.broken.is_empty() => {
            Err(Error::Regression { rows: regression.broken.len(), limit_pct: regression.limit_pct })
        }
        _ => Ok(()),
    }
}

/// The most sides that are read at the same time: a file of an older dbdyno is copied into memory for each.
const MOST_READERS: usize = 4;

/// The runs or platform of each name. As many are read at the same time as there are processors, because reading takes
/// longer than comparing.
///
/// # Errors
/// One of them does not exist, or cannot be read.
pub(super) fn sides(names: &[String], context: &Context) -> Result<Vec<Side>, Error> {
    let at_once = thread::available_parallelism().map_or(1, usize::from).min(MOST_READERS);
    let mut sides = Vec::with_capacity(names.len());
    for some in names.chunks(at_once) {
        let read: Vec<_> = thread::scope(|scope| {
            let readers: Vec<_> = some.iter().map(|name| scope.spawn(|| named_runs::side(name, context))).collect();
            readers.into_iter().map(|reader| reader.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        for side in read {
            sides.push(side?);
        }
    }
    Ok(sides)
}
