//! What a published result has beyond a run of dbdyno: its source, and figures that have no degree of parallelism and
//! so are not points.

use crate::{Better, CommitMode, MetricId, Suspect};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Marks a document as a published result. The seed, start and tool version of its run mean nothing. `missing` of a
/// point says what the source does not print.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Published {
    /// The source document: title, publisher, year.
    pub source: String,
    /// The year of the measurement.
    pub year: Option<u16>,
    /// Whether the source prints the year; otherwise it was deduced.
    pub year_printed: bool,
    /// The tool that measured.
    pub benchmark: String,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// JSON path of the run -> why the value is absent.
    pub missing: BTreeMap<String, String>,
    /// The source's own numbers of the points, one for each point of the run.
    pub numbers: Vec<PublishedNumber>,
    /// Figures that the source gives per test, outside its series.
    pub figures: Vec<PublishedFigure>,
    /// What was required before anything was measured.
    pub targets: Vec<PublishedStatement>,
    /// Results that belong to no test of the catalogue.
    pub results: Vec<PublishedStatement>,
    /// Figures from running text.
    pub claims: Vec<PublishedStatement>,
    /// Series over something other than jobs and threads.
    pub curves: Vec<PublishedCurve>,
    /// Wait events of single moments.
    pub waits: Vec<PublishedWaits>,
    /// Shares of waits by their length.
    pub latency_shares: Vec<LatencyShares>,
    /// Histograms of device times.
    pub histograms: Vec<PublishedHistogram>,
    /// Facts in tables of their own: setups, variants, options of a tool.
    pub facts: Vec<PublishedFacts>,
}

/// How a source numbers a point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PublishedNumber {
    /// Its run.
    pub run: Option<String>,
    /// The point within the run.
    pub point: Option<u64>,
}

/// Which figure of a test it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FigureKind {
    /// At a degree of parallelism of 1.
    Speed,
    /// The best at any degree of parallelism.
    Throughput,
    /// Any other figure.
    Value,
}

impl FigureKind {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Speed, Self::Throughput, Self::Value];

    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// On which side of the printed value the true value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrintedBound {
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
    /// Close to it.
    #[serde(rename = "~", alias = "about")]
    About,
}

impl PrintedBound {
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
    pub kind: FigureKind,
    /// The metric; absent where dbdyno has none for it.
    pub metric: Option<MetricId>,
    /// The value in the metric's unit.
    pub value: f64,
    /// The metric's unit.
    pub unit: String,
    /// As printed.
    pub printed: Printed,
    /// On which side the true value lies, where that is printed.
    pub bound: Option<PrintedBound>,
    /// Which way is better.
    pub better: Better,
    /// How commits behaved, where the test writes.
    pub commit: Option<CommitMode>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// A sentence that contains a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedStatement {
    /// The test, where there is one.
    pub test: Option<String>,
    /// The part of the platform that it is about: `with_replication`.
    pub variant: Option<String>,
    /// What the source counts, in the words of the platform file.
    pub metric: String,
    /// Lower end, or the value itself.
    pub low: f64,
    /// Upper end, or the value itself.
    pub high: f64,
    /// Its unit, as printed.
    pub unit: String,
    /// On which side the true value lies.
    pub bound: Option<PrintedBound>,
    /// Whom, where and when it is about.
    pub scope: Option<String>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// A series over any quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedCurve {
    /// The test; it need not be in the catalogue.
    pub test: String,
    /// What it shows.
    pub title: String,
    /// The key that varies from point to point.
    pub by: String,
    /// The key that holds the result, where the source has one.
    pub primary: Option<String>,
    /// The points: key -> value, in the units that the keys name.
    pub points: Vec<PublishedCurvePoint>,
    /// Doubt about all points: key -> why.
    pub suspects: BTreeMap<String, Suspect>,
}

/// One point of a curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PublishedCurvePoint {
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
    /// Share of the waits that ended because their time was over, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_pct: Option<f64>,
    /// Waits for each transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_per_tx: Option<f64>,
}

/// Which share of an event's waits took no longer than each of several times.
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
    /// What it measures, as far as the source says.
    pub title: String,
    /// Its buckets, shortest times first.
    pub buckets: Vec<PublishedBucket>,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// One bucket of a histogram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedBucket {
    /// Lower bound.
    pub lower_s: f64,
    /// Upper bound.
    pub upper_s: f64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Share of reads up to the upper bound, in percent.
    pub read_cum_pct: f64,
    /// Share of writes up to the upper bound, in percent.
    pub write_cum_pct: f64,
    /// Doubt about it.
    pub suspect: Option<Suspect>,
}

/// One row of a table of facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFacts {
    /// The kind of table: `setup`, `variant`, `orion_run`.
    pub table: String,
    /// Name -> value, as printed.
    pub facts: BTreeMap<String, String>,
}

/// What a platform costs, as far as that is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costs {
    /// Licences that one core needs.
    pub licences_per_core: Option<f64>,
    /// What is paid for -> US dollars.
    pub prices_usd: BTreeMap<String, f64>,
    /// How exact the prices are, their date and what they cover: `about, list price, spring 2012`.
    pub terms: Option<String>,
}

impl Costs {
    /// All prices together; `None` where none is known.
    #[must_use]
    pub fn total_usd(&self) -> Option<f64> {
        (!self.prices_usd.is_empty()).then(|| self.prices_usd.values().sum())
    }
}
