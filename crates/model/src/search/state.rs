//! What the kinds of searches share: their points, and what is known after these.

use super::asked::{Search, SearchGoal};
use super::outcome::{SearchKind, SearchOutcome, SearchPoint};
use crate::{Flag, PlannedPoint, Point};

/// A planned point with its place in the plan, and what was measured there.
pub(super) type Measured<'p> = (usize, &'p PlannedPoint, &'p Point);

/// What a search has to do next, with its outcome so far.
pub(super) struct SearchState {
    pub(super) next: Option<PlannedPoint>,
    pub(super) outcome: SearchOutcome,
}

impl SearchState {
    /// A search that goes on with a point, which is a repeat if there were such before.
    pub(super) fn goes_on(next: PlannedPoint, measured: &[Measured<'_>], outcome: SearchOutcome) -> Self {
        let same = measured.iter().filter(|(_, p, _)| (p.dop, p.load) == (next.dop, next.load)).count();
        let repeat = u32::try_from(same).unwrap_or(u32::MAX).saturating_add(1);
        let reason = Some("the search has not ended; `dbdyno resume` goes on with it".to_owned());
        Self { next: Some(PlannedPoint { repeat, ..next }), outcome: SearchOutcome { reason, ..outcome } }
    }

    /// A search that has ended.
    pub(super) fn ended(outcome: SearchOutcome) -> Self {
        Self { next: None, outcome }
    }
}

/// The outcome of a search without a finding.
pub(super) fn outcome(search: &Search, points: Vec<SearchPoint>) -> SearchOutcome {
    let (kind, metric, limits, most_users) = match &search.goal {
        SearchGoal::Saturation { most_users, metric, .. } => {
            (SearchKind::Saturation, metric.clone(), Vec::new(), Some(*most_users))
        }
        SearchGoal::Limits { limits, .. } => (SearchKind::Limits, "ops_per_s".into(), limits.clone(), None),
    };
    SearchOutcome {
        subject: search.template.subject.clone(),
        drive: search.template.drive,
        kind,
        metric,
        limits,
        users: (kind == SearchKind::Limits).then_some(search.template.dop.jobs),
        most_users,
        points,
        finding: None,
        reason: None,
    }
}

/// The flags of the points that a finding rests on, each once.
pub(super) fn flags_of<'p>(points: impl Iterator<Item = &'p Point>) -> Vec<Flag> {
    let mut flags: Vec<Flag> = points.flat_map(|point| point.flags.iter().copied()).collect();
    flags.sort_unstable();
    flags.dedup();
    flags
}
