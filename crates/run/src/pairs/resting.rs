//! Measuring beside a server that rests: before a point it is brought to rest, and during the point it must show no
//! I/O.

use crate::run_context::{SETTLE_LIMIT, SETTLE_SLICE};
use crate::{Events, Measurement, Measurer, RunError, StopSwitch, TestMeasurer};
use dbdyno_engine::{Engine, EngineError, Settled};
use dbdyno_model::{PlannedPoint, Point, Status};
use dbdyno_probe::server_io_bytes;
use std::time::Instant;

/// A server at rest may write a line into its log.
const AT_REST_BYTES: u64 = 64 * 1024;

/// Measures a side of a pair while the other side's server rests.
pub struct BesideResting<'a> {
    measurer: TestMeasurer<'a>,
    /// The other side's engine, where its server is another one.
    resting: Option<&'a dyn Engine>,
    stop: &'a StopSwitch,
}

impl<'a> BesideResting<'a> {
    /// With the engine of the other side. Where that works in the same server, or in none, nothing rests.
    #[must_use]
    pub fn new(measurer: TestMeasurer<'a>, own: &dyn Engine, other: &'a dyn Engine, stop: &'a StopSwitch) -> Self {
        let is_other = other.server_pid().is_some() && other.server_pid() != own.server_pid();
        Self { measurer, resting: is_other.then_some(other), stop }
    }

    /// What the resting server has moved to and from devices; `None` where nothing rests or nobody may see it.
    fn moved_bytes(&self) -> Option<u64> {
        server_io_bytes(self.resting?.server_pid()?).ok()
    }

    fn rest(&self) -> Result<(), EngineError> {
        let Some(engine) = self.resting else { return Ok(()) };
        let from = Instant::now();
        // What is still at work after that shows as I/O.
        while engine.settle(SETTLE_SLICE)? == Settled::Busy {
            if self.stop.requested() || from.elapsed() > SETTLE_LIMIT {
                break;
            }
        }
        Ok(())
    }
}

impl Measurer for BesideResting<'_> {
    fn begin(&mut self) -> Result<(), RunError> {
        self.measurer.begin()
    }

    fn estimate_s(&self, points: &[PlannedPoint]) -> f64 {
        self.measurer.estimate_s(points)
    }

    fn measure(
        &mut self,
        index: usize,
        planned: &PlannedPoint,
        maximum_per_s: Option<f64>,
    ) -> (Measurement, Option<EngineError>) {
        if let Err(error) = self.rest() {
            let error = error.while_doing("bringing the other side to rest");
            return (crate::point::unmeasured(planned, &error), Some(error));
        }
        let before = self.moved_bytes();
        let (mut measurement, lost) = self.measurer.measure(index, planned, maximum_per_s);
        let moved = before.zip(self.moved_bytes()).map(|(before, after)| after.saturating_sub(before));
        if let Some(bytes) = moved.filter(|bytes| *bytes > AT_REST_BYTES)
            && measurement.point.status == Status::Ok
        {
            measurement.point.status = Status::Invalid;
            measurement.point.reason =
                Some(format!("the other side's server did not rest: it read and wrote {} KiB meanwhile", bytes / 1024));
        }
        (measurement, lost)
    }

    fn supplement(&mut self, index: usize, point: &mut Point, events: &dyn Events) -> bool {
        self.measurer.supplement(index, point, events)
    }
}
