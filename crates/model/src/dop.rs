//! The degree of parallelism.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Nodes x jobs x threads. A job is one session at work; threads are parallel-query workers inside one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dop {
    /// Cluster nodes that the jobs are spread over.
    pub nodes: u32,
    /// Sessions at work at the same time.
    pub jobs: u32,
    /// Parallel workers inside one statement; 1 is a serial statement.
    pub threads: u32,
}

impl Dop {
    /// One node, one job, one thread: the DOP at which speed is read.
    pub const ONE: Self = Self { nodes: 1, jobs: 1, threads: 1 };

    /// Parallelism in all: nodes x jobs x threads.
    #[must_use]
    pub fn parallelism(self) -> u128 {
        [self.nodes, self.jobs, self.threads].map(u128::from).iter().product()
    }

    /// This DOP with one dimension set to `n`.
    #[must_use]
    pub fn with(self, dimension: Dimension, n: u32) -> Self {
        match dimension {
            Dimension::Jobs => Self { jobs: n, ..self },
            Dimension::Threads => Self { threads: n, ..self },
        }
    }
}

impl Default for Dop {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for Dop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.nodes, self.jobs, self.threads)
    }
}

/// The dimension that a ramp moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Sessions.
    Jobs,
    /// Parallel-query workers.
    Threads,
}
