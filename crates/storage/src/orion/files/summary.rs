//! summary.txt: what was asked for, and the best of what was measured.

use super::super::settings::{CacheWarming, OrionSettings};
use super::super::typed::LargeType;
use super::hist::{buckets, percentiles, place};
use super::report::{FilesReport, FinishedPoint, NS_PER_US, ReadWriteTimes, one_line};
use crate::Layout;
use std::fmt::Write as _;

pub(super) fn summary(report: &FilesReport<'_>) -> String {
    let mut text = asked(report);
    text += &found(report);
    text += &left(report);
    text
}

fn asked(report: &FilesReport<'_>) -> String {
    let OrionSettings { testname, small_bytes, large_bytes, write_pct, duration_s, .. } = report.settings;
    let settings = report.settings;
    let name = testname.rsplit('/').next().unwrap_or(testname);
    let large = match settings.large_type {
        LargeType::Rand => "large random IOs".to_owned(),
        LargeType::Seq => format!("large sequential streams of {} IOs", settings.stream_ios),
    };
    let mut text = format!(
        "dbdyno ORION VERSION {}\n\nCommand line:\n{}\n\nThese options enable these settings:\nTest: {}\n",
        report.version,
        one_line(report.command_line),
        one_line(name)
    );
    let _ = writeln!(text, "Small IO size: {} KB\nLarge IO size: {} KB", small_bytes / 1024, large_bytes / 1024);
    let _ = writeln!(text, "IO types: small random IOs, {large}");
    let _ = writeln!(text, "Sequential stream pattern: {}", pattern(settings.layout));
    let _ = writeln!(text, "Writes: {write_pct}%\nCache size: {}", cache(settings.warming));
    if let Some(rate) = settings.rate {
        let _ = writeln!(
            text,
            "Rate: {} IOs per second ({} arrivals); latency is from the moment when an IO was due",
            rate.iops,
            rate.arrivals.name()
        );
    }
    let _ = writeln!(text, "Duration for each data point: {duration_s} seconds");
    if let Some(matrix) = &settings.matrix {
        // As in ORION: where small and large I/Os are measured apart, the small ones are the columns of one row.
        let small: &[u32] = if matrix.apart { &[0] } else { &matrix.small };
        let list = |levels: &[u32]| levels.iter().map(|n| format!(",{n:>7}")).collect::<String>();
        let _ = writeln!(text, "Small Columns:{}\nLarge Columns:{}", list(small), list(&matrix.large));
        let _ = writeln!(text, "Total Data Points: {}", matrix.announced());
    }
    text.push('\n');
    for (path, size_bytes) in report.luns {
        let _ = writeln!(text, "Name: {}\tSize: {size_bytes}", one_line(&path.to_string_lossy()));
    }
    let _ = writeln!(text, "{} files found.", report.luns.len());
    if !report.hosts.is_empty() {
        let _ = writeln!(text, "Hosts: {}", one_line(&report.hosts.join(", ")));
    }
    text
}

fn pattern(layout: Layout) -> String {
    match layout {
        Layout::Concat => "concatenation of LUNs for all streams".to_owned(),
        Layout::Raid0 { stripe_bytes } => {
            format!("RAID-0 striping for all streams\nStripe depth: {} KB", stripe_bytes / 1024)
        }
    }
}

fn cache(warming: CacheWarming) -> String {
    match warming {
        CacheWarming::None => "not warmed".to_owned(),
        CacheWarming::Bytes(bytes) => format!("{} MB", bytes >> 20),
        CacheWarming::Seconds(seconds) => {
            format!("not specified, warmed for {seconds} seconds before each sequential point")
        }
    }
}

/// The best point for a figure, and the figure's text.
type Best<'a> = Option<(&'a FinishedPoint, String)>;

/// The most large I/Os, the most small I/Os, and the shortest time of a small I/O.
fn best_of(points: &[FinishedPoint]) -> [Best<'_>; 3] {
    let best = |of: fn(&FinishedPoint) -> Option<f64>| {
        let values = points.iter().filter_map(move |point| Some((point, of(point)?)));
        values.reduce(|best, next| if next.1 > best.1 { next } else { best })
    };
    let with = |found: Option<(_, f64)>, words: fn(f64) -> String| {
        found.map(|(point, value)| (point, format!("{} @ {}", words(value), place(point))))
    };
    [
        with(best(FinishedPoint::mbps), |mbps| format!("Maximum Large MBPS={mbps:.2}")),
        with(best(FinishedPoint::iops), |iops| format!("Maximum Small IOPS={iops:.0}")),
        with(best(|point| point.small_latency_us().map(|us| -us)), |us| {
            format!("Minimum Small Latency={:.3} usecs", -us)
        }),
    ]
}

/// The lines that scripts look for at the end of ORION's output.
#[must_use]
pub fn bests(points: &[FinishedPoint]) -> Vec<String> {
    best_of(points).into_iter().flatten().map(|(_, line)| line).collect()
}

fn found(report: &FilesReport<'_>) -> String {
    let mut text = String::new();
    let [large, fastest, shortest] = best_of(report.points);
    for (best, large) in [(&large, true), (&fastest, false), (&shortest, false)] {
        let Some((point, line)) = best else { continue };
        let (name, kind) = if large { ("Large", &point.large) } else { ("Small", &point.small) };
        let _ = writeln!(text, "\n{line}");
        text += &latencies(report, name, kind, point);
    }
    if let Some((point, _)) = fastest {
        let table = buckets(&point.small);
        let _ = write!(text, "\nSmall Read / Write Latency Histogram @ {}\n{table}", place(point));
    }
    text
}

/// One line for reads and one for writes, where there are any.
fn latencies(report: &FilesReport<'_>, name: &str, kind: &ReadWriteTimes, point: &FinishedPoint) -> String {
    let mut text = String::new();
    for (way, times) in [("Read", &kind.read), ("Write", &kind.write)] {
        let latency = &times.latency;
        if let (Some(mean), Some(min), Some(max), Some(std_dev)) =
            (latency.mean_ns(), latency.min_ns(), latency.max_ns(), latency.std_dev_ns())
        {
            let us = |ns: f64| ns / NS_PER_US;
            let _ = writeln!(
                text,
                "{name} {way} Latency: avg={:.3} us, min={:.3} us, max={:.3} us, std dev={:.3} us @ {}",
                us(mean),
                us(min as f64),
                us(max as f64),
                us(std_dev),
                place(point)
            );
        }
    }
    if report.settings.percentiles {
        text += &percentiles(name, kind);
    }
    text
}

/// The points that the figures above leave out.
fn left(report: &FilesReport<'_>) -> String {
    let mut text = String::new();
    let planned = report.settings.points.len();
    if report.points.len() < planned {
        let _ = writeln!(text, "\n{} of {planned} data points are measured.", report.points.len());
    }
    let failed: Vec<(&FinishedPoint, &String)> =
        report.points.iter().filter_map(|point| Some((point, point.failure.as_ref()?))).collect();
    if !failed.is_empty() {
        text.push('\n');
    }
    for (point, reason) in failed {
        let _ = writeln!(text, "Failed @ {}: {}", place(point), one_line(reason));
    }
    text
}
