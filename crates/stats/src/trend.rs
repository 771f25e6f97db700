//! Whether a rate went up or down within a window, or only wavered.
//!
//! A straight line through the rates of successive chunks has a slope, and their scatter about it says how far chance alone
//! would tilt it. Chunks are not independent: a slow one is followed by another slow one. So the scatter is widened by the
//! correlation of neighbours (that of an autoregressive process of first order), and the bound is one of simulation rather than of a
//! table: with few chunks their correlation cannot be told, and only a wide bound keeps false alarms at 1 %.
//! What that costs is the power with few chunks: the tests below say how much.

/// The line through successive rates, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// From the window's beginning to its end, in percent of the mean.
    pub change_pct: f64,
    /// Standard error of that, with the correlation of neighbours.
    pub error_pct: f64,
    /// Rates that it rests on.
    pub rates: usize,
}

impl Trend {
    /// Fewer rates are not judged.
    pub const LEAST_RATES: usize = 8;
    /// Of more, neighbours are put together.
    const MOST_RATES: usize = 128;
    /// A step in the rate looks like correlation, too: beyond this it is taken for one.
    const MOST_CORRELATED: f64 = 0.7;

    /// The trend of rates at even distances; `None` where there are too few, or no rate is positive.
    #[must_use]
    pub fn of(rates: &[f64]) -> Option<Self> {
        if rates.len() < Self::LEAST_RATES || rates.iter().any(|r| !r.is_finite()) {
            return None;
        }
        let rates = together(rates, rates.len().div_ceil(Self::MOST_RATES));
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        if mean <= 0.0 {
            return None;
        }
        // Moments from -1/2 to 1/2, so that the slope is the change over the whole window.
        let moment = |i: usize| (i as f64 + 0.5) / n - 0.5;
        let spread: f64 = (0..rates.len()).map(|i| moment(i).powi(2)).sum();
        let slope = rates.iter().enumerate().map(|(i, r)| moment(i) * (r - mean)).sum::<f64>() / spread;
        let rest: Vec<f64> = rates.iter().enumerate().map(|(i, r)| r - mean - slope * moment(i)).collect();
        let scatter: f64 = rest.iter().map(|r| r * r).sum();
        let neighbours: f64 = rest.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let correlation = if scatter > 0.0 { neighbours / scatter } else { 0.0 };
        // What is left about a fitted line looks less correlated than it is.
        let correlation = (correlation + (1.0 + 3.0 * correlation) / n).clamp(0.0, Self::MOST_CORRELATED);
        let widened = ((1.0 + correlation) / (1.0 - correlation)).sqrt();
        let error = (scatter / (n - 2.0) / spread).sqrt() * widened;
        Some(Self { change_pct: slope / mean * 100.0, error_pct: error / mean * 100.0, rates: rates.len() })
    }

    /// Whether chance does not explain it: of steady rates, wavering by any amount, at most 1 in 100 is beyond this.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        // Found by simulation of white noise and of noise that is correlated by one half.
        let bound = 2.75 + 40.0 / (self.rates as f64 + 4.0);
        self.change_pct.abs() > bound * self.error_pct
    }
}

/// The means of so many neighbours each. What does not fill a group is left away at the beginning.
fn together(rates: &[f64], each: usize) -> Vec<f64> {
    rates[rates.len() % each..].chunks_exact(each).map(|group| group.iter().sum::<f64>() / each as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mixer::Mixer;

    const SEEDS: u32 = 2_000;

    /// Rates about 1,000 with noise of which neighbours share a part, and a straight drift over the window.
    fn rates(mixer: &mut Mixer, n: usize, noise: f64, correlated: f64, drift: f64) -> Vec<f64> {
        let mut error = mixer.normal();
        let mut rate = |i: usize| {
            error = correlated * error + (1.0 - correlated * correlated).sqrt() * mixer.normal();
            1_000.0 * (1.0 + noise * error + drift * ((i as f64 + 0.5) / n as f64 - 0.5))
        };
        (0..n).map(&mut rate).collect()
    }

    /// As the judge decides.
    fn is_flagged(rates: &[f64]) -> bool {
        Trend::of(rates).is_some_and(|trend| trend.change_pct.abs() > 10.0 && trend.is_beyond_noise())
    }

    fn flagged(n: usize, noise: f64, correlated: f64, drift: f64) -> f64 {
        let mut mixer = Mixer::new(n as u64 + 1);
        let count = (0..SEEDS).filter(|_| is_flagged(&rates(&mut mixer, n, noise, correlated, drift))).count();
        count as f64 / f64::from(SEEDS)
    }

    #[test]
    fn steady_rates_are_flagged_in_less_than_1_of_100_windows() {
        for n in [8, 12, 20, 32, 64, 150] {
            for noise in [0.05, 0.1, 0.2] {
                for correlated in [0.0, 0.5] {
                    let share = flagged(n, noise, correlated, 0.0);
                    // 0.2 % is a standard error of this many seeds.
                    assert!(share <= 0.012, "{n} chunks, noise {noise}, correlated {correlated}: {share}");
                }
            }
        }
    }

    #[test]
    fn a_drift_of_15_percent_is_found_in_9_of_10_windows() {
        // The standard error of the drift is noise x sqrt(12 / chunks).
        let noise = |n: usize, error: f64| error / (12.0 / n as f64).sqrt();
        for n in [64, 100, 150, 300] {
            for error in [0.03, 0.01] {
                for drift in [0.15, -0.15] {
                    let share = flagged(n, noise(n, error), 0.0, drift);
                    assert!(share >= 0.9, "{n} chunks, error {error}, drift {drift}: {share}");
                }
            }
        }
        // Of few chunks nobody can tell how they hang together, so they must waver less.
        for (n, error) in [(8, 0.012), (12, 0.014), (20, 0.018), (32, 0.024)] {
            let share = flagged(n, noise(n, error), 0.0, 0.15);
            assert!(share >= 0.9, "{n} chunks, error {error}: {share}");
        }
    }

    #[test]
    fn a_step_and_a_collapse_are_found() {
        let step: Vec<f64> = (0..40).map(|i| if i < 20 { 100.0 } else { 80.0 } + f64::from(i % 3)).collect();
        assert!(is_flagged(&step), "{:?}", Trend::of(&step));
        let collapse: Vec<f64> = (0..20).map(|i| 100.0 * 0.9_f64.powi(i)).collect();
        assert!(is_flagged(&collapse), "{:?}", Trend::of(&collapse));
    }

    #[test]
    fn a_line_without_scatter_is_the_line() {
        let trend = Trend::of(&[96.5, 97.5, 98.5, 99.5, 100.5, 101.5, 102.5, 103.5]).unwrap();
        assert!((trend.change_pct - 8.0).abs() < 1e-9 && trend.error_pct < 1e-9, "{trend:?}");
        assert!(trend.is_beyond_noise());
        assert!(!Trend::of(&[5.0; 8]).unwrap().is_beyond_noise());
    }

    #[test]
    fn what_cannot_be_judged_is_not() {
        assert_eq!(Trend::of(&[1.0; 7]), None);
        assert_eq!(Trend::of(&[0.0; 8]), None);
        assert_eq!(Trend::of(&[f64::NAN; 8]), None);
    }
}
