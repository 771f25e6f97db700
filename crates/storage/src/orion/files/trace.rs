//! trace.txt: what happened, point by point, including points without valid figures.

use super::hist::place;
use super::report::{FilesReport, FinishedPoint, NS_PER_US, one_line};
use std::fmt::Write as _;

pub(super) fn trace(report: &FilesReport<'_>) -> String {
    let settings = report.settings;
    let mut text = format!(
        "dbdyno {}: orion {}\n{} of {} data points\n",
        report.version,
        one_line(report.command_line),
        report.points.len(),
        settings.points.len()
    );
    for note in &settings.notes {
        let _ = writeln!(text, "note: {}", one_line(note));
    }
    for (n, point) in report.points.iter().enumerate() {
        let _ = write!(text, "\n{} of {}: {}", n + 1, settings.points.len(), trace_of(point));
    }
    text
}

/// The lines about one point.
#[must_use]
pub fn trace_of(point: &FinishedPoint) -> String {
    let mut text = format!("{} {}, window {:.3} s\n", point.started, place(point), point.window_s);
    for (name, kind) in [("small", &point.small), ("large", &point.large)] {
        for (way, times) in [("reads", &kind.read), ("writes", &kind.write)] {
            let count = times.latency.count();
            if let (Some(mean_ns), Some(max_ns)) = (times.latency.mean_ns(), times.latency.max_ns()) {
                let _ = writeln!(
                    text,
                    "  {name} {way}: {count}, {} bytes, {:.0} IOPS, avg {:.3} us, max {:.3} us",
                    times.bytes,
                    count as f64 / point.window_s,
                    mean_ns / NS_PER_US,
                    max_ns as f64 / NS_PER_US
                );
            }
        }
    }
    if let Some(reason) = &point.failure {
        let _ = writeln!(text, "  failed: {}", one_line(reason));
    }
    for note in &point.notes {
        let _ = writeln!(text, "  note: {}", one_line(note));
    }
    text
}
