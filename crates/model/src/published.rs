//! What a published result has beyond a run of dbdyno's own: where it was printed, and whatever has no degree of
//! parallelism and so is no point.

use crate::{Better, CommitMode, MetricId, Suspect};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Marks a document as a published result. The seed, the start and the tool's version of its run say nothing; the
/// points say in `missing` what the source does not print.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Published {
    /// The source document: title, publisher, year.
    pub source: String,
    /// The year of the measurement.
    pub year: Option<u16>,
    /// Whether the year is printed; otherwise it was deduced.
    pub year_printed: bool,
    /// The tool that measured.
    pub benchmark: String,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What the run's own fields cannot say.
    pub missing: BTreeMap<String, String>,
    /// Figures that the source gives per test, outside of its series.
    pub figures: Vec<PublishedFigure>,
    /// What was asked for before anything was measured.
    pub targets: Vec<Statement>,
    /// What was found, where it is of no test of the catalogue.
    pub results: Vec<Statement>,
    /// Figures from running text.
    pub claims: Vec<Statement>,
    /// Series over something else than jobs and threads.
    pub curves: Vec<Curve>,
    /// Wait events of single moments.
    pub waits: Vec<PublishedWaits>,
    /// Shares of waits by their length.
    pub latency_shares: Vec<LatencyShares>,
    /// Histograms of device times.
    pub histograms: Vec<PublishedHistogram>,
    /// Facts in tables of their own: setups, variants, what a tool was told.
    pub facts: Vec<Facts>,
}

/// Which figure of a test it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// At a degree of parallelism of 1.
    Speed,
    /// The best at any.
    Throughput,
    /// Anything else.
    Value,
}

/// Which side of a printed value the true one lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// Less.
    #[serde(rename = "<", alias = "under", alias = "just_under")]
    Under,
    /// Less or equal.
    #[serde(rename = "<=", alias = "at_most", alias = "up_to")]
    AtMost,
    /// More.
    #[serde(rename = ">", alias = "over", alias = "just_over")]
    Over,
    /// More or equal.
    #[serde(rename = ">=", alias = "at_least")]
    AtLeast,
    /// Near it.
    #[serde(rename = "~", alias = "about")]
    About,
}

impl Bound {
    /// The sign.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Under => "<",
            Self::AtMost => "<=",
            Self::Over => ">",
            Self::AtLeast => ">=",
            Self::About => "~",
        }
    }
}

/// A value as the source prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// The unit.
    pub unit: String,
}

/// A figure of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedFigure {
    /// The test; it need not be in the catalogue.
    pub test: String,
    /// What the source calls it.
    pub title: String,
    /// Which figure it is.
    pub kind: Kind,
    /// The metric; absent where dbdyno has no such.
    pub metric: Option<MetricId>,
    /// The value in the metric's unit.
    pub value: f64,
    /// The metric's unit.
    pub unit: String,
    /// As printed.
    pub printed: Printed,
    /// Which side the true value lies on, where that is printed.
    pub bound: Option<Bound>,
    /// Which way is better.
    pub better: Better,
    /// How commits behaved, where the test writes.
    #[serde(default)]
    pub commit: Option<CommitMode>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// A sentence with a figure in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The test, where there is one.
    pub test: Option<String>,
    /// The part of the platform that it is said of: `with_replication`.
    pub variant: Option<String>,
    /// What the source counts, in the words of the platform file.
    pub metric: String,
    /// Lower end, or the value itself.
    pub low: f64,
    /// Upper end, or the value itself.
    pub high: f64,
    /// Its unit, as printed.
    pub unit: String,
    /// Which side the true value lies on.
    pub bound: Option<Bound>,
    /// Of whom, where and when it is said.
    pub scope: Option<String>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// A series over anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The test; it need not be in the catalogue.
    pub test: String,
    /// What it shows.
    pub title: String,
    /// The key that moves from point to point.
    pub by: String,
    /// The key that carries the result, where the source has one.
    pub primary: Option<String>,
    /// The points: key -> value, in the units that the keys name.
    pub points: Vec<CurvePoint>,
    /// Doubt about all its points: key -> why.
    pub suspects: BTreeMap<String, Suspect>,
}

/// One point of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvePoint {
    /// Key -> value.
    pub values: BTreeMap<String, f64>,
    /// Doubt about single values: key -> why.
    pub suspects: BTreeMap<String, Suspect>,
}

/// Wait events of one moment, with the shares that the source prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedWaits {
    /// The test, where it is printed.
    pub test: Option<String>,
    /// Jobs, where they are printed.
    pub jobs: Option<u32>,
    /// Whose sessions: `foreground`, `background`.
    pub group: String,
    /// What the source says about it.
    pub title: String,
    /// The events, the longest first.
    pub events: Vec<PublishedWait>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedWait {
    /// The event.
    pub event: String,
    /// Its class.
    pub class: Option<String>,
    /// How often.
    pub count: Option<u64>,
    /// For how long.
    pub time_s: Option<f64>,
    /// Mean time of one, as printed.
    pub mean_s: Option<f64>,
    /// Share of the sessions' time, in percent.
    pub share_pct: Option<f64>,
}

/// How large a share of an event's waits was no longer than what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyShares {
    /// The test.
    pub test: String,
    /// Jobs.
    pub jobs: u32,
    /// The event.
    pub event: String,
    /// Longest time in seconds, share in percent.
    pub at_most_s: Vec<(f64, f64)>,
}

/// A histogram of device times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedHistogram {
    /// What it is of, as far as the source tells.
    pub title: String,
    /// Its buckets, shortest times first.
    pub buckets: Vec<Bucket>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// How many I/Os took how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// From.
    pub lower_s: f64,
    /// Up to.
    pub upper_s: f64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Share of reads up to here, in percent.
    pub read_cum_pct: f64,
    /// Share of writes up to here, in percent.
    pub write_cum_pct: f64,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// One row of a table of facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What kind of table: `setup`, `variant`, `orion_run`.
    pub table: String,
    /// Name -> value, as printed.
    pub facts: BTreeMap<String, String>,
}

/// What a platform costs, so far as somebody said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costs {
    /// Licences that a core needs.
    pub licences_per_core: Option<f64>,
    /// What is paid for -> US dollars.
    pub prices_usd: BTreeMap<String, f64>,
    /// How exact the prices are, of when and for what: `about, list price, spring 2012`.
    pub terms: Option<String>,
}

impl Costs {
    /// All prices together; `None` where none is known.
    #[must_use]
    pub fn total_usd(&self) -> Option<f64> {
        (!self.prices_usd.is_empty()).then(|| self.prices_usd.values().sum())
    }
}
