//! Remarks on throughputs: which were measured again, which are still the figures that selected them, and which degrees
//! of parallelism cannot be distinguished from the best by single measurements.

use super::figure::LineFigures;
use super::lines::{Shows, SummaryLine};
use crate::figures::ThroughputSource;
use crate::groups::unique;
use crate::summary::head::counted;
use dbdyno_model::{Point, RunJson};
use std::collections::BTreeMap;

/// The sentences, once for each test.
pub(crate) fn sentences<'f, 'a: 'f>(
    lines: impl Iterator<Item = (&'f SummaryLine, &'f LineFigures<'a>)>,
) -> Vec<String> {
    let mut again = false;
    let mut beside: Vec<String> = Vec::new();
    let mut selected: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (_, found) in lines.filter(|(line, _)| line.shows == Shows::Both) {
        let Ok(figures) = &found.figures else { continue };
        match figures.standing() {
            ThroughputSource::Only => {}
            ThroughputSource::Again => {
                again = true;
                if let Some((low, high)) = figures.beside_the_best() {
                    let text = format!("{} {low} to {high}", found.test);
                    beside.extend((!beside.contains(&text)).then_some(text));
                }
            }
            ThroughputSource::Selected { of } => {
                let tests = selected.entry(of).or_default();
                if !tests.contains(&found.test.as_str()) {
                    tests.push(&found.test);
                }
            }
        }
    }
    let mut said = Vec::new();
    if again {
        said.push("Throughput is the rate measured again at the DOP that was best.".to_owned());
    }
    if !beside.is_empty() {
        said.push(format!(
            "Measured once, these DOPs cannot be told from the best: {}; --repeat 3 tells more.",
            beside.join(", ")
        ));
    }
    for (of, tests) in selected {
        let which = counted(of as u64, "DOP");
        let what = match tests.len() {
            1 => format!("Throughput of {} is", tests[0]),
            _ => format!("Throughputs of {} are", tests.join(", ")),
        };
        said.push(format!(
            "{what} the best of {which}, not measured again: chance is in it, some 3 to 4 % where the curve is flat."
        ));
    }
    said
}

/// How times were extrapolated, each reason once.
pub(crate) fn extrapolated(run: &RunJson) -> Vec<String> {
    let of = |point: &Point| -> Vec<String> {
        point.extrapolated.values().map(|why| format!("{}: {why}.", point.subject.name())).collect()
    };
    unique(run.points.iter().flat_map(of))
}
