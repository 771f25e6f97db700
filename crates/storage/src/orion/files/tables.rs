//! iops.csv, lat.csv and mbps.csv: a row for each number of large I/Os, a column for each number of small ones.

use super::report::{FilesReport, FinishedPoint};
use std::fmt::Write as _;

const HEAD: &str = "\
Each value is one data point: a test with a fixed number of small and of large I/Os outstanding.
The first row of the table has the numbers of outstanding small I/Os.
The first column has the numbers of outstanding large I/Os.";

pub(super) fn iops(report: &FilesReport<'_>) -> String {
    render(report, "Small I/Os a second (IOPS).", false, |point| Some(format!("{:.0}", point.iops()?)))
}

pub(super) fn lat(report: &FilesReport<'_>) -> String {
    let title = "Mean latency of small I/Os in microseconds.";
    render(report, title, false, |point| Some(format!("{:.2}", point.small_latency_us()?)))
}

pub(super) fn mbps(report: &FilesReport<'_>) -> String {
    let title = "Data of large I/Os in megabytes of 1048576 bytes a second (MBPS).";
    render(report, title, true, |point| Some(format!("{:.2}", point.mbps()?)))
}

type Value = fn(&FinishedPoint) -> Option<String>;

/// A table of the points' values. Its title has no comma, because scripts find the table by the first comma. In a table
/// about large I/Os every row needs some; otherwise every column needs small ones.
fn render(report: &FilesReport<'_>, title: &str, of_large: bool, value: Value) -> String {
    let (all_small, all_large): (&[u32], &[u32]) =
        report.settings.matrix.as_ref().map_or((&[], &[]), |m| (&m.small, &m.large));
    let small: Vec<u32> = all_small.iter().copied().filter(|n| of_large || *n > 0).collect();
    let large: Vec<u32> = all_large.iter().copied().filter(|n| !of_large || *n > 0).collect();

    let mut text = format!("{title}\n{HEAD}\n\nLarge/Small");
    for column in &small {
        let _ = write!(text, ",{column:>7}");
    }
    text.push('\n');
    for row in large {
        let _ = write!(text, "{row:>11}");
        let mut cells: Vec<Option<String>> =
            small.iter().map(|column| report.point_at(*column, row).and_then(value)).collect();
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
