//! A run: point after point, whatever their subject, each recorded before the next begins.

use crate::point::not_begun;
use crate::remeasure::{self, NoWinner};
use crate::{Event, Events, Measurement, RunReadings, StopSwitch};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::EngineError;
use dbdyno_model::{Plan, PlannedPoint, Point, Rate, RunId, RunStatus, Status};
use dbdyno_results::{Repository, ResultsError};
use dbdyno_storage::orion::files::OrionFilesError;

/// Why a run ended before its plan did. What was measured is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The target is gone.
    #[error("the target was lost: {0}")]
    Lost(EngineError),
    /// A host that does the work is gone.
    #[error("{0}")]
    HostLost(String),
    /// The user stopped it.
    #[error("stopped")]
    Interrupted,
    /// A condition of the user's was met.
    #[error("ended: {0}")]
    Condition(String),
    /// The results cannot be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// ORION's files cannot be written; the results were written.
    #[error(transparent)]
    Files(#[from] OrionFilesError),
}

impl RunError {
    /// How a run has ended that ended with this.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match self {
            Self::Lost(_) | Self::HostLost(_) => RunStatus::Lost,
            _ => RunStatus::Interrupted,
        }
    }
}

/// Measures the points of a run: [`TestMeasurer`](crate::TestMeasurer) measures on a database,
/// [`StorageMeasurer`](crate::StorageMeasurer) measures storage.
pub trait Measurer {
    /// Prepares whatever the first point needs.
    ///
    /// # Errors
    /// It cannot be prepared.
    fn begin(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    /// Rough seconds that points will take.
    fn estimate_s(&self, points: &[PlannedPoint]) -> f64;

    /// Measures the point with this index in the plan. Any failure is in the point, with its reason. The second value
    /// is the error if the target is lost; then nothing more should be asked of it.
    ///
    /// A planned share of a maximum needs that maximum, in operations/s.
    fn measure(
        &mut self,
        index: usize,
        planned: &PlannedPoint,
        maximum_per_s: Option<f64>,
    ) -> (Measurement, Option<EngineError>);

    /// Adds to a point that is recorded what its figures do not depend on, which may take a while. Returns whether
    /// there is anything new to record. It is not called once the target is lost.
    fn supplement(&mut self, index: usize, point: &mut Point, events: &dyn Events) -> bool {
        let _ = (index, point, events);
        false
    }

    /// How a run ends whose point ended with this error.
    fn lost(&self, error: EngineError) -> RunError {
        RunError::Lost(error)
    }

    /// Called after the measured point is recorded.
    ///
    /// # Errors
    /// The measurer's follow-up work failed.
    fn recorded(&mut self, events: &dyn Events) -> Result<(), RunError> {
        let _ = events;
        Ok(())
    }
}

/// Measures the points of a plan.
pub struct Runner<'a> {
    /// The measurer.
    pub measurer: &'a mut dyn Measurer,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// The results file.
    pub repository: &'a mut Repository,
    /// The run.
    pub run: &'a RunId,
    /// The plan. Searches add points to it.
    pub plan: &'a mut Plan,
    /// The stop switch.
    pub stop: &'a StopSwitch,
    /// The listener.
    pub events: &'a dyn Events,
    /// What readings are taken from; those that were taken are stored with each point.
    pub readings: &'a RunReadings,
}

impl Runner<'_> {
    /// Measures the points with these indexes in the plan, in order, and then those that the plan's searches choose.
    /// The run is done once all points of its plan are recorded, those of other calls too.
    ///
    /// # Errors
    /// The target was lost, the user stopped the run, or a point could not be recorded.
    pub fn measure_all(&mut self, places: &[usize]) -> Result<(), RunError> {
        self.repository.set_status(self.run, RunStatus::Running)?;
        let result = self.measure_each(places);
        let recorded = self.record_status(&result);
        // The first error is the one to report.
        result.and(recorded.map_err(RunError::from))
    }

    fn record_status(&mut self, result: &Result<(), RunError>) -> Result<(), ResultsError> {
        let status = match result {
            Ok(()) if self.repository.load(self.run)?.points.len() < self.plan.points.len() => RunStatus::Running,
            Ok(()) => RunStatus::Done,
            Err(error) => error.status(),
        };
        self.repository.set_status(self.run, status)
    }

    fn measure_each(&mut self, places: &[usize]) -> Result<(), RunError> {
        self.measurer.begin()?;
        for (n, index) in places.iter().copied().enumerate() {
            self.go_on()?;
            let left: Vec<_> = places[n..].iter().filter_map(|i| self.plan.points.get(*i).cloned()).collect();
            self.measure_one(index, self.measurer.estimate_s(&left))?;
        }
        while let Some(planned) = self.next()? {
            self.go_on()?;
            self.repository.extend_plan(self.run, &planned)?;
            let left_s = self.measurer.estimate_s(std::slice::from_ref(&planned));
            self.plan.points.push(planned);
            self.measure_one(self.plan.points.len() - 1, left_s)?;
        }
        Ok(())
    }

    fn go_on(&self) -> Result<(), RunError> {
        if self.stop.requested() { Err(self.interrupted()) } else { Ok(()) }
    }

    fn interrupted(&self) -> RunError {
        self.stop.why().map_or(RunError::Interrupted, |why| RunError::Condition(why.to_owned()))
    }

    /// The point that follows from what is recorded.
    fn next(&self) -> Result<Option<PlannedPoint>, RunError> {
        if !self.plan.may_go_on() {
            return Ok(None);
        }
        Ok(self.plan.next(&self.repository.measured(self.run)?))
    }

    /// Measures a point and records it. All that is left takes about this many seconds.
    fn measure_one(&mut self, index: usize, left_s: f64) -> Result<(), RunError> {
        let Some(planned) = self.plan.points.get(index) else { return Ok(()) };
        self.measure_planned(&planned.clone(), index, left_s).map(drop)
    }

    /// Measures one point of the plan and records it, whatever else is measured. The run's status stays as it is. All
    /// that is left takes about this many seconds.
    ///
    /// # Errors
    /// As for [`Runner::measure_all`].
    pub fn measure_planned(&mut self, planned: &PlannedPoint, index: usize, left_s: f64) -> Result<Point, RunError> {
        let of = self.plan.points.len();
        let resolved = self.resolve(planned)?;
        let shown = resolved.as_ref().unwrap_or(planned);
        self.events.on(&Event::PointBegins { index, of, planned: shown, left_s });
        self.readings.live.begin(index, of, shown);
        let (Measurement { mut point, histograms }, lost) = match &resolved {
            Ok(planned) => {
                let maximum_per_s = self.maximum_per_s(planned).inspect_err(|_| self.readings.live.end())?;
                self.measurer.measure(index, planned, maximum_per_s)
            }
            Err(NoWinner { status, reason }) => (not_begun(planned, *status, reason.clone()), None),
        };
        self.readings.live.end();
        self.repository.record_point(self.run, index, &point, &histograms)?;
        if let Err(error) = self.repository.store_readings(self.run, &self.readings.keeper) {
            // The point is kept; readings are tried again with the next one.
            let text = format!("readings could not be stored yet: {error}");
            self.events.on(&Event::Told { text: &text });
        }
        self.events.on(&Event::PointRecorded { index, of, point: &point });
        if lost.is_none() && self.measurer.supplement(index, &mut point, self.events) {
            self.repository.supplement_point(self.run, index, &point)?;
        }
        self.measurer.recorded(self.events)?;
        match lost {
            Some(error) => Err(self.measurer.lost(error)),
            None if self.stop.requested() && point.status == Status::Failed => Err(self.interrupted()),
            None => Ok(point),
        }
    }

    /// The point with its actual degree of parallelism: the best of a ramp is known only now.
    fn resolve(&self, planned: &PlannedPoint) -> Result<Result<PlannedPoint, NoWinner>, RunError> {
        let points = if planned.again { self.repository.load(self.run)?.points } else { Vec::new() };
        Ok(remeasure::resolve(planned, &points, self.catalogue))
    }

    /// The maximum that a planned share relates to: what the closed loop of the same repeat reached in this run,
    /// whenever it was measured.
    fn maximum_per_s(&self, planned: &PlannedPoint) -> Result<Option<f64>, RunError> {
        if !planned.load.rate.is_some_and(Rate::is_share) {
            return Ok(None);
        }
        let same = |point: &Point| {
            let theirs = (point.subject.requested(), point.drive, point.dop, point.rows_per_tx, point.repeat);
            theirs == (planned.subject.clone(), planned.drive, planned.dop, planned.rows_per_tx, planned.repeat)
        };
        let points = self.repository.load(self.run)?.points;
        let maximum = points.iter().find(|p| same(p) && !p.again && p.load.rate.is_none() && p.status == Status::Ok);
        Ok(maximum.and_then(|point| point.ops_per_s))
    }
}
