//! iops.csv, lat.csv and mbps.csv: a row for each number of large I/Os, a column for each number of small ones.

use super::{Finished, Report};
use std::fmt::Write as _;

/// What the three tables differ in. No text before a table has a comma: scripts find the table by it.
struct Table {
    /// What its values are.
    title: &'static str,
    /// Whether it is about the large I/Os: then it needs some in every row, or else small ones in every column.
    of_large: bool,
    /// The value of a point.
    value: fn(&Finished) -> Option<String>,
}

const HEAD: &str = "\
Each value is one data point: a test with a fixed number of small and of large I/Os outstanding.
The first row of the table has the numbers of outstanding small I/Os.
The first column has the numbers of outstanding large I/Os.";

pub(super) fn iops(report: &Report<'_>) -> String {
    let value = |point: &Finished| point.iops().map(|iops| format!("{iops:.0}"));
    render(report, &Table { title: "Small I/Os a second (IOPS).", of_large: false, value })
}

pub(super) fn lat(report: &Report<'_>) -> String {
    let value = |point: &Finished| point.small_latency_us().map(|us| format!("{us:.2}"));
    render(report, &Table { title: "Mean latency of small I/Os in microseconds.", of_large: false, value })
}

pub(super) fn mbps(report: &Report<'_>) -> String {
    let value = |point: &Finished| point.mbps().map(|mbps| format!("{mbps:.2}"));
    render(
        report,
        &Table { title: "Data of large I/Os in megabytes of 1048576 bytes a second (MBPS).", of_large: true, value },
    )
}

fn render(report: &Report<'_>, table: &Table) -> String {
    let (all_small, all_large): (&[u32], &[u32]) =
        report.settings.matrix.as_ref().map_or((&[], &[]), |m| (&m.small, &m.large));
    let small: Vec<u32> = all_small.iter().copied().filter(|n| table.of_large || *n > 0).collect();
    let large: Vec<u32> = all_large.iter().copied().filter(|n| !table.of_large || *n > 0).collect();

    let mut text = format!("{}\n{HEAD}\n\nLarge/Small", table.title);
    for column in &small {
        let _ = write!(text, ",{column:>7}");
    }
    text.push('\n');
    for row in large {
        let _ = write!(text, "{row:>11}");
        let mut cells: Vec<Option<String>> =
            small.iter().map(|column| report.at(*column, row).and_then(table.value)).collect();
        // As ORION does: what was not measured at the end of a row is not written.
        let known = cells.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        cells.truncate(known);
        for cell in cells {
            let _ = write!(text, ",{:>7}", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}
