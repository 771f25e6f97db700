//! Measuring tests on a database. Each point gets the run's proof that its commits are durable, and no point counts
//! that other dbdynos could have disturbed.

use crate::point::unmeasured;
use crate::{
    Events, Fleet, Measurement, Measurer, RepositoryReports, RunContext, RunError, durability, estimate_s, measure,
};
use dbdyno_engine::EngineError;
use dbdyno_model::{PlannedPoint, Point};

/// Measures tests on a database.
pub struct TestMeasurer<'a> {
    context: RunContext<'a>,
    proofs: durability::CommitProofs,
    reports: Option<RepositoryReports>,
}

impl<'a> TestMeasurer<'a> {
    /// A measurer without any proofs yet.
    #[must_use]
    pub fn new(context: RunContext<'a>) -> Self {
        Self { context, proofs: durability::CommitProofs::default(), reports: None }
    }

    /// Fetches reports after each point.
    #[must_use]
    pub fn with_reports(self, reports: Option<RepositoryReports>) -> Self {
        Self { reports, ..self }
    }

    /// Why the last measurement does not count: other dbdynos could have loaded or dropped data meanwhile.
    fn others_let_in(&self) -> Option<EngineError> {
        if self.context.stop.requested() {
            return None;
        }
        self.context.hold.still_held().err().filter(EngineError::target_lost)
    }
}

impl Measurer for TestMeasurer<'_> {
    fn estimate_s(&self, points: &[PlannedPoint]) -> f64 {
        estimate_s(points, self.context.catalogue)
    }

    fn measure(
        &mut self,
        _: usize,
        planned: &PlannedPoint,
        maximum_per_s: Option<f64>,
    ) -> (Measurement, Option<EngineError>) {
        let proof = match self.proofs.of(&self.context, planned) {
            Ok(proof) => proof,
            Err(error) => return (unmeasured(planned, &error), Some(error)),
        };
        let (mut measurement, lost) = measure(&self.context, planned, maximum_per_s);
        durability::tell(&mut measurement.point, proof);
        match self.others_let_in() {
            Some(error) if lost.is_none() => (unmeasured(planned, &error), Some(error)),
            _ => {
                if self.reports.is_some() {
                    RepositoryReports::are_due(&mut measurement.point);
                }
                (measurement, lost)
            }
        }
    }

    fn lost(&self, error: EngineError) -> RunError {
        match self.context.fleet.and_then(Fleet::lost) {
            Some(why) => RunError::HostLost(why),
            None => RunError::Lost(error),
        }
    }

    fn recorded(&mut self, _: &dyn Events) -> Result<(), RunError> {
        if let Some(fleet) = self.context.fleet {
            fleet.recorded();
        }
        Ok(())
    }

    fn supplement(&mut self, index: usize, point: &mut Point, events: &dyn Events) -> bool {
        let Some(reports) = self.reports.as_ref().filter(|_| point.awr.is_some()) else { return false };
        reports.fetch(&self.context, index, point, events);
        true
    }
}
