//! Figures side by side: a row for each figure of a test, and what may be said of them.

use super::paired_figures::PairedFigures;
use crate::document::Form;
pub use crate::document::Rank;
use dbdyno_model::{Better, Commits, Flag, Layer, MetricId, PrintedBound, Suspect, UsableFor};
use dbdyno_stats::{Difference, NotComparable};
use serde::Serialize;

/// Below this p value a difference is shown.
const SIGNIFICANT: f64 = 0.05;

/// Which figure of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyFigure {
    /// The figure at a degree of parallelism of 1.
    Speed,
    /// The best at any.
    Throughput,
    /// The time of one operation where the throughput was reached.
    Time,
    /// Throughput over speed.
    Scaling,
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

/// One side's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCell {
    /// The figure; for a sample, the median of its runs.
    pub value: Option<f64>,
    /// The figure as shown, in the row's `shown_unit`, without parentheses.
    pub text: String,
    /// The same as a number, and how it becomes text.
    #[serde(skip)]
    pub(crate) shown: Option<(f64, Form)>,
    /// One value a run.
    pub values: Vec<f64>,
    /// Lower end of the 95 % interval: over runs, or over the repeats of a single run.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Nodes x jobs x threads.
    pub dop: Option<String>,
    /// The code under which the side has it, where that is another than the row's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Rows per transaction, where there are transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_tx: Option<u64>,
    /// Flags of the points behind it.
    pub flags: Vec<Flag>,
    /// Whether it means something other than the test, and stands in parentheses.
    pub doubtful: bool,
    /// How a workload's users worked, where it is of one: with which weights, pauses and sessions.
    #[serde(skip)]
    pub(crate) way: Option<String>,
    /// What other work it is of: then it stands in parentheses, too, and is neither ranked nor divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlike: Option<String>,
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
    /// Its figures by their repeat, where its only run was measured in turn with another.
    #[serde(skip)]
    pub(crate) in_turn: Option<PairedFigures>,
}

impl ComparedCell {
    /// The difference of another side's figures to this side's: pair by pair where they were measured in turn, else
    /// run by run.
    ///
    /// # Errors
    /// There are too few, or one is not above zero.
    pub(super) fn difference(&self, other: &Self) -> Result<Difference, NotComparable> {
        let in_turn = self.in_turn.as_ref().zip(other.in_turn.as_ref());
        let in_turn = in_turn.and_then(|(base, other)| base.difference(other));
        in_turn.unwrap_or_else(|| Difference::of(&self.values, &other.values))
    }
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

impl Ratio {
    /// What a difference shows, with a p value that may be corrected.
    pub(super) fn shown(difference: &Difference, p_value: f64, better: Better) -> Self {
        let interval = difference.interval(0.95);
        let more = difference.ratio() > 1.0;
        let verdict = match p_value < SIGNIFICANT {
            false => RatioVerdict::NoDifferenceShown,
            true if more == (better == Better::Higher) => RatioVerdict::Better,
            true => RatioVerdict::Worse,
        };
        Self {
            value: Some(difference.ratio()),
            low: Some(interval.low),
            high: Some(interval.high),
            p_value: Some(p_value),
            verdict,
            why: None,
        }
    }

    /// Without a value.
    pub(super) fn none(verdict: RatioVerdict, why: Option<String>) -> Self {
        Self { value: None, low: None, high: None, p_value: None, verdict, why }
    }
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

impl KeyFigure {
    /// Its name in a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Throughput => "throughput",
            Self::Time => "time",
            Self::Scaling => "scaling",
        }
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
