//! What a search asks for: a part of the plan.

use super::limit::Limit;
use crate::{Arrivals, MetricId, PlannedPoint, Queue};
use serde::{Deserialize, Serialize};

/// A search of a plan. Its points are those of the plan with its subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What is searched for.
    pub goal: SearchGoal,
    /// Its first point. Further points differ from it by what the search varies.
    pub template: PlannedPoint,
}

/// What a search is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SearchGoal {
    /// The fewest users who reach nearly all that the platform can do.
    Saturation {
        /// The most users that may be at work at once.
        most_users: u32,
        /// The metric that is throughput.
        metric: MetricId,
        /// Connections that the users share, where that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connections: Option<u32>,
    },
    /// The highest rate of an open loop that holds all limits.
    Limits {
        /// The limits.
        limits: Vec<Limit>,
        /// How transactions are spread over time.
        arrivals: Arrivals,
        /// Who serves them.
        queue: Queue,
        /// Transactions without which overload cannot be told from chance.
        least_transactions: u64,
    },
}
