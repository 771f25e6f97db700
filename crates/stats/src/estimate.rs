//! The median of repeats and its 95 % interval.
//!
//! Errors of rates are factors (a slower clock slows everything by a factor), so the interval is Student's t on the
//! logarithms, mapped back. Source: the t interval of a mean, NIST/SEMATECH e-Handbook, section 7.2.2.1.

use crate::student::t_95;

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What the repeats of one cell show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Number of repeats.
    pub n: usize,
    /// Their median.
    pub median: f64,
    /// The interval; absent with fewer than three repeats, or when a value is not positive.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// Repeats needed for an interval.
    pub const LEAST_REPEATS: usize = 3;
    /// Half the interval's width, in percent of the median, from which a cell is noisy.
    pub const NOISY_PCT: f64 = 5.0;

    /// Estimates from repeats; `None` without any finite value.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => return None,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Some(Self { n: sorted.len(), median, interval: log_interval(&sorted) })
    }

    /// Half the interval's width in percent of the median.
    #[must_use]
    pub fn half_width_pct(&self) -> Option<f64> {
        self.interval.map(|i| (i.high - i.low) / 2.0 / self.median * 100.0)
    }

    /// Whether the interval is too wide to rely on a single figure.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.half_width_pct().is_some_and(|w| w > Self::NOISY_PCT)
    }
}

/// The logarithms of positive values.
pub(crate) struct LogSample {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl LogSample {
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().map(|v| v.ln()).sum::<f64>() / n;
        let variance = values.iter().map(|v| (v.ln() - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { n, mean, variance }
    }
}

fn log_interval(values: &[f64]) -> Option<Interval> {
    if values.len() < Estimate::LEAST_REPEATS || values.iter().any(|v| *v <= 0.0) {
        return None;
    }
    let LogSample { n, mean, variance } = LogSample::of(values);
    let half = t_95(values.len() - 1) * (variance / n).sqrt();
    Some(Interval { low: (mean - half).exp(), high: (mean + half).exp() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    #[test]
    fn intervals_cover_the_truth_in_95_of_100_cells() {
        let mut random = SplitMix64::new(7);
        for repeats in [3, 5, 10] {
            let covered = (0..10_000)
                .filter(|_| {
                    let rates: Vec<f64> = (0..repeats).map(|_| 1_000.0 * (0.03 * random.normal()).exp()).collect();
                    let interval = Estimate::of(&rates).unwrap().interval.unwrap();
                    interval.low <= 1_000.0 && 1_000.0 <= interval.high
                })
                .count();
            assert!((9_300..=9_700).contains(&covered), "{repeats} repeats: {covered} of 10000");
        }
    }

    #[test]
    fn known_values() {
        let e = Estimate::of(&[100.0, 110.0, 105.0]).unwrap();
        assert_eq!((e.n, e.median), (3, 105.0));
        // mean of logs 4.653204, sd 0.047659, t(2) = 4.302653
        let i = e.interval.unwrap();
        assert!((i.low - 93.206).abs() < 0.01 && (i.high - 118.108).abs() < 0.01, "{i:?}");
        assert!(e.is_noisy());
    }

    #[test]
    fn too_few_or_impossible_values_have_no_interval() {
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[f64::NAN]), None);
        assert_eq!(Estimate::of(&[1.0, 2.0]).unwrap().interval, None);
        assert_eq!(Estimate::of(&[0.0, 1.0, 2.0]).unwrap().interval, None);
        assert_eq!(Estimate::of(&[2.0, 4.0]).unwrap().median, 3.0);
    }
}
