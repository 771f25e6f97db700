//! What a point used and how long it took: the parts of a point that are distributions, shares and rates.

use crate::MetricId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What carried the sessions of the client drive. It matters where client and server share processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PumpUse {
    /// How it waited for answers.
    pub kind: PumpKind,
    /// Its threads.
    pub threads: u32,
    /// Whether sessions moved between threads to be served where their server processes ran.
    pub sessions_follow: bool,
}

/// What one host of a fleet did in a point.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentUse {
    /// Its name.
    pub name: String,
    /// Its jobs.
    pub jobs: u32,
    /// The node that its sessions worked on. Absent where they took turns over all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Whether it ran on the coordinator's machine.
    pub is_with_coordinator: bool,
    /// Operations of its jobs, warm-up and tail included.
    pub ops_total: Option<u64>,
    /// What its clock showed more than the coordinator's, in seconds. Both count from moments of their own.
    pub clock_offset_s: f64,
    /// By how much that may be wrong, in seconds: half the round trip of the shortest exchange, and what the clock has
    /// gained or lost by the end of the point.
    pub clock_bound_s: f64,
    /// How long after the planned moment its first job began, in seconds, by the coordinator's clock.
    pub started_after_s: Option<f64>,
    /// How busy its host was within the window.
    pub host: HostUse,
}

/// How busy a host of sessions was. Shares of the whole machine, in percent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostUse {
    /// Not idle and not waiting for I/O.
    pub busy_pct: Option<f64>,
    /// dbdyno's own.
    pub harness_pct: Option<f64>,
    /// Taken by the hypervisor.
    pub steal_pct: Option<f64>,
    /// Tasks that ran or could have run at the window's end, beside the one that looked.
    pub runnable: Option<f64>,
    /// How long a processor quota kept the host's processors waiting, in seconds; absent where it has no quota.
    pub throttled_s: Option<f64>,
    /// How long the host stood still, in seconds, from the beginning of its jobs to the end: pauses in which dbdyno's
    /// own clock thread, which wakes ten times a second, did not run.
    pub stood_still_s: Option<f64>,
}

/// How an open loop kept its timetable. If the rate was kept, nearly nothing waits at the window's end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// Transactions that were due inside the window.
    pub due: u64,
    /// Transactions that were due by the window's end and had not ended then. Each is in the response times with its
    /// age at that moment, a lower bound.
    pub unfinished: u64,
    /// Those of them that had not begun.
    pub waiting: u64,
    /// Percentage of the window's second half in which the sessions were at work or had transactions due.
    pub busy_pct: f64,
}

/// How a pump waits for answers, the most expensive way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PumpKind {
    /// A thread for each session.
    Threads,
    /// Many sessions a thread, on epoll.
    Epoll,
    /// Many sessions a thread, on a kernel ring (io_uring).
    IoUring,
}

/// A metric's value on a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricValue {
    /// Its id.
    pub id: MetricId,
    /// Its value in its unit.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// A distribution of times in seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseTime {
    /// Mean.
    pub mean: Option<f64>,
    /// Smallest, for single I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Standard deviation, for single I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std_dev: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p99_9: Option<f64>,
    /// 99.99th percentile.
    pub p99_99: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// A window in steps, the first one first. All lists have the same length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// Length of a step; the last one may be shorter.
    pub step_s: f64,
    /// Operations/s that succeeded.
    pub ops_per_s: Vec<f64>,
    /// Median time of the operations that succeeded: response time where a rate was set, else service time. Absent
    /// where none ended.
    pub p50_s: Vec<Option<f64>>,
    /// 99th percentile of the same time.
    pub p99_s: Vec<Option<f64>>,
    /// Operations that failed for good.
    pub errors: Vec<u64>,
    /// Attempts after the first.
    pub retries: Vec<u64>,
}

/// Shares of the whole machine, in percent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuUse {
    /// Not idle and not waiting for I/O.
    pub busy_pct: Option<f64>,
    /// The same of the processors that the server was held to. Absent where it was held to none, and in older
    /// documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_busy_pct: Option<f64>,
    /// User code, nice included.
    pub user_pct: Option<f64>,
    /// Kernel, interrupts included.
    pub system_pct: Option<f64>,
    /// Idle with I/O outstanding.
    pub iowait_pct: Option<f64>,
    /// Taken by the hypervisor.
    pub steal_pct: Option<f64>,
    /// dbdyno's own processor time.
    pub harness_pct: Option<f64>,
}

/// Device use, summed over the devices that hold the database where these are known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IoRates {
    /// Reads/s that reached the devices.
    pub read_iops: Option<f64>,
    /// Writes/s.
    pub write_iops: Option<f64>,
    /// MiB/s read.
    pub read_mib_per_s: Option<f64>,
    /// MiB/s written.
    pub write_mib_per_s: Option<f64>,
    /// Mean time of a read at the device.
    pub read_service_time_s: Option<f64>,
    /// Mean time of a write at the device.
    pub write_service_time_s: Option<f64>,
    /// Reads and writes/s, where a source prints the sum of rounded values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_iops: Option<f64>,
    /// MiB/s read and written, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_mib_per_s: Option<f64>,
    /// Each device.
    pub devices: Vec<DeviceIo>,
}

/// One device's use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceIo {
    /// Kernel name.
    pub name: String,
    /// Reads/s.
    pub read_iops: f64,
    /// Writes/s.
    pub write_iops: f64,
    /// MiB/s read.
    pub read_mib_per_s: f64,
    /// MiB/s written.
    pub write_mib_per_s: f64,
    /// Share of the time with I/O in flight.
    pub busy_pct: f64,
    /// Mean time of an I/O; absent where there was none, and in older documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_time_s: Option<f64>,
    /// I/Os in flight, on average; absent in older documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

/// Memory at the window's end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryUse {
    /// Available for new work.
    pub available_bytes: Option<u64>,
    /// The page cache.
    pub page_cache_bytes: Option<u64>,
    /// dbdyno's own resident set.
    pub harness_rss_bytes: Option<u64>,
    /// Swapped in or out per second.
    pub swap_mib_per_s: Option<f64>,
}

/// Network over all interfaces but loopback.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NetworkUse {
    /// MiB/s received.
    pub receive_mib_per_s: Option<f64>,
    /// MiB/s sent.
    pub send_mib_per_s: Option<f64>,
    /// MiB/s over loopback.
    pub loopback_mib_per_s: Option<f64>,
}

/// Percentage of the window in which some task waited for a resource (Linux PSI).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pressure {
    /// For a processor.
    pub cpu_some_pct: Option<f64>,
    /// For I/O.
    pub io_some_pct: Option<f64>,
    /// For memory.
    pub memory_some_pct: Option<f64>,
}

/// Redo (WAL).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Redo {
    /// MiB/s written.
    pub mib_per_s: Option<f64>,
    /// Log writes/s.
    pub writes_per_s: Option<f64>,
    /// Mean time of one.
    pub write_service_time_s: Option<f64>,
    /// Waits for the log to be on the device, per second.
    pub sync_writes_per_s: Option<f64>,
    /// The same as a count over the whole point, where a source prints that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_writes: Option<f64>,
    /// Mean time of one.
    pub sync_service_time_s: Option<f64>,
    /// Whole pages per second in the redo, logged because of an earlier checkpoint. Their share shrinks in longer
    /// windows.
    pub page_images_per_s: Option<f64>,
}

/// The database's own rates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatabaseRates {
    /// Blocks asked of the engine's cache, per second.
    pub logical_reads_per_s: Option<f64>,
    /// Blocks read from below it.
    pub physical_reads_per_s: Option<f64>,
    /// Blocks written to data files.
    pub physical_writes_per_s: Option<f64>,
    /// Writes of data files per second, of one or more blocks. [`Redo`] has the writes of the log.
    pub data_writes_per_s: Option<f64>,
    /// Bytes of the blocks written to data files, per second, in MiB.
    pub data_write_mib_per_s: Option<f64>,
    /// Mean time of a write of a data file.
    pub data_write_service_time_s: Option<f64>,
    /// Share of logical reads served by the engine's cache.
    pub buffer_hit_pct: Option<f64>,
    /// Share of logical reads that were read from a device: what neither the engine's cache nor that of the operating
    /// system had. Absent for all but workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_read_pct: Option<f64>,
    /// Blocks per second that came from the caches of other nodes of a cluster. Absent where an engine has no such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_blocks_per_s: Option<f64>,
    /// Blocks written per second, data and log.
    pub write_blocks_per_s: Option<f64>,
    /// Database flash cache.
    pub flash_hit_pct: Option<f64>,
    /// Storage cells' flash cache.
    pub cell_flash_hit_pct: Option<f64>,
    /// Checkpoints finished during the counters' interval, including those of others.
    pub checkpoints: Option<u64>,
    /// What a scan from storage read from below the engine's cache, in MiB/s of the window. Read-ahead and reads for
    /// others are not included. Absent for all other work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_mib_per_s: Option<f64>,
}

/// What was written to data files within a window that begins and ends with checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacedWrites {
    /// Checkpoints that began and ended inside it.
    pub checkpoints: u64,
    /// Blocks dirtied: blocks written, plus the growth of the dirty blocks at the window's end.
    pub blocks_dirtied: u64,
    /// Blocks written.
    pub blocks_written: u64,
}

/// One wait event during the counters' interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// The event in the engine's own words.
    pub event: String,
    /// Its class.
    pub class: String,
    /// How often.
    pub count: u64,
    /// For how long, where the engine times it.
    pub time_s: Option<f64>,
    /// Whether the wait was seen by sampling sessions. Then the count is one of samples, and the time what the samples
    /// stand for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
    /// Whether processes of the server's own waited, and no session. Their time is no part of the sessions'.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// The engine's histogram of wait times, where it keeps one: upper bound of a bucket in microseconds -> waits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histogram_us: BTreeMap<u64, u64>,
}
