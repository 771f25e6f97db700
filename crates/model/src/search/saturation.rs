//! The search for saturation: which number of users comes next, and what was found, in words.

use super::asked::Search;
use super::outcome::{SearchFinding, SearchPoint, SearchUnit, SearchVerdict};
use super::state::{self, Measured, SearchState, flags_of};
use crate::{ClientLoad, Dop, MetricId, PlannedPoint, Point, Status};
use dbdyno_stats::search::{KneeFinding, KneeStep, NoKnee, UserTrial, next_users};

/// The state after these points: with the most users, the metric and the connections that were asked for.
pub(super) fn state(
    search: &Search,
    (most_users, metric, connections): (u32, &MetricId, Option<u32>),
    measured: &[Measured<'_>],
) -> SearchState {
    let per_s = |point: &Point| {
        point.value(metric).filter(|value| point.status == Status::Ok && value.is_finite() && *value > 0.0)
    };
    let trials: Vec<UserTrial> =
        measured.iter().map(|(_, planned, point)| UserTrial { users: planned.dop.jobs, per_s: per_s(point) }).collect();
    let points = measured.iter().map(|(place, planned, point)| SearchPoint {
        place: *place,
        users: planned.dop.jobs,
        asked_per_s: None,
        per_s: per_s(point),
        window_s: point.window_s,
        verdict: if per_s(point).is_some() { SearchVerdict::Measured } else { SearchVerdict::NoFigure },
        why: point.reason.clone(),
    });
    let mut outcome = state::outcome(search, points.collect());
    let why = |users: u32| {
        let of = measured.iter().rev().find(|(_, planned, point)| planned.dop.jobs == users && per_s(point).is_none());
        of.and_then(|(.., point)| point.reason.clone()).unwrap_or_else(|| format!("it has no {metric}"))
    };
    let failed = |at: Option<u32>| {
        at.map(|users| format!("; more could not be tried, as {users} users gave no figure: {}", why(users)))
            .unwrap_or_default()
    };
    let next = match next_users(&trials, most_users) {
        KneeStep::Measure(users) => Some(users),
        KneeStep::Ended(Ok(found)) => {
            let KneeFinding { users, low, high, per_s, max_per_s, confirmed, failed_at } = found;
            let ends = measured.iter().filter(|(_, planned, _)| [low - 1, users].contains(&planned.dop.jobs));
            outcome.finding = Some(SearchFinding {
                value: f64::from(users),
                unit: SearchUnit::Users,
                low: f64::from(low),
                high: Some(f64::from(high)),
                confirmed,
                per_s: Some(per_s),
                max_per_s: Some(max_per_s),
                flags: flags_of(ends.map(|(.., point)| *point)),
            });
            let unconfirmed = "No points were left to measure both ends of the interval again";
            outcome.reason = match failed_at {
                Some(users) => Some(format!("{users} users gave no figure: {}", why(users))),
                None => (!confirmed).then(|| unconfirmed.to_owned()),
            };
            None
        }
        KneeStep::Ended(Err(none)) => {
            outcome.reason = Some(match none {
                NoKnee::StillRising { users, failed_at: None, .. } if users < most_users => format!(
                    "still rising at {users} users when no points were left: saturation was not seen; measure again, longer or on a quieter \
                     machine"
                ),
                NoKnee::StillRising { users, failed_at: None, .. } => format!(
                    "still rising at {users} users, the most that were allowed: saturation was not seen; allow more (--max-jobs)"
                ),
                NoKnee::StillRising { users, failed_at, .. } => {
                    format!("still rising at {users} users: saturation was not seen{}", failed(failed_at))
                }
                NoKnee::NothingToCompare { users, failed_at: None } => {
                    format!("no more than {users} at once were allowed, so there is nothing to compare (--max-jobs)")
                }
                NoKnee::NothingToCompare { users, failed_at } => {
                    format!("{users} alone gave a figure, so there is nothing to compare{}", failed(failed_at))
                }
                NoKnee::NoFigure { users } => format!("the first point gave no figure: {}", why(users)),
            });
            None
        }
    };
    let Some(jobs) = next else { return SearchState::ended(outcome) };
    let template = &search.template;
    let load = ClientLoad { connections: connections.filter(|n| *n < jobs), ..template.load };
    let dop = Dop { jobs, ..template.dop };
    SearchState::goes_on(PlannedPoint { dop, load, ..template.clone() }, measured, outcome)
}
