//! Readings: what a platform, its database and dbdyno's own load did in one second. Keys that a point has, too, have
//! the same meaning and unit here.

use crate::{CpuUse, DatabaseRates, IoRates, MemoryUse, NetworkUse, Pressure, Redo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One second of telemetry. What is absent has its reason in `missing`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// When its interval ended, UTC.
    pub at: jiff::Timestamp,
    /// Length of the interval: about a second, more where something was late.
    pub seconds: f64,
    /// What dbdyno was doing when it ended; absent where dbdyno measures nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<Doing>,
    /// dbdyno's own load inside the window of a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadReading>,
    /// Processors, and whose work they did.
    #[serde(flatten)]
    pub machine: MachineReading,
    /// The database, all nodes together; absent where it was not asked or did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseReading>,
    /// Why the server does not answer, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// Each node by its name, where the target has several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<String, DatabaseReading>,
    /// The statements and sessions that worked most; in every tenth reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<Top>,
    /// JSON path -> why the value is absent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
}

impl Reading {
    /// A figure by its path, as in `database.redo.mib_per_s`: every number of a reading that is in no list and in no
    /// map. `sessions.active` and the like are the database's sessions, and `sessions.all` is their sum.
    #[must_use]
    pub fn figure(&self, path: &str) -> Option<f64> {
        self.figures().get(path)
    }

    /// Its figures, for whoever asks for many of them.
    #[must_use]
    pub fn figures(&self) -> ReadingFigures<'_> {
        let json = |part: Result<serde_json::Value, _>| part.unwrap_or_default();
        ReadingFigures {
            reading: self,
            machine: json(serde_json::to_value(&self.machine)),
            database: json(serde_json::to_value(&self.database)),
            load: json(serde_json::to_value(&self.load)),
        }
    }

    fn sessions(&self, is_asked: impl Fn(SessionState) -> bool) -> Option<f64> {
        let sessions = &self.database.as_ref()?.sessions;
        let asked = sessions.iter().filter(|(state, _)| is_asked(**state)).map(|(_, n)| f64::from(*n));
        (!sessions.is_empty()).then(|| asked.sum())
    }

    /// Why a figure is absent: the reason of its path, or of what it is a part of.
    #[must_use]
    pub fn why_absent(&self, path: &str) -> Option<&str> {
        let path = if path.starts_with("sessions.") { "database.sessions" } else { path };
        let parts = path.match_indices('.').map(|(at, _)| &path[..at]).chain([path]);
        parts.filter_map(|part| self.missing.get(part)).next().map(String::as_str)
    }

    /// Notes why a value is absent.
    pub fn lacks(&mut self, path: &str, why: impl Into<String>) {
        self.missing.insert(path.to_owned(), why.into());
    }
}

/// The figures of a reading by their paths.
#[derive(Debug)]
pub struct ReadingFigures<'r> {
    reading: &'r Reading,
    machine: serde_json::Value,
    database: serde_json::Value,
    load: serde_json::Value,
}

impl ReadingFigures<'_> {
    /// A figure: see [`Reading::figure`].
    #[must_use]
    pub fn get(&self, path: &str) -> Option<f64> {
        let (part, rest) = match path.split_once('.')? {
            ("sessions", "all") => return self.reading.sessions(|_| true),
            ("sessions", state) => return self.reading.sessions(|of| of.name() == state),
            ("database", rest) => (&self.database, rest),
            ("load", rest) => (&self.load, rest),
            _ => (&self.machine, path),
        };
        rest.split('.').try_fold(part, |value, key| value.get(key))?.as_f64()
    }
}

/// The point that is measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Doing {
    /// Its place in the plan, from 0.
    pub point: usize,
    /// Points of the plan.
    pub of: usize,
    /// The test, workload or storage load.
    pub subject: String,
    /// Its degree of parallelism in words.
    pub dop: String,
    /// How far it has come.
    pub stage: PointStage,
}

/// How far a point has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointStage {
    /// Outside its window: settling, opening sessions, warming up, judging.
    #[default]
    Preparing,
    /// Inside its window.
    Measuring,
}

/// Median and 99th percentile of times in seconds; absent where nothing ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingTimes {
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
}

/// What sessions of dbdyno's did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadReading {
    /// How much of the interval was inside the window, in seconds: rates are over that. Absent for a single type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Operations that succeeded, as sessions have told of them: some tell of a few a second late. Of a point's
    /// readings they are all of its window. Chunks count when they end. Absent for a single type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ops: Option<u64>,
    /// Operations/s that succeeded; absent where too little of the window is in the interval.
    pub ops_per_s: Option<f64>,
    /// Operations/s that failed for good.
    pub errors_per_s: Option<f64>,
    /// Attempts/s after the first.
    pub retries_per_s: Option<f64>,
    /// Times of operations as their callers saw them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_time_s: Option<ReadingTimes>,
    /// The same from the moment at which they were due, where a rate was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_time_s: Option<ReadingTimes>,
    /// Each transaction type by its name, where there are several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub transactions: BTreeMap<String, LoadReading>,
    /// Each host of a fleet by its name: its rate, by its own last words. Their sum is the rate of all.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hosts: BTreeMap<String, LoadReading>,
}

/// The machine: that of the database where it is this one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineReading {
    /// Processors.
    pub cpu: CpuReading,
    /// Devices.
    pub io: IoRates,
    /// What the database's processes moved to and from devices.
    pub server_io: ServerIo,
    /// Memory.
    pub memory: MemoryUse,
    /// Network.
    pub network: NetworkUse,
    /// Pressure.
    pub pressure: Pressure,
}

/// Processors in percent of the whole machine, by kind and by whom.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuReading {
    /// By kind, and dbdyno's own share.
    #[serde(flatten)]
    pub used: CpuUse,
    /// The database server's share.
    pub server_pct: Option<f64>,
    /// The share of everybody else.
    pub others_pct: Option<f64>,
    /// Tasks that ran or could have run at the interval's end (the kernel's run queue).
    pub runnable: Option<f64>,
}

/// What the database's processes moved to and from devices, in MiB/s.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerIo {
    /// Read.
    pub read_mib_per_s: Option<f64>,
    /// Written, or made dirty and so to be written.
    pub write_mib_per_s: Option<f64>,
}

/// The database as it counts itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatabaseReading {
    /// Commits of everybody.
    pub commits_per_s: Option<f64>,
    /// Rollbacks of everybody.
    pub rollbacks_per_s: Option<f64>,
    /// Statements that were executed, where the engine counts them.
    pub executions_per_s: Option<f64>,
    /// Rows inserted, updated and deleted.
    pub rows_changed_per_s: Option<f64>,
    /// Commits of others than dbdyno: at least so many. See [`Doing`] for when dbdyno has a load of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign_commits_per_s: Option<f64>,
    /// Sessions of others that were at work, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign_sessions: Option<f64>,
    /// Redo.
    pub redo: Redo,
    /// Reads, writes, checkpoints.
    #[serde(flatten)]
    pub rates: DatabaseRates,
    /// How far the standby that is furthest behind lags, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replication_lag_s: Option<f64>,
    /// Sessions by state, at the interval's end.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<SessionState, u32>,
    /// What sessions that were at work waited for, the most frequent first; processor time is among it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitReading>,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// At work on a statement, waits included.
    Active,
    /// Waits for its client inside a transaction.
    IdleInTransaction,
    /// Waits for its client.
    Idle,
}

impl SessionState {
    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::IdleInTransaction => "idle_in_transaction",
            Self::Idle => "idle",
        }
    }

    /// Its name in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::IdleInTransaction => "idle in transaction",
            Self::Idle => "idle",
        }
    }
}

/// One wait event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitReading {
    /// Its class in the engine's own words.
    pub class: String,
    /// Its name in the engine's own words.
    pub event: String,
    /// Sessions that were in it, on average.
    pub sessions: f64,
    /// Whether processes of the server's own waited, and no session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}

/// Statements and sessions that work most.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Top {
    /// Statements by the time that they took since the reading that had them last, the longest first.
    pub statements: Vec<StatementReading>,
    /// Sessions at work, that with the oldest statement first.
    pub sessions: Vec<SessionReading>,
}

/// A statement. Its text never has a literal in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatementReading {
    /// The server's own number of the statement.
    pub digest: String,
    /// The text as the server has normalised it; else its verb, or the tag of a utility statement.
    pub text: String,
    /// Calls per second.
    pub calls_per_s: f64,
    /// Sessions that were at work on it, on average: its time over the time that passed.
    pub sessions: f64,
}

/// A session at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionReading {
    /// The server's own number of the session, with its node where there are several.
    pub session: String,
    /// The database user.
    pub user: String,
    /// What the client calls itself.
    pub application: String,
    /// What it does or waits for.
    pub wait: String,
    /// Seconds since its statement began.
    pub for_s: f64,
    /// Its statement, as in [`StatementReading::text`].
    pub statement: String,
}
