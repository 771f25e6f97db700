//! Requirements on figures of runs. They are judged as a verdict judges them.

use super::result::{AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, Left, StepResult, worst};
use crate::verdict::{RequirementOutcome, VerdictLine, on_runs, words};
use dbdyno_catalogue::{Project, ProjectRequirement, Requirement};
use dbdyno_model::RunJson;

/// The line of a requirement on a variant, by its runs: of one step, or of all.
pub(crate) fn line(
    requirement: &ProjectRequirement,
    (of, n): (&Requirement, usize),
    variant: usize,
    left: &[StepResult],
) -> VerdictLine {
    let is_of =
        |result: &&StepResult| result.variant == variant && requirement.step.is_none_or(|step| step == result.step);
    let runs = left.iter().filter(is_of).filter_map(|result| match &result.left {
        Left::Run(run) => Some(run.as_ref()),
        _ => None,
    });
    let mut runs: Vec<RunJson> = runs.cloned().collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.run.started_at));
    let mut line = on_runs(&runs, of, n);
    let newest = runs.first().map(|run| run.run.id.clone());
    line.run = line.run.take().or(newest);
    line
}

/// Judges a requirement on each variant.
pub(super) fn judge(
    project: &Project,
    requirement: &ProjectRequirement,
    (of, n): (&Requirement, usize),
    left: &[StepResult],
) -> AcceptedRequirement {
    let deciding = project.judged(requirement);
    let lines: Vec<(usize, VerdictLine)> =
        (0..project.variants.len()).map(|variant| (variant, line(requirement, (of, n), variant, left))).collect();
    let results: Vec<AcceptanceResult> = lines
        .iter()
        // Beside them stands what has such a figure, or why it is refused.
        .filter(|(variant, line)| deciding.contains(variant) || line.outcome != RequirementOutcome::NotMeasured)
        .map(|(variant, line)| result(&project.variants[*variant].name, deciding.contains(variant), line))
        .collect();
    let (asked, limit) =
        lines.first().map_or_else(Default::default, |(_, line)| (line.asked.clone(), words::limit(line)));
    AcceptedRequirement { title: requirement.title.clone(), asked, limit, outcome: worst(&results), results }
}

fn result(variant: &str, decides: bool, line: &VerdictLine) -> AcceptanceResult {
    let outcome = match line.outcome {
        RequirementOutcome::Met => AcceptanceOutcome::Met,
        RequirementOutcome::Missed => AcceptanceOutcome::Missed,
        RequirementOutcome::NotMeasured => AcceptanceOutcome::NotMeasured,
        RequirementOutcome::Refused => AcceptanceOutcome::Refused,
    };
    let figure = line.figure.as_ref();
    AcceptanceResult {
        variant: variant.to_owned(),
        decides,
        outcome,
        found: figure.map_or_else(
            || outcome.words(),
            |figure| format!("{}{}", words::figure(line, figure), words::peak(line, figure)),
        ),
        value: figure.map(|figure| figure.value),
        low: figure.and_then(|figure| figure.low),
        high: figure.and_then(|figure| figure.high),
        times: figure.map(|figure| figure.times).unwrap_or_default(),
        margin_pct: line.margin_pct,
        place: figure.map(|figure| figure.place.clone()).unwrap_or_default(),
        id: line.run.clone(),
        remarks: line.reason.iter().chain(&line.remarks).cloned().collect(),
    }
}
