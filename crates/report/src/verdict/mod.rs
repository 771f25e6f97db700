//! The verdict: whether a run meets what a project needs, line by line, with the margin.
//!
//! It errs on the side of "no". What was not measured is not met, and a figure that is none of the platform's own doing
//! (commits that a crash could lose, a device that memory stood in for) is refused, with the reason. A pure function of
//! the run and the requirements; text, JUnit and HTML show the same [`Verdict`].

mod figure;
mod junit;
pub(crate) mod page;
mod percentile;
mod stated;

pub use figure::REFUSED;
pub use junit::junit;
pub use page::page;

use dbdyno_catalogue::{Asked, Limit, Requirement, Requirements};
use dbdyno_model::{Flag, RunId, RunJson, Suspect, Use};
use serde::Serialize;

/// How one requirement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The limit is kept.
    Met,
    /// It is not.
    Missed,
    /// There is no figure.
    NotMeasured,
    /// There are figures, and none that may be judged.
    Refused,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Met, Self::Missed, Self::NotMeasured, Self::Refused];

    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::NotMeasured => "not measured",
            Self::Refused => "refused",
        }
    }
}

/// The figure that a requirement was judged by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The median of its points, in the line's unit.
    pub value: f64,
    /// Its 95 % interval, where repeats give one.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Points that it is made of; 0 for a figure that a source states.
    pub points: usize,
    /// Where: `8 jobs`, `best: 8 jobs`; empty for a figure that a source states.
    pub place: String,
}

/// One requirement, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What its author calls it.
    pub title: String,
    /// What was asked: `T711 tx_per_s`.
    pub asked: String,
    /// What it must keep.
    #[serde(flatten)]
    pub limit: Limit,
    /// Unit of limit and figure.
    pub unit: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What it was judged by, where there is a figure.
    pub figure: Option<Figure>,
    /// How far the figure lies from the limit on the good side, in percent of the limit; below zero on the bad side.
    pub margin_pct: Option<f64>,
    /// Why there is no figure.
    pub reason: Option<String>,
    /// What a reader must know beside it.
    pub remarks: Vec<String>,
}

/// A run, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What the requirements are of.
    pub title: String,
    /// The run.
    pub run: RunId,
    /// What its user calls it.
    pub label: Option<String>,
    /// The document that its figures come from, where it is a published result.
    pub source: Option<String>,
    /// Whether every requirement is met.
    pub met: bool,
    /// Flags that whoever asked accepted for all requirements, beyond what the file accepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Flag>,
    /// The requirements, in their file's order.
    pub lines: Vec<Line>,
}

impl Verdict {
    /// Judges a run.
    #[must_use]
    pub fn of(run: &RunJson, requirements: &Requirements) -> Self {
        Self::accepting(run, requirements, &[])
    }

    /// Judges a run, and takes points with these flags, too, whatever the requirements accept themselves.
    #[must_use]
    pub fn accepting(run: &RunJson, requirements: &Requirements, accepted: &[Flag]) -> Self {
        let widened = |requirement: &Requirement| {
            let mut requirement = requirement.clone();
            requirement.accept.extend(accepted);
            requirement
        };
        let lines: Vec<Line> = requirements.list.iter().flat_map(|r| judged(run, &widened(r))).collect();
        Self {
            title: requirements.title.clone(),
            run: run.run.id.clone(),
            label: run.run.label.clone(),
            source: run.published.as_ref().map(|published| published.source.clone()),
            met: lines.iter().all(|line| line.outcome == Outcome::Met),
            accepted: Flag::ALL.into_iter().filter(|flag| accepted.contains(flag)).collect(),
            lines,
        }
    }

    /// Lines of an outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.lines.iter().filter(|line| line.outcome == outcome).count()
    }
}

/// What was found for a requirement.
#[derive(Debug)]
enum Found {
    /// A figure, and what must be said beside it.
    Figure(Figure, Vec<String>),
    /// None, with the reason.
    Nothing(Outcome, String),
}

fn judged(run: &RunJson, requirement: &Requirement) -> Vec<Line> {
    match &requirement.of {
        Asked::Test(asked) => {
            let found = figure::find(run, asked, requirement);
            vec![line(requirement, requirement.title.clone(), figure::words(asked), &asked.unit, found)]
        }
        Asked::Result { name, variant, unit } => {
            let found = stated::find(run, name, variant.as_deref(), unit, requirement.limit);
            let line = |(variant, found): (Option<String>, Found)| {
                let title =
                    variant.map_or_else(|| requirement.title.clone(), |v| format!("{}, {v}", requirement.title));
                line(requirement, title, name.clone(), unit, found)
            };
            found.into_iter().map(line).collect()
        }
    }
}

fn line(requirement: &Requirement, title: String, asked: String, unit: &str, found: Found) -> Line {
    let limit = requirement.limit;
    let bare = Line {
        title,
        asked,
        limit,
        unit: unit.to_owned(),
        outcome: Outcome::NotMeasured,
        figure: None,
        margin_pct: None,
        reason: None,
        remarks: Vec::new(),
    };
    match found {
        Found::Nothing(outcome, reason) => Line { outcome, reason: Some(reason), ..bare },
        Found::Figure(figure, remarks) => Line {
            outcome: if limit.is_kept(figure.value) { Outcome::Met } else { Outcome::Missed },
            margin_pct: Some(margin_pct(limit, figure.value)),
            figure: Some(figure),
            remarks,
            ..bare
        },
    }
}

/// What doubt about a published value leaves of it: a remark beside the figure, or the reason why it is refused.
fn doubted(suspect: Option<&Suspect>, limit: Limit, value: f64) -> Result<Option<String>, String> {
    let Some(suspect) = suspect else { return Ok(None) };
    let words = format!("doubtful ({}): {}", suspect.names(), suspect.why);
    match suspect.usable_for() {
        Use::Nothing => Err(words),
        Use::LowerLimit if !limit.is_kept(value) => Err(format!("cannot tell, the platform may do better; {words}")),
        Use::LowerLimit | Use::NotForComparison | Use::Value => Ok(Some(words)),
    }
}

fn margin_pct(limit: Limit, value: f64) -> f64 {
    match limit {
        Limit::Minimum(least) => (value / least - 1.0) * 100.0,
        Limit::Maximum(most) => (1.0 - value / most) * 100.0,
    }
}
