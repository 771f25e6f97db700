//! Judges a project by what its steps have left.

use super::result::{Acceptance, AcceptanceOutcome, AcceptedRequirement, AcceptedStep, AcceptedVariant, Left};
use super::result::{SCHEMA_VERSION, StepResult};
use super::{bounds, figures};
use dbdyno_catalogue::{Bound, Project, Role};

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
