//! Latency of the client drive: transaction times by rate, and their distributions.

use super::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use super::marks::marks;
use super::reported::{PointTimes, duration};
use super::table::{ColumnHead, Table, TableRow, text};
use crate::groups::{grouped, unique};
use crate::legend::title;
use crate::load_times::{LoadTimes, TimeFigure};
use crate::numbers::{percent, thousands};
use crate::summary::head::{counted, dop_words};
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ClientLoad, Flag, RunJson, SubjectName};
use dbdyno_stats::Histogram;
use maud::{Markup, html};

/// A percentile's name, and its field.
type NamedPercentile = (&'static str, TimeFigure);

const PERCENTILES: [NamedPercentile; 8] = [
    ("mean", |t| t.mean),
    ("50 %", |t| t.p50),
    ("90 %", |t| t.p90),
    ("95 %", |t| t.p95),
    ("99 %", |t| t.p99),
    ("99.9 %", |t| t.p99_9),
    ("99.99 %", |t| t.p99_99),
    ("max", |t| t.max),
];
/// The percentiles with a line in charts.
const DRAWN: [NamedPercentile; 4] = [PERCENTILES[1], PERCENTILES[3], PERCENTILES[4], PERCENTILES[5]];

/// Bins of a histogram per decade of time.
const BINS_PER_DECADE: u32 = 12;
/// The most loads whose histograms fit in one chart.
const MOST_HISTOGRAMS: usize = 4;

fn figures() -> [TimeFigure; 8] {
    PERCENTILES.map(|(_, figure)| figure)
}

/// A load in words.
fn words(load: &ClientLoad) -> String {
    let begins = match (load.rate, load.think) {
        (Some(rate), _) => {
            let apart = if load.queues_apart() { ", a queue for each session" } else { "" };
            format!("{rate}, {} arrivals{apart}", load.arrivals.unwrap_or_default().name())
        }
        (None, Some(think)) => format!("closed loop, think time {think}"),
        (None, None) => "closed loop".to_owned(),
    };
    begins + &load.connections.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "shared connection")))
}

/// The times of all repeats together.
fn merged(load: &LoadTimes<'_>, times: &[PointTimes]) -> Option<Histogram> {
    let mut all: Option<Histogram> = None;
    for (place, _) in load.shown() {
        let ours = times.iter().find(|t| t.point == place && t.from_due == load.is_open())?;
        all.get_or_insert_with(Histogram::new).merge(&ours.histogram);
    }
    all.filter(|h| h.count() > 0)
}

/// The section of a run; empty where dbdyno began no transactions.
pub(super) fn section(run: &RunJson, times: &[PointTimes], catalogue: &Catalogue) -> Markup {
    let loads = LoadTimes::of(run);
    let tests = unique(loads.iter().map(|l| l.key.subject.name()));
    html! {
        @if !loads.is_empty() {
            section #latency {
                h2 { "Latency" span.sub { " as a client sees it" } }
                p.note {
                    b { "Response time" } " runs from the moment at which a transaction was due, so it holds what it had to wait for; "
                    b { "service time" } " from when it was sent. A closed loop sends nothing while it waits: its times do not tell what a
                    stall would do to others."
                }
                @if loads.iter().any(|load| load.waits(figures()).is_some()) {
                    p.note {
                        b { "Wait" } " is from when a transaction could begin until it had a connection, as jobs share them. It is no part
                        of the service time, and a part of the response time."
                    }
                }
                @if loads.iter().any(|load| load.flags().contains(&Flag::Errors)) {
                    p.note {
                        "Transactions that failed count as slower than any other in the percentiles, here and in verdicts: where one is
                        among them, it says " b { "failed" } ". The longest is of those that succeeded."
                    }
                }
                @for code in tests {
                    article id={ "l-" (code) } {
                        h3 { span.code { (code) } " " (title(code, catalogue)) }
                        @for (n, group) in groups(&loads, code).iter().enumerate() { (by_rate(code, n, group, times)) }
                    }
                }
            }
        }
    }
}

/// The loads of a test that differ only in their rates.
fn groups<'l, 'a>(loads: &'l [LoadTimes<'a>], code: SubjectName<'_>) -> Vec<Vec<&'l LoadTimes<'a>>> {
    let of_code = loads.iter().filter(|l| l.key.subject.name() == code);
    let groups = grouped(of_code.map(|load| ((load.key.dop, load.key.rows_per_tx), load)));
    groups.into_iter().map(|(_, members)| members).collect()
}

fn by_rate(code: SubjectName<'_>, n: usize, loads: &[&LoadTimes<'_>], times: &[PointTimes]) -> Markup {
    let Some(first) = loads.first() else { return html! {} };
    let mut place = dop_words(first.key.dop);
    if first.key.rows_per_tx > 0 {
        place += &format!(", {} per transaction", counted(first.key.rows_per_tx, "row"));
    }
    let charts = [curve(loads, &place), histogram(loads, times, &place)];
    html! {
        div.charts {
            @for (m, chart) in charts.iter().flatten().enumerate() { (chart.figure(&format!("l-{code}-{n}-{m}"))) }
        }
        (table(code, loads, &place).render())
        @for load in loads.iter().filter(|l| l.is_unmet()) {
            @if let Some(why) = load.refusal() {
                p.note { b { "! " (words(&load.key.load)) } ": " (clean(&why)) }
            }
        }
    }
}

/// Percentiles over the rate that was asked for.
fn curve(loads: &[&LoadTimes<'_>], place: &str) -> Option<LineChart> {
    let open: Vec<&&LoadTimes<'_>> = loads.iter().filter(|l| l.is_open()).collect();
    let line = |(n, (name, figure)): (usize, &NamedPercentile)| {
        let marks = open.iter().filter_map(|load| {
            let (x, y) = (load.median(|p| p.asked_per_s)?, load.time(*figure)?);
            let text = format!("{} tx/s asked: {name} within {}", thousands(x), duration(y));
            let text = text.replace("50 % within", "half within").replace("max within", "longest");
            Some(Mark { x, y, band: None, doubtful: load.is_unmet(), text })
        });
        ChartSeries::new(*name, n, marks.collect())
    };
    let series: Vec<ChartSeries> = DRAWN.iter().enumerate().map(line).filter(|s| s.marks.len() > 1).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    (!series.is_empty()).then(|| LineChart {
        title: "Response time".to_owned(),
        unit: format!("percentiles, {place}"),
        along: "transactions per second asked for".to_owned(),
        x: Axis::amounts(all().map(|m| m.x)),
        y: Axis::decades(all().map(|m| m.y)),
        series: series.clone(),
    })
}

/// The distributions of a few loads.
fn histogram(loads: &[&LoadTimes<'_>], times: &[PointTimes], place: &str) -> Option<LineChart> {
    let with: Vec<(&&LoadTimes<'_>, Histogram)> = loads.iter().filter_map(|l| Some((l, merged(l, times)?))).collect();
    // The closed loop, the lowest rate, the highest rate and one between are enough.
    let chosen: Vec<usize> = match with.len() {
        0 => return None,
        n if n <= MOST_HISTOGRAMS => (0..n).collect(),
        n => (0..MOST_HISTOGRAMS).map(|i| i * (n - 1) / (MOST_HISTOGRAMS - 1)).collect(),
    };
    let line = |(n, (load, histogram)): (usize, &(&&LoadTimes<'_>, Histogram))| {
        let all = histogram.count() as f64;
        let bins = histogram.bins(BINS_PER_DECADE);
        let ratio = 10f64.powf(1.0 / f64::from(BINS_PER_DECADE));
        let marks = bins.into_iter().map(|(from_ns, count)| {
            let (from_s, share_pct) = (from_ns / 1e9, count as f64 / all * 100.0);
            let text = format!(
                "{}: {} of the times from {} to {}",
                words(&load.key.load),
                percent(share_pct),
                duration(from_s),
                duration(from_s * ratio)
            );
            Mark { x: from_s * ratio.sqrt(), y: share_pct, band: None, doubtful: false, text }
        });
        ChartSeries::new(words(&load.key.load), n, marks.collect()).drawn(SeriesShape::Line)
    };
    let series: Vec<ChartSeries> = chosen.iter().filter_map(|n| with.get(*n)).enumerate().map(line).collect();
    let all = || series.iter().flat_map(|s| &s.marks);
    Some(LineChart {
        title: "How the times are spread".to_owned(),
        unit: format!("percent of all, {place}"),
        along: "response time where a rate was set, else service time".to_owned(),
        x: Axis::decades(all().map(|m| m.x)),
        y: Axis::amounts(all().map(|m| m.y)),
        series: series.clone(),
    })
}

fn table(code: SubjectName<'_>, loads: &[&LoadTimes<'_>], place: &str) -> Table {
    let mut heads = ColumnHead::row("Load | Asked [tx/s] | Reached [tx/s] | Time");
    heads.extend(PERCENTILES.iter().map(|(name, _)| ColumnHead::figures(*name, "")));
    heads.push(ColumnHead::words("Remarks"));
    let rows = loads.iter().flat_map(|load| {
        let (shown, words) = (load.shown(), words(&load.key.load));
        if shown.is_empty() {
            let why = load.refusal().unwrap_or_else(|| "it has no times".to_owned());
            return vec![TableRow::Remark(vec![text(&words)], why)];
        }
        let points = shown.iter().map(|(_, p)| *p);
        let remarks = html! { @if load.is_unmet() { b { "! " } } (marks(points, &load.flags())) };
        let remarks = std::iter::once(remarks).chain(std::iter::repeat_with(|| text("")));
        let lines = load.lines([&words, &words], figures(), duration).into_iter().zip(remarks);
        let row = |(line, remarks): (Vec<String>, Markup)| {
            TableRow::Figures(line.iter().map(|t| text(t)).chain([remarks]).collect())
        };
        lines.map(row).collect()
    });
    let caption = html! { (code) ": how long transactions took, " (place) };
    Table { caption, heads, rows: rows.collect(), class: "figures" }.without_empty_columns()
}
