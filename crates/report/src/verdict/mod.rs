//! The verdict: whether a run meets a project's requirements, line by line, with the margin.
//!
//! In doubt the answer is "no". A requirement without a measurement is not met. A figure that does not show the
//! platform (commits that a crash could lose, memory in place of a device) is refused, with the reason. The verdict is
//! a pure function of the run and the requirements; text, JUnit and HTML show the same [`Verdict`].

mod figure;
mod junit;
mod line;
pub(crate) mod percentile;
mod ramp;
mod stated;
pub(crate) mod words;

pub use figure::REFUSED;
pub use junit::junit;
pub use line::{FigureTimes, JudgedFigure, RequirementOutcome, Variant, Verdict, VerdictLine};

use crate::document::Document;
use crate::legend::NOT_SUPPORTED;
use dbdyno_catalogue::{RequiredFigure, Requirement, Requirements};
use dbdyno_model::{Flag, RunJson};
use line::{FoundFigure, margin_pct};

impl Verdict {
    /// The report on several, with the table of results that lays them side by side.
    #[must_use]
    pub fn document(verdicts: &[Self]) -> Document {
        crate::sections::verdict::report(verdicts)
    }

    /// Judges a run.
    #[must_use]
    pub fn of(run: &RunJson, requirements: &Requirements) -> Self {
        let variant = Variant { name: run.run.id.to_string(), runs: vec![run.clone()] };
        Self::of_variants(&[variant], requirements, &[]).remove(0)
    }

    /// Judges variants, one verdict for each, and also accepts points with these flags, whatever the requirements
    /// accept. A requirement for one variant is judged there alone.
    #[must_use]
    pub fn of_variants(variants: &[Variant], requirements: &Requirements, accepted: &[Flag]) -> Vec<Self> {
        let mut verdicts: Vec<Self> =
            variants.iter().map(|variant| of_variant(variant, variants, requirements, accepted)).collect();
        // A variant of which nothing was asked has no verdict, neither met nor missed.
        if verdicts.iter().any(|verdict| !verdict.lines.is_empty()) {
            verdicts.retain(|verdict| !verdict.lines.is_empty());
        }
        verdicts
    }

    /// Number of lines with an outcome.
    #[must_use]
    pub fn count(&self, outcome: RequirementOutcome) -> usize {
        self.lines.iter().filter(|line| line.outcome == outcome).count()
    }
}

/// Whether a requirement names a variant: as it was asked for, or if none was asked for so, by its label or id.
fn is_named(variant: &Variant, name: &str, all: &[Variant]) -> bool {
    let of_run = |run: &RunJson| run.run.label.as_deref() == Some(name) || run.run.id.as_str() == name;
    let by_run = || variant.runs.iter().any(of_run) && all.iter().all(|other| other.name != name);
    variant.name == name || by_run()
}

fn of_variant(variant: &Variant, all: &[Variant], requirements: &Requirements, accepted: &[Flag]) -> Verdict {
    let newest = &variant.runs[0];
    let mut lines = Vec::new();
    for (n, requirement) in requirements.list.iter().enumerate() {
        let mut requirement = requirement.clone();
        requirement.accept.extend(accepted);
        // The results of a published platform have parts of their own.
        let has_parts = newest.published.is_some() && matches!(requirement.of, RequiredFigure::Result { .. });
        let named = requirement.variant.as_deref().filter(|_| !has_parts);
        let elsewhere = named.filter(|name| !is_named(variant, name, all));
        match elsewhere {
            Some(name) if all.iter().any(|other| is_named(other, name, all)) => {}
            Some(name) => {
                let why = format!("nothing that was judged is called '{name}'");
                let found = FoundFigure::Nothing(RequirementOutcome::NotMeasured, why);
                lines.push(line(&requirement, n, None, found));
            }
            None => lines.extend(judged(variant, &requirement, n)),
        }
    }
    Verdict {
        name: variant.name.clone(),
        title: requirements.title.clone(),
        run: newest.run.id.clone(),
        label: newest.run.label.clone(),
        source: newest.published.as_ref().map(|published| published.source.clone()),
        met: lines.iter().all(|line| line.outcome == RequirementOutcome::Met),
        accepted: Flag::ALL.into_iter().filter(|flag| accepted.contains(flag)).collect(),
        lines,
    }
}

/// The line of a requirement on runs, the newest first; of none, where nothing was measured.
pub(crate) fn on_runs(runs: &[RunJson], requirement: &Requirement, n: usize) -> VerdictLine {
    let nothing = || {
        let why = "nothing that measures it was run".to_owned();
        line(requirement, n, None, FoundFigure::Nothing(RequirementOutcome::NotMeasured, why))
    };
    if runs.is_empty() {
        return nothing();
    }
    let variant = Variant { name: String::new(), runs: runs.to_vec() };
    judged(&variant, requirement, n).into_iter().next().unwrap_or_else(nothing)
}

/// The lines of a requirement: of the newest run that measured what it is about.
fn judged(variant: &Variant, requirement: &Requirement, n: usize) -> Vec<VerdictLine> {
    let of_run = |run: &RunJson| -> Vec<VerdictLine> {
        match &requirement.of {
            RequiredFigure::Measured(asked) => vec![line(requirement, n, None, figure::find(run, asked, requirement))],
            RequiredFigure::Result { name, unit } => {
                let found = stated::find(run, name, requirement.variant.as_deref(), unit, requirement.limit);
                found.into_iter().map(|(part, found)| line(requirement, n, part, found)).collect()
            }
        }
    };
    let lacks = |line: &VerdictLine| {
        let cannot = line.reason.as_ref().is_some_and(|why| why.starts_with(NOT_SUPPORTED));
        line.outcome == RequirementOutcome::NotMeasured || cannot
    };
    let is_measured = |lines: &[VerdictLine]| !lines.iter().all(lacks);
    let newest = of_run(&variant.runs[0]);
    if is_measured(&newest) {
        return newest;
    }
    for run in &variant.runs[1..] {
        let mut lines = of_run(run);
        if is_measured(&lines) {
            lines.iter_mut().for_each(|line| line.run = Some(run.run.id.clone()));
            return lines;
        }
    }
    newest
}

fn line(requirement: &Requirement, n: usize, variant: Option<String>, found: FoundFigure) -> VerdictLine {
    let limit = requirement.limit;
    let (asked, unit) = match &requirement.of {
        RequiredFigure::Measured(asked) => (figure::words(asked), &asked.unit),
        RequiredFigure::Result { name, unit } => (name.clone(), unit),
    };
    let title = variant.as_ref().map_or_else(|| requirement.title.clone(), |v| format!("{}, {v}", requirement.title));
    let bare = VerdictLine {
        title,
        requirement: n,
        variant,
        run: None,
        asked,
        of: match &requirement.of {
            RequiredFigure::Measured(asked) => Some(asked.clone()),
            RequiredFigure::Result { .. } => None,
        },
        limit,
        unit: unit.clone(),
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
