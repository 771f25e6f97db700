//! The ways to measure the sides: both are kept open, or each is opened for each of its points, after its command.

use super::super::context::Context;
use super::super::measuring::Ready;
use super::side::{AskedSide, ended_early};
use crate::error::Error;
use dbdyno_engine::{Engine, MonotonicClock};
use dbdyno_model::{PairSide, Point};
use dbdyno_results::Repository;
use dbdyno_run::{BesideResting, Measurer, PairSides, PairedRun, RunError, RunReadings, Runner, Silent, StopSwitch};

/// Both sides stay open, and each rests while the other is measured.
pub(super) struct KeptOpen<'a> {
    /// One for each side, or one for both where they have one target.
    pub(super) measurers: Vec<BesideResting<'a>>,
    pub(super) stop: &'a StopSwitch,
    pub(super) context: &'a Context,
}

impl<'a> KeptOpen<'a> {
    /// Measurers of targets that are ready.
    pub(super) fn measurers(
        readies: &'a mut [Ready<'_>],
        engines: [&'a dyn Engine; 2],
        (clock, seeds): (&'a MonotonicClock, [u64; 2]),
        stop: &'a StopSwitch,
    ) -> Vec<BesideResting<'a>> {
        let of = |(at, ready): (usize, &'a mut Ready<'_>)| {
            BesideResting::new(ready.measurer(clock, seeds[at]), engines[at], engines[1 - at], stop)
        };
        readies.iter_mut().enumerate().map(of).collect()
    }
}

impl PairSides for KeptOpen<'_> {
    type Error = Error;

    fn ended(error: RunError) -> Error {
        ended_early(error)
    }

    fn measure(
        &mut self,
        side: PairSide,
        run: &mut PairedRun,
        index: usize,
        repository: &mut Repository,
    ) -> Result<Point, Error> {
        let at = side.index().min(self.measurers.len() - 1);
        point(&mut self.measurers[at], (run, index), repository, (self.stop, self.context))
    }
}

/// Each side is opened for each of its points, after its command.
pub(super) struct OpenedAnew<'a> {
    pub(super) sides: &'a [AskedSide; 2],
    pub(super) stop: &'a StopSwitch,
    pub(super) context: &'a Context,
}

impl PairSides for OpenedAnew<'_> {
    type Error = Error;

    fn ended(error: RunError) -> Error {
        ended_early(error)
    }

    fn measure(
        &mut self,
        side: PairSide,
        run: &mut PairedRun,
        index: usize,
        repository: &mut Repository,
    ) -> Result<Point, Error> {
        let asked = &self.sides[side.index()];
        let mut opened = asked.open(self.stop, self.context).map_err(went_away(side))?;
        let workload = opened.workload.take();
        let mut ready = asked.ready(&opened, workload, self.stop, self.context).map_err(went_away(side))?;
        let clock = MonotonicClock::default();
        let mut measurer = ready.measurer(&clock, run.plan.seed);
        point(&mut measurer, (run, index), repository, (self.stop, self.context))
    }
}

/// A side that cannot be opened any more.
fn went_away(side: PairSide) -> impl Fn(Error) -> Error {
    move |source| Error::Side { side: if side == PairSide::A { 'A' } else { 'B' }, source: Box::new(source) }
}

fn point(
    measurer: &mut dyn Measurer,
    (run, index): (&mut PairedRun, usize),
    repository: &mut Repository,
    (stop, context): (&StopSwitch, &Context),
) -> Result<Point, Error> {
    let planned = run.plan.points[index].clone();
    let mut runner = Runner {
        measurer,
        catalogue: &context.catalogue,
        repository,
        run: &run.id,
        plan: &mut run.plan,
        stop,
        // Whoever measures pairs tells of each as a whole.
        events: &Silent,
        readings: &RunReadings::default(),
    };
    runner.measure_planned(&planned, index, 0.0).map_err(ended_early)
}
