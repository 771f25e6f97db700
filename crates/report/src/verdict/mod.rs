//! The verdict: whether a run meets a project's requirements, line by line, with the margin.
//!
//! In doubt the answer is "no". A requirement without a measurement is not met. A figure that does not show the
//! platform (commits that a crash could lose, memory in place of a device) is refused, with the reason. The verdict is
//! a pure function of the run and the requirements; text, JUnit and HTML show the same [`Verdict`].

mod figure;
mod junit;
mod line;
pub(crate) mod page;
pub(crate) mod percentile;
mod stated;

pub use figure::REFUSED;
pub use junit::junit;
pub use line::{JudgedFigure, RequirementOutcome, Verdict, VerdictLine};
pub use page::page;

use dbdyno_catalogue::{RequiredFigure, Requirement, Requirements};
use dbdyno_model::{Flag, RunJson};
use line::{FoundFigure, margin_pct};

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
