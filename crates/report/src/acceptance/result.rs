//! What an acceptance consists of: what steps have left, and how each requirement came out.

use crate::compare::PairedRow;
use crate::verdict::FigureTimes;
use dbdyno_catalogue::Project;
use dbdyno_model::{DurabilityJson, RunId, RunJson, RunStatus, Status};
use serde::Serialize;

/// Version of the JSON document.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// What a step has left of a variant. Of a pair the variant is B.
#[derive(Debug, Clone)]
pub struct StepResult {
    /// The step's place in the project.
    pub step: usize,
    /// The variant's place there.
    pub variant: usize,
    /// The name under which it is kept.
    pub label: String,
    /// What it left.
    pub left: Left,
}

/// What a step left.
#[derive(Debug, Clone)]
pub enum Left {
    /// Nothing yet.
    Nothing,
    /// A run.
    Run(Box<RunJson>),
    /// A crash test, with its id.
    Durability(Box<DurabilityJson>),
    /// A pair: the run of B, and what both runs show.
    Pair(RunId, Vec<PairedRow>),
}

impl StepResult {
    /// Whether it is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        match &self.left {
            Left::Nothing => false,
            Left::Run(run) => run.run.status == RunStatus::Done,
            // A loss is one, however many cuts were to follow.
            Left::Durability(test) => test.ended_early.is_none() || test.lossy_cuts > 0,
            Left::Pair(..) => true,
        }
    }

    /// The id of what it left.
    #[must_use]
    pub fn id(&self) -> Option<&RunId> {
        match &self.left {
            Left::Nothing => None,
            Left::Run(run) => Some(&run.run.id),
            Left::Durability(test) => Some(&test.id),
            Left::Pair(id, _) => Some(id),
        }
    }

    /// Ratios of a pair that are missing; of a run points that failed or are invalid, but for those at which a search
    /// went too far on purpose.
    pub(super) fn bad_points(&self) -> usize {
        let run = match &self.left {
            Left::Run(run) => run,
            Left::Pair(_, rows) => return rows.iter().filter(|row| row.ratio.value.is_none()).count(),
            Left::Durability(_) | Left::Nothing => return 0,
        };
        let is_bad = |status| matches!(status, Status::Failed | Status::Invalid);
        run.points.iter().filter(|p| is_bad(p.status) && !run.is_beyond_an_answer(p)).count()
    }
}

/// How one requirement, or all of them, came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceOutcome {
    /// It is met.
    Met,
    /// There is no figure, yet or at all.
    NotMeasured,
    /// There are figures, but none that may be judged.
    Refused,
    /// What was measured cannot tell.
    Undecided,
    /// It is missed.
    Missed,
}

impl AcceptanceOutcome {
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

/// A requirement on one variant, by what one step has left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptanceResult {
    /// The variant; of a pair the one whose figures are divided by the other's.
    pub variant: String,
    /// Whether it decides; other variants are shown beside.
    pub decides: bool,
    /// How it came out.
    pub outcome: AcceptanceOutcome,
    /// What was found, in words.
    pub found: String,
    /// The figure in the unit of the limit: a figure, lost commits, or a ratio.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Times behind a figure.
    #[serde(flatten)]
    pub times: FigureTimes,
    /// The distance from the limit in percent of it; below zero where it is missed.
    pub margin_pct: Option<f64>,
    /// Where it was reached.
    pub place: String,
    /// What it was taken from.
    pub id: Option<RunId>,
    /// Why there is no figure, and what else is to be said.
    pub remarks: Vec<String>,
}

/// A requirement and its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedRequirement {
    /// The author's name for it.
    pub title: String,
    /// What was asked.
    pub asked: String,
    /// The limit, in words.
    pub limit: String,
    /// How it came out on the variants that decide.
    pub outcome: AcceptanceOutcome,
    /// Its results, in the order of the variants.
    pub results: Vec<AcceptanceResult>,
}

impl AcceptedRequirement {
    /// Whether only one variant decides.
    pub(crate) fn is_decided_by_one(&self) -> bool {
        let mut deciding = self.results.iter().filter(|result| result.decides).map(|result| &result.variant);
        let first = deciding.next();
        first.is_some() && deciding.all(|other| Some(other) == first)
    }
}

/// A variant, for readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedVariant {
    /// Its short name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// `baseline`, `candidate` or `other`.
    pub role: &'static str,
    /// How its database is reached, without any password.
    pub target: Option<String>,
}

/// A step on a variant, for readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedStep {
    /// Its short name.
    pub step: String,
    /// Its title.
    pub title: String,
    /// The command.
    pub command: String,
    /// The variant; of a pair B.
    pub variant: String,
    #[serde(skip)]
    pub(crate) variant_title: String,
    /// `done`, `begun` or `missing`.
    pub state: &'static str,
    /// What it left.
    pub id: Option<RunId>,
    /// The name under which it is kept.
    pub label: String,
    /// Its points that failed or are invalid.
    pub bad_points: usize,
}

/// A judged project.
#[derive(Debug, Clone, Serialize)]
pub struct Acceptance {
    pub(super) schema_version: u32,
    /// Its short name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// When it was judged.
    pub judged_at: jiff::Timestamp,
    /// dbdyno's version.
    pub tool_version: String,
    /// How it came out: the worst of its requirements.
    pub outcome: AcceptanceOutcome,
    /// Whether a crash lost something of a variant that decides.
    pub lost_something: bool,
    /// The variants.
    pub variants: Vec<AcceptedVariant>,
    /// The requirements, in the file's order.
    pub requirements: Vec<AcceptedRequirement>,
    /// The steps, in the file's order.
    pub steps: Vec<AcceptedStep>,
    #[serde(skip)]
    pub(crate) left: Vec<StepResult>,
    #[serde(skip)]
    pub(crate) project: Project,
}

impl Acceptance {
    /// The title of a variant.
    pub(crate) fn title_of(&self, variant: usize) -> String {
        self.variants.get(variant).map_or_else(String::new, |variant| variant.title.clone())
    }

    /// Points of all runs that failed or are invalid.
    #[must_use]
    pub fn bad_points(&self) -> usize {
        self.steps.iter().map(|step| step.bad_points).sum()
    }

    /// Requirements with this outcome.
    #[must_use]
    pub fn count(&self, outcome: AcceptanceOutcome) -> usize {
        self.requirements.iter().filter(|requirement| requirement.outcome == outcome).count()
    }
}

/// The worst outcome of those that decide; without any, nothing was measured.
pub(super) fn worst(results: &[AcceptanceResult]) -> AcceptanceOutcome {
    let deciding = results.iter().filter(|result| result.decides).map(|result| result.outcome);
    deciding.max().unwrap_or(AcceptanceOutcome::NotMeasured)
}
