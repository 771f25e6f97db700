//! The ratio of two sides that were measured in turn, pair by pair.
//!
//! What disturbs a machine for minutes disturbs both figures of a pair, so their ratio varies less than either. Pairs
//! go AB BA AB BA: what drifts slowly favours each side as often as the other. Errors of rates are factors, so
//! logarithms of ratios are taken.
//!
//! How many pairs it takes follows from the spread of the first eight, and never from how the result looks: who stops
//! when an interval looks narrow stops at a lucky one. The interval has the pilot's variance and its degrees of freedom
//! throughout, which makes it exact for normal errors whatever the number of pairs (Stein 1945, "A two-sample test for
//! a linear hypothesis whose power is independent of the variance").

use crate::estimate::LogSample;
use crate::student::t_95;
use crate::{Difference, NotComparable};

/// Half the width that intervals are to have, of the logarithm: 1.6 %.
const HALF_WIDTH: f64 = 0.016;

/// Which side of a pair is measured first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// A, then B.
    A,
    /// B, then A.
    B,
}

/// Pairs of figures.
pub struct Pairs;

impl Pairs {
    /// Pairs that fix how many there will be.
    pub const PILOT: usize = 8;

    /// The side that comes first in a pair, which counts from 0.
    #[must_use]
    pub const fn first(pair: usize) -> First {
        if pair.is_multiple_of(2) { First::A } else { First::B }
    }

    /// How many pairs there are to be in all, by the ratios of the pilot: an even number, so that each side comes first
    /// as often as the other, and no more than `most`, but for the pilot's.
    #[must_use]
    pub fn needed(pilot: &[f64], most: usize) -> usize {
        let LogSample { variance, .. } = LogSample::of(pilot);
        let needed = (t_95(pilot.len().saturating_sub(1)) / HALF_WIDTH).powi(2) * variance;
        // What is no number needs as many as there may be.
        let needed = if needed < most as f64 { (needed.ceil() as usize).next_multiple_of(2) } else { most };
        needed.clamp(pilot.len(), most.max(pilot.len()))
    }

    /// What all ratios of B to A show, the pilot's first.
    ///
    /// # Errors
    /// There are fewer than a pilot has, or one is not above zero.
    pub fn difference(ratios: &[f64]) -> Result<Difference, NotComparable> {
        if ratios.iter().any(|ratio| !ratio.is_finite() || *ratio <= 0.0) {
            return Err(NotComparable::NotPositive);
        }
        let pilot =
            ratios.get(..Self::PILOT).ok_or(NotComparable::Pairs { there: ratios.len(), least: Self::PILOT })?;
        let (LogSample { n, mean, .. }, LogSample { variance, .. }) = (LogSample::of(ratios), LogSample::of(pilot));
        Ok(Difference::known(mean, variance / n, (Self::PILOT - 1) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;
    use crate::split_mix::SplitMix64;

    /// Measures pairs as they would be measured: each figure varies, and the machine drifts from one to the next.
    fn measured(random: &mut SplitMix64, truth: f64, spread: f64, drift: f64, most: usize) -> Difference {
        let mut at = 0;
        let mut pair = |pair: usize| {
            let mut figure = |of: f64| {
                at += 1;
                of * (drift * f64::from(at) + spread / 2.0_f64.sqrt() * random.normal()).exp()
            };
            match Pairs::first(pair) {
                First::A => {
                    let a = figure(1_000.0);
                    figure(1_000.0 * truth) / a
                }
                First::B => {
                    let b = figure(1_000.0 * truth);
                    b / figure(1_000.0)
                }
            }
        };
        let mut ratios: Vec<f64> = (0..Pairs::PILOT).map(&mut pair).collect();
        let needed = Pairs::needed(&ratios, most);
        ratios.extend((Pairs::PILOT..needed).map(pair));
        Pairs::difference(&ratios).unwrap()
    }

    fn told(truth: f64, spread: f64, drift: f64) -> usize {
        let mut random = SplitMix64::new(17);
        (0..10_000).filter(|_| measured(&mut random, truth, spread, drift, 60).p_value() < 0.05).count()
    }

    #[test]
    fn three_percent_are_told_and_equal_ones_are_not() {
        for spread in [0.028, 0.05] {
            // A machine that becomes 0.1 % slower from figure to figure loses a tenth within 100.
            for drift in [0.0, -0.001, 0.002] {
                let (equal, faster, slower) =
                    (told(1.0, spread, drift), told(1.03, spread, drift), told(0.97, spread, drift));
                assert!(equal <= 500 + 45, "{spread} {drift}: {equal} of 10000 equal ones are called different");
                assert!(faster.min(slower) >= 9_000, "{spread} {drift}: {faster} and {slower} of 10000 are told");
            }
        }
    }

    #[test]
    fn intervals_are_as_narrow_as_they_are_to_be_and_cover_the_truth() {
        let mut random = SplitMix64::new(3);
        let mut covered = 0;
        for _ in 0..10_000 {
            let found = measured(&mut random, 1.1, 0.028, 0.0, 10_000);
            let Interval { low, high } = found.interval(0.95);
            assert!((high / low).ln() <= 2.0 * HALF_WIDTH + 1e-9, "{found:?}");
            covered += usize::from(low <= 1.1 && 1.1 <= high);
        }
        assert!((9_450..=9_700).contains(&covered), "{covered} of 10000");
    }

    #[test]
    fn known_values() {
        // mean of logs 0.0476551, sd 0.0100904 with seven degrees of freedom; t(7) = 2.364624
        let pilot = [1.04, 1.06, 1.05, 1.05, 1.03, 1.06, 1.04, 1.06];
        let found = Pairs::difference(&pilot).unwrap();
        let Interval { low, high } = found.interval(0.95);
        assert!((found.ratio() - 1.048702).abs() < 1e-5, "{}", found.ratio());
        assert!((low - 1.039_6).abs() < 3e-3 && (high - 1.057_9).abs() < 3e-3, "{low} {high}");
        assert_eq!(Pairs::needed(&pilot, 60), 8);
        assert_eq!(Pairs::needed(&[1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 0.9], 60), 60);
        assert_eq!(Pairs::needed(&[1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 0.9], 4), 8);
        assert!(found.p_value() < 1e-4);
    }

    #[test]
    fn without_a_pilot_or_with_what_is_no_ratio_nothing_is_said() {
        assert_eq!(Pairs::difference(&[1.0; 7]), Err(NotComparable::Pairs { there: 7, least: 8 }));
        let with_zero = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(Pairs::difference(&with_zero), Err(NotComparable::NotPositive));
        let same = Pairs::difference(&[1.0; 8]).unwrap();
        assert_eq!((same.ratio(), same.p_value()), (1.0, 1.0));
        assert_eq!(Pairs::needed(&[f64::NAN; 8], 60), 60);
        assert_eq!((Pairs::first(0), Pairs::first(1), Pairs::first(2)), (First::A, First::B, First::A));
    }
}
