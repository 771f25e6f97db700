//! The loads of a plan: how transactions begin, and over how many connections.

use super::{PlanError, Wish};
use dbdyno_model::{Drive, Load, Mapping, PlannedPoint};

/// The loads that each step of a ramp is measured under. Shares are of a maximum, which comes first.
pub(crate) fn of(wish: &Wish) -> Result<Vec<Load>, PlanError> {
    let options = [
        ("--rate", wish.rates.is_some()),
        ("--arrivals", wish.arrivals.is_some()),
        ("--think", wish.think.is_some()),
        ("--queue", wish.queue.is_some()),
        ("--connections", wish.connections.is_some()),
        ("--follow", wish.follow.is_some()),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, given)| *given && wish.drive == Drive::Server) {
        return Err(PlanError::ClientOnly { option });
    }
    let closed = Load { think: wish.think, ..Load::default() };
    match (&wish.rates, wish.arrivals, wish.think) {
        (Some(_), _, Some(_)) => Err(PlanError::ThinkAndRate),
        (None, Some(_), _) => Err(PlanError::ArrivalsAlone),
        (None, None, _) if wish.queue.is_some() => Err(PlanError::QueueAlone),
        (None, None, _) => Ok(vec![closed]),
        (Some(rates), arrivals, None) => {
            let arrivals = Some(arrivals.unwrap_or_default());
            let queue = Some(wish.queue.unwrap_or_default());
            let open = rates.list().iter().map(|rate| Load { rate: Some(*rate), arrivals, queue, ..Load::default() });
            Ok(rates.are_shares().then_some(closed).into_iter().chain(open).collect())
        }
    }
}

/// Has the jobs of each point share the connections, where there are more jobs.
pub(crate) fn share(wish: &Wish, points: &mut [PlannedPoint]) -> Result<(), PlanError> {
    let Some(connections) = wish.connections else { return Ok(()) };
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
pub(crate) fn sessions(wish: &Wish, step: &PlannedPoint) -> u32 {
    wish.connections.map_or(step.dop.jobs, |connections| connections.min(step.dop.jobs))
}
