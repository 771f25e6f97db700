//! The storage below any database: what it can do, and every point by kind of work. The points of one kind form its
//! curve over the I/Os outstanding.

mod limits;

pub(crate) use limits::{limits, share};

use super::cell_chart::{CellChart, OUTSTANDING, PointFigure};
use super::measured::{MeasuredCell, key_metric};
use super::seconds;
use crate::sections::prelude::*;
use dbdyno_model::{LunFigures, Storage, StorageIos};

/// A storage point with its number in the run.
type NumberedPoint<'a> = (usize, &'a Point, &'a Storage);

/// The section of a run: its points by kind of work, and how their I/O was done; without blocks where it has none.
pub(crate) fn section(run: &RunJson) -> Section {
    let points: Vec<NumberedPoint<'_>> =
        (1..).zip(&run.points).filter_map(|(n, p)| Some((n, p, p.subject.storage()?))).collect();
    let cells = MeasuredCell::of(run);
    let part = |(title, points): (String, Vec<NumberedPoint<'_>>)| {
        let is_of_work = |c: &&MeasuredCell<'_>| c.cell.key.subject.storage().is_some_and(|load| load.work() == title);
        let blocks = of_work(&points, &cells.iter().filter(is_of_work).collect::<Vec<_>>());
        Part { title, blocks, ..Part::default() }.into()
    };
    let works = grouped(points.iter().map(|point| (point.2.load.work(), *point)));
    // A point that was not begun has none.
    let backends = points.iter().filter(|(.., storage)| !storage.backend.is_empty());
    let backends = backends.map(|(.., storage)| format!("I/O by {}", storage.backend));
    let said = unique(backends.chain(points.iter().flat_map(|(.., storage)| storage.notes.iter().cloned())));
    let note = points.first().map(|_| note("storage", "points").into());
    words::section("storage").with(works.into_iter().map(part)).with(note).with([said.into()])
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let of_storage = run.points.iter().filter(|p| p.subject.storage().is_some());
    vec![alone(section(run)).with(Legend::of(of_storage).blocks())]
}

/// The charts and tables of one kind of work, and why points of it missed their rate.
fn of_work(points: &[NumberedPoint<'_>], cells: &[&MeasuredCell<'_>]) -> Vec<Block> {
    let charts: Vec<LineChart> = charts(cells).into_iter().chain(slowest(points)).collect();
    let table = words::table("storage", "points", points.iter().map(row).collect());
    let unmet = points.iter().filter(|(_, p, _)| p.status == Status::Invalid).map(|(number, point, _)| {
        let why = refusal(point).unwrap_or_default();
        Note::led(format!("{UNMET} "), format!("point {number}: {why}")).into()
    });
    let luns = words::table("storage", "luns", luns(points));
    [charts.into(), table.into()].into_iter().chain(unmet).chain([luns.into()]).collect()
}

fn row((number, point, storage): &NumberedPoint<'_>) -> Row {
    let load = &storage.load;
    let mut cells = vec![Cell::count(*number as u64)];
    cells.extend([load.small_outstanding, load.large_outstanding, u32::from(load.write_pct)].map(Cell::count));
    cells.push(Cell::words(point.load.rate.map_or_else(String::new, |rate| rate.to_string())));
    // An invalid point's figures are shown with a mark; those of a failed one are not.
    let is_shown = matches!(point.status, Status::Ok | Status::Invalid);
    let Some(service_time_s) = point.service_time_s.as_ref().filter(|_| is_shown) else {
        return Row::Remark(cells, refusal(point).unwrap_or_else(|| "no figures".to_owned()));
    };
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
    let times = point.response_time_s.as_ref().unwrap_or(service_time_s);
    let times = [times.mean, times.p50, times.p99, times.p99_9, times.max];
    cells.extend(times.map(|time_s| Cell::figure(time_s, Form::Duration)));
    cells.push(Cell::figure(point.cpu.busy_pct, Form::Short));
    let unmet = if point.status == Status::Ok { String::new() } else { UNMET.to_string() };
    cells.push(Cell::marks(format!("{unmet}{}", marks([*point], &point.flags))));
    Row::Cells(cells)
}

/// Rate and times over the I/Os outstanding. What a set rate gave does not show what can be reached.
fn charts(cells: &[&MeasuredCell<'_>]) -> Vec<LineChart> {
    let cells: Vec<_> = cells.iter().copied().filter(|c| c.cell.key.load.rate.is_none()).collect();
    let is_of_large = key_metric(&cells).is_some_and(|metric| metric.as_str() == "large_mib_per_s");
    let mut rate = CellChart::new("Rate", if is_of_large { "MiB/s" } else { "IOPS" }, OUTSTANDING);
    rate.add("rate", &cells, |c| Some((c.cell.median?, c.interval(), String::new())));
    let times: [(&str, PointFigure); 2] =
        [("p50", |p| p.service_time_s.as_ref()?.p50), ("p99", |p| p.service_time_s.as_ref()?.p99)];
    let times = CellChart::new("Time of an I/O", "s", OUTSTANDING).about("service time").lines(&cells, &times);
    [rate.done(None), times.done(None)].into_iter().flatten().collect()
}

/// The point with the longest I/O of a kind of work, second by second.
fn slowest(points: &[NumberedPoint<'_>]) -> Option<LineChart> {
    let longest = points.iter().filter_map(|(n, _, storage)| Some((storage.series.as_ref()?.longest()?.1, n, storage)));
    let (_, number, storage) = longest.max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    let series = storage.series.as_ref()?;
    let line = |name, n, times: &[_]| seconds::line((name, n), series.step_s, times.iter().copied(), "s", f64::gt);
    let lines = vec![line("longest", 0, &series.max_s), line("mean", 1, &series.mean_s)];
    let unit = format!("time of an I/O at {} (point {number})", storage.load);
    seconds::chart("The slowest point", unit, Axis::times, lines)
}

/// What each device or file did over several points: its share of all I/Os, their mean time, the longest time, when
/// that was, and the errors.
fn luns(points: &[NumberedPoint<'_>]) -> Vec<Row> {
    let figures = points.iter().flat_map(|(number, _, storage)| {
        storage.paths.iter().filter_map(move |lun| Some((lun.path.as_str(), (*number, lun.figures.as_ref()?))))
    });
    let luns = grouped(figures);
    let ios_per_s = |f: &LunFigures| f.reads_per_s + f.writes_per_s;
    let all_per_s: f64 = luns.iter().flat_map(|(_, of)| of).map(|(_, f)| ios_per_s(f)).sum();
    let row = |(path, of): (&str, Vec<(usize, &LunFigures)>)| {
        let per_s: f64 = of.iter().map(|(_, f)| ios_per_s(f)).sum();
        let time_s: f64 = of.iter().map(|(_, f)| ios_per_s(f) * f.mean_s.unwrap_or(0.0)).sum();
        let longest = of.iter().filter_map(|(number, f)| Some((f.max_s?, f.max_at_s?, number)));
        let longest = longest.max_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let at = longest.map_or_else(String::new, |(_, at_s, n)| format!("{} s of point {n}", short(at_s)));
        let errors: u64 = of.iter().map(|(_, f)| f.errors).sum();
        let errors = Cell::known((errors > 0).then_some(errors as f64), Form::Count);
        // Without any I/O these are 0 / 0, which is shown as missing.
        let share = Cell::figure(per_s / all_per_s * 100.0, Form::Percent);
        let times = [Some(time_s / per_s), longest.map(|(max_s, ..)| max_s)];
        let [mean, longest] = times.map(|time_s| Cell::figure(time_s, Form::Duration));
        Row::led([path], [share, mean, longest, Cell::words(at), errors])
    };
    luns.into_iter().map(row).collect()
}
