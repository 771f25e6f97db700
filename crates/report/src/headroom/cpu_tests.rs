//! What the processors of another platform do, in those of production's own: the CPU tests that runs of both have, each
//! at its best rate. Only tests with the same definition and the same drive count.

use super::ramp::{is_usable, ramps};
use super::result::{FactorOfTests, TestFactor};
use crate::groups::grouped;
use dbdyno_model::{Drive, Point, RunJson};

/// The class of the CPU tests.
const CLASS: &str = "T100";

/// What makes two tests the same.
type TestKey<'r> = (&'r str, &'r str, Drive, u64);

/// The factor, or why there is none.
///
/// # Errors
/// The reason, in words.
pub(super) fn factor(run: &RunJson, own: &RunJson) -> Result<FactorOfTests, String> {
    if run.database.engine != own.database.engine {
        return Err(format!(
            "CPU tests of {} and {} run in different products",
            own.database.engine, run.database.engine
        ));
    }
    let (new, old) = (best(run), best(own));
    let tests = new.iter().filter_map(|(key, rate)| {
        let (_, old) = old.iter().find(|(of, _)| of == key)?;
        Some(TestFactor { test: key.0.to_owned(), factor: rate / old })
    });
    let tests: Vec<TestFactor> = tests.collect();
    if tests.is_empty() {
        return Err(format!("runs {} and {} have no CPU test ({CLASS}) in common", own.run.id, run.run.id));
    }
    let logs: f64 = tests.iter().map(|test| test.factor.ln()).sum();
    let low = tests.iter().map(|test| test.factor).fold(f64::INFINITY, f64::min);
    let high = tests.iter().map(|test| test.factor).fold(0.0, f64::max);
    let factor = (logs / tests.len() as f64).exp();
    Ok(FactorOfTests { own: own.run.id.clone(), factor, range: [low, high], tests })
}

/// The best rate of each CPU test.
fn best(run: &RunJson) -> Vec<(TestKey<'_>, f64)> {
    let counts = |point: &Point| is_usable(point) && point.subject.name().class() == CLASS && point.load.rate.is_none();
    let of_test = |point: &Point| point.subject.test().is_some();
    let rates = ramps(run, |point| of_test(point) && counts(point)).into_iter().filter_map(|ramp| {
        let point = *ramp.steps.first()?.points.first()?;
        let key = (point.subject.as_str(), point.definition.as_str(), point.drive, point.rows_per_tx);
        let rates = ramp.steps.iter().filter_map(|step| step.median(|p| p.ops_per_s));
        Some((key, rates.fold(0.0, f64::max))).filter(|(_, rate)| *rate > 0.0)
    });
    let grouped = grouped(rates).into_iter();
    grouped.map(|(key, rates)| (key, rates.into_iter().fold(0.0, f64::max))).collect()
}
