//! A run: point after point, each recorded before the next begins.

use crate::{Bench, Event, Events, estimate_s, measure};
use dbdyno_engine::EngineError;
use dbdyno_model::{Plan, Point, RunId, RunStatus, Status};
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
        for (n, index) in places.iter().copied().enumerate() {
            if self.bench.stop.requested() {
                return Err(RunError::Interrupted);
            }
            let Some(planned) = self.plan.points.get(index) else { continue };
            let left: Vec<_> = places[n..].iter().filter_map(|i| self.plan.points.get(*i).cloned()).collect();
            let left_s = estimate_s(&left, self.bench.catalogue);
            self.events.on(&Event::PointBegins { index, of, planned, left_s });
            let (point, lost) = measure(&self.bench, planned);
            self.record(index, &point)?;
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

    fn record(&mut self, index: usize, point: &Point) -> Result<(), RunError> {
        Ok(self.repository.record_point(self.run, index, point, &[])?)
    }
}
