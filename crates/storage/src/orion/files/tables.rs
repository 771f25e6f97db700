//! iops.csv, lat.csv and mbps.csv: a row for each number of large I/Os, a column for each number of small ones.

use super::report::{FilesReport, FinishedPoint};
use std::fmt::Write as _;

/// How the three tables differ. The text before a table has no comma, because scripts find the table by the first
/// comma.
struct Table {
    /// The meaning of its values.
    title: &'static str,
    /// Whether it is about large I/Os; then every row needs some. Otherwise every column needs small I/Os.
    of_large: bool,
    /// The value of a point.
    value: fn(&FinishedPoint) -> Option<String>,
}

const HEAD: &str = "\
Each value is one data point: a test with a fixed number of small and of large I/Os outstanding.
The first row of the table has the numbers of outstanding small I/Os.
The first column has the numbers of outstanding large I/Os.";

pub(super) fn iops(report: &FilesReport<'_>) -> String {
    let value = |point: &FinishedPoint| point.iops().map(|iops| format!("{iops:.0}"));
    render(report, &Table { title: "Small I/Os a second (IOPS).", of_large: false, value })
}

pub(super) fn lat(report: &FilesReport<'_>) -> String {
    let value = |point: &FinishedPoint| point.small_latency_us().map(|us| format!("{us:.2}"));
    render(report, &Table { title: "Mean latency of small I/Os in microseconds.", of_large: false, value })
}

pub(super) fn mbps(report: &FilesReport<'_>) -> String {
    let value = |point: &FinishedPoint| point.mbps().map(|mbps| format!("{mbps:.2}"));
    render(
        report,
        &Table { title: "Data of large I/Os in megabytes of 1048576 bytes a second (MBPS).", of_large: true, value },
    )
}

fn render(report: &FilesReport<'_>, table: &Table) -> String {
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
        // As in ORION: missing values at the end of a row are not written.
        let known = cells.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        cells.truncate(known);
        for cell in cells {
            let _ = write!(text, ",{:>7}", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}
