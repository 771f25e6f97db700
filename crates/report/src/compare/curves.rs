//! How rates grow with parallelism, on every side.

use super::query::RowQuery;
use super::side::Side;
use crate::groups::grouped;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Dop, MetricId, UsableFor};
use dbdyno_stats::Estimate;
use serde::Serialize;

/// How a test's rate grows, one line for each side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RampCurve {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// The metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: String,
    /// One line a side; empty where it has none.
    pub lines: Vec<Vec<RampPoint>>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RampPoint {
    /// Nodes, jobs, threads.
    #[serde(flatten)]
    pub dop: Dop,
    /// The figure.
    pub value: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Whether it means something other than the test.
    pub doubtful: bool,
}

/// The curve of a test; `None` where no side has two points of it.
pub(super) fn curve(sides: &[Side], query: &RowQuery<'_>, catalogue: &Catalogue) -> Option<RampCurve> {
    let lines: Vec<Vec<RampPoint>> = sides.iter().map(|side| line(side, query, catalogue)).collect();
    let id = MetricId::from(query.metric);
    let known = catalogue.metric(&id).ok()?;
    let title = catalogue.test(query.test).map_or_else(|_| String::new(), |t| t.title.clone());
    let curve = RampCurve { test: query.test.to_owned(), title, unit: known.unit.clone(), metric: id, lines };
    curve.lines.iter().any(|line| line.len() > 1).then_some(curve)
}

fn line(side: &Side, query: &RowQuery<'_>, catalogue: &Catalogue) -> Vec<RampPoint> {
    let found = side.runs.iter().filter_map(|run| query.figures(run, catalogue).ok());
    let usable = found.flat_map(|found| found.cells).filter(|f| f.usable_for() > UsableFor::Nothing);
    let mut dops = grouped(usable.filter_map(|figure| Some((figure.dop?, (figure.estimate, figure.is_doubtful())))));
    dops.sort_by_key(|(dop, _)| (dop.parallelism(), *dop));
    let point = |(dop, figures): &(Dop, Vec<(Estimate, bool)>)| {
        let estimate = match figures.as_slice() {
            [(one, _)] => *one,
            several => Estimate::of(&several.iter().map(|(e, _)| e.median).collect::<Vec<_>>())?,
        };
        let doubtful = figures.iter().any(|(_, doubtful)| *doubtful);
        let (low, high) = estimate.interval.map_or((None, None), |i| (Some(i.low), Some(i.high)));
        Some(RampPoint { dop: *dop, value: estimate.median, low, high, doubtful })
    };
    dops.iter().filter_map(point).collect()
}
