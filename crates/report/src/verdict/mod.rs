//! The verdict: whether a run meets a project's requirements, line by line, with the margin.
//!
//! In doubt the answer is "no". A requirement without a measurement is not met. A figure that does not show the
//! platform (commits that a crash could lose, memory in place of a device) is refused, with the reason. The verdict is
//! a pure function of the run and the requirements; text, JUnit and HTML show the same [`Verdict`].

mod figure;
mod junit;
pub(crate) mod page;
mod percentile;
mod stated;

pub use figure::REFUSED;
pub use junit::junit;
pub use page::page;

use dbdyno_catalogue::{RequiredFigure, Requirement, RequirementLimit, Requirements};
use dbdyno_model::{Flag, RunId, RunJson, Suspect, UsableFor};
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
pub struct JudgedFigure {
    /// The median of its points, in the line's unit.
    pub value: f64,
    /// Its 95 % interval, where repeats give one.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Number of points; 0 for a figure that a source states.
    pub points: usize,
    /// Where it was reached: `8 jobs`, `best: 8 jobs`; empty for a figure that a source states.
    pub place: String,
}

/// One judged requirement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictLine {
    /// The author's name for it.
    pub title: String,
    /// What was asked: `T711 tx_per_s`.
    pub asked: String,
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

/// A judged run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The project of the requirements.
    pub title: String,
    /// The run.
    pub run: RunId,
    /// The run's label.
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

impl Verdict {
    /// Judges a run.
    #[must_use]
    pub fn of(run: &RunJson, requirements: &Requirements) -> Self {
        Self::accepting(run, requirements, &[])
    }

    /// Judges a run, and also accepts points with these flags, whatever the requirements accept.
    #[must_use]
    pub fn accepting(run: &RunJson, requirements: &Requirements, accepted: &[Flag]) -> Self {
        let widened = |requirement: &Requirement| {
            let mut requirement = requirement.clone();
            requirement.accept.extend(accepted);
            requirement
        };
        let lines: Vec<VerdictLine> = requirements.list.iter().flat_map(|r| judged(run, &widened(r))).collect();
        Self {
            title: requirements.title.clone(),
            run: run.run.id.clone(),
            label: run.run.label.clone(),
            source: run.published.as_ref().map(|published| published.source.clone()),
            met: lines.iter().all(|line| line.outcome == RequirementOutcome::Met),
            accepted: Flag::ALL.into_iter().filter(|flag| accepted.contains(flag)).collect(),
            lines,
        }
    }

    /// Number of lines with an outcome.
    #[must_use]
    pub fn count(&self, outcome: RequirementOutcome) -> usize {
        self.lines.iter().filter(|line| line.outcome == outcome).count()
    }
}

/// The result of looking for a requirement's figure.
#[derive(Debug)]
enum FoundFigure {
    /// A figure, with remarks.
    Figure(JudgedFigure, Vec<String>),
    /// No figure, with the reason.
    Nothing(RequirementOutcome, String),
}

fn judged(run: &RunJson, requirement: &Requirement) -> Vec<VerdictLine> {
    match &requirement.of {
        RequiredFigure::Test(asked) => {
            let found = figure::find(run, asked, requirement);
            vec![line(requirement, requirement.title.clone(), figure::words(asked), &asked.unit, found)]
        }
        RequiredFigure::Result { name, variant, unit } => {
            let found = stated::find(run, name, variant.as_deref(), unit, requirement.limit);
            let line = |(variant, found): (Option<String>, FoundFigure)| {
                let title =
                    variant.map_or_else(|| requirement.title.clone(), |v| format!("{}, {v}", requirement.title));
                line(requirement, title, name.clone(), unit, found)
            };
            found.into_iter().map(line).collect()
        }
    }
}

fn line(requirement: &Requirement, title: String, asked: String, unit: &str, found: FoundFigure) -> VerdictLine {
    let limit = requirement.limit;
    let bare = VerdictLine {
        title,
        asked,
        limit,
        unit: unit.to_owned(),
        outcome: RequirementOutcome::NotMeasured,
        figure: None,
        margin_pct: None,
        reason: None,
        remarks: Vec::new(),
    };
    match found {
        FoundFigure::Nothing(outcome, reason) => VerdictLine { outcome, reason: Some(reason), ..bare },
        FoundFigure::Figure(figure, remarks) => VerdictLine {
            outcome: if limit.is_kept(figure.value) { RequirementOutcome::Met } else { RequirementOutcome::Missed },
            margin_pct: Some(margin_pct(limit, figure.value)),
            figure: Some(figure),
            remarks,
            ..bare
        },
    }
}

/// How doubt affects a published value: a remark beside the figure, or the reason for refusing it.
fn doubted(suspect: Option<&Suspect>, limit: RequirementLimit, value: f64) -> Result<Option<String>, String> {
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

fn margin_pct(limit: RequirementLimit, value: f64) -> f64 {
    match limit {
        RequirementLimit::Minimum(least) => (value / least - 1.0) * 100.0,
        RequirementLimit::Maximum(most) => (1.0 - value / most) * 100.0,
    }
}
