//! Platforms side by side: their differences, what does not compare, each test's speed and throughput, the ratio to a
//! baseline with its significance, and figures per core and per dollar. The result is pure data; `text` and the page
//! show it.

mod builder;
mod builds;
mod cells;
mod efficiency;
pub(crate) mod layers;
mod notes;
mod others;
mod regression;
mod settings;
pub(crate) mod side_marks;
mod side_values;
pub(crate) mod text;
mod units;
mod warnings;

pub use builder::{CompareOptions, compare};
pub use text::page;

use crate::groups::unique;
use dbdyno_model::{Better, Commits, Dop, Flag, Layer, MetricId, PrintedBound, RunJson, Suspect, UsableFor};
use serde::Serialize;

/// The most platforms in a comparison.
pub const MOST_SIDES: usize = 20;

/// One platform of a comparison: its runs are a sample. A published result counts as a single run.
#[derive(Debug, Clone)]
pub struct Side {
    /// The name that the user gave.
    pub name: String,
    /// Its runs, at least one.
    pub runs: Vec<RunJson>,
}

/// Why two or more sides cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Too few or too many sides.
    #[error(
        "a comparison is of 2 to {MOST_SIDES} runs or platforms; {0} were named (`dbdyno list runs`, `dbdyno list platforms`)"
    )]
    Sides(usize),
    /// The same side twice.
    #[error("'{0}' is named twice; a comparison with itself says nothing")]
    Twice(String),
    /// There is no such baseline.
    #[error("the baseline '{asked}' is none of what is compared: {}", sides.join(", "))]
    Baseline {
        /// As given.
        asked: String,
        /// The sides.
        sides: Vec<String>,
    },
    /// No test is known to two sides.
    #[error("nothing in common: no test has a figure of the same kind on two of {}{}", sides.join(", "), only(pattern.as_deref()))]
    NothingInCommon {
        /// The sides.
        sides: Vec<String>,
        /// The tests that were asked for.
        pattern: Option<String>,
    },
}

fn only(pattern: Option<&str>) -> String {
    pattern.map_or_else(
        || "; `dbdyno show` says what each has".to_owned(),
        |p| format!(" among {p}; leave --test away to see all that they share"),
    )
}

/// The whole comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The sides, in the order in which they were named.
    pub sides: Vec<SideInfo>,
    /// The index of the side that ratios relate to.
    pub baseline: usize,
    /// Differences between the sides that make figures unlike.
    pub warnings: Vec<Warning>,
    /// What has not been verified of an engine.
    pub notices: Vec<String>,
    /// Settings that differ between the sides.
    pub settings: Vec<DifferingSetting>,
    /// By which factor the layers differ.
    pub layers: Vec<LayerFactors>,
    /// Speed and throughput of each test that two sides have.
    pub rows: Vec<ComparedRow>,
    /// Tests that only one side has: code, and index of the side.
    pub alone: Vec<(String, usize)>,
    /// How rates grow with parallelism.
    pub curves: Vec<RampCurve>,
    /// Published series over something other than jobs and threads.
    pub others: Vec<OtherSeries>,
    /// Throughput per core, thread, licence and price.
    pub efficiency: Vec<Efficiency>,
    /// Whether a limit was kept, where one was set.
    pub regression: Option<Regression>,
}

/// One layer on every side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerFactors {
    /// The layer.
    pub layer: Layer,
    /// The tests, which are the same for every side.
    pub tests: Vec<String>,
    /// One factor a side; absent for the baseline.
    pub sides: Vec<Option<LayerFactor>>,
}

/// By which factor a side is better than the baseline in a layer; below 1 it is worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerFactor {
    /// The geometric mean of the tests' factors.
    pub mean: f64,
    /// Lower end of the interval, or the smallest of the tests.
    pub low: f64,
    /// Upper end, or the largest.
    pub high: f64,
    /// Whether they are a 95 % interval of the mean, which takes three runs on each side; else the range over the
    /// tests, which says nothing of another run.
    pub is_interval: bool,
    /// Each test's factor, in the order of `tests`.
    pub factors: Vec<f64>,
}

/// What is known of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideInfo {
    /// The name that the user gave.
    pub name: String,
    /// A description: its label, its platform's name, its processor.
    pub title: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// The source document, where it is a published result.
    pub source: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Hardware threads.
    pub threads: Option<u32>,
    /// Cores that the work could use, which throughput is divided by; fewer under an affinity or a quota.
    pub usable_cores: Option<f64>,
    /// Hardware threads that the work could use.
    pub usable_threads: Option<f64>,
    /// How it was limited, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_use: Option<String>,
    /// Licences that its cores need.
    pub licences: Option<f64>,
    /// All its prices together.
    pub price_usd: Option<f64>,
    /// What the prices cover.
    pub price_terms: Option<String>,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Different databases.
    Engines,
    /// Different amounts of data.
    Sizes,
    /// The work of a test was done by other means.
    Mappings,
    /// Another drive.
    Drives,
    /// Commits that wait for the log, beside commits that may not.
    Commits,
    /// Another definition of the test.
    Definitions,
    /// Transactions of another size.
    Transactions,
    /// Client drives whose sessions followed their server processes, beside ones whose sessions did not.
    Pumps,
    /// Client drives with different numbers of shared connections, or with one connection a job.
    Connections,
    /// A tool that cannot show times below a limit.
    Floor,
    /// Published figures beside measured ones.
    Published,
    /// Builds of dbdyno that may measure differently.
    Builds,
    /// Machines, or one machine at different times, with a different pace.
    Pace,
    /// The runs of one side differ from each other.
    Sample,
    /// Only some sides measured the best of a ramp again.
    Selection,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// The sentence.
    pub text: String,
}

/// A setting that differs: its name and each side's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingSetting {
    /// What it is.
    pub name: String,
    /// One value a side; absent where it is not known.
    pub values: Vec<Option<String>>,
}

/// Speed or throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyFigure {
    /// The figure at a degree of parallelism of 1.
    Speed,
    /// The best at any.
    Throughput,
}

/// One test's speed or throughput on every side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRow {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// Which figure.
    pub which: KeyFigure,
    /// The metric.
    pub metric: MetricId,
    /// The metric's unit, in which all values are.
    pub unit: String,
    /// The unit of the cells' texts: the printed unit, where all sides print the same.
    pub shown_unit: String,
    /// Which way is better.
    pub better: Better,
    /// Rows per transaction of the points that were chosen because all sides have such, where their own differ.
    pub rows_per_tx: Option<u64>,
    /// Whether the sides have other amounts of data, on which such a figure depends: then nothing is ranked or divided.
    pub unlike_sizes: bool,
    /// One cell a side.
    pub cells: Vec<ComparedCell>,
}

/// The rank of a cell in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// No side is better.
    Best,
    /// No side is worse.
    Worst,
    /// In between.
    Between,
    /// It is not ranked.
    None,
}

/// One side's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCell {
    /// The figure; for a sample, the median of its runs.
    pub value: Option<f64>,
    /// The figure as shown, in the row's `shown_unit`.
    pub text: String,
    /// One value a run.
    pub values: Vec<f64>,
    /// Lower end of the 95 % interval: over runs, or over the repeats of a single run.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Nodes x jobs x threads.
    pub dop: Option<String>,
    /// Flags of the points behind it.
    pub flags: Vec<Flag>,
    /// Whether it means something other than the test, and stands in parentheses.
    pub doubtful: bool,
    /// How durable the commits behind it were, the worst of them; `None` where nothing was written, or a source does
    /// not say.
    pub commits: Option<Commits>,
    /// How an equivalent is made, if it is one.
    pub equivalent: Option<String>,
    /// Doubt about a published figure.
    pub suspect: Option<Suspect>,
    /// What it may be used for.
    pub usable_for: UsableFor,
    /// On which side of it the true value lies.
    pub bound: Option<PrintedBound>,
    /// Why there is no figure.
    pub missing: Option<String>,
    /// Its rank in the row.
    pub rank: Rank,
    /// What share of the best of the row it is, from 0 to 1; absent where it is not ranked.
    pub heat: Option<f64>,
    /// The ratio to the baseline.
    pub ratio: Option<Ratio>,
}

/// The conclusion from a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatioVerdict {
    /// The interval lies wholly on the better side.
    Better,
    /// It lies wholly on the worse side.
    Worse,
    /// The interval contains 1.
    NoDifferenceShown,
    /// Too few runs to know the spread between runs.
    SpreadUnknown,
    /// The figures cannot be divided, or should not.
    NoRatio,
}

/// A side's figure divided by the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    /// The ratio.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// The p value of "no difference".
    pub p_value: Option<f64>,
    /// The conclusion.
    pub verdict: RatioVerdict,
    /// Why there is no stronger conclusion.
    pub why: Option<String>,
}

/// How a test's rate grows, one line for each side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RampCurve {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// The metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: String,
    /// One line a side; empty where it has none.
    pub lines: Vec<Vec<RampPoint>>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RampPoint {
    /// Nodes, jobs, threads.
    #[serde(flatten)]
    pub dop: Dop,
    /// The figure.
    pub value: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Whether it means something other than the test.
    pub doubtful: bool,
}

/// One key of a series over cores or the like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherSeries {
    /// The test; the catalogue does not have it.
    pub test: String,
    /// What it shows.
    pub title: String,
    /// What it varies over.
    pub by: String,
    /// What is counted, in the unit that the key names.
    pub key: String,
    /// One row for each position that a side has.
    pub rows: Vec<OtherSeriesRow>,
}

/// One position of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherSeriesRow {
    /// The number of cores, or the like.
    pub at: f64,
    /// One value a side, as printed.
    pub values: Vec<Option<f64>>,
    /// Doubts about them.
    pub suspects: Vec<Option<Suspect>>,
}

impl Comparison {
    /// Every ratio, row by row.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = &Ratio> {
        self.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.ratio.as_ref())
    }

    /// Why the spread of ratios is not known, each reason once.
    pub(crate) fn unknown_spreads(&self) -> Vec<&str> {
        let unknown = self.ratios().filter(|ratio| ratio.verdict == RatioVerdict::SpreadUnknown);
        unique(unknown.filter_map(|ratio| ratio.why.as_deref()))
    }
}

impl ComparedRow {
    /// The title, with the rows per transaction where they were chosen.
    pub(crate) fn heading(&self) -> String {
        match self.rows_per_tx {
            Some(rows) => format!("{}, {rows} rows each", self.title),
            None => self.title.clone(),
        }
    }
}

impl OtherSeries {
    /// Number of sides that have it.
    fn sides(&self) -> usize {
        let sides = self.rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
        (0..sides).filter(|side| self.rows.iter().any(|row| row.values.get(*side).is_some_and(Option::is_some))).count()
    }
}

/// What a throughput is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// A core.
    Core,
    /// A hardware thread.
    Thread,
    /// A licence: cores times the core factor.
    Licence,
    /// 1,000 US dollars of all prices together.
    ThousandUsd,
}

/// One divisor, and the throughputs divided by it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Efficiency {
    /// What the figures are per.
    pub per: Per,
    /// The divisor of each side.
    pub divisors: Vec<Option<f64>>,
    /// The throughputs.
    pub rows: Vec<EfficiencyRow>,
}

/// One test's throughput per divisor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EfficiencyRow {
    /// The test.
    pub test: String,
    /// The unit of the throughput.
    pub unit: String,
    /// One value a side.
    pub values: Vec<Option<f64>>,
    /// The index of the best.
    pub best: Option<usize>,
}

/// Whether any row is worse than a limit allows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The limit.
    pub limit_pct: f64,
    /// Number of rows that were judged together.
    pub judged: usize,
    /// Number of rows that could not be judged: too few runs.
    pub not_judged: usize,
    /// Rows whose corrected interval lies wholly beyond the limit.
    pub broken: Vec<BrokenLimit>,
}

/// A row that is worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokenLimit {
    /// The test.
    pub test: String,
    /// Which figure of the test.
    pub which: KeyFigure,
    /// The index of the side.
    pub side: usize,
    /// Its ratio to the baseline.
    pub ratio: f64,
    /// Lower end of the interval at the corrected confidence.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Holm's corrected p value.
    pub p_value: f64,
}
