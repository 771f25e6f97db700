//! The storage below any database: what it can do, and every point by kind of work. The points of one kind form its
//! curve over the I/Os outstanding.

mod limits;

pub(crate) use limits::{limits_or_shares, share};

use super::cell_chart::PointFigure;
use super::measured::shown;
use super::seconds;
use super::words::{self, alone, note};
use crate::charts::{Axis, AxisOf, ChartSeries, LineChart, Mark};
use crate::document::{Block, Cell, Form, Note, Part, Row, Section};
use crate::groups::{grouped, unique};
use crate::legend::{Legend, UNMET, marks, refusal};
use crate::numbers::{MISSING, duration, short};
use dbdyno_model::{LunFigures, Point, ResponseTime, RunJson, Status, Storage, StorageIos};

/// A storage point with its number in the run.
type NumberedPoint<'a> = (usize, &'a Point, &'a Storage);

/// The section of a run; without blocks where it has no points of storage.
pub(crate) fn section(run: &RunJson) -> Section {
    words::section("storage").with(limits::limits(run)).with(points_of(run))
}

/// The points by kind of work, and how their I/O was done; blocks that say nothing where there are none.
fn points_of(run: &RunJson) -> Vec<Block> {
    let points: Vec<NumberedPoint<'_>> =
        (1..).zip(&run.points).filter_map(|(n, p)| Some((n, p, p.subject.storage()?))).collect();
    let works = grouped(points.iter().map(|point| (point.2.load.work(), *point)));
    let part = |(n, (title, points)): (usize, (String, Vec<NumberedPoint<'_>>))| {
        Part { id: format!("s-{n}"), title, blocks: of_work(&points), ..Part::default() }.into()
    };
    // A point that was not begun has none.
    let backends = points.iter().filter(|(.., storage)| !storage.backend.is_empty());
    let backends = backends.map(|(.., storage)| format!("I/O by {}", storage.backend));
    let said = unique(backends.chain(points.iter().flat_map(|(.., storage)| storage.notes.iter().cloned())));
    let note = points.first().map(|_| note("storage", "points").into());
    works.into_iter().enumerate().map(part).chain(note).chain([said.into()]).collect()
}

/// The report of its points, with their legend; the summary has what the storage can do.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let section = alone(words::section("storage").with(points_of(run)));
    vec![section.with(Legend::of(run.points.iter().filter(|p| p.subject.storage().is_some())).blocks())]
}

fn of_work(points: &[NumberedPoint<'_>]) -> Vec<Block> {
    let table = words::table("storage", "points", points.iter().map(row).collect());
    let unmet = points.iter().filter(|(_, p, _)| p.status == Status::Invalid).map(|(number, point, _)| {
        let why = refusal(point).unwrap_or_default();
        Note::led(format!("{UNMET} "), format!("point {number}: {why}")).into()
    });
    let slowest = slowest(points).into_iter().flatten();
    let luns = words::table("storage", "luns", luns(points));
    [charts(points).into(), table.into()].into_iter().chain(unmet).chain(slowest).chain([luns.into()]).collect()
}

fn row((number, point, storage): &NumberedPoint<'_>) -> Row {
    let load = &storage.load;
    let mut cells = vec![Cell::count(*number as u64)];
    cells.extend([load.small_outstanding, load.large_outstanding, u32::from(load.write_pct)].map(Cell::count));
    cells.push(Cell::words(point.load.rate.map_or_else(String::new, |rate| rate.to_string())));
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
    let rate = line("rate", 0, points, unit, |p| Some(p.metric.as_ref()?.value));
    let p50 = line("p50", 0, points, "s", |p| p.service_time_s.as_ref()?.p50);
    let p99 = line("p99", 1, points, "s", |p| p.service_time_s.as_ref()?.p99);
    let chart = |title, unit, y, lines| LineChart::of(title, unit, "I/Os outstanding", [Axis::dops, y], lines);
    let rates = chart("Rate", unit, Axis::amounts as AxisOf, vec![rate]);
    rates.into_iter().chain(chart("Time of an I/O", "", Axis::times, vec![p50, p99])).collect()
}

/// A figure of the points over the I/Os outstanding, as one line over all repeats.
fn line(name: &str, place: usize, points: &[NumberedPoint<'_>], unit: &str, figure: PointFigure) -> ChartSeries {
    let reached = points.iter().filter(|(_, p, _)| p.status == Status::Ok && p.load.rate.is_none());
    let marks = reached.filter_map(|(_, p, storage)| {
        let y = figure(p)?;
        let text = format!("{}: {name} {}", storage.load, shown(y, unit));
        Some(Mark { x: f64::from(p.dop.jobs), y, band: None, doubtful: false, text })
    });
    ChartSeries::new(name, place, marks.collect())
}

/// When the longest I/O of a kind of work was, and on which device or file.
fn slowest(points: &[NumberedPoint<'_>]) -> Option<[Block; 2]> {
    let longest = points.iter().filter_map(|(n, _, storage)| Some((n, storage, storage.series.as_ref()?.longest()?)));
    let (number, storage, (at_s, max_s, lun)) = longest.max_by(|(.., a), (.., b)| a.1.total_cmp(&b.1))?;
    let series = storage.series.as_ref()?;
    let line = |name, n, times: &[_]| seconds::line((name, n), series.step_s, times.iter().copied(), "s", f64::gt);
    let lines = vec![line("longest", 0, &series.max_s), line("mean", 1, &series.mean_s)];
    let unit = format!("time of an I/O at {} (point {number})", storage.load);
    let chart = seconds::chart("The slowest point", unit, Axis::times, lines);
    let path = lun.and_then(|lun| storage.paths.get(lun as usize)).map_or(MISSING, |lun| lun.path.as_str());
    let (took, at, load) = (duration(max_s), short(at_s), &storage.load);
    let longest = format!("The longest I/O took {took}: at {at} s of point {number} ({load}), on {path}.");
    Some([Block::Charts(chart.into_iter().collect()), Note::plain(longest).into()])
}

/// What each device or file did over several points: its share of all I/Os, their mean time, the longest time, when
/// that was, and the errors. Empty without several devices or files.
fn luns(points: &[NumberedPoint<'_>]) -> Vec<Row> {
    let figures = points.iter().flat_map(|(number, _, storage)| {
        storage.paths.iter().filter_map(move |lun| Some((lun.path.as_str(), (lun.figures.as_ref()?, *number))))
    });
    let ios_per_s = |of: &[(&LunFigures, usize)]| of.iter().map(|(f, _)| f.reads_per_s + f.writes_per_s).sum::<f64>();
    let luns = grouped(figures);
    let all_per_s: f64 = luns.iter().map(|(_, of)| ios_per_s(of)).sum();
    if luns.len() < 2 || all_per_s <= 0.0 {
        return Vec::new();
    }
    let row = |(path, of): (&str, Vec<(&LunFigures, usize)>)| {
        let per_s = ios_per_s(&of);
        let time_s: f64 = of.iter().map(|(f, _)| (f.reads_per_s + f.writes_per_s) * f.mean_s.unwrap_or(0.0)).sum();
        let longest = of.iter().filter_map(|(f, number)| Some((f.max_s?, f.max_at_s?, *number)));
        let longest = longest.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let at = longest.map_or_else(String::new, |(_, at_s, n)| format!("{} s of point {n}", short(at_s)));
        let errors: u64 = of.iter().map(|(f, _)| f.errors).sum();
        let times = [(per_s > 0.0).then(|| time_s / per_s), longest.map(|(max_s, ..)| max_s)];
        let [mean, longest] = times.map(|time_s| Cell::figure(time_s, Form::Duration));
        let share = Cell::figure(per_s / all_per_s * 100.0, Form::Percent);
        let errors = Cell::known((errors > 0).then_some(errors as f64), Form::Count);
        Row::led([path], [share, mean, longest, Cell::words(at), errors])
    };
    luns.into_iter().map(row).collect()
}
