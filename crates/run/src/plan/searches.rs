//! Plans of searches: the first point of each is planned. The others follow from what is measured.

use super::loads;
use super::request::{PlanError, RunRequest, SearchRequest};
use crate::judge;
use dbdyno_model::{ClientLoad, Drive, MetricId, Plan, PlannedPoint, Search, SearchGoal};

/// The most users of a search that was given no bound: the highest degree of parallelism there is.
const MOST_USERS: u32 = 65_535;

/// The request for the first points of a search.
///
/// # Errors
/// Options that the search has no use for.
pub(crate) fn first_points(request: &RunRequest, search: &SearchRequest) -> Result<RunRequest, PlanError> {
    let refused = |option, use_instead| Err(PlanError::NotWithSearch { search: search.option(), option, use_instead });
    let is_saturation = matches!(search, SearchRequest::Saturation);
    for (option, given, use_instead) in [
        ("--ramp", request.ramp.is_some(), "the search chooses what it measures"),
        ("--rate", request.rates.is_some(), "the search chooses what it measures"),
        ("--repeat", request.repeat.is_some(), "the search repeats what decides"),
        ("--jobs", is_saturation && request.jobs.is_some(), "--max-jobs bounds the search"),
        ("--arrivals", is_saturation && request.arrivals.is_some(), "it is a closed loop"),
        ("--queue", is_saturation && request.queue.is_some(), "it is a closed loop"),
        ("--think", !is_saturation && request.think.is_some(), "transactions begin when they are due"),
    ] {
        if given {
            return refused(option, use_instead);
        }
    }
    let first = RunRequest { arrivals: None, queue: None, search: None, repeat: Some(1), ..request.clone() };
    match search {
        SearchRequest::Limits { users, .. } => Ok(RunRequest { jobs: Some(*users), ..first }),
        SearchRequest::Saturation => {
            // The bounds of its options hold for users who may come later.
            loads::of(&first)?;
            Ok(RunRequest { jobs: Some(1), connections: None, ..first })
        }
    }
}

/// The searches that go on from these points, in a closed loop; `metric_of` says what the throughput of a point is.
pub(crate) fn of_points(
    plan: Plan,
    request: &RunRequest,
    search: &SearchRequest,
    metric_of: impl Fn(&PlannedPoint) -> MetricId,
) -> Plan {
    let can_be_measured = |planned: &&PlannedPoint| !matches!(planned.mapping, dbdyno_model::Mapping::None { .. });
    let search_from = |planned: &PlannedPoint| {
        let goal = match search {
            SearchRequest::Saturation => SearchGoal::Saturation {
                most_users: request.max_jobs.map_or(MOST_USERS, |most| most / planned.dop.threads.max(1)).max(1),
                metric: metric_of(planned),
                connections: request.connections,
            },
            SearchRequest::Limits { limits, .. } => {
                let arrivals = request.arrivals.unwrap_or_default();
                let sessions = planned.load.sessions(planned.dop.jobs);
                SearchGoal::Limits {
                    limits: limits.clone(),
                    arrivals,
                    queue: request.queue.unwrap_or_default(),
                    least_transactions: judge::least_due(Some(arrivals), sessions),
                }
            }
        };
        Search { goal, template: planned.clone() }
    };
    let searches = plan.points.iter().filter(can_be_measured).map(search_from).collect();
    Plan { searches, ..plan }
}

/// Refuses a search that needs percentiles, where the server runs the loop.
pub(crate) fn refuse_without_percentiles(search: &SearchRequest, drive: Drive) -> Result<(), PlanError> {
    match (search, drive) {
        (SearchRequest::Limits { .. }, Drive::Server) => Err(PlanError::NoPercentiles),
        _ => Ok(()),
    }
}

/// Whether a planned point is the closed loop at the test's own transaction size, and so the first of a search.
pub(crate) fn is_first(planned: &PlannedPoint, rows_per_tx: u64) -> bool {
    !planned.again && planned.rows_per_tx == rows_per_tx && planned.load == ClientLoad { rate: None, ..planned.load }
}
