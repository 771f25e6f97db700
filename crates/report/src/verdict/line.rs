//! A verdict, and what one of its lines says.

use crate::numbers;
use dbdyno_catalogue::{MeasuredFigure, RequirementLimit};
use dbdyno_model::{Flag, PrintedBound, RunId, RunJson, Suspect, UsableFor};
use serde::Serialize;

/// The result of one requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RequirementOutcome {
    /// The limit is met.
    Met,
    /// The limit is missed.
    Missed,
    /// There is no figure.
    NotMeasured,
    /// There are figures, but none that may be judged.
    Refused,
}

impl RequirementOutcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Met, Self::Missed, Self::NotMeasured, Self::Refused];

    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The outcome in words.
    #[must_use]
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

/// Times of the transactions or I/Os behind a figure, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct FigureTimes {
    /// The mean.
    pub mean_s: Option<f64>,
    /// The 99th percentile.
    pub p99_s: Option<f64>,
    /// The longest.
    pub peak_s: Option<f64>,
}

/// The figure that a requirement was judged by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedFigure {
    /// The median of its points, in the line's unit.
    pub value: f64,
    /// Its 95 % interval, where repeats give one.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// On which side of it the true value lies, where a source says no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<PrintedBound>,
    /// The longest time behind it, in the line's unit; absent where the figure is no time, or none is known.
    pub peak: Option<f64>,
    /// Times of what was done at those points.
    #[serde(skip)]
    pub times: FigureTimes,
    /// Number of points; 0 for a figure that a source states.
    pub points: usize,
    /// Where it was reached: `8 jobs`, `best: 8 jobs`; empty for a figure that a source states.
    pub place: String,
}

/// One judged requirement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictLine {
    /// The author's name for it, with the part of a platform where there are several.
    pub title: String,
    /// The place of the requirement in its file, from 0.
    pub requirement: usize,
    /// The part of a published platform that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The run with the figure; absent where it is the verdict's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What was asked: `T711 tx_per_s`.
    pub asked: String,
    /// The same as data, where it is a figure of a test.
    #[serde(skip)]
    pub of: Option<MeasuredFigure>,
    /// The limit.
    #[serde(flatten)]
    pub limit: RequirementLimit,
    /// Unit of limit and figure.
    pub unit: String,
    /// The result.
    pub outcome: RequirementOutcome,
    /// The judged figure, if there is one.
    pub figure: Option<JudgedFigure>,
    /// The distance of the figure from the limit in percent of the limit; negative on the wrong side.
    pub margin_pct: Option<f64>,
    /// Why there is no figure.
    pub reason: Option<String>,
    /// Further remarks.
    pub remarks: Vec<String>,
}

/// What is judged together: the runs of a label, or one run.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The name that the user gave: a label, or an id.
    pub name: String,
    /// Its runs, the newest first, at least one. A requirement is judged on the newest that measured what it is about.
    pub runs: Vec<RunJson>,
}

/// A judged run, or the judged runs of a label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What was judged, by the name that the user gave: a label, an id, a platform.
    pub name: String,
    /// The project of the requirements.
    pub title: String,
    /// The run; of several, the newest.
    pub run: RunId,
    /// Its label.
    pub label: Option<String>,
    /// The source document, for a published result.
    pub source: Option<String>,
    /// Whether every requirement is met.
    pub met: bool,
    /// Flags that the caller accepted for all requirements, beyond those that the file accepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Flag>,
    /// The requirements, in their file's order.
    pub lines: Vec<VerdictLine>,
}

/// The result of looking for a requirement's figure.
#[derive(Debug)]
pub(super) enum FoundFigure {
    /// A figure, with remarks.
    Figure(JudgedFigure, Vec<String>),
    /// No figure, with the reason.
    Nothing(RequirementOutcome, String),
}

/// How doubt affects a published value: a remark beside the figure, or the reason for refusing it.
pub(super) fn doubted(
    suspect: Option<&Suspect>,
    limit: RequirementLimit,
    value: f64,
) -> Result<Option<String>, String> {
    let Some(suspect) = suspect else { return Ok(None) };
    let words = format!("doubtful ({}): {}", suspect.names(), suspect.why);
    match suspect.usable_for() {
        UsableFor::Nothing => Err(words),
        UsableFor::LowerLimit if !limit.is_kept(value) => {
            Err(format!("cannot tell, the platform may do better; {words}"))
        }
        UsableFor::LowerLimit | UsableFor::NotForComparison | UsableFor::Value => Ok(Some(words)),
    }
}

/// How far a value is from its limit, in percent of the limit; negative where the limit is missed.
pub(super) fn margin_pct(limit: RequirementLimit, value: f64) -> f64 {
    match limit {
        RequirementLimit::Minimum(least) => (value / least - 1.0) * 100.0,
        RequirementLimit::Maximum(most) => (1.0 - value / most) * 100.0,
    }
}

/// `the longest was 800 ms, 160 times the limit`.
pub(super) fn tail_words(longest: &str, times: f64) -> String {
    format!("the longest was {longest}, {} times the limit", numbers::short(times))
}
