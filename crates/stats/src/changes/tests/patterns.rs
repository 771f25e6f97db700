//! Otava's public test series, and how well their changes are found.
//!
//! Patterns, parameters and true changes are those of the package `otava-test-data` 0.1.9 (Apache-2.0): the 17 patterns
//! of its visualizer with its defaults, 200 steps, a tolerance of 5 steps, and its way to count: outliers, banding and
//! noise have no change; changes of variance and of phase are changes. The generators here are made anew from these
//! figures; the random numbers are others.

use crate::split_mix::SplitMix64;

/// A change is found within so many steps.
const TOLERANCE: usize = 5;

pub(super) struct Pattern {
    pub(super) name: &'static str,
    pub(super) values: Vec<f64>,
    pub(super) truth: Vec<usize>,
}

impl Pattern {
    /// Whether its changes are none of the level.
    pub(super) fn is_of_another_kind(&self) -> bool {
        ["variance_change", "multiple_variance_changes", "phase_change"].contains(&self.name)
    }
}

/// Figures, and where their true changes are.
type Series = (Vec<f64>, Vec<usize>);

/// Levels that begin at these steps, with normal noise.
fn levels(random: &mut SplitMix64, n: usize, levels: &[(usize, f64)], sigma: f64) -> Series {
    let level = |i: usize| levels.iter().rfind(|(from, _)| *from <= i).map_or(0.0, |(_, value)| *value);
    let values = (0..n).map(|i| level(i) + sigma * random.normal()).collect();
    (values, levels[1..].iter().map(|(from, _)| *from).collect())
}

/// Noise around 100 that has another spread from these steps on.
fn spreads(random: &mut SplitMix64, n: usize, spreads: &[(usize, f64)]) -> Series {
    let spread = |i: usize| spreads.iter().rfind(|(from, _)| *from <= i).map_or(0.0, |(_, value)| *value);
    let values = (0..n).map(|i| 100.0 + spread(i) * random.normal()).collect();
    (values, spreads[1..].iter().map(|(from, _)| *from).collect())
}

fn with_outliers(random: &mut SplitMix64, n: usize, sigma: f64, at: &[usize]) -> Series {
    let (mut values, _) = levels(random, n, &[(0, 100.0)], sigma);
    at.iter().for_each(|at| values[*at] = 150.0);
    (values, vec![])
}

/// So many steps, none of them twice, none at an end.
fn some_steps(random: &mut SplitMix64, n: usize, many: usize) -> Vec<usize> {
    let mut steps: Vec<usize> = Vec::new();
    while steps.len() < many {
        let step = 1 + random.below(n as u64 - 2) as usize;
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}

fn banding(random: &mut SplitMix64, n: usize, other: f64, sigma: f64) -> Series {
    let mut value = || if random.below(2) == 0 { 100.0 } else { other } + sigma * random.normal();
    ((0..n).map(|_| value()).collect(), vec![])
}

/// All patterns, with so many steps. Those whose noise is 5 by default have this noise.
pub(super) fn patterns(random: &mut SplitMix64, n: usize, sigma: f64) -> Vec<Pattern> {
    let quarter = n / 4;
    let stairs = [(0, 100.0), (quarter, 110.0), (2 * quarter, 120.0), (3 * quarter, 130.0)];
    let step = [(0, 100.0), (n / 2, 120.0)];
    let repaired = [(0, 100.0), (n / 3, 130.0), (n / 3 + 20, 100.0)];
    let wave = |i: usize| {
        let turned = if i < n / 2 { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        100.0 + 10.0 * (std::f64::consts::TAU * i as f64 / 20.0 + turned).cos()
    };
    let outliers = some_steps(random, n, 5);
    let series: [(&'static str, Series); 17] = [
        ("constant", levels(random, n, &[(0, 100.0)], 0.0)),
        ("noise_normal", levels(random, n, &[(0, 100.0)], sigma)),
        ("noise_uniform", ((0..n).map(|_| 90.0 + 20.0 * random.uniform()).collect(), vec![])),
        ("outlier", with_outliers(random, n, sigma, &[n / 2])),
        ("step_function", levels(random, n, &step, sigma)),
        ("regression_fix", levels(random, n, &repaired, sigma)),
        ("banding", banding(random, n, 105.0, 2.0)),
        ("variance_change", spreads(random, n, &[(0, 2.0), (n / 2, 10.0)])),
        ("phase_change", ((0..n).map(|i| wave(i) + 2.0 * random.normal()).collect(), vec![n / 2])),
        ("multiple_changes", levels(random, n, &stairs, sigma)),
        ("multiple_outliers", with_outliers(random, n, sigma, &outliers)),
        (
            "multiple_variance_changes",
            spreads(random, n, &[(0, 2.0), (quarter, 8.0), (2 * quarter, 3.0), (3 * quarter, 10.0)]),
        ),
        ("step_function_clean", levels(random, n, &step, 0.0)),
        ("multiple_changes_clean", levels(random, n, &stairs, 0.0)),
        ("regression_fix_clean", levels(random, n, &repaired, 0.0)),
        ("banding_clean", banding(random, n, 110.0, 0.0)),
        ("outlier_clean", with_outliers(random, n, 0.0, &[n / 2])),
    ];
    series.map(|(name, (values, truth))| Pattern { name, values, truth }).into()
}

/// Changes found, false alarms, and changes missed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) found: usize,
    pub(super) false_alarms: usize,
    pub(super) missed: usize,
}

impl Counts {
    /// Each true change counts once, for the first that is told near it.
    pub(super) fn add(&mut self, truth: &[usize], told: &[usize]) {
        let mut left = truth.to_vec();
        for at in told {
            match left.iter().position(|truth| truth.abs_diff(*at) <= TOLERANCE) {
                Some(truth) => {
                    left.remove(truth);
                    self.found += 1;
                }
                None => self.false_alarms += 1,
            }
        }
        self.missed += left.len();
    }

    pub(super) fn f1(self) -> f64 {
        let found = 2.0 * self.found as f64;
        found / (found + (self.false_alarms + self.missed) as f64)
    }
}

/// The package's own baseline: a change is where the means of 10 steps before and after differ by more than twice their
/// spread (which is at least 1), more than anywhere within 10 steps.
pub(super) fn by_moving_means(values: &[f64]) -> Vec<usize> {
    const WINDOW: usize = 10;
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let spread = |of: &[f64]| mean(&of.iter().map(|value| (value - mean(of)).powi(2)).collect::<Vec<f64>>()).sqrt();
    let candidates: Vec<(usize, f64)> = (WINDOW..values.len().saturating_sub(WINDOW))
        .filter_map(|at| {
            let (before, after) = (&values[at - WINDOW..at], &values[at..at + WINDOW]);
            let apart = (mean(after) - mean(before)).abs();
            (apart > 2.0 * f64::midpoint(spread(before), spread(after)).max(1.0)).then_some((at, apart))
        })
        .collect();
    let mut told: Vec<usize> = vec![];
    for (at, apart) in &candidates {
        let is_most = candidates.iter().all(|(other, more)| other.abs_diff(*at) >= WINDOW || more <= apart);
        if is_most && told.last().is_none_or(|last| at - last >= WINDOW) {
            told.push(*at);
        }
    }
    told
}

/// All patterns of one length and noise, many times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suite {
    pub(super) n: usize,
    pub(super) sigma: f64,
}

/// The visualizer's defaults first; then the lengths of the package's command line, and less and more noise.
pub(super) const SUITES: [Suite; 5] = [
    Suite { n: 200, sigma: 5.0 },
    Suite { n: 50, sigma: 5.0 },
    Suite { n: 500, sigma: 5.0 },
    Suite { n: 200, sigma: 2.0 },
    Suite { n: 200, sigma: 10.0 },
];

impl Suite {
    pub(super) fn name(&self) -> String {
        format!("{} steps, noise of {}", self.n, self.sigma)
    }

    pub(super) fn each(&self, mut with: impl FnMut(&Pattern)) {
        let mut random = SplitMix64::new(self.n as u64 + self.sigma as u64);
        for _ in 0..40 {
            patterns(&mut random, self.n, self.sigma).iter().for_each(&mut with);
        }
    }
}
