//! The scaling law of each ramp: contention, coherence, knee and peak, with their uncertainty.

use super::cells::{MeasuredCell, by_test};
use super::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use super::ramps::{ALONG, anchor, key_metric, metric_words, shown};
use super::table::{ColumnHead, Table, TableRow, text};
use crate::groups::grouped;
use crate::legend::title;
use crate::numbers::{scientific, thousands};
use crate::summary::head::dop_words;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Drive, MetricId, RunJson, SubjectName};
use dbdyno_stats::{Fit, Located, NotLocated};
use maud::{Markup, html};

/// Number of points at which the law's line is drawn.
const STEPS: u32 = 48;

/// A test's ramp and its law, or why there is none.
struct FittedRamp<'a> {
    code: SubjectName<'a>,
    unit: String,
    metric: String,
    cells: Vec<&'a MeasuredCell<'a>>,
    law: Result<Fit, NotLocated>,
}

/// The section of a run.
pub(super) fn section(run: &RunJson, catalogue: &Catalogue) -> Markup {
    let cells: Vec<MeasuredCell<'_>> = MeasuredCell::of(run).into_iter().filter(|c| !c.is_rated()).collect();
    let ramps: Vec<FittedRamp<'_>> =
        by_test(&cells).into_iter().filter_map(|(code, cells)| ramp(code, &cells, catalogue)).collect();
    if ramps.is_empty() {
        return html! {};
    }
    let (told, untold): (Vec<_>, Vec<_>) = ramps.iter().partition(|r| r.law.is_ok());
    html! {
        section #scaling {
            h2 { "Scaling law" }
            p.note {
                "The Universal Scalability Law, X(N) = λN / (1 + σ(N − 1) + κN(N − 1)), fitted to every repeat: λ is the rate of one job, "
                b { "σ" } " the share of the work that waits for its turn, " b { "κ" } " the cost of agreeing with each other job. The "
                b { "knee" } " is the first degree of parallelism that adds less than a tenth of what one job does, the " b { "peak" }
                " the highest rate; behind them their 95 % intervals by bootstrap."
            }
            @if !told.is_empty() {
                div.charts { @for ramp in &told { (chart(ramp, catalogue)) } }
                (table(&told).render())
            }
            @for (why, codes) in reasons(&untold) { p.note { (codes.join(", ")) ": " (why) "." } }
        }
    }
}

/// The law of a test's ramp: of the server drive, and of the transaction size with the most degrees of parallelism.
fn ramp<'a>(code: SubjectName<'a>, cells: &[&'a MeasuredCell<'a>], catalogue: &Catalogue) -> Option<FittedRamp<'a>> {
    let drive = if cells.iter().any(|c| c.cell.key.drive == Drive::Server) { Drive::Server } else { Drive::Client };
    let of_drive = || cells.iter().copied().filter(move |c| c.cell.key.drive == drive && c.cell.median.is_some());
    let metric = key_metric(&of_drive().collect::<Vec<_>>())?;
    let rising = catalogue.metric(&metric).is_ok_and(|m| m.better == Better::Higher);
    let size = of_drive().map(|c| c.ramp()).max_by_key(|ramp| of_drive().filter(|c| c.ramp() == *ramp).count())?;
    let cells: Vec<&MeasuredCell<'_>> =
        of_drive().filter(|c| c.ramp() == size && c.cell.metric.as_ref() == Some(&metric)).collect();
    if !rising || cells.len() < 2 {
        return None;
    }
    let law = Fit::of(&readings(&cells, &metric));
    let (metric, unit) = metric_words(&metric, catalogue);
    Some(FittedRamp { code, unit, metric, cells, law })
}

/// Every repeat is a point of the fit.
fn readings(cells: &[&MeasuredCell<'_>], metric: &MetricId) -> Vec<(f64, f64)> {
    let of = |c: &&MeasuredCell<'_>| {
        let dop = c.parallelism();
        let values: Vec<(f64, f64)> =
            c.ok().filter_map(|p| p.metric.as_ref()).filter(|m| m.id == *metric).map(|m| (dop, m.value)).collect();
        values
    };
    cells.iter().flat_map(of).collect()
}

fn chart(ramp: &FittedRamp<'_>, catalogue: &Catalogue) -> Markup {
    let Ok(fit) = &ramp.law else { return html! {} };
    let measured: Vec<Mark> = ramp
        .cells
        .iter()
        .filter_map(|c| {
            let y = c.cell.median?;
            let text = format!("{}: {}", dop_words(c.dop()), shown(y, &ramp.unit));
            Some(Mark { x: c.parallelism(), y, band: None, doubtful: c.is_doubtful(), text })
        })
        .collect();
    let lowest = measured.iter().map(|m| m.x).fold(f64::INFINITY, f64::min);
    let highest = measured.iter().map(|m| m.x).fold(1.0, f64::max);
    let law = (0..=STEPS).map(|n| {
        let x = lowest * (highest / lowest).powf(f64::from(n) / f64::from(STEPS));
        let y = fit.law.at(x);
        Mark { x, y, band: None, doubtful: false, text: String::new() }
    });
    let series = vec![
        ChartSeries::new("law", 1, law.collect()).drawn(SeriesShape::Line),
        ChartSeries::new("measured", 0, measured).drawn(SeriesShape::Marks),
    ];
    let chart = LineChart {
        title: format!("{} {}", ramp.code, title(ramp.code, catalogue)),
        unit: format!("{}, {}", ramp.metric, ramp.unit),
        along: ALONG.to_owned(),
        x: Axis::dops(series[1].marks.iter().map(|m| m.x)),
        y: Axis::amounts(series.iter().flat_map(|s| s.marks.iter().map(|m| m.y))),
        series,
    };
    chart.figure(&format!("usl-{}", ramp.code))
}

fn table(ramps: &[&FittedRamp<'_>]) -> Table {
    let heads = ColumnHead::row(
        "Test | Unit | λ [one job] | σ [contention] | κ [coherence] | Knee | Peak | Rate at the peak []",
    );
    let rows = ramps.iter().filter_map(|ramp| {
        let fit = ramp.law.as_ref().ok()?;
        let law = fit.law;
        let peak = fit.peak();
        let rate = peak.as_ref().ok().map(|p| thousands(law.at(p.dop)));
        Some(TableRow::Figures(vec![
            html! { a href={ "#" (anchor(ramp.code)) } { (ramp.code) } },
            text(&ramp.unit),
            text(&thousands(law.lambda)),
            text(&share(law.sigma)),
            text(&share(law.kappa)),
            text(&located(fit.knee())),
            text(&located(peak)),
            text(&rate.unwrap_or_default()),
        ]))
    });
    Table { caption: text("The law of each ramp"), heads, rows: rows.collect(), class: "figures" }
}

fn share(value: f64) -> String {
    if value.abs() < 1e-9 {
        "0".to_owned()
    } else if value < 1e-3 {
        scientific(value)
    } else {
        format!("{value:.4}")
    }
}

/// A degree of parallelism with its uncertainty, or why it is unknown.
fn located(found: Result<Located, NotLocated>) -> String {
    match found {
        Ok(Located { dop, interval }) if interval.high.is_finite() => {
            format!("{dop:.0} ({:.0} to {:.0})", interval.low, interval.high)
        }
        Ok(Located { dop, interval }) => format!("{dop:.0} ({:.0} or more)", interval.low),
        Err(why) => why.to_string(),
    }
}

/// Why some ramps have no law, each reason once.
fn reasons(ramps: &[&FittedRamp<'_>]) -> Vec<(String, Vec<String>)> {
    grouped(ramps.iter().filter_map(|ramp| Some((ramp.law.as_ref().err()?.to_string(), ramp.code.to_string()))))
}
