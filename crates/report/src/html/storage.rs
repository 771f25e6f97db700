//! The storage below any database: its points by kind of work with their curves, and a database's share of the
//! storage's limits.

mod breakdown;

use super::charts::{Axis, ChartSeries, LineChart, Mark};
use super::marks::marks;
use super::ramps::{extent, shown};
use super::reported::duration;
use super::table::{ColumnHead, Table, TableRow, text};
use crate::groups::grouped;
use crate::legend::refusal;
use crate::numbers::{short, thousands};
use crate::storage::breakdown::NumberedPoint;
use crate::storage::{LEGEND, SHARES, limits, shares};
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, RunJson, Status, Storage, StorageLimits};
use maud::{Markup, html};

const ALONG: &str = "I/Os outstanding";

/// A database's share of its storage's limits; empty where there is nothing to say.
pub(super) fn share(run: &RunJson, catalogue: &Catalogue) -> Markup {
    let Some(shares) = shares(run, catalogue) else { return html! {} };
    let heads = ColumnHead::row("Metric | Test | Unit | Database [] | Storage [] | at [I/Os] | Share []");
    let rows: Vec<TableRow> = shares.lines.iter().map(TableRow::texts).collect();
    html! {
        section #storage-share {
            h2 { (SHARES) " " span.sub { (clean(&shares.lead)) } }
            @if !rows.is_empty() {
                (Table { caption: text("The database beside its storage"), heads, rows, class: "figures" }.render())
                p.note { (LEGEND) }
            }
            @if let Some(note) = &shares.note { p.note { (clean(note)) } }
        }
    }
}

/// The storage points of a run; empty where it has none.
pub(super) fn section(run: &RunJson) -> Markup {
    let numbered: Vec<NumberedPoint<'_>> =
        (1..).zip(&run.points).filter_map(|(n, p)| Some((n, p, p.subject.storage()?))).collect();
    let works = grouped(numbered.iter().map(|point| (point.2.load.work(), *point)));
    html! {
        @if !works.is_empty() {
            section #storage {
                h2 { "Storage" span.sub { " below any database" } }
                (limits_table(run))
                @for (n, (work, points)) in works.iter().enumerate() { (of_work(n, work, points)) }
                p.note { "Times are those of small I/Os, of large ones where there are no small: from when an I/O was submitted, with a rate from
                    when it was due." }
            }
        }
    }
}

fn limits_table(run: &RunJson) -> Markup {
    let heads = ColumnHead::row("Metric | Unit | Best [] | at [I/Os] | Time/op []");
    let rows: Vec<TableRow> = limits(&StorageLimits::of(run)).iter().map(TableRow::texts).collect();
    html! {
        @if !rows.is_empty() { (Table { caption: text("What it can do"), heads, rows, class: "figures" }.render()) }
    }
}

fn of_work(n: usize, work: &str, numbered: &[NumberedPoint<'_>]) -> Markup {
    let points = &numbered.iter().map(|(_, p, s)| (*p, *s)).collect::<Vec<_>>()[..];
    html! {
        article id={ "s-" (n) } {
            h3 { (work) }
            (charts(n, points))
            (table(points).render())
            (breakdown::of_work(n, numbered))
        }
    }
}

/// A figure of a point over the I/Os outstanding, as one line over all repeats.
fn line(
    name: &str,
    place: usize,
    points: &[(&Point, &Storage)],
    figure: fn(&Point) -> Option<f64>,
    unit: &str,
) -> ChartSeries {
    let marks = points
        .iter()
        .filter(|(p, _)| p.status == Status::Ok && p.load.rate.is_none())
        .filter_map(|(p, s)| {
            let y = figure(p)?;
            let x = f64::from(p.dop.jobs);
            Some(Mark { x, y, band: None, doubtful: false, text: format!("{}: {name} {}", s.load, shown(y, unit)) })
        })
        .collect();
    ChartSeries::new(name, place, marks)
}

fn charts(n: usize, points: &[(&Point, &Storage)]) -> Markup {
    let metric = points.iter().find_map(|(p, _)| p.metric.as_ref());
    let Some(metric) = metric else { return html! {} };
    let unit = if metric.unit == "1/s" { "IOPS" } else { metric.unit.as_str() };
    let rate = vec![line("rate", 0, points, |p| Some(p.metric.as_ref()?.value), unit)];
    let time = |place, name, of: fn(&Point) -> Option<f64>| line(name, place, points, of, "s");
    let times =
        vec![time(0, "p50", |p| p.service_time_s.as_ref()?.p50), time(1, "p99", |p| p.service_time_s.as_ref()?.p99)];
    let charts = [
        LineChart::over_dops("Rate", unit, ALONG, Axis::amounts(extent(&rate)), rate),
        LineChart::over_dops("Time of an I/O", "", ALONG, Axis::times(extent(&times)), times),
    ];
    html! {
        div.charts {
            // A line needs two points; for one point the table is enough.
            @for (i, chart) in charts.iter().enumerate().filter(|(_, c)| c.series.iter().any(|s| s.marks.len() > 1)) {
                (chart.figure(&format!("s-{n}-{i}")))
            }
        }
    }
}

fn table(points: &[(&Point, &Storage)]) -> Table {
    let heads = ColumnHead::row(
        "Small [I/Os] | Large [I/Os] | Asked | Small [IOPS] | Small [MiB/s] | Large [IOPS] | Large [MiB/s] | avg [] \
         | p50 [] | p99 [] | p99.9 [] | max [] | CPU [%] | Remarks",
    );
    let rows = points.iter().map(|(point, storage)| {
        let load = &storage.load;
        let asked = point.load.rate.map_or_else(String::new, |rate| rate.to_string());
        let mut cells =
            vec![text(&load.small_outstanding.to_string()), text(&load.large_outstanding.to_string()), text(&asked)];
        let measured = matches!(point.status, Status::Ok | Status::Invalid) && point.service_time_s.is_some();
        if !measured {
            return TableRow::Remark(cells, refusal(point).unwrap_or_else(|| "no figures".to_owned()));
        }
        let rate = |value: Option<f64>| text(&value.map_or_else(String::new, thousands));
        for size in [&storage.small, &storage.large] {
            cells.extend([rate(size.iops()), rate(size.mib_per_s())]);
        }
        let times = point.response_time_s.as_ref().or(point.service_time_s.as_ref());
        let time = |of: fn(&dbdyno_model::ResponseTime) -> Option<f64>| text(&duration(times.and_then(of)));
        cells.extend([time(|t| t.mean), time(|t| t.p50), time(|t| t.p99), time(|t| t.p99_9), time(|t| t.max)]);
        cells.push(text(&short(point.cpu.busy_pct)));
        cells.push(html! { (marks([*point], &point.flags)) @if let Some(why) = refusal(point) { " " (clean(&why)) } });
        TableRow::Figures(cells)
    });
    Table { caption: text("Every point"), heads, rows: rows.collect(), class: "figures" }.without_empty_columns()
}
