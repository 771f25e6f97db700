//! Runs that were measured in turn (`dbdyno pair`): their figures are compared pair by pair.

use super::paired_figures::PairedFigures;
use super::row::{Ratio, RatioVerdict};
use super::side::Side;
use super::units::shown_unit;
use crate::figures::is_doubtful;
use crate::groups::{joined, unique};
use crate::summary::head::within;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Cell, CellKey, ClientLoad, MetricId, Pairing, Point, RunJson};
use dbdyno_stats::{Difference, Estimate, NotComparable, holm};
use serde::Serialize;
use std::collections::BTreeMap;

/// A cell of two runs that were measured in turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedRow {
    /// The test or workload.
    pub test: String,
    /// What it is.
    pub title: String,
    /// Nodes x jobs x threads.
    pub dop: String,
    /// The load of the client drive in words; empty for a closed loop.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub load: String,
    /// Rows per transaction; 0 where there are no transactions.
    pub rows_per_tx: u64,
    /// The metric.
    pub metric: Option<MetricId>,
    /// Its unit as shown.
    pub unit: String,
    /// Pairs of which both points have a figure.
    pub pairs: usize,
    /// Pairs that were measured.
    pub measured: usize,
    /// Why points do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How the engine of each side does the work by other means than the test names, if it does.
    pub equivalents: [Option<String>; 2],
    /// How many points of both sides have a flag, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<&'static str, usize>,
    /// The median of each side, in the order of the sides.
    pub medians: [Option<f64>; 2],
    /// The other side divided by the baseline. Its p value is Holm's over all rows, and so is the verdict; the interval
    /// is that of the row alone.
    pub ratio: Ratio,
}

/// The rows of two sides whose newest runs were measured in turn; none for others.
pub(super) fn rows(sides: &[Side], baseline: usize, catalogue: &Catalogue) -> Vec<PairedRow> {
    let [one, other] = sides else { return Vec::new() };
    let Some((one, other)) = one.runs.first().zip(other.runs.first()) else { return Vec::new() };
    if !Pairing::is_between((&one.run.id, one.pairing.as_ref()), (&other.run.id, other.pairing.as_ref())) {
        return Vec::new();
    }
    let cells: Vec<PairedCell<'_>> = one.cells.iter().map(|cell| PairedCell::of(cell, [one, other])).collect();
    let differences: Vec<Result<Difference, String>> = cells.iter().map(|cell| cell.difference(baseline)).collect();
    let known: Vec<f64> = differences.iter().flatten().map(Difference::p_value).collect();
    let mut corrected = holm(&known).into_iter();
    let row = |(cell, difference): (&PairedCell<'_>, Result<Difference, String>)| {
        let metric = cell.metric.and_then(|metric| catalogue.metric(metric).ok());
        let better = metric.map_or(Better::Higher, |metric| metric.better);
        let ratio = match difference {
            Ok(difference) => Ratio::shown(&difference, corrected.next().unwrap_or(1.0), better),
            Err(why) => Ratio::none(RatioVerdict::NoRatio, Some(why)),
        };
        cell.row(ratio, catalogue)
    };
    cells.iter().zip(differences).map(row).collect()
}

/// A cell on both sides.
struct PairedCell<'a> {
    key: &'a CellKey,
    metric: Option<&'a MetricId>,
    runs: [&'a RunJson; 2],
    points: [Vec<&'a Point>; 2],
}

impl<'a> PairedCell<'a> {
    fn of(cell: &'a Cell, runs: [&'a RunJson; 2]) -> Self {
        let points = runs.map(|run| run.points.iter().filter(|point| CellKey::of(point) == cell.key).collect());
        Self { key: &cell.key, metric: cell.metric.as_ref(), runs, points }
    }

    /// The other side's figures divided by the baseline's, or why not.
    fn difference(&self, baseline: usize) -> Result<Difference, String> {
        if let Some(why) = self.barred() {
            return Err(why);
        }
        let [base, other] = self.in_turn().ok_or_else(|| self.why_without())?;
        let (base, other) = if baseline == 0 { (base, other) } else { (other, base) };
        match base.difference(&other) {
            Some(Err(NotComparable::Pairs { there: 0, .. })) => Err(self.why_without()),
            Some(difference) => difference.map_err(|why| why.to_string()),
            None => Err("they were not measured in turn, or hold other amounts of data".to_owned()),
        }
    }

    fn in_turn(&self) -> Option<[PairedFigures; 2]> {
        let metric = self.metric?;
        let of = |side: usize| PairedFigures::of(self.runs[side], &self.points[side], metric);
        Some([of(0)?, of(1)?])
    }

    fn counted(&self, side: usize) -> impl Iterator<Item = &'a Point> {
        self.points[side].iter().copied().filter(|point| Pairing::counts(point))
    }

    /// Why its figures are not divided: commits are of other kinds.
    fn barred(&self) -> Option<String> {
        let commits = |side| self.counted(side).filter_map(Point::commits).max();
        let (one, other) = commits(0).zip(commits(1))?;
        (one != other).then(|| format!("commits of one are {}, of the other {}", one.words(), other.words()))
    }

    /// Why there is no figure.
    fn why_without(&self) -> String {
        self.left_out().into_iter().next().unwrap_or_else(|| "one side has no figure".to_owned())
    }

    /// Reasons for which points do not count, each once.
    fn left_out(&self) -> Vec<String> {
        let why = |point: &&Point| {
            let doubts = point.flags.iter().filter(|flag| is_doubtful(&[**flag])).map(|flag| flag.name());
            point.reason.clone().unwrap_or_else(|| format!("no figure of the test: {}", joined(doubts, ", ")))
        };
        unique(self.points.iter().flatten().filter(|point| !Pairing::counts(point)).map(why))
    }

    fn equivalent(&self, side: usize) -> Option<String> {
        let point = self.points[side].iter().find(|point| point.mapping == "equivalent")?;
        Some(point.mapping_note.clone().unwrap_or_else(|| "how was not recorded".to_owned()))
    }

    fn flags(&self) -> BTreeMap<&'static str, usize> {
        let mut counted = BTreeMap::new();
        let flags = self.points.iter().flatten().flat_map(|point| &point.flags);
        flags.for_each(|flag| *counted.entry(flag.name()).or_default() += 1);
        counted
    }

    fn row(&self, ratio: Ratio, catalogue: &Catalogue) -> PairedRow {
        let both = |point: &&&Point| self.points[1].iter().any(|other| other.repeat == point.repeat);
        let median = |side| {
            let values: Vec<f64> = self.counted(side).filter_map(|point| point.value(self.metric?)).collect();
            Estimate::of(&values).map(|of| of.median)
        };
        let test = self.points[0].first().map_or_else(String::new, |point| point.work().into_owned());
        let known = self.metric.and_then(|metric| catalogue.metric(metric).ok());
        PairedRow {
            title: catalogue.test(&test).map_or_else(|_| String::new(), |test| test.title.clone()),
            test,
            dop: self.key.dop.to_string(),
            load: load(&self.key.load),
            rows_per_tx: self.key.rows_per_tx,
            metric: self.metric.cloned(),
            unit: known.map_or_else(String::new, |of| shown_unit(of.id.as_str(), &of.unit).to_owned()),
            pairs: self.in_turn().map_or(0, |[one, other]| one.ratios(&other).len()),
            measured: self.points[0].iter().filter(both).count(),
            left_out: self.left_out(),
            equivalents: [self.equivalent(0), self.equivalent(1)],
            flags: self.flags(),
            medians: [median(0), median(1)],
            ratio,
        }
    }
}

/// The load of the client drive in words; nothing for a closed loop.
fn load(load: &ClientLoad) -> String {
    let rate = load.rate.map(|rate| format!("rate {rate}"));
    let think = load.think.map(|think| format!("think {think}"));
    joined(rate.into_iter().chain(think), ", ") + &within(load)
}
