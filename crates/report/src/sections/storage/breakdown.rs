//! When the longest I/O of a kind of work was, and on which device or file.

use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape, extent};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Note, Row, Table};
use crate::groups::grouped;
use crate::numbers::{MISSING, duration, short};
use dbdyno_model::{LunFigures, Point, Storage, StorageSeries};

use Keep::{Always, Drop};

/// A storage point with its number in the run.
pub(super) type NumberedPoint<'a> = (usize, &'a Point, &'a Storage);

/// More marks than this cannot be told apart.
const MOST_MARKS: usize = 240;

const LUNS: [Column; 6] = [
    Column::words("device or file", "Device or file", Always),
    Column::figures("share of I/Os", "I/Os", Always),
    Column::figures("mean time", "avg", Always),
    Column::figures("longest time", "max", Always),
    Column::words("when that was", "at", Always),
    Column::figures("errors", "Errors", Drop(1)).optional(),
];

/// The points of one kind of work; without blocks where no series is known.
pub(super) fn of_work(points: &[NumberedPoint<'_>]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    if let Some((point, series)) = slowest(points) {
        blocks.push(chart(point, series).into_iter().collect::<Vec<_>>().into());
        blocks.extend(longest(point, series).map(|text| Note::plain(text).into()));
    }
    let rows = luns(points);
    blocks.push(Table::new(Caption::Page("Each device or file".to_owned()), LUNS.to_vec(), rows).into());
    blocks
}

/// The point with the longest I/O, with its series.
fn slowest<'a>(points: &[NumberedPoint<'a>]) -> Option<(NumberedPoint<'a>, &'a StorageSeries)> {
    let with = points.iter().filter_map(|at| {
        let series = at.2.series.as_ref()?;
        Some((*at, series, series.longest()?.1))
    });
    with.max_by(|(.., a), (.., b)| a.total_cmp(b)).map(|(at, series, _)| (at, series))
}

/// The moment and place of the longest I/O, in words.
fn longest((number, _, storage): NumberedPoint<'_>, series: &StorageSeries) -> Option<String> {
    let (at_s, max_s, lun) = series.longest()?;
    let path = lun.and_then(|lun| storage.paths.get(lun as usize)).map_or(MISSING, |lun| lun.path.as_str());
    Some(format!(
        "The longest I/O took {}: at {} s of point {number} ({}), on {path}.",
        duration(max_s),
        short(at_s),
        storage.load
    ))
}

/// The point with the longest I/O, second by second.
fn chart((number, _, storage): NumberedPoint<'_>, series: &StorageSeries) -> Option<LineChart> {
    let line = |name: &str, place: usize, times: &[Option<f64>]| {
        let seconds: Vec<(f64, Option<f64>)> =
            times.iter().enumerate().map(|(n, time_s)| (n as f64 * series.step_s, *time_s)).collect();
        let together = seconds.len().div_ceil(MOST_MARKS).max(1);
        let mark = |group: &[(f64, Option<f64>)]| {
            let known = group.iter().filter_map(|(at_s, time_s)| Some((*at_s, (*time_s)?)));
            let (x, y) = known.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
            let text = format!("{name} at {} s: {}", short(x), duration(y));
            Some(Mark { x, y, band: None, doubtful: false, text })
        };
        ChartSeries::new(name, place, seconds.chunks(together).filter_map(mark).collect()).drawn(SeriesShape::Line)
    };
    let lines = vec![line("longest", 0, &series.max_s), line("mean", 1, &series.mean_s)];
    lines.iter().any(|line| line.marks.len() > 1).then(|| LineChart {
        limit: None,
        title: "The slowest point by the second".to_owned(),
        unit: format!("time of an I/O at {} (point {number})", storage.load),
        along: "seconds of the window".to_owned(),
        x: Axis::amounts(lines.iter().flat_map(|line| line.marks.iter().map(|mark| mark.x))),
        y: Axis::times(extent(&lines)),
        series: lines.clone(),
    })
}

/// What each device or file did over several points: its share of all I/Os, their mean time, the longest time, when
/// that was, and the errors. Empty without several devices or files.
fn luns(points: &[NumberedPoint<'_>]) -> Vec<Row> {
    let figures = points.iter().flat_map(|(number, _, storage)| {
        storage.paths.iter().filter_map(move |lun| Some((lun.path.as_str(), (lun.figures.as_ref()?, *number))))
    });
    let sum = |(path, of): (_, Vec<_>)| (path, of.into_iter().fold(LunSums::default(), LunSums::with));
    let all: Vec<(&str, LunSums)> = grouped(figures).into_iter().map(sum).collect();
    let ios_per_s: f64 = all.iter().map(|(_, sum)| sum.ios_per_s).sum();
    if all.len() < 2 || ios_per_s <= 0.0 {
        return Vec::new();
    }
    let row = |(path, sum): (&str, LunSums)| {
        let mean_s = (sum.ios_per_s > 0.0).then(|| sum.time_s / sum.ios_per_s);
        let at = sum.longest.map_or_else(String::new, |(_, n, at_s)| format!("{} s of point {n}", short(at_s)));
        Row::Cells(vec![
            Cell::words(path),
            Cell::figure(sum.ios_per_s / ios_per_s * 100.0, Form::Percent),
            Cell::figure(mean_s, Form::Duration),
            Cell::figure(sum.longest.map(|(max_s, ..)| max_s), Form::Duration),
            Cell::words(at),
            Cell::known((sum.errors > 0).then_some(sum.errors as f64), Form::Count),
        ])
    };
    all.into_iter().map(row).collect()
}

#[derive(Default)]
struct LunSums {
    ios_per_s: f64,
    /// Rates times their mean times.
    time_s: f64,
    /// The longest I/O, its point, and when it was.
    longest: Option<(f64, usize, f64)>,
    errors: u64,
}

impl LunSums {
    fn with(mut self, (figures, number): (&LunFigures, usize)) -> Self {
        let ios_per_s = figures.reads_per_s + figures.writes_per_s;
        self.ios_per_s += ios_per_s;
        self.time_s += ios_per_s * figures.mean_s.unwrap_or(0.0);
        self.errors += figures.errors;
        if let (Some(max_s), Some(at_s)) = (figures.max_s, figures.max_at_s)
            && self.longest.is_none_or(|(longest_s, _, _)| max_s > longest_s)
        {
            self.longest = Some((max_s, number, at_s));
        }
        self
    }
}
