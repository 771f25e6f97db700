//! How often steady windows are flagged, and how often a drift is found.

use super::*;
use crate::split_mix::SplitMix64;

const SEEDS: u32 = 2_000;

/// Rates of about 1,000 with correlated noise, and a linear drift over the window.
fn rates(random: &mut SplitMix64, n: usize, noise: f64, correlated: f64, drift: f64) -> Vec<f64> {
    let mut error = random.normal();
    let mut rate = |i: usize| {
        let rate = 1_000.0 * (1.0 + noise * error + drift * ((i as f64 + 0.5) / n as f64 - 0.5));
        error = correlated * error + (1.0 - correlated * correlated).sqrt() * random.normal();
        rate
    };
    (0..n).map(&mut rate).collect()
}

/// As the judge decides.
fn is_flagged(rates: &[f64]) -> bool {
    Trend::of(rates).is_some_and(|trend| trend.change_pct.abs() > 10.0 && trend.is_beyond_noise())
}

fn flagged(seeds: u32, n: usize, noise: f64, correlated: f64, drift: f64) -> f64 {
    let mut random = SplitMix64::new(n as u64 + 1);
    let count = (0..seeds).filter(|_| is_flagged(&rates(&mut random, n, noise, correlated, drift))).count();
    count as f64 / f64::from(seeds)
}

/// The noise of a chunk for which the drift has this standard error, for independent chunks.
fn noise_of(n: usize, error: f64) -> f64 {
    error / (12.0 / n as f64).sqrt()
}

#[test]
fn steady_rates_are_flagged_in_less_than_1_of_100_windows() {
    for n in [8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150] {
        for noise in [0.05, 0.1, 0.2] {
            for correlated in [0.0, 0.25, 0.5] {
                let share = flagged(SEEDS, n, noise, correlated, 0.0);
                // 0.2 % is one standard error for this number of seeds.
                assert!(share <= 0.014, "{n} chunks, noise {noise}, correlated {correlated}: {share}");
            }
        }
    }
}

#[test]
fn a_drift_of_15_percent_is_found_in_9_of_10_windows() {
    for n in [40, 48, 64, 100, 150, 300] {
        for error in [0.03, 0.01] {
            for drift in [0.15, -0.15] {
                let share = flagged(SEEDS, n, noise_of(n, error), 0.0, drift);
                assert!(share >= 0.9, "{n} chunks, error {error}, drift {drift}: {share}");
            }
        }
    }
    // Few chunks hardly show their correlation, so they must fluctuate less.
    for (n, error) in [(8, 0.013), (12, 0.018), (16, 0.021), (20, 0.023), (32, 0.027)] {
        let share = flagged(SEEDS, n, noise_of(n, error), 0.0, 0.15);
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
    assert!((trend.change_pct - 8.0).abs() < 1e-9 && trend.error_pct < 1e-5, "{trend:?}");
    assert!(trend.is_beyond_noise());
    assert!(!Trend::of(&[5.0; 8]).unwrap().is_beyond_noise());
}

#[test]
fn what_cannot_be_judged_is_not() {
    assert_eq!(Trend::of(&[1.0; 7]), None);
    assert_eq!(Trend::of(&[0.0; 8]), None);
    assert_eq!(Trend::of(&[f64::NAN; 8]), None);
}

/// The sums under a correlation equal those of the residuals after each neighbour's part is removed, and the fits equal
/// least squares on these residuals.
#[test]
fn a_fit_is_that_of_least_squares_through_what_neighbours_do_not_share() {
    let (n, correlation) = (9, 0.35_f64);
    let parts = rates(&mut SplitMix64::new(5), n, 0.1, 0.3, 0.2);
    let moments: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64 - 0.5).collect();
    let left = |series: &[f64]| -> Vec<f64> {
        let first = series[0] * f64::sqrt(1.0 - correlation * correlation);
        std::iter::once(first).chain(series.windows(2).map(|pair| pair[1] - correlation * pair[0])).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (ones, x, y) = (left(&vec![1.0; n]), left(&moments), left(&parts));
    let (change, height) = (dot(&x, &y) / dot(&x, &x), dot(&ones, &y) / dot(&ones, &ones));
    let scatter: f64 = (0..n).map(|i| (y[i] - height * ones[i] - change * x[i]).powi(2)).sum();
    let fit = Sums::of(&moments, &parts).fit(correlation);
    assert!((fit.change / change - 1.0).abs() < 1e-9, "{} {change}", fit.change);
    let error = (scatter / (n as f64 - 2.0) / dot(&x, &x)).sqrt();
    assert!((fit.error / error - 1.0).abs() < 1e-6, "{} {error}", fit.error);
}

/// The log-likelihood ratio, without a constant, of white noise with a drift of this many standard errors in either
/// direction to noise with a correlation of one half and any amplitude. No test that ignores the amplitude finds this
/// drift more often at the same rate of false alarms (Neyman and Pearson; King's point-optimal tests).
fn best_evidence(parts: &[f64], errors: f64) -> f64 {
    let n = parts.len() as f64;
    let moments: Vec<f64> = (0..parts.len()).map(|i| (i as f64 + 0.5) / n - 0.5).collect();
    let sums = Sums::of(&moments, parts);
    let under = |correlation: f64| {
        let [ones, height, moments, slope, rates] = sums.under(correlation);
        let scatter = rates - height * height / ones;
        (scatter, (slope * slope / moments / scatter).sqrt())
    };
    let ((white, straight), (correlated, _)) = (under(0.0), under(0.5));
    // The amplitude of the noise is integrated out.
    let term = |u: f64, sign: f64| (n - 2.0) * u.ln() - u * u / 2.0 + sign * errors * straight * u;
    let terms: Vec<f64> = (1..800).flat_map(|i| [-1.0, 1.0].map(|sign| term(0.05 * f64::from(i), sign))).collect();
    let most = terms.iter().copied().fold(f64::MIN, f64::max);
    let drifting = most + terms.iter().map(|t| (t - most).exp()).sum::<f64>().ln();
    (n - 1.0) / 2.0 * (correlated / white).ln() + drifting
}

/// The value that this percentage of values stays below.
fn percentile(mut values: Vec<f64>, of_100: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[(values.len() as f64 * of_100 / 100.0) as usize]
}

/// Computes the bounds, and the table of `docs/trust.md`: where the bound must lie, how often it is passed without a
/// drift, how often a drift of 15 % is found at a standard error of 3 %, and how often it could be found at best.
/// `cargo test --release --workspace --lib -- --ignored --nocapture table_of_power`.
#[test]
#[ignore = "a table to look at, of minutes"]
fn table_of_power() {
    const SEEDS: u32 = 40_000;
    const ERROR: f64 = 0.03;
    println!(
        "chunks  evidence, 99th percentile, correlated 0, 1/4, 1/2  bound  false alarms  found at 0, 1/4, 1/2  at best"
    );
    for n in [8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128] {
        let many = |correlated: f64, drift: f64, of: fn(&[f64]) -> f64| -> Vec<f64> {
            let mut random = SplitMix64::new(977 * n as u64 + 1);
            (0..SEEDS).map(|_| of(&rates(&mut random, n, noise_of(n, ERROR), correlated, drift))).collect()
        };
        let evidence = |rates: &[f64]| Trend::of(rates).unwrap().evidence;
        let needed = [0.0, 0.25, 0.5].map(|correlated| percentile(many(correlated, 0.0, evidence), 99.0));
        let alarms = [0.0, 0.25, 0.5].map(|correlated| 100.0 * flagged(SEEDS, n, 0.2, correlated, 0.0));
        let found = [0.0, 0.25, 0.5].map(|correlated| 100.0 * flagged(SEEDS, n, noise_of(n, ERROR), correlated, 0.15));
        let best = |rates: &[f64]| {
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            let parts: Vec<f64> = rates.iter().map(|rate| rate / mean - 1.0).collect();
            best_evidence(&parts, 5.0)
        };
        let least = percentile(many(0.5, 0.0, best), 99.0);
        let drifting = many(0.0, 0.15, best);
        let at_best = 100.0 * drifting.iter().filter(|e| **e > least).count() as f64 / f64::from(SEEDS);
        println!("{n:6}  {needed:6.2?}  {:5.2}  {alarms:5.2?}  {found:5.1?}  {at_best:5.1}", bound(n));
    }
}
