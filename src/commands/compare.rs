//! `dbdyno compare`: runs and platforms side by side.

use super::context::Context;
use super::named_runs;
use crate::cli::CompareArgs;
use crate::error::Error;
use crate::output;
use dbdyno_report::Extent;
use dbdyno_report::compare::{self, CompareError, CompareOptions, MOST_SIDES, Side};

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
    let show = if args.test.is_some() { Extent::ScreenAllTests } else { Extent::Screen };
    let text = || comparison.document(&sides, &[], &context.catalogue, show).text(output::width());
    args.shown.format().show(&comparison, text)?;
    match comparison.regression {
        Some(regression) if !regression.broken.is_empty() => {
            Err(Error::Regression { rows: regression.broken.len(), limit_pct: regression.limit_pct })
        }
        _ => Ok(()),
    }
}

/// The runs or platform of each name.
///
/// # Errors
/// One of them does not exist, or cannot be read.
pub(super) fn sides(names: &[String], context: &Context) -> Result<Vec<Side>, Error> {
    names.iter().map(|name| named_runs::side(name, context)).collect()
}
