//! The test classes: charts of rate, service time, processors and devices along each test's ramp, and a table with
//! every figure.

use super::cells::{MeasuredCell, RampLabel, by_test, ramps};
use super::charts::{Axis, ChartSeries, LineChart, Mark};
use super::marks::{figure, marks, suspect};
use super::reported::duration;
use super::table::{ColumnHead, Table, TableRow, text};
use super::waits;
use crate::legend::{refusal, title};
use crate::numbers::{MISSING, percent, short, thousands};
use crate::summary::head::dop_words;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{MetricId, Point, RunJson, SubjectName};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// The id of a test's part of the page.
pub(super) fn anchor(code: SubjectName<'_>) -> String {
    format!("t-{code}")
}

/// Each test class of a run and its section.
pub(super) fn sections(run: &RunJson, catalogue: &Catalogue) -> Vec<(String, Markup)> {
    let cells: Vec<MeasuredCell<'_>> = MeasuredCell::of(run).into_iter().filter(|c| !c.is_rated()).collect();
    let tests = by_test(&cells);
    let mut classes: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for test in &tests {
        classes.entry(test.0.class()).or_default().push(test);
    }
    let section = |(class, members): (String, Vec<&(SubjectName<'_>, Vec<&MeasuredCell<'_>>)>)| {
        let title = members.first().map(|(code, _)| catalogue.class_title(*code));
        let section = html! {
            section id={ "class-" (class) } {
                h2 { (class) @if let Some(title) = title { " " span.sub { (title) } } }
                @for (code, cells) in members { (test(*code, cells, catalogue)) }
            }
        };
        (class, section)
    };
    classes.into_iter().map(section).collect()
}

fn test(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>], catalogue: &Catalogue) -> Markup {
    let equivalent = cells.iter().flat_map(|c| &c.points).find(|p| crate::legend::is_equivalent(p));
    html! {
        article id=(anchor(code)) {
            h3 { span.code { (code) } " " (title(code, catalogue)) }
            @if let Some(how) = equivalent.and_then(|p| p.mapping_note.as_deref()) {
                p.note { (marks(equivalent.copied(), &[])) " equivalent: " (text(how)) }
            }
            (charts(code, cells, catalogue))
            (table(code, cells, catalogue).render())
            (waits::table(code, cells))
        }
    }
}

/// The key metric that most cells have.
pub(super) fn key_metric(cells: &[&MeasuredCell<'_>]) -> Option<MetricId> {
    cells.iter().find_map(|c| c.cell.metric.clone())
}

/// The title and unit of a metric for readers.
pub(super) fn metric_words(metric: &MetricId, catalogue: &Catalogue) -> (String, String) {
    let known = catalogue.metric(metric).ok();
    let title = known.map_or_else(|| metric.to_string(), |m| m.title.clone());
    let unit = match (metric.as_str(), known.map(|m| m.unit.as_str())) {
        (id, Some("1/s")) => match id {
            "tx_per_s" => "tx/s",
            "rows_per_s" => "rows/s",
            "ops_per_s" => "ops/s",
            "read_iops" | "write_iops" => "IOPS",
            _ => "1/s",
        },
        (_, Some(unit)) => unit,
        (_, None) => "",
    };
    (title, unit.to_owned())
}

/// A metric's value with its unit.
pub(super) fn shown(value: f64, unit: &str) -> String {
    if unit == "s" { duration(value) } else { format!("{} {unit}", thousands(value)) }
}

/// The figure of a cell for a chart: the value and its interval.
type CellReading<'r> = &'r dyn Fn(&MeasuredCell<'_>) -> Option<(f64, Option<(f64, f64)>)>;

/// A series for each ramp of the test.
fn series(cells: &[&MeasuredCell<'_>], reading: CellReading<'_>, words: &dyn Fn(f64) -> String) -> Vec<ChartSeries> {
    let ramps = ramps(cells);
    let of = |(place, ramp): (usize, &RampLabel)| {
        let marks = cells.iter().filter(|c| c.ramp() == *ramp).filter_map(|c| {
            let (y, band) = reading(c)?;
            let interval = band.map(|(low, high)| format!(" ({} to {})", words(low), words(high))).unwrap_or_default();
            let text = format!("{}: {}{interval}", dop_words(c.dop()), words(y));
            Some(Mark { x: c.parallelism(), y, band, doubtful: c.is_doubtful(), text })
        });
        ChartSeries::new(ramp.name(&ramps), place, marks.collect())
    };
    ramps.iter().enumerate().map(of).filter(|s| !s.marks.is_empty()).collect()
}

pub(super) const ALONG: &str = "degree of parallelism";

/// All values and ends of intervals, for the range of an axis.
pub(super) fn extent(series: &[ChartSeries]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|s| &s.marks).flat_map(|m| {
        // A wide interval of few repeats is cut, so that it does not flatten the curve.
        let high = m.band.map_or(m.y, |(_, high)| high.min(m.y * 1.5));
        [m.y, high]
    })
}

fn charts(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>], catalogue: &Catalogue) -> Markup {
    let with_figures = cells.iter().filter(|c| c.cell.median.is_some());
    let places: BTreeSet<u128> = with_figures.map(|c| c.dop().parallelism()).collect();
    if places.len() < 2 {
        // A line needs two points; for one point the table is enough.
        return html! {};
    }
    let mut charts = Vec::new();
    if let Some(metric) = key_metric(cells) {
        let (title, unit) = metric_words(&metric, catalogue);
        let of = |c: &MeasuredCell<'_>| {
            let same = c.cell.metric.as_ref() == Some(&metric);
            same.then_some(())?;
            Some((c.cell.median?, c.cell.low.zip(c.cell.high)))
        };
        let series = series(cells, &of, &|v| shown(v, &unit));
        let y = if unit == "s" { Axis::times(extent(&series)) } else { Axis::amounts(extent(&series)) };
        charts.push(LineChart::over_dops(title, unit.as_str(), ALONG, y, series));
        if metric.as_str() != "elapsed_s" {
            charts.extend(times(cells));
        }
    }
    charts.push(processors(cells));
    charts.extend(devices(cells));
    charts.retain(|c| c.series.iter().any(|s| !s.marks.is_empty()));
    html! {
        div.charts {
            @for (n, chart) in charts.iter().enumerate() { (chart.figure(&format!("{}-{n}", anchor(code)))) }
        }
    }
}

fn times(cells: &[&MeasuredCell<'_>]) -> Option<LineChart> {
    let of = |c: &MeasuredCell<'_>| Some((c.median(service_time)?, None));
    let series = series(cells, &of, &duration);
    let y = Axis::times(extent(&series));
    (!series.is_empty()).then(|| LineChart::over_dops("Service time", "mean of one operation", ALONG, y, series))
}

fn service_time(point: &Point) -> Option<f64> {
    point.service_time_s.as_ref()?.mean
}

/// A figure of a point, and its name.
type NamedFigure = (&'static str, fn(&Point) -> Option<f64>);

/// Figures of the first ramp alone, one line each: what the machine did meanwhile.
fn lines(cells: &[&MeasuredCell<'_>], named: &[NamedFigure], words: &dyn Fn(f64) -> String) -> Vec<ChartSeries> {
    let ramps = ramps(cells);
    let Some(first) = ramps.first() else { return Vec::new() };
    let of = |(place, (name, figure)): (usize, &NamedFigure)| {
        let marks = cells.iter().filter(|c| c.ramp() == *first).filter_map(|c| {
            let y = c.median(figure)?;
            let text = format!("{}: {name} {}", dop_words(c.dop()), words(y));
            Some(Mark { x: c.parallelism(), y, band: None, doubtful: false, text })
        });
        ChartSeries::new(*name, place, marks.collect())
    };
    named.iter().enumerate().map(of).filter(|s| !s.marks.is_empty()).collect()
}

fn processors(cells: &[&MeasuredCell<'_>]) -> LineChart {
    let named: [NamedFigure; 3] =
        [("busy", |p| p.cpu.busy_pct), ("kernel", |p| p.cpu.system_pct), ("I/O wait", |p| p.cpu.iowait_pct)];
    let series = lines(cells, &named, &percent);
    LineChart::over_dops("Processors", "share of the machine", ALONG, Axis::percent(), series)
}

/// Reads and writes at the devices, if there were enough.
fn devices(cells: &[&MeasuredCell<'_>]) -> Option<LineChart> {
    const SOME_MIB_PER_S: f64 = 5.0;
    const SOME_IOPS: f64 = 200.0;
    let named: [NamedFigure; 2] = [("reads", |p| p.io.read_mib_per_s), ("writes", |p| p.io.write_mib_per_s)];
    let series = lines(cells, &named, &|v| format!("{} MiB/s", thousands(v)));
    let iops =
        |c: &&MeasuredCell<'_>| c.median(|p| Some(p.io.read_iops? + p.io.write_iops?)).is_some_and(|n| n >= SOME_IOPS);
    let any = series.iter().flat_map(|s| &s.marks).any(|m| m.y >= SOME_MIB_PER_S) || cells.iter().any(iops);
    let y = Axis::amounts(extent(&series));
    any.then(|| LineChart::over_dops("Devices", "MiB/s", ALONG, y, series))
}

/// Further columns of a test's table.
type ExtraColumn = (&'static str, &'static str, fn(&MeasuredCell<'_>) -> String);

const COLUMNS: &[ExtraColumn] = &[
    ("Rows", "1/s", |c| thousands(c.median(|p| p.rows_per_s))),
    ("Service time", "", |c| duration(c.median(service_time))),
    ("CPU", "%", |c| short(c.median(|p| p.cpu.busy_pct))),
    ("Read", "IOPS", |c| short(c.median(|p| p.io.read_iops))),
    ("Write", "IOPS", |c| short(c.median(|p| p.io.write_iops))),
    ("Read", "MiB/s", |c| short(c.median(|p| p.io.read_mib_per_s))),
    ("Write", "MiB/s", |c| short(c.median(|p| p.io.write_mib_per_s))),
    ("Redo", "MiB/s", |c| short(c.median(|p| p.redo.mib_per_s))),
    ("Window", "s", |c| short(c.median(|p| p.window_s))),
];

fn table(code: SubjectName<'_>, cells: &[&MeasuredCell<'_>], catalogue: &Catalogue) -> Table {
    let ramps = ramps(cells);
    let metric = key_metric(cells);
    // A column with the same figures again would be useless.
    let rows_are_key = metric.as_ref().is_some_and(|m| m.as_str() == "rows_per_s");
    let columns = &COLUMNS[usize::from(rows_are_key)..];
    let (name, unit) = metric.map_or_else(|| ("Median".into(), String::new()), |m| metric_words(&m, catalogue));
    let several = ramps.len() > 1;
    let mut heads = vec![ColumnHead::figures("DOP", "n×j×t")];
    heads.extend(several.then(|| ColumnHead::words("Ramp")));
    heads.extend([
        ColumnHead::figures(name, unit),
        ColumnHead::figures("from", "95 %"),
        ColumnHead::figures("to", "95 %"),
        ColumnHead::figures("±", "%"),
        ColumnHead::figures("n", ""),
    ]);
    heads.extend(columns.iter().map(|(name, unit, _)| ColumnHead::figures(*name, *unit)));
    heads.push(ColumnHead::words("Remarks"));
    let rows = cells.iter().map(|cell| {
        let mut texts = vec![text(&cell.dop().to_string())];
        texts.extend(several.then(|| text(&cell.ramp().name(&ramps))));
        let Some(median) = cell.cell.median else {
            let why = cell.points.iter().rev().find_map(|p| refusal(p));
            return TableRow::Remark(
                texts,
                why.unwrap_or_else(|| "no figure: its points have no key metric".to_owned()),
            );
        };
        let half = cell.cell.low.zip(cell.cell.high).map(|(low, high)| (high - low) / 2.0 / median * 100.0);
        let n = cell.cell.n as usize;
        texts.push(figure(thousands(median), cell.is_doubtful()));
        texts.extend(
            [thousands(cell.cell.low), thousands(cell.cell.high), half.map_or_else(String::new, short)]
                .map(|t| text(if t == MISSING { "" } else { &t })),
        );
        texts.push(text(&if cell.points.len() > n { format!("{n}/{}", cell.points.len()) } else { n.to_string() }));
        texts.extend(columns.iter().map(|(.., figure)| text(&figure(cell))));
        let doubted = cell.ok().any(|p| !p.suspects.is_empty());
        texts.push(html! { @if doubted { (suspect()) } (marks(cell.ok(), &cell.cell.flags)) });
        TableRow::Figures(texts)
    });
    let caption = html! { (code) ": median of the repeats at each degree of parallelism" };
    Table { caption, heads, rows: rows.collect(), class: "figures" }.without_empty_columns()
}
