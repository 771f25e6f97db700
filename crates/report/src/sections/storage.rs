//! The storage below any database: what it can do, and every point by kind of work. The points of one kind form its
//! curve over the I/Os outstanding.

mod breakdown;
mod limits;

pub(crate) use limits::{limits_blocks, share, shares_blocks};

use crate::charts::{Axis, ChartSeries, LineChart, Mark, extent};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Note, Part, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{Legend, marks, refusal};
use crate::numbers::{duration, thousands};
use breakdown::NumberedPoint;
use dbdyno_model::{Point, ResponseTime, RunJson, Status, StorageIos};

use Keep::{Always, Drop};

const COLUMNS: [Column; 20] = [
    Column::figures("test number", "Tst", Drop(6)),
    Column::figures("small outstanding", "Small", Always),
    Column::figures("large outstanding", "Large", Always),
    Column::figures("share of writes", "Writes\n[%]", Drop(7)),
    Column::figures("asked rate", "Asked", Always).optional(),
    Column::figures("reads/s", "Read\n[iops]", Always).optional(),
    Column::figures("writes/s", "Write\n[iops]", Always).optional(),
    Column::figures("MiB/s read", "Read\n[MiB/s]", Drop(4)).optional(),
    Column::figures("MiB/s written", "Write\n[MiB/s]", Drop(5)).optional(),
    Column::figures("small I/Os/s", "Small\n[iops]", Drop(2)).optional(),
    Column::figures("MiB/s of small I/Os", "Small\n[MiB/s]", Drop(2)).optional(),
    Column::figures("large I/Os/s", "Large\n[iops]", Drop(2)).optional(),
    Column::figures("MiB/s of large I/Os", "Large\n[MiB/s]", Drop(2)).optional(),
    Column::figures("mean time", "avg", Always),
    Column::figures("p50", "p50", Drop(3)),
    Column::figures("p99", "p99", Always),
    Column::figures("p99.9", "p99.9", Drop(1)),
    Column::figures("longest time", "max", Drop(8)),
    Column::figures("CPU", "CPU\n[%]", Drop(9)),
    Column::words("marks", "", Always),
];
/// Marks the figures of a point that missed its rate.
const UNMET: char = '!';

const LEGEND: &str = "Small and Large are I/Os outstanding at any moment; reads and writes/s and MiB/s (2^20 bytes) are of both. \
                      Times are those of small I/Os, of large ones where there are no small: from when an I/O was submitted, with \
                      a rate from when it was due. --json has small and large, reads and writes apart.";

/// The section of a run; without blocks where it has no points of storage.
pub(crate) fn section(run: &RunJson) -> Section {
    let mut section = points_of(run);
    if !section.blocks.is_empty() {
        section.blocks.splice(0..0, limits::limits(run));
    }
    section
}

fn points_of(run: &RunJson) -> Section {
    let mut section = Section::new("storage", "Storage");
    section.about = " below any database".to_owned();
    let points: Vec<NumberedPoint<'_>> =
        (1..).zip(&run.points).filter_map(|(n, p)| Some((n, p, p.subject.storage()?))).collect();
    if points.is_empty() {
        return section;
    }
    let works = grouped(points.iter().map(|point| (point.2.load.work(), *point)));
    for (n, (title, points)) in works.into_iter().enumerate() {
        section.push(Part { id: format!("s-{n}"), code: String::new(), title, blocks: of_work(&points) });
    }
    section.push(Note::plain(LEGEND));
    let backends = points.iter().map(|(.., storage)| format!("I/O by {}", storage.backend));
    section.push(unique(backends.chain(points.iter().flat_map(|(.., storage)| storage.notes.iter().cloned()))));
    section
}

/// The report of its points, with their legend; the summary has what the storage can do.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let mut section = points_of(run);
    if section.blocks.is_empty() {
        section.push(Note::plain(
            "This run has no points of the storage itself: `dbdyno orion` measures what it can do below any database.",
        ));
    }
    vec![section.with(Legend::of(run.points.iter().filter(|p| p.subject.storage().is_some())).blocks())]
}

fn of_work(points: &[NumberedPoint<'_>]) -> Vec<Block> {
    let table = Table::new(Caption::Page("Every point".to_owned()), COLUMNS.to_vec(), points.iter().map(row).collect());
    let unmet = points.iter().filter(|(_, p, _)| p.status == Status::Invalid).map(|(number, point, _)| {
        let why = refusal(point).unwrap_or_default();
        Note::led(format!("{UNMET} "), format!("point {number}: {why}")).into()
    });
    [charts(points).into(), table.into()].into_iter().chain(unmet).chain(breakdown::of_work(points)).collect()
}

fn row((number, point, storage): &NumberedPoint<'_>) -> Row {
    let load = &storage.load;
    let mut cells = vec![
        Cell::count(*number as u64),
        Cell::count(load.small_outstanding),
        Cell::count(load.large_outstanding),
        Cell::count(load.write_pct),
        Cell::words(point.load.rate.map_or_else(String::new, |rate| rate.to_string())),
    ];
    // An invalid point's figures are shown with a mark; a failed point has none.
    if !matches!(point.status, Status::Ok | Status::Invalid) || point.service_time_s.is_none() {
        return Row::Remark(cells, refusal(point).unwrap_or_else(|| "no figures".to_owned()));
    }
    let (small, large) = (&storage.small, &storage.large);
    let rate = |value: Option<f64>| Cell::known(value, Form::Thousands);
    for figure in [(|ios| ios.iops) as fn(&StorageIos) -> f64, |ios| ios.mib_per_s] {
        for sides in [[&small.read, &large.read], [&small.write, &large.write]] {
            cells.push(rate(sides.into_iter().flatten().map(figure).reduce(|a, b| a + b)));
        }
    }
    // Elsewhere they would say the same again.
    let of_both_sizes = load.small_outstanding > 0 && load.large_outstanding > 0;
    let is_mixed = of_both_sizes || (1..100).contains(&load.write_pct);
    for size in [small, large] {
        cells.extend([size.iops(), size.mib_per_s()].map(|value| rate(value.filter(|_| is_mixed))));
    }
    // Response times where a rate was set.
    let times = point.response_time_s.as_ref().or(point.service_time_s.as_ref());
    let figures: [fn(&ResponseTime) -> Option<f64>; 5] = [|t| t.mean, |t| t.p50, |t| t.p99, |t| t.p99_9, |t| t.max];
    cells.extend(figures.map(|figure| Cell::figure(times.and_then(figure), Form::Duration)));
    cells.push(Cell::figure(point.cpu.busy_pct, Form::Short));
    let unmet = if point.status == Status::Invalid { UNMET.to_string() } else { String::new() };
    cells.push(Cell::marks(format!("{unmet}{}", marks([*point], &point.flags))));
    Row::Cells(cells)
}

/// Rate and times over the I/Os outstanding. A line needs two points; for one point the table is enough.
fn charts(points: &[NumberedPoint<'_>]) -> Vec<LineChart> {
    let Some(metric) = points.iter().find_map(|(_, p, _)| p.metric.as_ref()) else { return Vec::new() };
    let unit = if metric.unit == "1/s" { "IOPS" } else { metric.unit.as_str() };
    let figure = |point: &Point| point.metric.as_ref().map(|metric| metric.value);
    let rate = vec![line(("rate", 0), points, figure, &|value| format!("{} {unit}", thousands(value)))];
    let p50 = line(("p50", 0), points, |p| p.service_time_s.as_ref()?.p50, &|s| duration(s));
    let p99 = line(("p99", 1), points, |p| p.service_time_s.as_ref()?.p99, &|s| duration(s));
    let times = vec![p50, p99];
    let chart = |title, unit, y, series| LineChart::over_dops(title, unit, "I/Os outstanding", y, series);
    let mut charts = vec![
        chart("Rate", unit, Axis::amounts(extent(&rate)), rate),
        chart("Time of an I/O", "", Axis::times(extent(&times)), times),
    ];
    charts.retain(|chart| chart.series.iter().any(|series| series.marks.len() > 1));
    charts
}

/// A figure of the points over the I/Os outstanding, as one line over all repeats.
fn line(
    (name, place): (&str, usize),
    points: &[NumberedPoint<'_>],
    figure: impl Fn(&Point) -> Option<f64>,
    words: &dyn Fn(f64) -> String,
) -> ChartSeries {
    let reached = points.iter().filter(|(_, p, _)| p.status == Status::Ok && p.load.rate.is_none());
    let marks = reached.filter_map(|(_, p, storage)| {
        let y = figure(p)?;
        let text = format!("{}: {name} {}", storage.load, words(y));
        Some(Mark { x: f64::from(p.dop.jobs), y, band: None, doubtful: false, text })
    });
    ChartSeries::new(name, place, marks.collect())
}
