//! Remarks on throughputs: which were measured again, which are still the figures that selected them, and which degrees
//! of parallelism cannot be distinguished from the best by single measurements. And how times were extrapolated.

use super::figure::LineFigures;
use crate::figures::ThroughputSource;
use crate::groups::unique;
use crate::summary::head::counted;
use dbdyno_model::RunJson;
use std::collections::BTreeMap;

/// The sentences, once for each test, and how times were extrapolated.
pub(crate) fn sentences<'f, 'a: 'f>(run: &RunJson, lines: impl Iterator<Item = &'f LineFigures<'a>>) -> Vec<String> {
    let shown = lines.filter(|found| !found.speed_alone);
    let shown = shown.filter_map(|found| Some((found.test.as_str(), found.figures.as_ref().ok()?)));
    let mut again = Vec::new();
    let mut selected: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (test, figures) in shown {
        match figures.standing() {
            ThroughputSource::Only => {}
            ThroughputSource::Again => again.push((test, figures.beside_the_best())),
            ThroughputSource::Selected { of } => selected.entry(of).or_default().push(test),
        }
    }
    let beside = again.iter().filter_map(|(test, dops)| dops.map(|(low, high)| format!("{test} {low} to {high}")));
    let beside = unique(beside).join(", ");
    let again =
        (!again.is_empty()).then(|| "Throughput is the rate measured again at the DOP that was best.".to_owned());
    let once = format!("Measured once, these DOPs cannot be told from the best: {beside}; --repeat 3 tells more.");
    let mut said: Vec<String> = again.into_iter().chain((!beside.is_empty()).then_some(once)).collect();
    said.extend(selected.into_iter().map(|(of, tests)| {
        let (tests, which) = (unique(tests).join(", "), counted(of as u64, "DOP"));
        let chance = "chance is in it, some 3 to 4 % where the curve is flat";
        format!("Throughput of {tests} is the best of {which}, not measured again: {chance}.")
    }));
    let extrapolated = run.points.iter().flat_map(|p| p.extrapolated.values().map(move |why| (p.subject.name(), why)));
    said.extend(unique(extrapolated).into_iter().map(|(test, why)| format!("{test}: {why}.")));
    said
}
