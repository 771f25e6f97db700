//! What a trend consists of.

use super::key::Place;
use dbdyno_model::{Better, MetricId, RunId, RunNote};
use serde::Serialize;
use std::collections::BTreeMap;

/// Why there is no trend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrendError {
    /// No figure was found.
    #[error("no figure{of} in {runs}; `dbdyno show RUN` says what a run has")]
    NoFigures {
        /// How many runs were looked at, in words.
        runs: String,
        /// Of which tests or metric, in words; may be empty.
        of: String,
    },
}

/// The series of some runs, and where their levels changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// The runs, in the order of the steps.
    pub runs: Vec<TrendRun>,
    /// The steps: a run each, or all runs of a label.
    pub steps: Vec<TrendStep>,
    /// The series, in the catalogue's order.
    pub series: Vec<TrendSeries>,
    /// The changes, the newest first; series that changed at the same place are together.
    pub changes: Vec<TrendChange>,
    /// How many changes chance alone is expected to show in so many series.
    pub by_chance: f64,
    /// Figures that were left out, by why.
    pub left_out: BTreeMap<String, usize>,
    /// Losses that nobody has noted, where a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_losses: Option<NewLosses>,
}

/// A run of a trend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendRun {
    /// Its id.
    pub id: RunId,
    /// Its label.
    pub label: Option<String>,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// What was noted of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<RunNote>,
    /// Everything that may influence its figures; the parameters of the database come last.
    #[serde(skip)]
    pub(super) facts: Vec<(String, String)>,
    /// Where it was measured.
    #[serde(skip)]
    pub(super) place: Place,
}

/// A step of a trend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrendStep {
    /// The run's id, or the label.
    pub name: String,
    /// Indexes of its runs, in time order.
    pub runs: Vec<usize>,
}

/// One figure of one cell on one platform, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendSeries {
    /// What it is of, as short as tells it apart.
    pub name: String,
    /// The code of the test, or the name of the workload or kind of I/O.
    pub subject: String,
    /// The metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// Its figures, one a run.
    pub figures: Vec<TrendFigure>,
    /// Its levels, in order; empty where it has too few steps.
    pub levels: Vec<SeriesLevel>,
    /// The changes between them.
    pub changes: Vec<SeriesChange>,
    /// Steps that left their level.
    pub outliers: Vec<SeriesOutlier>,
    /// Why nothing can be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<String>,
    /// The first step after its last figure with a run of the same place: its test fails, is another one now, or is no
    /// longer measured. Absent where there is no such step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_since: Option<usize>,
    /// What the newest points of it have in place of a figure; absent where there are none, or where it did not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_why: Option<String>,
    /// The first step of another place after the last one of its own, where no run is made any more: nothing can be
    /// said of now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place_ended_since: Option<usize>,
}

impl TrendSeries {
    /// Whether something can be said of now.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.not_judged.is_none() && self.place_ended_since.is_none()
    }
}

/// A figure of a run: the median of its repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrendFigure {
    /// Index of the step.
    pub step: usize,
    /// Index of the run.
    pub run: usize,
    /// The value in the series' unit.
    pub value: f64,
}

/// Steps of one level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesLevel {
    /// Its first step.
    pub from: usize,
    /// Its last step.
    pub to: usize,
    /// Steps that count.
    pub steps: usize,
    /// Their geometric mean.
    pub mean: f64,
    /// The standard deviation between its steps, in percent.
    pub spread_pct: f64,
}

/// A change of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesChange {
    /// The last step of the level before.
    pub before_step: usize,
    /// The first step of the new level.
    pub after_step: usize,
    /// After to before.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// How often noise alone would show a border as well as this somewhere within these two levels. That they were
    /// chosen out of a longer series is not counted.
    pub p_value: f64,
    /// Whether the new level is worse.
    pub is_worse: bool,
}

/// A step that left its level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesOutlier {
    /// The step.
    pub step: usize,
    /// Its figure to that of its level.
    pub ratio: f64,
    /// Whether the level was seen before and after it. At either end it was not.
    pub has_returned: bool,
}

/// A place where the level of some series changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendChange {
    /// Index of the last step before.
    pub before_step: usize,
    /// Index of the first step after.
    pub after_step: usize,
    /// The last run before.
    pub before_run: RunId,
    /// The first run after.
    pub after_run: RunId,
    /// When that began, UTC.
    pub at: jiff::Timestamp,
    /// Which series changed: index of the series, and of its change.
    pub series: Vec<(usize, usize)>,
    /// Facts of the platform that changed there, or nearby where none did.
    pub facts: Vec<ChangedFact>,
    /// Notes of the runs of the same place beside it: with any, the change is known.
    pub notes: Vec<NoteAtChange>,
}

/// A fact that is another after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFact {
    /// What it is.
    pub name: String,
    /// Its value before; absent where it was not known.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
    /// How many steps of the same place later than the figures it changed; below zero where it changed earlier.
    pub steps_later: i64,
}

/// A note of a run beside a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteAtChange {
    /// The run.
    pub run: RunId,
    /// The note.
    #[serde(flatten)]
    pub note: RunNote,
}

/// Losses that nobody has noted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewLosses {
    /// The limit.
    pub limit_pct: f64,
    /// Series that were judged.
    pub judged: usize,
    /// Series with too few steps, and those of places that ended.
    pub not_judged: usize,
    /// Series that lost as much as the limit or more.
    pub broken: Vec<NewLoss>,
    /// Series that ended because their points failed or measured nothing: the largest loss there is.
    pub ended: Vec<usize>,
}

/// A series that lost as much as the limit or more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NewLoss {
    /// Index of the series.
    pub series: usize,
    /// The best level since the last change that was noted.
    pub best: f64,
    /// The newest level.
    pub newest: f64,
    /// The newest to the best.
    pub ratio: f64,
    /// First step after that best level.
    pub since_step: usize,
}
