//! The machine's own pace over the time of a run.

use super::charts::{Axis, Drawn, LineChart, Mark, Series};
use crate::pace::sentence;
use dbdyno_model::{MachinePace, PaceKind, PaceSpread, Point, RunJson};
use maud::{Markup, html};

/// Points up to which each has a mark of its own.
const MOST_MARKS: usize = 40;

/// The section of a run; nothing where no pace was taken.
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
    let drawn = if paced > MOST_MARKS { Drawn::Line } else { Drawn::Both };
    let line = |(n, kind): (usize, PaceKind)| {
        let best_ns = PaceSpread::of(&run.points, kind)?.best_ns;
        let marks = run.points.iter().filter_map(|point| {
            let x = point.started_at.duration_since(began).as_secs_f64() / 60.0;
            mark(point, kind, best_ns, x)
        });
        let marks = marks.collect();
        Some(Series::new(kind.name(), n, marks).drawn(drawn))
    };
    let series: Vec<Series> = PaceKind::ALL.into_iter().enumerate().filter_map(line).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    (paced > 1).then(|| LineChart {
        title: "Time of a step".to_owned(),
        unit: "times the run's best tenth, the slower of before and after".to_owned(),
        along: "minutes since the first point".to_owned(),
        x: Axis::amounts(all().map(|m| m.x)),
        y: Axis::amounts(all().map(|m| m.y)),
        series: series.clone(),
    })
}

fn mark(point: &Point, kind: PaceKind, best_ns: f64, x: f64) -> Option<Mark> {
    let pace = point.pace.as_ref()?;
    let y = pace.slower_ns(kind)? / best_ns;
    let times = |pace: &Option<MachinePace>| {
        let ns = pace.as_ref().and_then(|pace| kind.of(pace));
        ns.map_or_else(|| "not taken".to_owned(), |ns| format!("{:.2}", ns / best_ns))
    };
    let text = format!(
        "{} {}, {}: before {}, after {}",
        point.test,
        point.dop,
        kind.name(),
        times(&pace.before),
        times(&pace.after)
    );
    Some(Mark { x, y, band: None, doubtful: false, text })
}
