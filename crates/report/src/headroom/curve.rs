//! The curve of the processors: which share of its best rate a ramp had at which share of busy processors.
//!
//! Processor time of a transaction falls with load: sessions that find work at once need no waking, and replies travel
//! together. So processors that are 50 % busy do less than half of what they can. The ramp of a run has that fall in
//! it: its steps, up to the best one, give the rate over the share of busy processors. Rates that fall where
//! processors are busier are noise and pooled with their neighbours (pool-adjacent violators). Between steps a straight
//! line is drawn. Where the curve bends upwards, as it does where processor time falls quickly, the line lies above it
//! and says too little headroom rather than too much. Below the first step the line begins at zero, for the same
//! reason.
//!
//! A ramp that ended before processors were busy shows the shape but not the end. Beyond it the rest is linear, as
//! without a curve, and a lower bound.

use super::layer::HeadroomBound;
use super::ramp::{Ramp, Step, is_usable, ramps};
use super::result::{CurvePoint, HeadroomCurve};
use crate::figures::any_has;
use dbdyno_model::{Cpu, Flag, Point, RunJson};

/// Steps that a curve needs, and how many of them up to the best one.
const FEWEST_STEPS: usize = 4;
const FEWEST_RISING: usize = 3;
/// Processors are at their end from this share on, in percent.
const SATURATED_PCT: f64 = 90.0;
/// Below this share of saturation a multiple is a lower bound.
const HALF: f64 = 0.5;
/// Flags of points whose processors did something else, or less than they could.
const DISTURBED: [Flag; 3] = [Flag::ForeignLoad, Flag::CpuSteal, Flag::Throttled];

/// A multiple of the load at a share of busy processors.
pub(super) struct CpuMultiple {
    pub(super) multiple: f64,
    pub(super) share_pct: f64,
    pub(super) bound: HeadroomBound,
}

/// A curve, and whether its ramp drove the processors to their end.
pub(super) struct CpuCurve {
    /// Share of busy processors and rate, both rising.
    knots: Vec<(f64, f64)>,
    /// How much its ramp is like an application.
    likeness: u8,
    pub(super) shown: HeadroomCurve,
}

/// How busy the processors were that the load may use, in percent.
pub(super) type Busy = fn(&Point) -> Option<f64>;

impl CpuCurve {
    fn of(ramp: &Ramp<'_>, busy: Busy, production_busy_pct: f64) -> Option<Self> {
        let step = |step: &Step<'_>| {
            let (pct, rate) = (step.median(busy)?, step.median(|p| p.ops_per_s)?);
            (pct > 0.0 && rate > 0.0).then_some((pct.min(100.0), rate))
        };
        let steps: Vec<(f64, f64)> = ramp.steps.iter().filter_map(step).collect();
        let (best, _) = steps.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
        let mut rising = steps.get(..=best)?.to_vec();
        if steps.len() < FEWEST_STEPS || rising.len() < FEWEST_RISING {
            return None;
        }
        rising.sort_by(|a, b| a.0.total_cmp(&b.0));
        let knots = pooled(&rising);
        let highest = knots.last()?.0;
        let point = |(busy_pct, ops_per_s): &(f64, f64)| CurvePoint { busy_pct: *busy_pct, ops_per_s: *ops_per_s };
        let shown = HeadroomCurve {
            subject: ramp.work.clone(),
            ramp: ramp.words(),
            points: knots.iter().map(point).collect(),
            highest_busy_pct: highest,
            is_saturated: highest >= SATURATED_PCT,
            production_busy_pct,
        };
        Some(Self { knots, likeness: ramp.likeness(), shown })
    }

    /// Share of the curve's best rate at a share of busy processors, up to 1.
    fn share(&self, busy_pct: f64) -> f64 {
        let best = self.knots.last().map_or(1.0, |knot| knot.1);
        let mut below = (0.0, 0.0);
        for knot in &self.knots {
            if busy_pct < knot.0 {
                let along = (busy_pct - below.0) / (knot.0 - below.0);
                return (below.1 + along * (knot.1 - below.1)) / best;
            }
            below = *knot;
        }
        1.0
    }

    /// How many times a load that makes processors so busy reaches their end.
    pub(super) fn multiple(&self, busy_pct: f64, cpu: &Cpu) -> CpuMultiple {
        let highest = self.shown.highest_busy_pct;
        let share = self.share(busy_pct);
        if self.shown.is_saturated {
            let first = self.knots.first().map_or(0.0, |knot| knot.0);
            let is_near = share >= HALF && busy_pct >= first;
            let bound = if is_near { HeadroomBound::About } else { HeadroomBound::AtLeast };
            return CpuMultiple { multiple: 1.0 / share, share_pct: share * 100.0, bound };
        }
        let beyond = linear(busy_pct.max(highest), cpu);
        let multiple = beyond / share;
        CpuMultiple { multiple, share_pct: 100.0 / multiple, bound: HeadroomBound::AtLeast }
    }
}

/// The highest share of the processors that surely counts, in percent. The second thread of a core may add nothing.
pub(super) fn sure_pct(cpu: &Cpu) -> f64 {
    match (cpu.usable_cores(), cpu.usable_threads()) {
        (Some(cores), Some(threads)) if threads.n > cores.n => cores.n / threads.n * 100.0,
        _ => 100.0,
    }
}

/// The multiple without a curve: as much again for as much of the processors, and at least the load as it is.
pub(super) fn linear(busy_pct: f64, cpu: &Cpu) -> f64 {
    (sure_pct(cpu) / busy_pct).max(1.0)
}

/// The curve of a run that suits an application best: one that saturated processors before one that did not, then by
/// likeness to an application, then by steps; among such, that with the least headroom. `asked` names the subject.
pub(super) fn chosen(run: &RunJson, asked: Option<&str>, busy: Busy, at_pct: f64, cpu: &Cpu) -> Option<CpuCurve> {
    let counts = |point: &Point| is_usable(point) && !any_has(&[point], &DISTURBED) && point.cores.is_none();
    let curves = ramps(run, counts).into_iter().filter(|ramp| ramp.likeness() > 0);
    let curves = curves.filter(|ramp| asked.is_none_or(|asked| ramp.work == asked));
    let rank = |curve: &CpuCurve| {
        let saturated = curve.shown.is_saturated;
        (saturated, curve.likeness, curve.knots.len())
    };
    curves.filter_map(|ramp| CpuCurve::of(&ramp, busy, at_pct)).max_by(|a, b| {
        let headroom = |curve: &CpuCurve| curve.multiple(at_pct, cpu).multiple;
        rank(a).cmp(&rank(b)).then(headroom(b).total_cmp(&headroom(a)))
    })
}

/// Rates that never fall, by means of neighbours that do; each share of busy processors once.
fn pooled(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    // Sum of shares, sum of rates, number, and the highest share of each pool.
    let mut pools: Vec<(f64, f64, f64, f64)> = Vec::new();
    for (busy, rate) in points {
        let mut pool = (*busy, *rate, 1.0, *busy);
        while let Some(last) = pools.pop_if(|last| last.1 / last.2 >= pool.1 / pool.2 || last.3 >= pool.3) {
            pool = (last.0 + pool.0, last.1 + pool.1, last.2 + pool.2, pool.3.max(last.3));
        }
        pools.push(pool);
    }
    pools.iter().map(|(busy, rate, n, _)| (busy / n, rate / n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_fall_are_pooled_with_their_neighbours() {
        let steps = [(10.0, 100.0), (30.0, 300.0), (40.0, 260.0), (80.0, 900.0)];
        assert_eq!(pooled(&steps), [(10.0, 100.0), (35.0, 280.0), (80.0, 900.0)]);
        assert_eq!(pooled(&[(50.0, 100.0), (50.0, 300.0)]), [(50.0, 200.0)]);
        assert_eq!(pooled(&[]), []);
    }

    #[test]
    fn second_threads_of_cores_do_not_count_for_sure() {
        let cpu = |cores, threads| Cpu { cores: Some(cores), threads: Some(threads), ..Cpu::default() };
        assert_eq!((linear(20.0, &cpu(4, 4)), linear(20.0, &cpu(4, 8))), (5.0, 2.5));
        assert_eq!((linear(80.0, &cpu(4, 8)), linear(25.0, &Cpu::default())), (1.0, 4.0));
    }
}
