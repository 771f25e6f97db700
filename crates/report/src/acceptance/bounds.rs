//! Requirements on what a crash loses, and on the ratio of a pair. Each is met only if what was measured shows it,
//! missed only if it shows the contrary, and undecided otherwise.

use super::result::{AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, Left, StepResult, worst};
use crate::compare::PairedRow;
use crate::numbers;
use crate::verdict::FigureTimes;
use dbdyno_catalogue::{PairedSubject, Project, ProjectRequirement, RatioLimit, StepCommand};
use dbdyno_model::{DurabilityJson, RunId};

/// The results that a requirement is about.
fn chosen<'l>(
    project: &'l Project,
    requirement: &'l ProjectRequirement,
    command: StepCommand,
    left: &'l [StepResult],
) -> impl Iterator<Item = &'l StepResult> {
    left.iter().filter(move |result| {
        project.steps[result.step].command == command && requirement.step.is_none_or(|step| step == result.step)
    })
}

fn bare(project: &Project, variant: usize, decides: bool, id: Option<&RunId>) -> AcceptanceResult {
    AcceptanceResult {
        variant: project.variants[variant].name.clone(),
        decides,
        outcome: AcceptanceOutcome::NotMeasured,
        found: AcceptanceOutcome::NotMeasured.words(),
        value: None,
        low: None,
        high: None,
        times: FigureTimes::default(),
        margin_pct: None,
        place: String::new(),
        id: id.cloned(),
        remarks: Vec::new(),
    }
}

/// What a step without a result says.
fn nothing(result: AcceptanceResult, step: &str) -> AcceptanceResult {
    AcceptanceResult { remarks: vec![format!("step {step} has not been done")], ..result }
}

/// The results with one for each variant that decides and has none.
fn completed(
    project: &Project,
    requirement: &ProjectRequirement,
    (asked, limit): (String, String),
    mut results: Vec<AcceptanceResult>,
) -> AcceptedRequirement {
    for variant in project.judged(requirement) {
        let name = &project.variants[variant].name;
        if results.iter().all(|result| result.variant != *name) {
            let remarks = vec!["no step measures it here".to_owned()];
            results.push(AcceptanceResult { remarks, ..bare(project, variant, true, None) });
        }
    }
    let place = |result: &AcceptanceResult| project.variants.iter().position(|of| of.name == result.variant);
    results.sort_by_key(place);
    AcceptedRequirement { title: requirement.title.clone(), asked, limit, outcome: worst(&results), results }
}

/// Judges what crashes lost.
pub(super) fn lost(
    project: &Project,
    requirement: &ProjectRequirement,
    at_most_lossy_pct: Option<f64>,
    left: &[StepResult],
) -> AcceptedRequirement {
    let deciding = project.judged(requirement);
    let results = chosen(project, requirement, StepCommand::Durability, left).map(|result| {
        let bare = bare(project, result.variant, deciding.contains(&result.variant), result.id());
        match &result.left {
            Left::Durability(test) => of_crashes(bare, test, at_most_lossy_pct),
            _ => nothing(bare, &project.steps[result.step].name),
        }
    });
    let results = results.collect();
    let limit = match at_most_lossy_pct {
        Some(pct) => format!("0 lost, in at most {} % of cuts", numbers::short(pct)),
        None => "0 lost".to_owned(),
    };
    completed(project, requirement, ("commits lost in a crash".to_owned(), limit), results)
}

fn of_crashes(bare: AcceptanceResult, test: &DurabilityJson, at_most_lossy_pct: Option<f64>) -> AcceptanceResult {
    let DurabilityJson { lossy_cuts, lost, acknowledged, at_most_lossy_pct: bound, ended_early, control, .. } = test;
    let cuts = test.report.cuts.len();
    let contradicts = control.as_ref().and_then(|control| Some((&control.name, control.contradicts()?)));
    let mut remarks = Vec::new();
    remarks.extend(ended_early.as_ref().map(|why| format!("it ended early: {why}")));
    remarks.extend(contradicts.map(|(name, what)| format!("the control {name} {what}")));
    if control.is_none() {
        remarks.push("no control was run, so nothing shows that a loss would have been seen".to_owned());
    }
    let too_few = at_most_lossy_pct.filter(|most| bound.is_none_or(|bound| bound > *most));
    if let Some((most, bound)) = too_few.zip(*bound) {
        remarks.push(format!(
            "{cuts} cuts without a loss bound their share by {bound:.1} %, and {} % were asked for: more cuts",
            numbers::short(most)
        ));
    }
    let outcome = match () {
        () if *lossy_cuts > 0 => AcceptanceOutcome::Missed,
        () if cuts == 0 => AcceptanceOutcome::NotMeasured,
        () if ended_early.is_some() || contradicts.is_some() || too_few.is_some() => AcceptanceOutcome::Undecided,
        () => AcceptanceOutcome::Met,
    };
    let found = match lossy_cuts {
        _ if cuts == 0 => "nothing was cut".to_owned(),
        0 => format!("0 lost in {cuts} cuts"),
        lossy => format!("{} lost, {lossy} of {cuts} cuts", numbers::count(*lost)),
    };
    let bound = bound.map(|bound| format!(", at most {bound:.1} % of cuts lose anything")).unwrap_or_default();
    let place = format!("by {}, {} commits{bound}", test.cut_by, numbers::count(*acknowledged));
    AcceptanceResult { outcome, found, value: (cuts > 0).then_some(*lost as f64), place, remarks, ..bare }
}

/// Judges the ratios of pairs.
pub(super) fn ratio(
    project: &Project,
    requirement: &ProjectRequirement,
    (subject, limit): (Option<&PairedSubject>, RatioLimit),
    left: &[StepResult],
) -> AcceptedRequirement {
    let (mut results, judged) = (Vec::new(), project.judged(requirement));
    for result in chosen(project, requirement, StepCommand::Pair, left) {
        let bare = bare(project, result.variant, judged.contains(&result.variant), result.id());
        let step = &project.steps[result.step];
        let Left::Pair(_, rows) = &result.left else {
            results.push(nothing(bare, &step.name));
            continue;
        };
        let is_meant = |test: &&PairedRow| subject.is_none_or(|subject| subject.name() == test.test);
        let tests: Vec<&PairedRow> = rows.iter().filter(is_meant).collect();
        if tests.is_empty() {
            let remarks = vec![format!("the pair of step {} has no such test", step.name)];
            results.push(AcceptanceResult { remarks, ..bare.clone() });
        }
        let of = step.variants.first().map_or("", |a| project.variants[*a].title.as_str());
        results.extend(tests.into_iter().map(|test| of_pair(bare.clone(), test, limit, of)));
    }
    let asked = subject.map_or_else(|| "ratio of a pair".to_owned(), |subject| format!("{}, ratio", subject.name()));
    let limit = match limit {
        RatioLimit::AtLeast(least) => format!(">= {}", numbers::printed(least)),
        RatioLimit::AtMost(most) => format!("<= {}", numbers::printed(most)),
    };
    completed(project, requirement, (asked, limit), results)
}

fn of_pair(bare: AcceptanceResult, test: &PairedRow, limit: RatioLimit, of: &str) -> AcceptanceResult {
    let (value, ends) = (test.ratio.value, test.ratio.low.zip(test.ratio.high));
    let place = format!("{} of {of} ({}), {} pairs", test.test, test.dop, test.pairs);
    let (Some(ratio), Some((low, high))) = (value, ends) else {
        let why = test.ratio.why.clone().unwrap_or_else(|| "the ratio has no interval".to_owned());
        return AcceptanceResult { value, place, remarks: vec![why], ..bare };
    };
    let (is_met, is_missed, bound) = match limit {
        RatioLimit::AtLeast(least) => (low >= least, high < least, least),
        RatioLimit::AtMost(most) => (high <= most, low > most, most),
    };
    let outcome = match (is_met, is_missed) {
        (true, _) => AcceptanceOutcome::Met,
        (_, true) => AcceptanceOutcome::Missed,
        _ => AcceptanceOutcome::Undecided,
    };
    let mut remarks = Vec::new();
    if outcome == AcceptanceOutcome::Undecided {
        remarks.push("the limit lies inside the 95 % interval: more pairs".to_owned());
    }
    let margin = match limit {
        RatioLimit::AtLeast(_) => ratio / bound - 1.0,
        RatioLimit::AtMost(_) => 1.0 - ratio / bound,
    };
    AcceptanceResult {
        outcome,
        found: ratio_words(ratio, low, high),
        value,
        low: Some(low),
        high: Some(high),
        margin_pct: Some(margin * 100.0),
        place,
        remarks,
        ..bare
    }
}

/// `0.830 (0.801 to 0.860)`.
pub(crate) fn ratio_words(ratio: f64, low: f64, high: f64) -> String {
    format!("{ratio:.3} ({low:.3} to {high:.3})")
}
