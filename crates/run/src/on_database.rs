//! The points of tests, on a database: each beside the run's proof that its commits are durable, and none that others
//! could have had a hand in.

use crate::point::unmeasured;
use crate::{Bench, Measurement, Measurer, durable, estimate_s, measure};
use dbdyno_engine::EngineError;
use dbdyno_model::PlannedPoint;

/// Measures tests on a database.
pub struct TestMeasurer<'a> {
    bench: Bench<'a>,
    proofs: durable::Proofs,
}

impl<'a> TestMeasurer<'a> {
    /// A measurer to whom nothing is proved yet.
    #[must_use]
    pub fn new(bench: Bench<'a>) -> Self {
        Self { bench, proofs: durable::Proofs::default() }
    }

    /// Why what was just measured is no figure: others could load or drop there meanwhile.
    fn others_let_in(&self) -> Option<EngineError> {
        if self.bench.stop.requested() {
            return None;
        }
        self.bench.hold.still_held().err().filter(EngineError::target_lost)
    }
}

impl Measurer for TestMeasurer<'_> {
    fn estimate_s(&self, points: &[PlannedPoint]) -> f64 {
        estimate_s(points, self.bench.catalogue)
    }

    fn measure(
        &mut self,
        _: usize,
        planned: &PlannedPoint,
        maximum_per_s: Option<f64>,
    ) -> (Measurement, Option<EngineError>) {
        let proof = match self.proofs.of(&self.bench, planned) {
            Ok(proof) => proof,
            Err(error) => return (unmeasured(planned, &error), Some(error)),
        };
        let (mut measurement, lost) = measure(&self.bench, planned, maximum_per_s);
        durable::tell(&mut measurement.point, proof);
        match self.others_let_in() {
            Some(error) if lost.is_none() => (unmeasured(planned, &error), Some(error)),
            _ => (measurement, lost),
        }
    }
}
