//! Platforms side by side: what differs between them, what does not compare, each test's speed and throughput, how far
//! each is from a baseline and whether that is shown, what a core and a dollar carry. This is the pure result; how it
//! looks is the business of `text` and of the page.

mod builder;
mod builds;
mod cells;
mod efficiency;
mod notes;
mod others;
mod regression;
mod settings;
pub(crate) mod text;
mod warnings;

pub use builder::{Options, compare};
pub use text::page;

use dbdyno_model::{Better, Bound, Commits, Flag, MetricId, RunJson, Suspect, Use};
use serde::Serialize;

/// Platforms that one comparison can hold.
pub const MOST_SIDES: usize = 20;

/// One platform of a comparison: its runs are a sample. A published result is a single one.
#[derive(Debug, Clone)]
pub struct Side {
    /// What the user calls it.
    pub name: String,
    /// Its runs, at least one.
    pub runs: Vec<RunJson>,
}

/// Why two or more sides cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Too few or too many.
    #[error(
        "a comparison is of 2 to {MOST_SIDES} runs or platforms; {0} were named (`dbdyno list runs`, `dbdyno list platforms`)"
    )]
    Sides(usize),
    /// The same twice.
    #[error("'{0}' is named twice; a comparison with itself says nothing")]
    Twice(String),
    /// No such baseline.
    #[error("the baseline '{asked}' is none of what is compared: {}", sides.join(", "))]
    Baseline {
        /// As given.
        asked: String,
        /// What there is.
        sides: Vec<String>,
    },
    /// No test that two sides have.
    #[error("nothing in common: no test has a figure of the same kind on two of {}{}", sides.join(", "), only(pattern.as_deref()))]
    NothingInCommon {
        /// What was compared.
        sides: Vec<String>,
        /// Which tests were asked for.
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
    /// The place of the side that ratios are of.
    pub baseline: usize,
    /// Why this comparison is not of like with like.
    pub warnings: Vec<Warning>,
    /// What has not been verified of an engine.
    pub notices: Vec<String>,
    /// What differs between the sides.
    pub settings: Vec<Setting>,
    /// Speed and throughput of each test that two sides have.
    pub rows: Vec<Row>,
    /// Tests that one side alone has: code, place of the side.
    pub alone: Vec<(String, usize)>,
    /// How rates grow with parallelism.
    pub curves: Vec<Curve>,
    /// Published series over something else than jobs and threads.
    pub others: Vec<Other>,
    /// What a core, a thread, a licence and a price carry.
    pub efficiency: Vec<Efficiency>,
    /// Whether a limit was kept, where one was set.
    pub regression: Option<Regression>,
}

/// What there is to know of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideInfo {
    /// What the user calls it.
    pub name: String,
    /// What it is: its label, its platform's name, its processor.
    pub title: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// The source document, where it is a published result.
    pub source: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Hardware threads.
    pub threads: Option<u32>,
    /// Cores that what worked could use, which throughput is divided by: fewer under an affinity or a quota.
    pub usable_cores: Option<f64>,
    /// Hardware threads that it could use.
    pub usable_threads: Option<f64>,
    /// How it was limited, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_use: Option<String>,
    /// Licences that its cores need.
    pub licences: Option<f64>,
    /// All its prices together.
    pub price_usd: Option<f64>,
    /// What the prices are of.
    pub price_terms: Option<String>,
}

/// What kind of unlikeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Different databases.
    Engines,
    /// Different amounts of data.
    Sizes,
    /// The work of a test was done by other means.
    Mappings,
    /// Another one ran the loop.
    Drives,
    /// Commits that wait against commits that may not.
    Commits,
    /// The test itself was another one.
    Definitions,
    /// Transactions of another size.
    Transactions,
    /// A client whose sessions followed their server processes, beside one whose did not.
    Pumps,
    /// A client whose jobs shared connections, beside one whose jobs had one each, or shared another number.
    Connections,
    /// A tool that can show no time below a limit of its own.
    Floor,
    /// Published figures beside measured ones.
    Published,
    /// Builds of dbdyno that may measure differently.
    Builds,
    /// The machines, or one machine at other times, were not as fast in themselves.
    Pace,
    /// The runs of one side differ among each other.
    Sample,
    /// The best of a ramp, measured again or not.
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
pub struct Setting {
    /// What it is.
    pub name: String,
    /// One a side; absent where it is not known.
    pub values: Vec<Option<String>>,
}

/// Speed or throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The figure at a degree of parallelism of 1.
    Speed,
    /// The best at any.
    Throughput,
}

/// One test's speed or throughput on every side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// Which figure.
    pub which: Which,
    /// The metric.
    pub metric: MetricId,
    /// The metric's unit, in which all values are.
    pub unit: String,
    /// The unit of the cells' text: that of the print, where all sides print the same.
    pub shown_unit: String,
    /// Which way is better.
    pub better: Better,
    /// One a side.
    pub cells: Vec<Cell>,
}

/// Where a cell stands in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// No side is better.
    Best,
    /// No side is worse.
    Worst,
    /// In between.
    Between,
    /// It does not take part.
    None,
}

/// One side's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The figure: of a sample, the median of its runs.
    pub value: Option<f64>,
    /// The same as it is shown, in the row's `shown_unit`.
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
    /// Whether it is a figure of something else than the test means, and stands in parentheses.
    pub doubtful: bool,
    /// What the commits behind it were, the worst of them; none where nothing was written, or a source does not say.
    pub commits: Option<Commits>,
    /// How an equivalent is made, where it is one.
    pub equivalent: Option<String>,
    /// Doubt about a published figure.
    pub suspect: Option<Suspect>,
    /// What it may be used for.
    pub usable_for: Use,
    /// Which side of it the truth lies on.
    pub bound: Option<Bound>,
    /// Why there is none.
    pub missing: Option<String>,
    /// Its rank in the row.
    pub rank: Rank,
    /// From 0 (the worst of the row) to 1 (the best).
    pub heat: Option<f64>,
    /// How it stands to the baseline's.
    pub ratio: Option<Ratio>,
}

/// What a ratio allows to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The interval lies wholly on the better side.
    Better,
    /// It lies wholly on the worse side.
    Worse,
    /// It holds 1.
    NoDifferenceShown,
    /// Too few runs to know the spread from run to run.
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
    /// How often the same platform would show as much.
    pub p_value: Option<f64>,
    /// What may be said.
    pub verdict: Verdict,
    /// Why no more may be said.
    pub why: Option<String>,
}

/// How a test's rate grows, a line for each side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// The metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: String,
    /// One a side; empty where it has no such.
    pub lines: Vec<Vec<CurvePoint>>,
}

/// A point of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Nodes.
    pub nodes: u32,
    /// Jobs.
    pub jobs: u32,
    /// Threads.
    pub threads: u32,
    /// The figure.
    pub value: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// One key of a series over cores or the like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Other {
    /// The test; it is none of the catalogue's.
    pub test: String,
    /// What it shows.
    pub title: String,
    /// What it is over.
    pub by: String,
    /// What is counted, in the unit that the key names.
    pub key: String,
    /// One for each place that a side has.
    pub rows: Vec<OtherRow>,
}

/// One place of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherRow {
    /// So many cores, or the like.
    pub at: f64,
    /// One a side, as printed.
    pub values: Vec<Option<f64>>,
    /// Doubts about them.
    pub suspects: Vec<Option<Suspect>>,
}

impl Other {
    /// How many sides have it.
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
    /// What it is per.
    pub per: Per,
    /// How many each side has.
    pub divisors: Vec<Option<f64>>,
    /// The throughputs.
    pub rows: Vec<EfficiencyRow>,
}

/// One test's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EfficiencyRow {
    /// The test.
    pub test: String,
    /// The unit of what is divided.
    pub unit: String,
    /// One a side.
    pub values: Vec<Option<f64>>,
    /// The place of the best.
    pub best: Option<usize>,
}

/// Whether any row is worse than a limit allows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The limit.
    pub limit_pct: f64,
    /// Rows that were judged, together.
    pub judged: usize,
    /// Rows that could not be: too few runs.
    pub not_judged: usize,
    /// Those whose corrected interval lies wholly beyond the limit.
    pub broken: Vec<Broken>,
}

/// A row that is worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Broken {
    /// The test.
    pub test: String,
    /// Which figure.
    pub which: Which,
    /// The place of the side.
    pub side: usize,
    /// Its ratio to the baseline.
    pub ratio: f64,
    /// The interval that the correction for many rows leaves.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Holm's corrected p value.
    pub p_value: f64,
}
