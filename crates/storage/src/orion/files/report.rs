//! The settings and finished points that ORION's files are written from.

use super::super::matrix::Outstanding;
use super::super::settings::OrionSettings;
use dbdyno_stats::Histogram;
use std::path::PathBuf;

/// Bytes of a megabyte, as ORION counts them.
const MB_BYTES: f64 = 1_048_576.0;

pub(super) const NS_PER_US: f64 = 1e3;

/// Bytes and latencies of one kind of I/O inside the window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IoTimes {
    /// Bytes.
    pub bytes: u64,
    /// Latencies. With a rate, they begin when an I/O was due; otherwise when it was submitted.
    pub latency: Histogram,
}

/// Reads and writes of one size of I/O inside the window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadWriteTimes {
    /// Reads.
    pub read: IoTimes,
    /// Writes.
    pub write: IoTimes,
}

impl ReadWriteTimes {
    /// Reads and writes together.
    pub(super) fn count(&self) -> u64 {
        self.read.latency.count() + self.write.latency.count()
    }

    /// Mean latency of reads and writes together.
    pub(super) fn mean_ns(&self) -> Option<f64> {
        let sum_ns = |times: &IoTimes| times.latency.mean_ns().unwrap_or(0.0) * times.latency.count() as f64;
        (self.count() > 0).then(|| (sum_ns(&self.read) + sum_ns(&self.write)) / self.count() as f64)
    }
}

/// A finished point.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedPoint {
    /// The I/Os that were kept outstanding.
    pub at: Outstanding,
    /// When it began, as a text for readers.
    pub started: String,
    /// Length of the window in seconds.
    pub window_s: f64,
    /// Small I/Os.
    pub small: ReadWriteTimes,
    /// Large I/Os.
    pub large: ReadWriteTimes,
    /// Why it failed, if it did. Its figures are then in no table.
    pub failure: Option<String>,
    /// Other remarks.
    pub notes: Vec<String>,
}

impl FinishedPoint {
    /// Small I/Os per second.
    pub(super) fn iops(&self) -> Option<f64> {
        self.has_figures(&self.small).then(|| self.small.count() as f64 / self.window_s)
    }

    /// Mean latency of small I/Os.
    pub(super) fn small_latency_us(&self) -> Option<f64> {
        self.small.mean_ns().filter(|_| self.failure.is_none()).map(|ns| ns / NS_PER_US)
    }

    /// Megabytes per second of large I/Os.
    pub(super) fn mbps(&self) -> Option<f64> {
        let bytes = self.large.read.bytes + self.large.write.bytes;
        self.has_figures(&self.large).then(|| bytes as f64 / MB_BYTES / self.window_s)
    }

    fn has_figures(&self, size: &ReadWriteTimes) -> bool {
        self.failure.is_none() && size.count() > 0 && self.window_s > 0.0
    }
}

/// What ORION's files are written from.
#[derive(Debug, Clone, Copy)]
pub struct FilesReport<'a> {
    /// The settings of the run.
    pub settings: &'a OrionSettings,
    /// The arguments behind `dbdyno orion`, as typed.
    pub command_line: &'a str,
    /// dbdyno's version.
    pub version: &'a str,
    /// Each LUN and its size in bytes.
    pub luns: &'a [(PathBuf, u64)],
    /// The hosts that did the I/O together; none where this one did it alone.
    pub hosts: &'a [String],
    /// The finished points, in the order in which they were measured.
    pub points: &'a [FinishedPoint],
}

impl FilesReport<'_> {
    /// The finished point with so many I/Os outstanding.
    pub(super) fn point_at(&self, small: u32, large: u32) -> Option<&FinishedPoint> {
        self.points.iter().find(|point| point.at == Outstanding { small, large })
    }
}

/// A text in one line. Programs read the files line by line, so a text from outside must not add lines.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
