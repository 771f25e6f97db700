//! Figures of a run that was measured in turn with another, by their repeat.

use dbdyno_model::{Dop, MetricId, PairSide, Pairing, Point, RunId, RunJson};
use dbdyno_stats::{Difference, First, NotComparable, Pairs};
use std::collections::BTreeMap;

/// One side's figures of a cell by their repeat, where its run was measured in turn with another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairedFigures {
    run: RunId,
    pairing: Pairing,
    /// How much data there was.
    size: String,
    dop: Option<Dop>,
    /// When each point began, in nanoseconds since 1970, and its figure.
    by_repeat: BTreeMap<u32, (i128, f64)>,
}

impl PairedFigures {
    /// The figures of a run's points in a metric.
    pub(super) fn of(run: &RunJson, points: &[&Point], metric: &MetricId) -> Option<Self> {
        let pairing = run.pairing.clone()?;
        let by_repeat = points.iter().filter(|point| Pairing::counts(point));
        let by_repeat = by_repeat
            .filter_map(|point| Some((point.repeat, (point.started_at.as_nanosecond(), point.value(metric)?))))
            .collect();
        let dop = points.first().map(|point| point.dop);
        Some(Self { run: run.run.id.clone(), pairing, size: run.run.size.clone(), dop, by_repeat })
    }

    /// What the pairs show of another side's figures, divided by this side's. `None` where the two were not measured in
    /// turn with each other.
    pub(super) fn difference(&self, other: &Self) -> Option<Result<Difference, NotComparable>> {
        let are_pair = Pairing::is_between((&self.run, Some(&self.pairing)), (&other.run, Some(&other.pairing)))
            && (self.dop, &self.size) == (other.dop, &other.size)
            && self.is_in_turn_with(other);
        are_pair.then(|| Pairs::difference(&self.ratios(other)))
    }

    /// Whether the points began A B, B A, A B, B A. A document may say so of any two runs.
    fn is_in_turn_with(&self, other: &Self) -> bool {
        let is_a = self.pairing.side == PairSide::A;
        let mut last = None;
        self.by_repeat.iter().all(|(repeat, (own, _))| {
            let Some((theirs, _)) = other.by_repeat.get(repeat) else { return true };
            let own_is_first = is_a == (Pairs::first((*repeat as usize).saturating_sub(1)) == First::A);
            let (first, second) = if own_is_first { (own, theirs) } else { (theirs, own) };
            let follows = first < second && last.is_none_or(|last| last < *first);
            last = Some(*second);
            follows
        })
    }

    /// In the order in which they were measured.
    pub(super) fn ratios(&self, other: &Self) -> Vec<f64> {
        let pairs = self.by_repeat.iter().filter_map(|(repeat, base)| Some(other.by_repeat.get(repeat)?.1 / base.1));
        pairs.collect()
    }
}
