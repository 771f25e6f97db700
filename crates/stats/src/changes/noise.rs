//! The noise around levels: how far figures scatter, and how much neighbours have in common.

use super::evidence::Stretch;

/// Of differences and deviations, the largest are left out: this share, in fifths, counts. Jumps between levels and
/// outliers are among the rest.
const KEPT_FIFTHS: usize = 4;
/// What is kept of normal noise has this share of its mean square.
const KEPT_SQUARE: f64 = 0.4377;
/// No correlation of neighbours above this is told from a level that wanders.
const MOST_CORRELATED: f64 = 0.95;

/// The mean square of noise that looks normal but for some large values. Zero where most values are.
pub(super) fn steady_square(mut sizes: Vec<f64>) -> f64 {
    let kept = (sizes.len() * KEPT_FIFTHS).div_ceil(5);
    if kept < sizes.len() {
        sizes.select_nth_unstable_by(kept, f64::total_cmp);
    }
    sizes[..kept].iter().map(|size| size * size).sum::<f64>() / kept.max(1) as f64 / KEPT_SQUARE
}

/// The median of values; they may be in any order. Zero without any.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// What differences of neighbours show of the noise. Levels, and how often they change, hardly matter to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NeighbourNoise {
    /// Half the mean square of differences of neighbours.
    half_square: f64,
    /// The correlation of neighbours for which values that are two apart differ as they do.
    correlation: f64,
    n: f64,
}

impl NeighbourNoise {
    pub(super) fn of(values: &[f64]) -> Self {
        let half_square = |apart: usize| {
            let sizes = values.iter().zip(values.iter().skip(apart)).map(|(a, b)| (b - a).abs()).collect();
            steady_square(sizes) / 2.0
        };
        let (one, two) = (half_square(1), half_square(2));
        // With correlation c, the two are (1 - c) and (1 - c^2) times the variance.
        let correlation = if one > 0.0 { two / one - 1.0 } else { 0.0 };
        Self { half_square: one, correlation, n: values.len() as f64 }
    }

    /// No more of the correlation that was found than differences allow, but for their own uncertainty.
    pub(super) fn correlation(self, found: f64) -> f64 {
        let most = self.correlation + *CR / self.n.sqrt();
        found.min(most).clamp(0.0, MOST_CORRELATED)
    }

    /// No more of the variance that was found than differences allow, but for their own uncertainty.
    pub(super) fn variance(self, found: f64, correlation: f64) -> f64 {
        let most = self.half_square / (1.0 - correlation) * (1.0 + *CV / self.n.sqrt());
        if most > 0.0 { found.min(most) } else { found }
    }
}

/// The correlation of neighbours in noise. The bias is taken out that stems from means which follow the noise.
pub(super) fn correlation(noise: &[f64]) -> f64 {
    let products: f64 = noise.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let squares: f64 = noise.iter().map(|v| v * v).sum();
    let n = noise.len() as f64;
    if squares > 0.0 { (products / squares * n + *BIAS) / (n - *BIAS_N).max(1.0) } else { 0.0 }
}

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}
static BIAS: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("BIAS", 4.0));
static BIAS_N: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("BIAS_N", 4.0));
static CR: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("CR", 3.0));
static CV: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("CV", 4.0));

/// How many times more the difference of the means inside and outside varies with this correlation of neighbours than
/// with none.
pub(super) fn inflation(correlation: f64, stretch: Stretch, n: usize) -> f64 {
    if correlation <= 0.0 {
        return 1.0;
    }
    let (inside, outside) = (1.0 / stretch.len() as f64, -1.0 / (n - stretch.len()) as f64);
    let (mut shared, mut alone, mut with_earlier) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let weight = if stretch.has(i) { inside } else { outside };
        with_earlier *= correlation;
        alone += weight * weight;
        shared += weight * with_earlier;
        with_earlier += weight;
    }
    1.0 + 2.0 * shared / alone
}
