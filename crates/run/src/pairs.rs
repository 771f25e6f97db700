//! Two sides in alternation: a point of one, then the same point of the other, AB BA AB BA. What disturbs a machine for
//! longer than a pair disturbs both. Each side is a run of its own; points of the same repeat are a pair. The first
//! pairs fix how many there will be ([`dbdyno_stats::Pairs`]).

mod resting;

use crate::{RunError, StopSwitch, estimate_s};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{PairSide, Pairing, Plan, PlannedPoint, Point, RunId, RunStatus, Status};
use dbdyno_results::Repository;
use dbdyno_stats::{First, Pairs};

pub use resting::BesideResting;

/// Further pairs in the place of those that cannot be used.
const SPARE: usize = 8;

/// One of the runs.
#[derive(Debug)]
pub struct PairedRun {
    /// Its id.
    pub id: RunId,
    /// Its plan: the pilot's points, to which others are added.
    pub plan: Plan,
}

/// A pair that was measured.
#[derive(Debug)]
pub struct MeasuredPair<'a> {
    /// Its number within its cell, from 1.
    pub number: usize,
    /// The pairs that can be used until now.
    pub usable: usize,
    /// How many of them are needed, as far as that is known.
    pub needed: usize,
    /// The points of A and B.
    pub points: [&'a Point; 2],
    /// About how long the rest takes, as far as that is known.
    pub left_s: f64,
}

/// How the sides are measured.
pub trait PairSides {
    /// What can go wrong besides.
    type Error;

    /// What the user is told of what ends a run.
    fn ended(error: RunError) -> Self::Error;

    /// Measures a point of a side's plan, and records it.
    ///
    /// # Errors
    /// The target was lost, the user stopped it, or the point could not be recorded.
    fn measure(
        &mut self,
        side: PairSide,
        run: &mut PairedRun,
        index: usize,
        repository: &mut Repository,
    ) -> Result<Point, Self::Error>;
}

/// Two plans of the same points, for the pilot. Points that one of them lacks are left out, and the best of a ramp is
/// not measured again.
///
/// # Errors
/// They have no point in common, in words.
pub fn pair_plans([a, b]: [Plan; 2]) -> Result<[Plan; 2], String> {
    let is_same = |one: &PlannedPoint, other: &PlannedPoint| {
        let load = |of: &PlannedPoint| (of.load, of.mix.clone(), of.parameters.clone());
        let work = |of: &PlannedPoint| (of.subject.clone(), of.drive, of.dop, of.rows_per_tx);
        work(one) == work(other) && load(one) == load(other)
    };
    let once = |plan: &Plan| {
        plan.points.iter().filter(|planned| planned.repeat == 1 && !planned.again).cloned().collect::<Vec<_>>()
    };
    let (of_a, of_b) = (once(&a), once(&b));
    let both = |own: &[PlannedPoint], other: &[PlannedPoint]| {
        let there = |planned: &&PlannedPoint| other.iter().any(|of_other| is_same(planned, of_other));
        own.iter()
            .filter(there)
            .flat_map(|planned| (1..=Pairs::PILOT).map(|pair| nth(planned, pair)))
            .collect::<Vec<_>>()
    };
    let points = [both(&of_a, &of_b), both(&of_b, &of_a)];
    if points[0].is_empty() {
        return Err("the two sides have no point in common".to_owned());
    }
    let [of_a, of_b] = points;
    Ok([Plan { points: of_a, ..a }, Plan { points: of_b, ..b }])
}

/// The point of a pair, which counts from 1.
fn nth(planned: &PlannedPoint, pair: usize) -> PlannedPoint {
    PlannedPoint { repeat: u32::try_from(pair).unwrap_or(u32::MAX), ..planned.clone() }
}

/// Measures pairs of two runs.
pub struct PairRunner<'a, S> {
    /// How the sides are measured.
    pub sides: S,
    /// The results file.
    pub repository: &'a mut Repository,
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// The runs of A and B, whose plans [`pair_plans`] has made.
    pub runs: &'a mut [PairedRun; 2],
    /// The most pairs of a cell.
    pub most: u32,
    /// The stop switch.
    pub stop: &'a StopSwitch,
    /// Is told of each pair.
    pub hears: &'a dyn Fn(&MeasuredPair<'_>),
}

impl<S: PairSides> PairRunner<'_, S> {
    /// Measures the pairs of each cell, one cell after the other.
    ///
    /// # Errors
    /// It ended early; what was measured is kept.
    pub fn measure(&mut self) -> Result<(), S::Error> {
        let cells = self.runs[0].plan.points.len() / Pairs::PILOT;
        (0..cells).try_for_each(|cell| self.measure_cell(cell))
    }

    /// Records how both runs ended.
    ///
    /// # Errors
    /// The results file cannot be written.
    pub fn end(&mut self, status: RunStatus) -> Result<(), RunError> {
        let of = |run: &PairedRun| self.repository.set_status(&run.id, status);
        Ok(self.runs.iter().map(of).fold(Ok(()), Result::and)?)
    }

    fn measure_cell(&mut self, cell: usize) -> Result<(), S::Error> {
        let (mut ratios, mut tried, mut needed) = (Vec::new(), 0, Pairs::PILOT);
        for is_pilot in [true, false] {
            while ratios.len() < needed && tried < needed + SPARE {
                let [a, b] = self.measure_pair(cell, tried)?;
                tried += 1;
                if [&a, &b].iter().any(|point| point.status == Status::Unsupported) {
                    return Ok(());
                }
                ratios.extend(Pairing::ratio(&a, &b));
                let left_s = self.left_s(cell, tried, needed);
                let (number, usable, points) = (tried, ratios.len(), [&a, &b]);
                (self.hears)(&MeasuredPair { number, usable, needed, points, left_s });
            }
            let Some(pilot) = ratios.get(..Pairs::PILOT).filter(|_| is_pilot) else { return Ok(()) };
            needed = Pairs::needed(pilot, self.most as usize);
        }
        Ok(())
    }

    fn measure_pair(&mut self, cell: usize, pair: usize) -> Result<[Point; 2], S::Error> {
        let index = self.place(cell, pair)?;
        let first = match Pairs::first(pair) {
            First::A => PairSide::A,
            First::B => PairSide::B,
        };
        let one = self.measure_point(first, index)?;
        let other = self.measure_point(first.other(), index)?;
        Ok(if first == PairSide::A { [one, other] } else { [other, one] })
    }

    fn measure_point(&mut self, side: PairSide, index: usize) -> Result<Point, S::Error> {
        if self.stop.requested() {
            return Err(S::ended(RunError::Interrupted));
        }
        self.sides.measure(side, &mut self.runs[side.index()], index, self.repository)
    }

    /// About how long it takes yet: the pairs that this cell needs, and the first ones of those that follow.
    fn left_s(&self, cell: usize, tried: usize, needed: usize) -> f64 {
        let points = &self.runs[0].plan.points;
        let cells = points.iter().filter(|planned| planned.repeat == 1).count();
        let each_s = |cell: usize| {
            let planned = points.get(cell * Pairs::PILOT);
            planned.map_or(0.0, |planned| 2.0 * estimate_s(std::slice::from_ref(planned), self.catalogue))
        };
        let others_s: f64 = (cell + 1..cells).map(|cell| each_s(cell) * Pairs::PILOT as f64).sum();
        each_s(cell) * needed.saturating_sub(tried) as f64 + others_s
    }

    /// Where a pair's points stand in both plans, to which they are added where they were not planned.
    fn place(&mut self, cell: usize, pair: usize) -> Result<usize, S::Error> {
        let first = cell * Pairs::PILOT;
        if pair < Pairs::PILOT {
            return Ok(first + pair);
        }
        for run in &mut *self.runs {
            let planned = nth(&run.plan.points[first], pair + 1);
            self.repository.extend_plan(&run.id, &planned).map_err(|error| S::ended(error.into()))?;
            run.plan.points.push(planned);
        }
        Ok(self.runs[0].plan.points.len() - 1)
    }
}
