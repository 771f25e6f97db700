//! A run: point after point, each recorded before the next begins.

use crate::again::{self, NoWinner};
use crate::point::{not_begun, unmeasured};
use crate::{Bench, Event, Events, Measurement, durable, estimate_s, measure};
use dbdyno_engine::EngineError;
use dbdyno_model::{Plan, PlannedPoint, Point, Rate, RunId, RunStatus, Status};
use dbdyno_results::{Repository, ResultsError};

/// Why a run ended before its plan did. What was measured is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The target is gone.
    #[error("the target was lost: {0}")]
    Lost(EngineError),
    /// The user stopped it.
    #[error("stopped")]
    Interrupted,
    /// The results cannot be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Measures the points of a plan.
pub struct Runner<'a> {
    /// What all points share.
    pub bench: Bench<'a>,
    /// Where they are recorded.
    pub repository: &'a mut Repository,
    /// The run.
    pub run: &'a RunId,
    /// The plan.
    pub plan: &'a Plan,
    /// Who watches.
    pub events: &'a dyn Events,
}

impl Runner<'_> {
    /// Measures the points with these places in the plan, in order.
    ///
    /// # Errors
    /// The target was lost, the user stopped the run, or a point could not be recorded.
    pub fn measure_all(&mut self, places: &[usize]) -> Result<(), RunError> {
        self.repository.set_status(self.run, RunStatus::Running)?;
        let result = self.measure_each(places);
        let status = match &result {
            Ok(()) => RunStatus::Done,
            Err(RunError::Lost(_)) => RunStatus::Lost,
            Err(_) => RunStatus::Interrupted,
        };
        let recorded = self.repository.set_status(self.run, status);
        // The first error is the one to tell.
        result.and(recorded.map_err(RunError::from))
    }

    fn measure_each(&mut self, places: &[usize]) -> Result<(), RunError> {
        let of = self.plan.points.len();
        let mut proofs = durable::Proofs::default();
        for (n, index) in places.iter().copied().enumerate() {
            if self.bench.stop.requested() {
                return Err(RunError::Interrupted);
            }
            let Some(planned) = self.plan.points.get(index) else { continue };
            let left: Vec<_> = places[n..].iter().filter_map(|i| self.plan.points.get(*i).cloned()).collect();
            let left_s = estimate_s(&left, self.bench.catalogue);
            let resolved = self.resolve(planned)?;
            let shown = resolved.as_ref().unwrap_or(planned);
            self.events.on(&Event::PointBegins { index, of, planned: shown, left_s });
            let (measurement, lost) = match &resolved {
                Ok(planned) => {
                    let maximum_per_s = self.maximum_per_s(planned)?;
                    match proofs.of(&self.bench, planned) {
                        Ok(proof) => {
                            let (mut measurement, lost) = measure(&self.bench, planned, maximum_per_s);
                            durable::tell(&mut measurement.point, proof);
                            match self.others_let_in() {
                                Some(error) if lost.is_none() => (unmeasured(planned, &error), Some(error)),
                                _ => (measurement, lost),
                            }
                        }
                        Err(error) => (unmeasured(planned, &error), Some(error)),
                    }
                }
                Err(NoWinner { status, reason }) => (not_begun(planned, *status, reason.clone()), None),
            };
            self.record(index, &measurement)?;
            let point = measurement.point;
            self.events.on(&Event::PointRecorded { index, of, point: &point });
            if let Some(error) = lost {
                return Err(RunError::Lost(error));
            }
            if self.bench.stop.requested() && point.status == Status::Failed {
                return Err(RunError::Interrupted);
            }
        }
        Ok(())
    }

    /// Why what was just measured is no figure: others could load or drop there meanwhile.
    fn others_let_in(&self) -> Option<EngineError> {
        if self.bench.stop.requested() {
            return None;
        }
        self.bench.engine.still_held().err().filter(EngineError::target_lost)
    }

    /// The point as it is to be measured: the best of a ramp is known only now.
    fn resolve(&self, planned: &PlannedPoint) -> Result<Result<PlannedPoint, NoWinner>, RunError> {
        let points = if planned.again { self.repository.load(self.run)?.points } else { Vec::new() };
        Ok(again::resolve(planned, &points, self.bench.catalogue))
    }

    /// What the closed loop reached that a planned share is one of: that of the same repeat, in this run, whenever it was
    /// measured.
    fn maximum_per_s(&self, planned: &PlannedPoint) -> Result<Option<f64>, RunError> {
        if !planned.load.rate.is_some_and(Rate::is_share) {
            return Ok(None);
        }
        let same = |point: &Point| {
            let theirs = (point.subject.asked(), point.drive, point.dop, point.rows_per_tx, point.repeat);
            theirs == (planned.subject.clone(), planned.drive, planned.dop, planned.rows_per_tx, planned.repeat)
        };
        let points = self.repository.load(self.run)?.points;
        let maximum = points.iter().find(|p| same(p) && !p.again && p.load.rate.is_none() && p.status == Status::Ok);
        Ok(maximum.and_then(|point| point.ops_per_s))
    }

    fn record(&mut self, index: usize, measurement: &Measurement) -> Result<(), RunError> {
        let histograms: Vec<_> = measurement.histograms.iter().map(|(kind, histogram)| (*kind, histogram)).collect();
        Ok(self.repository.record_point(self.run, index, &measurement.point, &histograms)?)
    }
}
