//! What the files are written from.

use super::super::matrix::Outstanding;
use super::super::settings::OrionSettings;
use dbdyno_stats::Histogram;
use std::path::PathBuf;

/// Bytes of a megabyte in these files.
const MB: f64 = 1_048_576.0;

pub(super) const NS_PER_US: f64 = 1e3;

/// I/Os of one kind inside the window: bytes and latencies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IoTimes {
    /// Bytes.
    pub bytes: u64,
    /// Latencies: from when an I/O was due where a rate was set, else from when it was submitted.
    pub latency: Histogram,
}

/// Reads and writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadWriteTimes {
    /// Reads.
    pub read: IoTimes,
    /// Writes.
    pub write: IoTimes,
}

impl ReadWriteTimes {
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
    /// What was outstanding.
    pub at: Outstanding,
    /// When it began, in readable form.
    pub started: String,
    /// Length of the window in seconds.
    pub window_s: f64,
    /// Small I/Os.
    pub small: ReadWriteTimes,
    /// Large I/Os.
    pub large: ReadWriteTimes,
    /// Why its figures are not valid, if they are not; then its times are in no table.
    pub failure: Option<String>,
    /// Other remarks.
    pub notes: Vec<String>,
}

impl FinishedPoint {
    pub(super) fn iops(&self) -> Option<f64> {
        self.figure(&self.small).then(|| self.small.count() as f64 / self.window_s)
    }

    pub(super) fn small_latency_us(&self) -> Option<f64> {
        self.small.mean_ns().filter(|_| self.failure.is_none()).map(|ns| ns / NS_PER_US)
    }

    pub(super) fn mbps(&self) -> Option<f64> {
        let bytes = self.large.read.bytes + self.large.write.bytes;
        self.figure(&self.large).then(|| bytes as f64 / MB / self.window_s)
    }

    fn figure(&self, kind: &ReadWriteTimes) -> bool {
        self.failure.is_none() && kind.count() > 0 && self.window_s > 0.0
    }
}

/// What the files are made from.
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
    /// The finished points, in the order in which they were measured.
    pub points: &'a [FinishedPoint],
}

impl FilesReport<'_> {
    pub(super) fn at(&self, small: u32, large: u32) -> Option<&FinishedPoint> {
        self.points.iter().find(|point| point.at == Outstanding { small, large })
    }
}

/// A text in one line, for files that are read line by line: texts from outside add no lines.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
