//! How a point is divided over hosts.

use dbdyno_model::PlannedPoint;
use dbdyno_stats::whole_parts;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What one host does of a point. Jobs are numbered over all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Jobs of other hosts whose numbers come before.
    pub jobs_before: u32,
    /// Jobs at work here.
    pub jobs: u32,
    /// Jobs of other hosts whose numbers come after.
    pub jobs_after: u32,
    /// Connections that the jobs here share; none where each job has its own.
    pub connections: Option<u32>,
}

impl Share {
    /// The share of a host that is alone.
    #[must_use]
    pub fn whole(planned: &PlannedPoint) -> Self {
        Self { jobs_before: 0, jobs: planned.dop.jobs, jobs_after: 0, connections: planned.load.connections }
    }

    /// Divides a point by the hosts' weights; more weight, more jobs. A host may get nothing, which is no share.
    #[must_use]
    pub fn divide(planned: &PlannedPoint, weights: &[f64]) -> Vec<Option<Self>> {
        let jobs = whole_parts(planned.dop.jobs, weights);
        // Users of a host share the connections of the host.
        let of_jobs: Vec<f64> = jobs.iter().map(|jobs| f64::from(*jobs)).collect();
        let connections = planned.load.connections.map(|n| whole_parts(n, &of_jobs));
        let mut jobs_before = 0;
        let share = |(host, jobs): (usize, u32)| {
            let jobs_after = planned.dop.jobs - jobs_before - jobs;
            let connections = connections.as_ref().map(|parts| parts[host].max(1));
            let share = Self { jobs_before, jobs, jobs_after, connections };
            jobs_before += jobs;
            (jobs > 0).then_some(share)
        };
        jobs.into_iter().enumerate().map(share).collect()
    }

    /// The numbers of its jobs.
    #[must_use]
    pub fn job_numbers(&self) -> Range<u32> {
        self.jobs_before..self.jobs_before + self.jobs
    }

    /// Jobs on all hosts.
    #[must_use]
    pub fn jobs_in_all(&self) -> u32 {
        self.jobs_before + self.jobs + self.jobs_after
    }
}
