//! Whether two samples of runs differ, and by how much.
//!
//! A sample holds one figure per run, so its spread is the spread between runs; the repeats within one run do not show
//! it. Errors of rates are factors, so logarithms are compared and the result is a ratio. The test is Welch's t, which
//! allows unequal spreads. Source: NIST/SEMATECH e-Handbook, section 7.3.1.
//!
//! Among a hundred rows without any difference, about five look different at 95 %. [`Family`] corrects this by Holm's
//! step-down procedure (Holm 1979), which holds for any dependence between the rows.

use crate::estimate::LogSample;
use crate::{Estimate, Interval};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Why two samples cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotComparable {
    /// A side has too few runs. Two runs would give a t interval, but a very wide one (t = 12.7 at one degree of
    /// freedom) whose width depends on a single difference.
    #[error("run-to-run spread unknown: it takes {} runs on each side", Difference::LEAST_RUNS)]
    Spread,
    /// There are too few pairs: their pilot is not complete.
    #[error("it takes {least} pairs for a conclusion, and there are {there}")]
    Pairs {
        /// How many there are.
        there: usize,
        /// How many it takes.
        least: usize,
    },
    /// A figure is zero, negative or not a number, so there is no ratio.
    #[error("no ratio: a figure is not above zero")]
    NotPositive,
}

/// The ratio of another sample to a baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    log_ratio: f64,
    standard_error: f64,
    degrees: f64,
}

impl Difference {
    /// Runs that a side needs, the same number as repeats for an interval.
    pub const LEAST_RUNS: usize = Estimate::LEAST_REPEATS;

    /// Compares two samples, one figure per run.
    ///
    /// # Errors
    /// [`NotComparable`] says why they cannot be compared.
    pub fn of(baseline: &[f64], other: &[f64]) -> Result<Self, NotComparable> {
        if [baseline, other].iter().any(|s| s.iter().any(|v| !v.is_finite() || *v <= 0.0)) {
            return Err(NotComparable::NotPositive);
        }
        if baseline.len().min(other.len()) < Self::LEAST_RUNS {
            return Err(NotComparable::Spread);
        }
        let (base, other) = (LogSample::of(baseline), LogSample::of(other));
        let [a, b] = [&base, &other].map(|s| without_rounding(s.variance) / s.n);
        let degrees = (a + b).powi(2) / (a * a / (base.n - 1.0) + b * b / (other.n - 1.0));
        Ok(Self {
            log_ratio: other.mean - base.mean,
            standard_error: (a + b).sqrt(),
            // Not a number where neither side varies; any value will do then.
            degrees: if degrees.is_finite() { degrees } else { base.n + other.n - 2.0 },
        })
    }

    /// A difference whose mean of logarithms has this variance, known with so many degrees of freedom.
    pub(crate) fn known(log_ratio: f64, variance: f64, degrees: f64) -> Self {
        Self { log_ratio, standard_error: without_rounding(variance).sqrt(), degrees }
    }

    /// The ratio of the geometric means, other to baseline.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.log_ratio.exp()
    }

    /// The ratio's interval at a confidence, for instance 0.95.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Interval {
        let t = self.student().map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(1.0, confidence)));
        let half = if self.standard_error == 0.0 { 0.0 } else { t * self.standard_error };
        Interval { low: (self.log_ratio - half).exp(), high: (self.log_ratio + half).exp() }
    }

    /// The p value of "no difference": how often samples of one platform would lie at least this far apart.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let distance = self.log_ratio.abs();
        // A difference within rounding errors is no difference.
        if distance <= 1e-12 { 1.0 } else { (2.0 * self.upper_tail(distance)).min(1.0) }
    }

    /// Whether the 95 % interval excludes 1.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.p_value() < 0.05
    }

    /// The p value of "the bound is kept", doubled. It is below 1 - confidence exactly where the interval at that
    /// confidence lies wholly beyond the bound.
    fn p_of_kept(&self, bound: RatioBound) -> f64 {
        let beyond = match bound {
            RatioBound::AtLeast(ratio) => ratio.ln() - self.log_ratio,
            RatioBound::AtMost(ratio) => self.log_ratio - ratio.ln(),
        };
        (2.0 * self.upper_tail(beyond)).min(1.0)
    }

    fn upper_tail(&self, distance: f64) -> f64 {
        if self.standard_error == 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        self.student().map_or(1.0, |t| t.sf(distance / self.standard_error))
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.degrees).ok()
    }
}

/// Logarithms of equal values differ from their mean by rounding errors alone.
fn without_rounding(variance: f64) -> f64 {
    if variance < 1e-28 { 0.0 } else { variance }
}

/// The bound that a ratio must keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioBound {
    /// Where more is better: a tolerated loss of 5 % is `AtLeast(0.95)`.
    AtLeast(f64),
    /// Where less is better: a tolerated growth of 5 % is `AtMost(1.05)`.
    AtMost(f64),
}

/// One row of a family, judged together with the other rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedRow {
    /// Its p value, corrected by Holm.
    pub p_value: f64,
    /// Its interval at the confidence that the correction leaves it.
    pub interval: Interval,
    /// Whether the interval lies wholly beyond the bound.
    pub is_broken: bool,
}

/// Rows that are judged together. The chance that any row is called broken, while all keep their bounds, stays below 1
/// - confidence. Rows without a [`Difference`] cannot be judged and are not part of a family.
pub struct Family;

impl Family {
    /// Judges each row against its own bound.
    #[must_use]
    pub fn judge(rows: &[(Difference, RatioBound)], confidence: f64) -> Vec<JudgedRow> {
        let alpha = 1.0 - confidence;
        let uncorrected: Vec<f64> = rows.iter().map(|(d, bound)| d.p_of_kept(*bound)).collect();
        let p_values = holm(&uncorrected);
        // Corrected values may be equal where the original values differ.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|a, b| uncorrected[*a].total_cmp(&uncorrected[*b]));
        let broken = p_values.iter().filter(|p| **p < alpha).count();
        let mut judged: Vec<Option<JudgedRow>> = vec![None; rows.len()];
        for (rank, row) in order.into_iter().enumerate() {
            // Rows after the last broken row share the confidence of the first unbroken row.
            let left = rows.len() - rank.min(broken);
            let interval = rows[row].0.interval(1.0 - alpha / left as f64);
            judged[row] = Some(JudgedRow { p_value: p_values[row], interval, is_broken: p_values[row] < alpha });
        }
        judged.into_iter().flatten().collect()
    }
}

/// Holm's corrected p values, in the given order. The smallest is multiplied by their number, the next by one less, and
/// so on; none becomes smaller than one before it.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, row) in order.into_iter().enumerate() {
        largest = largest.max((p_values[row] * (p_values.len() - rank) as f64).min(1.0));
        corrected[row] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;
    use proptest::prelude::*;

    const SPREAD: f64 = 0.02;

    fn runs(random: &mut SplitMix64, n: usize, mean: f64) -> Vec<f64> {
        (0..n).map(|_| mean * (SPREAD * random.normal()).exp()).collect()
    }

    #[test]
    fn at_most_57_of_1000_pairs_of_the_same_platform_are_called_different() {
        let mut random = SplitMix64::new(11);
        let shown = (0..10_000)
            .filter(|_| {
                let (a, b) = (runs(&mut random, 3, 1_000.0), runs(&mut random, 3, 1_000.0));
                let difference = Difference::of(&a, &b).unwrap();
                let interval = difference.interval(0.95);
                assert_eq!(difference.is_shown(), interval.high < 1.0 || interval.low > 1.0, "{difference:?}");
                difference.is_shown()
            })
            .count();
        assert!((200..=570).contains(&shown), "{shown} of 10000");
    }

    #[test]
    fn a_loss_of_5_pct_is_found_in_9_of_10_with_7_runs_a_side() {
        let mut random = SplitMix64::new(12);
        let found = (0..2_000)
            .filter(|_| {
                let (a, b) = (runs(&mut random, 7, 1_000.0), runs(&mut random, 7, 950.0));
                let difference = Difference::of(&a, &b).unwrap();
                difference.is_shown() && difference.ratio() < 1.0
            })
            .count();
        assert!(found >= 1_800, "{found} of 2000");
    }

    #[test]
    fn intervals_cover_the_true_ratio_also_where_spreads_and_numbers_differ() {
        let mut random = SplitMix64::new(13);
        let covered = (0..4_000)
            .filter(|_| {
                let a = runs(&mut random, 3, 1_000.0);
                let b: Vec<f64> = (0..9).map(|_| 800.0 * (0.08 * random.normal()).exp()).collect();
                let interval = Difference::of(&a, &b).unwrap().interval(0.90);
                interval.low <= 0.8 && 0.8 <= interval.high
            })
            .count();
        assert!((3_520..=3_720).contains(&covered), "{covered} of 4000");
    }

    #[test]
    fn known_values() {
        // Logs: means 4.6051369 and 4.6539301, variances 1.00008e-4 and 0.90709e-4, so t = 6.1196 at 3.9905 degrees.
        let difference = Difference::of(&[99.0, 100.0, 101.0], &[104.0, 105.0, 106.0]).unwrap();
        assert!((difference.ratio() - 1.050_002_3).abs() < 1e-6, "{}", difference.ratio());
        assert!((difference.p_value() - 0.003_640).abs() < 2e-5, "{}", difference.p_value());
        let interval = difference.interval(0.95);
        assert!((interval.low - 1.026_98).abs() < 1e-4 && (interval.high - 1.073_54).abs() < 1e-4, "{interval:?}");
    }

    #[test]
    fn too_few_runs_have_no_known_spread() {
        for (a, b) in [(1, 1), (1, 7), (7, 1), (2, 7), (2, 2)] {
            assert_eq!(Difference::of(&vec![1.0; a], &vec![2.0; b]), Err(NotComparable::Spread), "{a} and {b} runs");
        }
        assert!(NotComparable::Spread.to_string().starts_with("run-to-run spread unknown"));
        assert_eq!(Difference::of(&[1.0, 0.0, 1.0], &[1.0; 3]), Err(NotComparable::NotPositive));
        assert_eq!(Difference::of(&[1.0; 3], &[f64::NAN; 3]), Err(NotComparable::NotPositive));
    }

    #[test]
    fn runs_without_any_spread_are_compared_as_they_are() {
        let same = Difference::of(&[0.3; 3], &[0.3; 4]).unwrap();
        assert_eq!((same.p_value(), same.interval(0.95)), (1.0, Interval { low: 1.0, high: 1.0 }));
        assert!(Difference::of(&[0.3; 3], &[0.2; 3]).unwrap().is_shown());
        let one_side = Difference::of(&[0.3; 3], &[0.3, 0.31, 0.32]).unwrap().interval(0.95);
        assert!(one_side.low < 1.0 && one_side.high > 1.0);
    }

    #[test]
    fn holm_corrects_step_by_step() {
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]));
        assert!(close(&holm(&[0.6, 0.7]), &[1.0, 1.0]));
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }

    /// 20 rows whose true loss equals the tolerated loss: the hardest case in which no row may fail.
    #[test]
    fn families_that_keep_their_limit_fail_in_at_most_5_of_100() {
        let mut random = SplitMix64::new(14);
        let failed = (0..1_000)
            .filter(|_| {
                let rows: Vec<_> = (0..20)
                    .map(|_| (runs(&mut random, 5, 1_000.0), runs(&mut random, 5, 950.0)))
                    .map(|(a, b)| (Difference::of(&a, &b).unwrap(), RatioBound::AtLeast(0.95)))
                    .collect();
                Family::judge(&rows, 0.95).iter().any(|row| row.is_broken)
            })
            .count();
        assert!(failed <= 50, "{failed} of 1000 families");
    }

    #[test]
    fn a_loss_far_beyond_the_limit_fails_and_only_that_row() {
        let mut random = SplitMix64::new(15);
        let mut row = |mean| {
            let (a, b) = (runs(&mut random, 7, 1_000.0), runs(&mut random, 7, mean));
            Difference::of(&a, &b).unwrap()
        };
        let rows = [
            (row(1_000.0), RatioBound::AtLeast(0.95)),
            (row(800.0), RatioBound::AtLeast(0.95)),
            (row(1_300.0), RatioBound::AtMost(1.05)),
            (row(700.0), RatioBound::AtMost(1.05)),
        ];
        let broken: Vec<bool> = Family::judge(&rows, 0.95).iter().map(|j| j.is_broken).collect();
        assert_eq!(broken, [false, true, true, false]);
    }

    proptest! {
        #[test]
        fn a_row_is_broken_exactly_where_its_interval_lies_wholly_beyond_the_bound(
            seed in any::<u64>(), rows in 1_usize..12, n in 3_usize..8
        ) {
            let mut random = SplitMix64::new(seed);
            let rows: Vec<_> = (0..rows).map(|i| {
                let mean = 1_000.0 * (0.85 + 0.3 * random.uniform());
                let (a, b) = (runs(&mut random, n, 1_000.0), runs(&mut random, n, mean));
                let bound = if i % 2 == 0 { RatioBound::AtLeast(0.95) } else { RatioBound::AtMost(1.05) };
                (Difference::of(&a, &b).unwrap(), bound)
            }).collect();
            for ((_, bound), judged) in rows.iter().zip(Family::judge(&rows, 0.95)) {
                let (edge, ratio, beyond) = match bound {
                    RatioBound::AtLeast(ratio) => (judged.interval.high, ratio, judged.interval.high < *ratio),
                    RatioBound::AtMost(ratio) => (judged.interval.low, ratio, judged.interval.low > *ratio),
                };
                // Quantiles are approximated, so a value on the bound may be judged either way.
                prop_assume!((edge / ratio - 1.0).abs() > 2e-3);
                prop_assert_eq!(judged.is_broken, beyond, "{:?} {:?}", bound, judged);
            }
        }
    }
}
