//! When the longest I/O of a kind of work was, and on which device or file.

use super::super::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use super::super::ramps::extent;
use super::super::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::{duration, short};
use crate::storage::breakdown::{NumberedPoint, longest, luns, slowest};
use crate::text::clean;
use maud::{Markup, html};

/// More marks than this cannot be told apart.
const MOST_MARKS: usize = 240;

/// The points of one kind of work; empty where no series is known.
pub(super) fn of_work(n: usize, points: &[NumberedPoint<'_>]) -> Markup {
    html! {
        @if let Some(chart) = chart(points) { div.charts { (chart.figure(&format!("s-{n}-seconds"))) } }
        @if let Some(words) = longest(points) { p.note { (clean(&words)) } }
        (lun_table(points))
    }
}

/// One second of a point.
struct Second {
    at_s: f64,
    max_s: Option<f64>,
    mean_s: Option<f64>,
}

/// The point with the longest I/O, second by second.
fn chart(points: &[NumberedPoint<'_>]) -> Option<LineChart> {
    let ((number, _, storage), series) = slowest(points)?;
    let second = |(n, (max_s, mean_s)): (usize, (&Option<f64>, &Option<f64>))| Second {
        at_s: n as f64 * series.step_s,
        max_s: *max_s,
        mean_s: *mean_s,
    };
    let seconds: Vec<Second> = series.max_s.iter().zip(&series.mean_s).enumerate().map(second).collect();
    let together = seconds.len().div_ceil(MOST_MARKS).max(1);
    let line = |name: &str, place: usize, of: fn(&Second) -> Option<f64>| {
        let mark = |group: &[Second]| {
            let known = group.iter().filter_map(|second| Some((second.at_s, of(second)?)));
            let (at_s, y) = known.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
            let text = format!("{name} at {} s: {}", short(Some(at_s)), duration(Some(y)));
            Some(Mark { x: at_s, y, band: None, doubtful: false, text })
        };
        ChartSeries::new(name, place, seconds.chunks(together).filter_map(mark).collect()).drawn(SeriesShape::Line)
    };
    let lines = vec![line("longest", 0, |second| second.max_s), line("mean", 1, |second| second.mean_s)];
    if lines.iter().all(|line| line.marks.len() < 2) {
        return None;
    }
    Some(LineChart {
        title: "The slowest point by the second".to_owned(),
        unit: format!("time of an I/O at {} (point {number})", storage.load),
        along: "seconds of the window".to_owned(),
        x: Axis::amounts(lines.iter().flat_map(|line| line.marks.iter().map(|mark| mark.x))),
        y: Axis::times(extent(&lines)),
        series: lines,
    })
}

fn lun_table(points: &[NumberedPoint<'_>]) -> Markup {
    let heads = ColumnHead::row("Device or file | I/Os [] | avg [] | max [] | at | Errors []");
    let rows: Vec<TableRow> = luns(points).iter().map(TableRow::texts).collect();
    html! {
        @if !rows.is_empty() {
            (Table { caption: text("Each device or file"), heads, rows, class: "figures" }.without_empty_columns().render())
        }
    }
}
