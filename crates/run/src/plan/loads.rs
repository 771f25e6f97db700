//! The loads of a plan: when transactions begin, and over how many connections.

use super::request::{PlanError, RunRequest};
use dbdyno_model::{ClientLoad, Drive, Mapping, PlannedPoint};

/// The loads that each step of a ramp is measured under. Shares relate to a maximum, which comes first.
pub(crate) fn of(request: &RunRequest) -> Result<Vec<ClientLoad>, PlanError> {
    let options = [
        ("--rate", request.rates.is_some()),
        ("--arrivals", request.arrivals.is_some()),
        ("--think", request.think.is_some()),
        ("--queue", request.queue.is_some()),
        ("--connections", request.connections.is_some()),
        ("--follow", request.follow.is_some()),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, given)| *given && request.drive == Drive::Server) {
        return Err(PlanError::ClientOnly { option });
    }
    let common = ClientLoad { pause: request.pause, logon: request.logon, ..ClientLoad::default() };
    let closed = ClientLoad { think: request.think, ..common };
    match (&request.rates, request.arrivals, request.think) {
        (Some(_), _, Some(_)) => Err(PlanError::ThinkAndRate),
        (None, Some(_), _) => Err(PlanError::ArrivalsAlone),
        (None, None, _) if request.queue.is_some() => Err(PlanError::QueueAlone),
        (None, None, _) => Ok(vec![closed]),
        (Some(rates), arrivals, None) => {
            let arrivals = Some(arrivals.unwrap_or_default());
            let queue = Some(request.queue.unwrap_or_default());
            let open = rates.list().iter().map(|rate| ClientLoad { rate: Some(*rate), arrivals, queue, ..common });
            Ok(rates.are_shares().then_some(closed).into_iter().chain(open).collect())
        }
    }
}

/// Makes the jobs of each point share connections, where there are more jobs than connections.
pub(crate) fn share(request: &RunRequest, points: &mut [PlannedPoint]) -> Result<(), PlanError> {
    let Some(connections) = request.connections else { return Ok(()) };
    if !request.logon.is_kept() {
        return Err(PlanError::SharedLogons);
    }
    let most = points.iter().filter(|p| !matches!(p.mapping, Mapping::None { .. })).map(|p| p.dop.jobs).max();
    if let Some(jobs) = most.filter(|jobs| connections > *jobs) {
        return Err(PlanError::MoreConnections { connections, jobs });
    }
    for point in points {
        point.load.connections = Some(connections).filter(|n| *n < point.dop.jobs);
    }
    Ok(())
}

/// Connections of a step's jobs.
pub(crate) fn sessions(request: &RunRequest, step: &PlannedPoint) -> u32 {
    request.connections.map_or(step.dop.jobs, |connections| connections.min(step.dop.jobs))
}
