//! The cells of a run by class and test, with their points, for charts and tables.

use crate::figures::DOUBTFUL;
use crate::groups::grouped;
use dbdyno_model::{Cell, CellKey, Dop, Drive, Point, RunJson, Status, SubjectName};
use dbdyno_stats::Estimate;
use std::collections::{BTreeMap, BTreeSet};

/// A cell with the points that count, or with all points where none counts.
#[derive(Debug, Clone)]
pub(super) struct MeasuredCell<'a> {
    pub(super) cell: &'a Cell,
    pub(super) points: Vec<&'a Point>,
}

impl<'a> MeasuredCell<'a> {
    /// The cells of a run, in its order. Storage points have a section of their own. Points that were measured again
    /// are shown as throughput among the key metrics, and are not on curves.
    pub(super) fn of(run: &'a RunJson) -> Vec<Self> {
        let mut by_key: BTreeMap<CellKey, Vec<&Point>> = BTreeMap::new();
        for point in &run.points {
            by_key.entry(CellKey::of(point)).or_default().push(point);
        }
        let measured = |cell: &'a Cell| {
            let points = by_key.get(&cell.key).cloned().unwrap_or_default();
            Self { cell, points }
        };
        run.cells.iter().filter(|cell| cell.key.subject.storage().is_none() && !cell.key.again).map(measured).collect()
    }

    /// The points with status `ok`.
    pub(super) fn ok(&self) -> impl Iterator<Item = &'a Point> {
        self.points.iter().copied().filter(|p| p.status == Status::Ok)
    }

    /// The median of a figure over the repeats that have it.
    pub(super) fn median(&self, figure: impl Fn(&Point) -> Option<f64>) -> Option<f64> {
        Estimate::of(&self.ok().filter_map(figure).collect::<Vec<_>>()).map(|e| e.median)
    }

    /// Whether the figure stands in parentheses.
    pub(super) fn is_doubtful(&self) -> bool {
        DOUBTFUL.iter().any(|flag| self.cell.flags.contains(flag))
    }

    pub(super) fn dop(&self) -> Dop {
        self.cell.key.dop
    }

    /// Parallelism in all: nodes x jobs x threads.
    pub(super) fn parallelism(&self) -> f64 {
        self.dop().parallelism() as f64
    }

    /// Whether a rate was set; then it does not show what could be reached.
    pub(super) fn is_rated(&self) -> bool {
        self.cell.key.load.rate.is_some()
    }

    /// The label that distinguishes its ramp from others of the same test; empty if it is the only one.
    pub(super) fn ramp(&self) -> RampLabel {
        let CellKey { drive, rows_per_tx, load, .. } = &self.cell.key;
        RampLabel { drive: *drive, rows_per_tx: *rows_per_tx, think: load.think.map(|t| t.to_string()) }
    }
}

/// The ramp that a cell belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RampLabel {
    pub(super) drive: Drive,
    pub(super) rows_per_tx: u64,
    pub(super) think: Option<String>,
}

impl RampLabel {
    /// Its name beside the other ramps of the test.
    pub(super) fn name(&self, others: &[Self]) -> String {
        let mut parts = Vec::new();
        if others.iter().any(|o| o.drive != self.drive) {
            parts.push(format!("{} drive", self.drive.name()));
        }
        if others.iter().any(|o| o.rows_per_tx != self.rows_per_tx) {
            parts.push(format!("{}/tx", crate::summary::head::counted(self.rows_per_tx, "row")));
        }
        parts.extend(self.think.as_ref().map(|think| format!("think time {think}")));
        if parts.is_empty() { "median".to_owned() } else { parts.join(", ") }
    }
}

/// The labels of the ramps of some cells, each once, in order.
pub(super) fn ramps(cells: &[&MeasuredCell<'_>]) -> Vec<RampLabel> {
    let ramps: BTreeSet<RampLabel> = cells.iter().map(|c| c.ramp()).collect();
    ramps.into_iter().collect()
}

/// Cells by test, in the order in which the tests first appear, sorted by class first.
pub(super) fn by_test<'a, 'c>(cells: &'c [MeasuredCell<'a>]) -> Vec<(SubjectName<'a>, Vec<&'c MeasuredCell<'a>>)> {
    grouped(cells.iter().map(|cell| (cell.cell.key.subject.name(), cell)))
}
