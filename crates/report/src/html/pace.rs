//! The machine's own pace over the time of a run.

use super::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use crate::pace::sentence;
use dbdyno_model::{PaceKind, PaceSpread, Point, RunJson};
use maud::{Markup, html};

/// Up to this many points each have a mark of their own.
const MOST_MARKS: usize = 40;

/// The section of a run; empty where no pace was taken.
pub(super) fn section(run: &RunJson) -> Markup {
    let Some(sentence) = sentence(run) else { return html! {} };
    html! {
        section #pace {
            h2 { "Pace" span.sub { " of the machine itself, right before and after each point" } }
            p.note { (sentence) " No figure is corrected by it." }
            div.charts { @if let Some(chart) = chart(run) { (chart.figure("pace-chart")) } }
        }
    }
}

fn chart(run: &RunJson) -> Option<LineChart> {
    let began = run.points.iter().map(|p| p.started_at).min()?;
    let paced = run.points.iter().filter(|p| p.pace.is_some()).count();
    let drawn = if paced > MOST_MARKS { SeriesShape::Line } else { SeriesShape::Both };
    let line = |(n, kind): (usize, PaceKind)| {
        let spread = PaceSpread::of(&run.points, kind)?;
        let marks = run.points.iter().filter_map(|point| {
            let x = point.started_at.duration_since(began).as_secs_f64() / 60.0;
            mark(point, &spread, x)
        });
        let marks = marks.collect();
        Some(ChartSeries::new(kind.name(), n, marks).drawn(drawn))
    };
    let series: Vec<ChartSeries> = PaceKind::ALL.into_iter().enumerate().filter_map(line).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    (paced > 1).then(|| LineChart {
        title: "Time of a step".to_owned(),
        unit: "times the best tenth of those before the points, or of those after; the slower one".to_owned(),
        along: "minutes since the first point".to_owned(),
        x: Axis::amounts(all().map(|m| m.x)),
        y: Axis::amounts(all().map(|m| m.y)),
        series: series.clone(),
    })
}

fn mark(point: &Point, spread: &PaceSpread, x: f64) -> Option<Mark> {
    let pace = point.pace.as_ref()?;
    let y = spread.slower_times(pace)?;
    let [before, after] =
        spread.times(pace).map(|times| times.map_or_else(|| "not taken".to_owned(), |times| format!("{times:.2}")));
    let text =
        format!("{} {}, {}: before {before}, after {after}", point.subject.name(), point.dop, spread.kind.name());
    Some(Mark { x, y, band: None, doubtful: false, text })
}
