//! The cells of a run by class and test, with their points, for charts and tables.

use crate::compare::shown_unit;
use crate::sections::prelude::*;
use crate::summary::head::within;
use dbdyno_model::{Dop, Drive};
use std::cmp::Reverse;

/// A cell with all its points.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredCell<'a> {
    pub(crate) cell: &'a dbdyno_model::Cell,
    pub(crate) points: Vec<&'a Point>,
}

impl<'a> MeasuredCell<'a> {
    /// The cells of a run, in its order.
    pub(crate) fn of(run: &'a RunJson) -> Vec<Self> {
        let mut by_key: BTreeMap<CellKey, Vec<&Point>> = BTreeMap::new();
        for point in &run.points {
            by_key.entry(CellKey::of(point)).or_default().push(point);
        }
        run.cells.iter().map(|cell| Self { cell, points: by_key.get(&cell.key).cloned().unwrap_or_default() }).collect()
    }

    /// The cells that lie on ramps. Storage points have a section of their own. Points that were measured again are
    /// shown as throughput among the key metrics, and a set rate does not show what could be reached.
    pub(crate) fn on_ramps(run: &'a RunJson) -> Vec<Self> {
        let is_on_ramp = |key: &CellKey| key.subject.storage().is_none() && !key.again && key.load.rate.is_none();
        Self::of(run).into_iter().filter(|of| is_on_ramp(&of.cell.key)).collect()
    }

    /// The points with status `ok`.
    pub(crate) fn ok(&self) -> impl Iterator<Item = &'a Point> {
        self.points.iter().copied().filter(|p| p.status == Status::Ok)
    }

    /// The median of a figure over the repeats that have it.
    pub(crate) fn median(&self, figure: impl Fn(&Point) -> Option<f64>) -> Option<f64> {
        median_of(self.ok().map(figure))
    }

    /// The 95 % interval of its median.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.cell.low.zip(self.cell.high)
    }

    /// Whether this is its key metric.
    pub(crate) fn has_key(&self, metric: &MetricId) -> bool {
        self.cell.metric.as_ref() == Some(metric)
    }

    /// Whether the figure stands in parentheses.
    pub(crate) fn is_doubtful(&self) -> bool {
        is_doubtful(&self.cell.flags)
    }

    pub(crate) fn dop(&self) -> Dop {
        self.cell.key.dop
    }

    /// Parallelism in all: nodes x jobs x threads.
    pub(crate) fn parallelism(&self) -> f64 {
        self.dop().parallelism() as f64
    }

    /// The key of its ramp: what its steps have in common.
    pub(crate) fn ramp(&self) -> CellKey {
        CellKey { dop: Dop::ONE, ..self.cell.key.clone() }
    }
}

/// A ramp of a test: its key, and its cells.
pub(crate) type Ramp<'c, 'a> = (CellKey, Vec<&'c MeasuredCell<'a>>);

/// The ramps of the cells of a test, in order.
pub(crate) fn ramps<'c, 'a>(cells: &[&'c MeasuredCell<'a>]) -> Vec<Ramp<'c, 'a>> {
    let ramps: BTreeMap<_, _> = grouped(cells.iter().map(|cell| (cell.ramp(), *cell))).into_iter().collect();
    ramps.into_iter().collect()
}

/// The name of a ramp beside the others of its test; empty where nothing tells it from them.
pub(crate) fn ramp_name(ramp: &CellKey, others: &[Ramp<'_, '_>]) -> String {
    let differs = |differ: fn(&CellKey, &CellKey) -> bool| others.iter().any(|(other, _)| differ(other, ramp));
    let parts = [
        differs(|a, b| a.drive != b.drive).then(|| format!("{} drive", ramp.drive.name())),
        differs(|a, b| a.rows_per_tx != b.rows_per_tx).then(|| format!("{}/tx", counted(ramp.rows_per_tx, "row"))),
        ramp.load.think.map(|think| format!("think time {think}")),
        Some(within(&ramp.load).trim_start_matches(", ").to_owned()),
        ramp.load.connections.map(|n| counted(n.into(), "connection")),
    ];
    joined(parts.into_iter().flatten(), ", ")
}

/// The ramp that stands for a test: of the server drive where there is one, and with the most figures.
pub(crate) fn main_ramp<'c, 'a>(cells: &[&'c MeasuredCell<'a>]) -> Vec<&'c MeasuredCell<'a>> {
    let rank = |(ramp, cells): &Ramp<'_, '_>| {
        let known = cells.iter().filter(|c| c.cell.median.is_some()).count();
        (known == 0, ramp.drive == Drive::Client, Reverse(known))
    };
    ramps(cells).into_iter().min_by_key(rank).map(|(_, cells)| cells).unwrap_or_default()
}

/// Cells by test, in the order in which the tests first appear.
pub(crate) fn by_test<'a, 'c>(cells: &'c [MeasuredCell<'a>]) -> Vec<(SubjectName<'a>, Vec<&'c MeasuredCell<'a>>)> {
    grouped(cells.iter().map(|cell| (cell.cell.key.subject.name(), cell)))
}

/// The id of a test's part of a page.
pub(crate) fn anchor(code: SubjectName<'_>) -> String {
    format!("t-{code}")
}

/// The first key metric.
pub(crate) fn key_metric<'a>(cells: &[&MeasuredCell<'a>]) -> Option<&'a MetricId> {
    cells.iter().find_map(|c| c.cell.metric.as_ref())
}

/// The title and unit of a metric for readers; the unit says what is counted.
pub(crate) fn metric_words<'w>(metric: &'w MetricId, catalogue: &'w Catalogue) -> (&'w str, &'w str) {
    let Ok(known) = catalogue.metric(metric) else { return (metric.as_str(), "") };
    (&known.title, shown_unit(metric.as_str(), &known.unit))
}

/// A value with its unit.
pub(crate) fn shown(value: f64, unit: &str) -> String {
    match unit {
        "s" => duration(value),
        "%" => percent(value),
        _ => format!("{} {unit}", thousands(value)),
    }
}

/// Runs for the tests of sections.
#[cfg(test)]
pub(super) mod fixture {
    use super::*;
    use dbdyno_model::{Cpu, Database, MetricValue, Platform, ResponseTime, Run, RunId, RunStatus, TestCode};

    /// A point with a rate of its key metric.
    pub(in super::super) fn point(code: &str, jobs: u32, metric: &str, rate: f64) -> Point {
        let id = MetricId::from(metric);
        let mut point = Point::new(TestCode::new(code).unwrap(), "1970-01-01T00:00:00Z".parse().unwrap());
        point.mapping = "native".into();
        point.dop.jobs = jobs;
        (point.ops_per_s, point.rows_per_s, point.tx_per_s) = (Some(rate), Some(rate), Some(rate));
        point.service_time_s = Some(ResponseTime { mean: Some(f64::from(jobs) / rate), ..ResponseTime::default() });
        point.metric = Some(MetricValue { id, value: rate, unit: "1/s".into() });
        point
    }

    /// A run of them on two cores with four hardware threads.
    pub(in super::super) fn run(points: Vec<Point>) -> RunJson {
        let header = Run {
            id: RunId::new("4k2m9x1a").unwrap(),
            label: None,
            suite: "baseline".into(),
            size: "D".into(),
            seed: 42,
            started_at: "1970-01-01T00:00:00Z".parse().unwrap(),
            tool_version: "0.1.0".into(),
            target: "null:/data/bench.db".into(),
            status: RunStatus::Done,
        };
        let cpu = Cpu { cores: Some(2), threads: Some(4), ..Cpu::default() };
        RunJson::new(header, Platform { cpu, ..Platform::default() }, Database::default(), points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixture::{point, run};

    #[test]
    fn the_longest_ramp_of_the_server_stands_for_a_test() {
        let sized = |rows_per_tx, jobs| Point { rows_per_tx, ..point("T311", jobs, "tx_per_s", 1_000.0) };
        let client = |jobs| Point { drive: Drive::Client, ..sized(2, jobs) };
        let run = run(vec![sized(1, 1), sized(2, 1), sized(2, 2), client(1), client(2), client(4)]);
        let cells = MeasuredCell::of(&run);
        let all: Vec<&MeasuredCell<'_>> = cells.iter().collect();
        let dops: Vec<String> = main_ramp(&all).iter().map(|c| c.dop().to_string()).collect();
        assert_eq!((dops, main_ramp(&all)[0].cell.key.rows_per_tx), (vec!["1x1x1".to_owned(), "1x2x1".to_owned()], 2));
        let names: Vec<String> = ramps(&all).iter().map(|(ramp, _)| ramp_name(ramp, &ramps(&all))).collect();
        assert_eq!(names, ["server drive, 1 row/tx", "server drive, 2 rows/tx", "client drive, 2 rows/tx"]);
    }
}
