//! An acceptance: whether what was measured of the variants of a platform meets what a project requires. It is a pure
//! function of the project and of what its steps have left; text, page, JUnit and JSON show the same [`Acceptance`].

mod bounds;
mod figures;
mod junit;

pub(crate) use bounds::ratio_words;
pub(crate) use figures::line as figure_line;

use crate::compare::PairedRow;
use crate::document::Document;
use crate::verdict::FigureTimes;
use dbdyno_catalogue::{Bound, Catalogue, Project, Role};
use dbdyno_model::{DurabilityJson, RunId, RunJson, RunStatus, Status};
use serde::Serialize;

/// Version of the JSON document.
const SCHEMA_VERSION: u32 = 1;

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
            Left::Durability(test) => test.ended_early.is_none(),
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

    /// Points that failed or are invalid, but for those at which a search went too far on purpose.
    fn bad_points(&self) -> usize {
        let Left::Run(run) = &self.left else { return 0 };
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
    schema_version: u32,
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
    /// Judges a project by what its steps have left, each of which is there once for each of its variants.
    #[must_use]
    pub fn of(project: &Project, left: Vec<StepResult>, judged_at: jiff::Timestamp, tool_version: &str) -> Self {
        let requirements: Vec<AcceptedRequirement> = project
            .requirements
            .iter()
            .enumerate()
            .map(|(n, requirement)| match &requirement.of {
                Bound::Figure(of) => figures::judge(project, requirement, (of, n), &left),
                Bound::Lost { at_most_lossy_pct } => bounds::lost(project, requirement, *at_most_lossy_pct, &left),
                Bound::Ratio { test, limit } => bounds::ratio(project, requirement, (test.as_ref(), *limit), &left),
            })
            .collect();
        let worst = requirements.iter().map(|requirement| requirement.outcome).max();
        let has_candidates = project.variants.iter().any(|variant| variant.role == Role::Candidate);
        let decides = |variant: usize| !has_candidates || project.variants[variant].role == Role::Candidate;
        let lost = |result: &StepResult| matches!(&result.left, Left::Durability(test) if test.lossy_cuts > 0);
        let variant = |of: &dbdyno_catalogue::ProjectVariant| AcceptedVariant {
            name: of.name.clone(),
            title: of.title.clone(),
            role: of.role.name(),
            target: of.target.clone(),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            name: project.name.clone(),
            title: project.title.clone(),
            judged_at,
            tool_version: tool_version.to_owned(),
            outcome: worst.unwrap_or(AcceptanceOutcome::NotMeasured),
            lost_something: left.iter().any(|result| decides(result.variant) && lost(result)),
            variants: project.variants.iter().map(variant).collect(),
            requirements,
            steps: left.iter().map(|result| step(project, result)).collect(),
            left,
            project: project.clone(),
        }
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

    /// How it came out, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        crate::sections::acceptance::summary(self)
    }

    /// The report.
    #[must_use]
    pub fn document(&self, catalogue: &Catalogue) -> Document {
        crate::sections::acceptance::document(self, catalogue)
    }

    /// The results as a JUnit file.
    ///
    /// # Errors
    /// Never in practice, because it writes to memory.
    pub fn junit(&self) -> std::io::Result<String> {
        junit::junit(self)
    }
}

fn step(project: &Project, result: &StepResult) -> AcceptedStep {
    let of = &project.steps[result.step];
    let state = match (&result.left, result.is_complete()) {
        (Left::Nothing, _) => "missing",
        (_, true) => "done",
        (_, false) => "begun",
    };
    AcceptedStep {
        step: of.name.clone(),
        title: of.title.clone(),
        command: format!("{} {}", of.command.name(), of.words.join(" ")).trim_end().to_owned(),
        variant: project.variants[result.variant].name.clone(),
        variant_title: project.variants[result.variant].title.clone(),
        state,
        id: result.id().cloned(),
        label: result.label.clone(),
        bad_points: result.bad_points(),
    }
}

/// The worst outcome of those that decide; without any, nothing was measured.
fn worst(results: &[AcceptanceResult]) -> AcceptanceOutcome {
    let deciding = results.iter().filter(|result| result.decides).map(|result| result.outcome);
    deciding.max().unwrap_or(AcceptanceOutcome::NotMeasured)
}
