//! How rates grow with parallelism: a chart for each test, a line for each side, and its figures below.

use crate::compare::side_marks::letter;
use crate::compare::{Comparison, RampCurve, RampPoint};
use crate::html::charts::{Axis, ChartSeries, LineChart, Mark};
use crate::html::ramps::{ALONG, extent, metric_words, shown};
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::thousands;
use crate::text::clean;
use dbdyno_catalogue::Catalogue;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The section; empty where no test has a ramp on two sides.
pub(super) fn section(comparison: &Comparison, catalogue: &Catalogue) -> Markup {
    html! {
        @if !comparison.curves.is_empty() {
            section #curves {
                h2 { "Curves" span.sub { " along the ramp" } }
                div.pairs { @for curve in &comparison.curves { (one(comparison, curve, catalogue)) } }
            }
        }
    }
}

fn one(comparison: &Comparison, curve: &RampCurve, catalogue: &Catalogue) -> Markup {
    let (name, unit) = metric_words(&curve.metric, catalogue);
    let series: Vec<ChartSeries> = curve
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(n, line)| side(comparison, n, line, &unit))
        .collect();
    let y = if unit == "s" { Axis::times(extent(&series)) } else { Axis::amounts(extent(&series)) };
    let (title, of) = (format!("{} {}", curve.test, curve.title), format!("{name}, {unit}"));
    let chart = LineChart::over_dops(title, of, ALONG, y, series);
    html! {
        article id={ "c-" (curve.test) } {
            (chart.figure(&format!("c-{}-0", curve.test)))
            (table(comparison, curve, &unit).render())
        }
    }
}

fn side(comparison: &Comparison, n: usize, line: &[RampPoint], unit: &str) -> ChartSeries {
    let name = format!("{} {}", letter(n), clean(&comparison.sides[n].name));
    let mark = |p: &RampPoint| {
        let band = p.low.zip(p.high);
        let interval = band.map(|(low, high)| format!(" ({} to {})", shown(low, unit), shown(high, unit)));
        let text = format!("{} at {}: {}{}", letter(n), p.dop, shown(p.value, unit), interval.unwrap_or_default());
        Mark { x: p.dop.parallelism() as f64, y: p.value, band, doubtful: p.doubtful, text }
    };
    ChartSeries::new(name, n, line.iter().map(mark).collect())
}

fn table(comparison: &Comparison, curve: &RampCurve, unit: &str) -> Table {
    let dops: BTreeSet<(u128, String)> =
        curve.lines.iter().flatten().map(|p| (p.dop.parallelism(), p.dop.to_string())).collect();
    let mut all = vec![ColumnHead::figures("DOP", "n×j×t")];
    // The legend above has their names.
    let lines = || curve.lines.iter().enumerate().filter(|(_, line)| !line.is_empty());
    all.extend(lines().map(|(n, _)| ColumnHead::figures(letter(n), "")));
    let row = |(_, at): &(u128, String)| {
        let mut cells = vec![text(at)];
        cells.extend(lines().map(|(_, line)| {
            let value = line.iter().find(|p| p.dop.to_string() == *at).map(|p| p.value);
            text(&value.map_or_else(String::new, thousands))
        }));
        TableRow::Figures(cells)
    };
    let caption = text(&format!("{}, {unit}", curve.test));
    let class = if comparison.sides.len() > 8 { "figures many" } else { "figures" };
    Table { caption, heads: all, rows: dops.iter().map(row).collect(), class }
}
