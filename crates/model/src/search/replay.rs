//! Goes through the points of a plan again: what comes next, and what was found.

use super::asked::{Search, SearchGoal};
use super::outcome::SearchOutcome;
use super::state::{Measured, SearchState};
use super::{saturation, within_limits};
use crate::{Plan, PlannedPoint, Point};

impl Plan {
    /// The next point of the first search that has not ended. `measured` has the recorded points, each with its place
    /// in the plan.
    #[must_use]
    pub fn next_of_searches(&self, measured: &[(usize, Point)]) -> Option<PlannedPoint> {
        let measured: Vec<(usize, &Point)> = measured.iter().map(|(place, point)| (*place, point)).collect();
        self.searches.iter().find_map(|search| state(search, self, &measured).next)
    }

    /// What the searches found.
    #[must_use]
    pub fn search_outcomes(&self, measured: &[(usize, &Point)]) -> Vec<SearchOutcome> {
        self.searches.iter().map(|search| state(search, self, measured).outcome).collect()
    }
}

/// The state of a search. Its points are those of the plan with its subject.
fn state(search: &Search, plan: &Plan, measured: &[(usize, &Point)]) -> SearchState {
    let own = measured.iter().filter_map(|(place, point)| {
        let planned = plan.points.get(*place).filter(|planned| planned.subject == search.template.subject)?;
        Some((*place, planned, *point))
    });
    let own: Vec<Measured<'_>> = own.collect();
    match &search.goal {
        SearchGoal::Saturation { most_users, metric, connections } => {
            saturation::state(search, (*most_users, metric, *connections), &own)
        }
        SearchGoal::Limits { limits, arrivals, queue, least_transactions } => {
            within_limits::state(search, limits, (*arrivals, *queue), *least_transactions, &own)
        }
    }
}

#[cfg(test)]
mod tests;
