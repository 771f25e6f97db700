//! Which of several figures is the best, and which others cannot be told from it.
//!
//! The best of several figures is too good, because chance helped it most ("winner's curse": for four equal figures
//! with 4 % noise it is 4 % too high). So a figure that selects is never reported as the throughput. The selected cell
//! is measured again, and that figure is reported.

/// A rate that may be selected as the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<T> {
    /// What it is the rate of.
    pub of: T,
    /// The rates of its repeats, or times where less is better.
    pub values: Vec<f64>,
    /// Whether nothing makes the figure doubtful. A sound figure is preferred to a doubtful one, however much better
    /// the latter looks.
    pub sound: bool,
}

impl<T> Candidate<T> {
    fn median(&self) -> Option<f64> {
        crate::Estimate::of(&self.values).map(|estimate| estimate.median)
    }
}

/// The candidate with the best median. `higher_is_better` is false for times.
#[must_use]
pub fn best<T>(candidates: &[Candidate<T>], higher_is_better: bool) -> Option<&Candidate<T>> {
    let there = candidates.iter().filter_map(|c| Some((c, c.median()?)));
    let good = |value: f64| if higher_is_better { value } else { -value };
    let best = there.max_by(|(a, x), (b, y)| a.sound.cmp(&b.sound).then(good(*x).total_cmp(&good(*y))));
    best.map(|(candidate, _)| candidate)
}

/// Relative standard deviation that is assumed between single measurements: a rule of thumb, because one measurement
/// does not show its own spread.
const COMMON_NOISE: f64 = 0.04;
/// In 95 of 100 ramps, the best of twelve equal figures is at most this many standard deviations above a given one of
/// them (Dunnett's one-sided bound for many against one, times the square root of two).
const MOST_AHEAD: f64 = 3.5;

/// Which single measurements cannot be distinguished from the best one; the best itself is among them. `again` is the
/// best cell's second measurement: the further it lies from the first, the larger the noise.
#[must_use]
pub fn beside_the_best(values: &[f64], again: Option<f64>, higher_is_better: bool) -> Vec<bool> {
    let good = |value: f64| if higher_is_better { value } else { 1.0 / value };
    let logs: Vec<f64> = values.iter().map(|v| good(*v).ln()).collect();
    let best = logs.iter().copied().filter(|log| log.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let gap = again.map(|value| (best - good(value).ln()).abs() / 2.0_f64.sqrt()).filter(|gap| gap.is_finite());
    let within = MOST_AHEAD * COMMON_NOISE.max(gap.unwrap_or(0.0));
    logs.into_iter().map(|log| log.is_finite() && best - log <= within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;
    use crate::{Estimate, Interval};

    const SEEDS: u64 = 2_000;
    const NOISE: f64 = 0.04;
    /// True rates at DOPs 1, 2, 4, 8, 16, 32.
    const SHAPES: [(&str, [f64; 6]); 3] = [
        ("flat", [1_000.0; 6]),
        ("rising", [100.0, 195.0, 370.0, 660.0, 1_050.0, 1_400.0]),
        ("peaked", [300.0, 550.0, 900.0, 1_000.0, 950.0, 700.0]),
    ];

    fn measure(random: &mut SplitMix64, truth: f64, repeats: usize) -> Vec<f64> {
        (0..repeats).map(|_| truth * (NOISE * random.normal()).exp()).collect()
    }

    /// A ramp with this many repeats, and as many further measurements of its best cell: the index of the best, and
    /// these.
    fn ramp(random: &mut SplitMix64, truth: &[f64], repeats: usize) -> (Vec<Candidate<usize>>, usize, Vec<f64>) {
        let candidate =
            |(of, truth): (usize, &f64)| Candidate { of, values: measure(random, *truth, repeats), sound: true };
        let candidates: Vec<Candidate<usize>> = truth.iter().enumerate().map(candidate).collect();
        let winner = best(&candidates, true).unwrap().of;
        let again = measure(random, truth[winner], repeats);
        (candidates, winner, again)
    }

    #[test]
    fn the_interval_of_what_was_measured_again_covers_the_truth_in_95_of_100_ramps() {
        for (shape, truth) in SHAPES {
            for repeats in [3, 5] {
                let mut random = SplitMix64::new(15);
                let covered = (0..SEEDS).filter(|_| {
                    let (_, winner, again) = ramp(&mut random, &truth, repeats);
                    let Interval { low, high } = Estimate::of(&again).unwrap().interval.unwrap();
                    (low..=high).contains(&truth[winner])
                });
                let pct = covered.count() as f64 / SEEDS as f64 * 100.0;
                assert!((93.0..=97.0).contains(&pct), "{shape}, {repeats} repeats: {pct} %");
            }
        }
    }

    #[test]
    fn what_was_measured_again_is_right_on_average_and_what_selected_is_not() {
        for (shape, truth) in SHAPES {
            for repeats in [1, 3] {
                let mut random = SplitMix64::new(16);
                let (mut selected_pct, mut again_pct) = (0.0, 0.0);
                for _ in 0..SEEDS {
                    let (candidates, winner, again) = ramp(&mut random, &truth, repeats);
                    let off = |values: &[f64]| (Estimate::of(values).unwrap().median / truth[winner] - 1.0) * 100.0;
                    selected_pct += off(&candidates[winner].values) / SEEDS as f64;
                    again_pct += off(&again) / SEEDS as f64;
                }
                assert!(again_pct.abs() < 0.3, "{shape}, {repeats} repeats: {again_pct:.2} %");
                if (shape, repeats) == ("flat", 1) {
                    assert!(selected_pct > 4.0, "{selected_pct:.2} %: nothing to mend");
                }
            }
        }
    }

    #[test]
    fn the_true_best_is_among_those_that_cannot_be_told_from_it() {
        for (shape, truth) in SHAPES {
            let mut random = SplitMix64::new(17);
            let true_best = truth.iter().copied().fold(0.0, f64::max);
            let found = (0..SEEDS).filter(|_| {
                let (candidates, _, again) = ramp(&mut random, &truth, 1);
                let values: Vec<f64> = candidates.iter().map(|c| c.values[0]).collect();
                let beside = beside_the_best(&values, again.first().copied(), true);
                // Among equal rates the last one is tested: only chance favours it.
                beside[truth.iter().rposition(|t| *t == true_best).unwrap()]
            });
            let pct = found.count() as f64 / SEEDS as f64 * 100.0;
            assert!(pct >= 95.0, "{shape}: {pct} %");
        }
    }

    #[test]
    fn sound_goes_before_doubtful_and_less_before_more_where_it_is_a_time() {
        let candidate = |of, value, sound| Candidate { of, values: vec![value], sound };
        let candidates = [candidate(1, 10.0, true), candidate(2, 99.0, false), candidate(3, 12.0, true)];
        assert_eq!(best(&candidates, true).map(|c| c.of), Some(3));
        assert_eq!(best(&candidates, false).map(|c| c.of), Some(1));
        assert_eq!(best(&candidates[1..2], true).map(|c| c.of), Some(2));
        assert_eq!(best(&[Candidate { of: 1, values: vec![], sound: true }], true), None);
    }

    #[test]
    fn how_far_the_best_was_off_says_how_much_noise_there_is() {
        assert_eq!(beside_the_best(&[50.0, 90.0, 100.0, 80.0], Some(99.0), true), [false, true, true, false]);
        assert_eq!(beside_the_best(&[50.0, 90.0, 100.0, 80.0], Some(85.0), true), [false, true, true, true]);
        assert_eq!(beside_the_best(&[2.0, 1.1, 1.0], None, false), [false, true, true]);
        assert_eq!(beside_the_best(&[0.0, f64::NAN, 1.0], None, true), [false, false, true]);
    }

    #[test]
    fn a_figure_that_cannot_be_is_not_beside_the_best() {
        assert_eq!(beside_the_best(&[0.0, 1.0, 1.05], None, false), [false, true, true], "a time");
        assert_eq!(beside_the_best(&[f64::INFINITY, 1.0], None, true), [false, true], "a rate");
    }
}
