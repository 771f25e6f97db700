//! Figures of a run that was measured in turn with another, by their repeat.

use dbdyno_model::{Dop, MetricId, Pairing, Point, RunId, RunJson};
use dbdyno_stats::{Difference, NotComparable, Pairs};
use std::collections::BTreeMap;

/// One side's figures of a cell by their repeat, where its run was measured in turn with another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairedFigures {
    run: RunId,
    pairing: Pairing,
    dop: Option<Dop>,
    by_repeat: BTreeMap<u32, f64>,
}

impl PairedFigures {
    /// The figures of a run's points in a metric.
    pub(super) fn of(run: &RunJson, points: &[&Point], metric: &MetricId) -> Option<Self> {
        let pairing = run.pairing.clone()?;
        let by_repeat = points.iter().filter(|point| Pairing::counts(point));
        let by_repeat = by_repeat.filter_map(|point| Some((point.repeat, point.value(metric)?))).collect();
        Some(Self { run: run.run.id.clone(), pairing, dop: points.first().map(|point| point.dop), by_repeat })
    }

    /// What the pairs show of another side's figures, divided by this side's. `None` where the two were not measured in
    /// turn with each other.
    pub(super) fn difference(&self, other: &Self) -> Option<Result<Difference, NotComparable>> {
        let are_pair = Pairing::is_between((&self.run, Some(&self.pairing)), (&other.run, Some(&other.pairing)))
            && self.dop == other.dop;
        are_pair.then(|| Pairs::difference(&self.ratios(other)))
    }

    /// In the order in which they were measured.
    pub(super) fn ratios(&self, other: &Self) -> Vec<f64> {
        let pairs = self.by_repeat.iter().filter_map(|(repeat, base)| Some(other.by_repeat.get(repeat)? / base));
        pairs.collect()
    }
}
