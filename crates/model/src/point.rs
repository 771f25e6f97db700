//! A point: one measurement of a cell, with everything that decides how far to trust it.

use crate::usage::{
    AgentUse, CpuUse, DatabaseRates, IoRates, MemoryUse, MetricValue, NetworkUse, OpenLoop, PacedWrites, Pressure,
    PumpUse, Redo, ResponseTime, Series, Wait,
};
use crate::{
    Awr, ClientLoad, CommitMode, CommitProof, Commits, Dop, Drive, Flag, MetricId, Mix, Outcomes, Parameters,
    PerMinute, PointPace, StatementCounts, Storage, Subject, Suspect, TransactionType,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How a point ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Measured; flags may still limit the trust.
    #[default]
    Ok,
    /// An error ended it.
    Failed,
    /// Measured, but the work was not what the test asks for.
    Invalid,
    /// The engine cannot do the work.
    Unsupported,
}

/// One measurement. Field names are the JSON contract; an `Option` that is `None` has its reason in `missing`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What it measures. For storage, also what was done.
    #[serde(flatten)]
    pub subject: Subject<Storage>,
    /// Hash of the test's definition: entry and SQL.
    pub definition: String,
    /// `native`, `equivalent` or `none`.
    pub mapping: String,
    /// How an equivalent is made, or why there is none.
    pub mapping_note: Option<String>,
    /// Who ran the loop.
    pub drive: Drive,
    /// Nodes, jobs, threads.
    #[serde(flatten)]
    pub dop: Dop,
    /// When a client's transactions began.
    #[serde(flatten)]
    pub load: ClientLoad,
    /// The weights of a workload's transactions. Absent where they are its own, for tests, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
    /// The parameters of a workload that decide what its users did. Empty for tests, and in older documents.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Processors that the server was held to for this point alone, where a run goes through several numbers of them.
    /// Absent elsewhere, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// The rate that an open loop asked for, all jobs together; absent in a closed one.
    pub asked_per_s: Option<f64>,
    /// What carried the sessions of the client drive. Absent where the server ran the loop, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump: Option<PumpUse>,
    /// The hosts that did the work together. Absent where it was one, and in older documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentUse>,
    /// How an open loop kept its timetable. Absent in a closed loop, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// 1, 2, 3 …
    pub repeat: u32,
    /// Whether it measures the best of its ramp again: the figure that counts as throughput.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// How commits behaved, on writing points.
    pub commit: Option<CommitMode>,
    /// Settings in force that decide durability, on writing points.
    #[serde(default)]
    pub durability: BTreeMap<String, String>,
    /// How durable the commits were, on writing points; absent in older documents. Read it by `Point::commits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_found: Option<Commits>,
    /// The run's proof of that. Absent where settings alone made commits unsafe, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_proof: Option<CommitProof>,
    /// The plan that the engine used.
    pub plan: Option<String>,
    /// How it ended.
    pub status: Status,
    /// Why the point did not end well.
    pub reason: Option<String>,
    /// Whether all that makes it invalid is that its sessions could not carry the rate of an open loop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overload: bool,
    /// The flags.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// Details of a flag, where there is more to say: flag name -> sentence.
    #[serde(default)]
    pub flag_notes: BTreeMap<String, String>,
    /// Length of the window that the rates are of.
    pub window_s: Option<f64>,
    /// The time within the window in which every job removed what its pieces had made. The rates leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discarding_s: Option<f64>,
    /// The interval of the engine's counters.
    pub counters_s: Option<f64>,
    /// Operations inside the window (a chunk on its edge counts in proportion, rounded).
    pub ops: Option<u64>,
    /// Rows inside the window.
    pub rows: Option<u64>,
    /// Operations from the barrier to the last chunk's end. The engine's own count must equal this.
    pub ops_total: Option<u64>,
    /// Checksum over all work done.
    pub checksum: Option<String>,
    /// Operations/s.
    pub ops_per_s: Option<f64>,
    /// Rows/s.
    pub rows_per_s: Option<f64>,
    /// Transactions/s.
    pub tx_per_s: Option<f64>,
    /// Bytes of the test's own work per second, in MiB (files written, table bytes scanned).
    pub work_mib_per_s: Option<f64>,
    /// Seconds for the work that the test names: one statement, or the documented fibonacci number.
    pub elapsed_s: Option<f64>,
    /// The key metric.
    pub metric: Option<MetricValue>,
    /// How requests ended.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Service time: the time of one operation as its caller sees it.
    pub service_time_s: Option<ResponseTime>,
    /// Response time: from the moment a transaction was due.
    pub response_time_s: Option<ResponseTime>,
    /// Time from when a transaction could begin until it had a connection. Absent where each job has its own
    /// connection, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_wait_s: Option<ResponseTime>,
    /// The window second by second, in the client drive.
    pub series: Option<Series>,
    /// Processor use during the window.
    #[serde(default)]
    pub cpu: CpuUse,
    /// Device use during the window.
    #[serde(default)]
    pub io: IoRates,
    /// Memory during the window.
    #[serde(default)]
    pub memory: MemoryUse,
    /// Network during the window.
    #[serde(default)]
    pub network: NetworkUse,
    /// Pressure (stall) shares during the window.
    #[serde(default)]
    pub pressure: Pressure,
    /// Redo during the counters' interval.
    #[serde(default)]
    pub redo: Redo,
    /// The database's own rates during the counters' interval.
    #[serde(default)]
    pub database: DatabaseRates,
    /// The machine's own pace right before and after. Absent where none was taken, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<PointPace>,
    /// What was written to data files within the window, where the window consists of whole checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced_writes: Option<PacedWrites>,
    /// Settings that held for this point alone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Snapshots of the server's own workload repository around the point. Absent where nobody claims a licence for
    /// them, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awr: Option<Awr>,
    /// What each type of a client's transactions did. Empty where the server runs the loop, and for storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<TransactionType>,
    /// The rate of a workload's transactions by the minute. Absent for tests and storage, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_per_min: Option<PerMinute>,
    /// What a workload's users sent, by kind. Absent for tests and storage, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statements: Option<StatementCounts>,
    /// Wait events, longest first.
    #[serde(default)]
    pub waits: Vec<Wait>,
    /// JSON path -> why the value is absent.
    #[serde(default)]
    pub missing: BTreeMap<String, String>,
    /// JSON path -> how the value was derived, where it was not measured directly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extrapolated: BTreeMap<String, String>,
    /// Doubt about single values of a published point: metric -> why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suspects: BTreeMap<MetricId, Suspect>,
}

type Figure = fn(&Point) -> Option<f64>;

/// Every metric by its id, the JSON path under which a point says why it has no value, and the field that holds it.
const FIGURES: &[(&str, &str, Figure)] = &[
    ("ops_per_s", "ops_per_s", |p| p.ops_per_s),
    ("rows_per_s", "rows_per_s", |p| p.rows_per_s),
    ("tx_per_s", "tx_per_s", |p| p.tx_per_s),
    ("elapsed_s", "elapsed_s", |p| p.elapsed_s),
    ("work_mib_per_s", "work_mib_per_s", |p| p.work_mib_per_s),
    ("service_time_s", "service_time_s.mean", |p| p.service_time_s.as_ref()?.mean),
    ("response_time_s", "response_time_s.mean", |p| p.response_time_s.as_ref()?.mean),
    ("read_iops", "io.read_iops", |p| p.io.read_iops),
    ("write_iops", "io.write_iops", |p| p.io.write_iops),
    ("read_mib_per_s", "io.read_mib_per_s", |p| p.database.read_mib_per_s.or(p.io.read_mib_per_s)),
    ("write_mib_per_s", "io.write_mib_per_s", |p| p.io.write_mib_per_s),
    ("read_service_time_s", "io.read_service_time_s", |p| p.io.read_service_time_s),
    ("write_service_time_s", "io.write_service_time_s", |p| p.io.write_service_time_s),
    ("redo_mib_per_s", "redo.mib_per_s", |p| p.redo.mib_per_s),
    ("redo_writes_per_s", "redo.writes_per_s", |p| p.redo.writes_per_s),
    ("redo_write_service_time_s", "redo.write_service_time_s", |p| p.redo.write_service_time_s),
    ("redo_sync_writes_per_s", "redo.sync_writes_per_s", |p| p.redo.sync_writes_per_s),
    ("redo_sync_service_time_s", "redo.sync_service_time_s", |p| p.redo.sync_service_time_s),
    ("cpu_busy_pct", "cpu.busy_pct", |p| p.cpu.busy_pct),
    ("small_iops", "small_iops", |p| p.subject.storage()?.small.iops()),
    ("large_mib_per_s", "large_mib_per_s", |p| p.subject.storage()?.large.mib_per_s()),
];

impl Point {
    /// A point of which only the subject and the start are known.
    #[must_use]
    pub fn new(subject: impl Into<Subject<Storage>>, started_at: jiff::Timestamp) -> Self {
        Self { subject: subject.into(), started_at, repeat: 1, ..Self::default() }
    }

    /// What figures must have in common to be comparable: the test or workload. For storage points, also the kind of
    /// I/O, because they all share one name.
    #[must_use]
    pub fn work(&self) -> Cow<'_, str> {
        match &self.subject {
            Subject::Test(_) | Subject::Workload(_) => Cow::Borrowed(self.subject.as_str()),
            Subject::Storage(storage) => Cow::Owned(format!("{} {}", self.subject.name(), storage.load.work())),
        }
    }

    /// The value of a metric on this point, in the metric's unit; `None` where the point has none.
    #[must_use]
    pub fn value(&self, metric: &MetricId) -> Option<f64> {
        FIGURES.iter().find(|(id, ..)| *id == metric.as_str()).and_then(|(.., figure)| figure(self))
    }

    /// The ids of all metrics that a point can have a value for.
    pub fn metric_ids() -> impl Iterator<Item = &'static str> {
        FIGURES.iter().map(|(id, ..)| *id)
    }

    /// The JSON path of a metric, which is where the reason for its absence is.
    #[must_use]
    pub fn path_of(metric: &str) -> &str {
        FIGURES.iter().find(|(id, ..)| *id == metric).map_or(metric, |(_, path, _)| path)
    }

    /// The doubt about a metric's value on this point, if there is any.
    #[must_use]
    pub fn suspect(&self, metric: &MetricId) -> Option<&Suspect> {
        let rates = ["ops_per_s", "rows_per_s", "tx_per_s"];
        let of_all = |of: &MetricId, s: &Suspect| {
            rates.contains(&of.as_str()) && s.codes.iter().any(|code| code.is_of_the_whole_rate())
        };
        let sister = || self.suspects.iter().find(|(of, suspect)| of_all(of, suspect)).map(|(_, suspect)| suspect);
        self.suspects.get(metric).or_else(|| rates.contains(&metric.as_str()).then(sister).flatten())
    }

    /// Whether a flag is set.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Sets a flag once. A further note is appended to the notes that are there.
    pub fn flag(&mut self, flag: Flag, note: impl Into<Option<String>>) {
        if !self.has(flag) {
            self.flags.push(flag);
        }
        if let Some(note) = note.into() {
            let notes = self.flag_notes.entry(flag.name().to_owned()).or_default();
            if !notes.is_empty() {
                notes.push_str("; ");
            }
            notes.push_str(&note);
        }
    }

    /// Notes why a value is absent.
    pub fn lacks(&mut self, path: &str, why: impl Into<String>) {
        self.missing.insert(path.to_owned(), why.into());
    }
}

impl Point {
    /// How durable the point's commits were; `None` where nothing was written. For older documents the settings decide.
    #[must_use]
    pub fn commits(&self) -> Option<Commits> {
        let mode = self.commit?;
        let by_settings = || match mode {
            CommitMode::Durable if self.has(Flag::UnsafeDurability) => Commits::Unsafe,
            mode => Commits::from(mode),
        };
        Some(self.commits_found.unwrap_or_else(by_settings))
    }
}

impl Point {
    /// The one type of a test's program: its figures are those of the point. `None` where nothing was timed, and where
    /// the server runs the loop.
    #[must_use]
    pub fn as_one_type(&self) -> Option<TransactionType> {
        match (&self.subject, self.drive) {
            (Subject::Test(code), Drive::Client) => self.service_time_s.as_ref().map(|times| TransactionType {
                name: code.to_string(),
                weight: 1,
                ops: self.ops,
                ops_per_s: self.ops_per_s,
                service_time_s: Some(times.clone()),
                response_time_s: self.response_time_s.clone(),
                outcomes: self.outcomes.clone(),
            }),
            (Subject::Test(_), Drive::Server) | (Subject::Workload(_) | Subject::Storage(_), _) => None,
        }
    }
}
