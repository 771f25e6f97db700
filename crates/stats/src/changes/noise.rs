//! The noise around two means: how far values scatter, and how much neighbours have in common.

use super::stretch::Stretch;

/// Of differences and distances the smallest four fifths count. Jumps between levels and outliers are among the rest.
const KEPT_FIFTHS: usize = 4;
/// What is kept of normal noise has this share of the mean square of all of it.
const KEPT_SQUARE: f64 = 0.4377;
/// Noise is measured within so many steps of a border: over years it changes, too.
const NEAR: usize = 128;
/// Closer still, it may be another noise than in the rest of what is near.
const CLOSE: usize = 24;
/// From this ratio of squares on it is. Normal noise hardly shows it.
const OTHER_NOISE: f64 = 2.0;
/// Fewer steps do not show another noise.
const LEAST_REST: usize = 8;
/// Two means follow the noise as if so many values less were there, by simulation.
const FOLLOWED: f64 = 4.0;
/// What differences of neighbours show is exceeded by so many of its standard errors at most.
const STANDARD_ERRORS: f64 = 2.0;
/// Neighbours with more in common than this are not told from levels that wander.
const MOST_CORRELATED: f64 = 0.95;

/// The noise around the means inside and outside a stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    /// Of a single value.
    variance: f64,
    /// Of neighbours.
    correlation: f64,
    /// Degrees of freedom with which the variance is known.
    pub(super) degrees: f64,
}

impl Noise {
    /// Measures it in values with a border, or with a stretch inside.
    pub(super) fn of(values: &[f64], stretch: Stretch, inside: f64, outside: f64) -> Self {
        let n = values.len();
        let from = stretch.edges(n).min().unwrap_or(0).saturating_sub(NEAR);
        let to = stretch.edges(n).max().unwrap_or(n).saturating_add(NEAR).min(n);
        let mean = |i: usize| if stretch.has(i) { inside } else { outside };
        let left: Vec<f64> = (from..to).map(|i| values[i] - mean(i)).collect();
        let neighbours = Neighbours::of(&values[from..to]);
        let correlation = neighbours.at_most(correlation(&left));
        let squares = sum_of_squares(&left);
        let degrees = |n: usize| (n - 2) as f64;
        let near = neighbours.variance_at_most(squares / degrees(left.len()), correlation);

        let is_close = |i: usize| stretch.edges(n).any(|edge| i + CLOSE >= edge && i < edge + CLOSE);
        let close: Vec<f64> = (from..to).filter(|i| is_close(*i)).map(|i| left[i - from]).collect();
        let close_squares = sum_of_squares(&close);
        let rest = left.len() - close.len();
        let is_other = rest >= LEAST_REST
            && close_squares / close.len() as f64 > OTHER_NOISE * (squares - close_squares) / rest as f64;
        let of_close = close_squares / degrees(close.len());
        let (variance, known_by) =
            if is_other && of_close > near { (of_close, close.len()) } else { (near, left.len()) };
        Self { variance, correlation, degrees: degrees(known_by) }
    }

    /// The variance of the difference of the two means.
    pub(super) fn of_difference(self, stretch: Stretch, n: usize) -> f64 {
        let (inside, outside) = (1.0 / stretch.len() as f64, 1.0 / (n - stretch.len()) as f64);
        self.variance * (inside + outside) * inflation(self.correlation, stretch, n)
    }
}

fn sum_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// The correlation of neighbours. Means follow the noise that they are taken from, so what remains looks less
/// correlated than it was; that is added.
fn correlation(noise: &[f64]) -> f64 {
    let n = noise.len() as f64;
    let products: f64 = noise.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let squares = sum_of_squares(noise);
    if squares > 0.0 { (products / squares * n + FOLLOWED) / (n - FOLLOWED).max(1.0) } else { 0.0 }
}

/// How many times more the difference of the means inside and outside varies with this correlation of neighbours than
/// with none.
fn inflation(correlation: f64, stretch: Stretch, n: usize) -> f64 {
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

/// What differences of neighbours show of the noise. Levels, and how often they change, hardly matter to it, so it is
/// an upper bound where further levels are among what a border leaves unexplained.
#[derive(Debug, Clone, Copy)]
struct Neighbours {
    /// Half the mean square of differences.
    half_square: f64,
    /// The correlation with which values two apart differ as they do.
    correlation: f64,
    /// The standard error of the correlation. That of the half square is twice as much of it.
    uncertainty: f64,
}

impl Neighbours {
    fn of(values: &[f64]) -> Self {
        let half_square = |apart: usize| {
            let differences: Vec<f64> = values.iter().zip(values.iter().skip(apart)).map(|(a, b)| b - a).collect();
            // A drift makes all of them larger, and is no noise. What rises and falls back again and again is.
            let (usual, mean) =
                (median(&differences), differences.iter().sum::<f64>() / differences.len().max(1) as f64);
            let drift = if usual * mean > 0.0 { usual.abs().min(mean.abs()).copysign(usual) } else { 0.0 };
            steady_square(differences.into_iter().map(|difference| (difference - drift).abs()).collect()) / 2.0
        };
        let (one, two) = (half_square(1), half_square(2));
        // With correlation c these are (1 - c) and (1 - c^2) times the variance.
        let correlation = if one > 0.0 { two / one - 1.0 } else { 0.0 };
        Self { half_square: one, correlation, uncertainty: 1.0 / (values.len() as f64).sqrt() }
    }

    /// A correlation, as far as differences allow for it.
    fn at_most(self, correlation: f64) -> f64 {
        correlation.min(self.correlation + STANDARD_ERRORS * self.uncertainty).clamp(0.0, MOST_CORRELATED)
    }

    /// A variance, as far as differences of values with this correlation allow for it.
    fn variance_at_most(self, variance: f64, correlation: f64) -> f64 {
        let most = self.half_square / (1.0 - correlation) * (1.0 + STANDARD_ERRORS * 2.0 * self.uncertainty);
        if most > 0.0 { variance.min(most) } else { variance }
    }
}

/// The mean square of noise that is normal but for some large values. Zero where four fifths are zero.
pub(super) fn steady_square(mut sizes: Vec<f64>) -> f64 {
    let kept = (sizes.len() * KEPT_FIFTHS).div_ceil(5);
    if kept < sizes.len() {
        sizes.select_nth_unstable_by(kept, f64::total_cmp);
    }
    sum_of_squares(&sizes[..kept]) / kept.max(1) as f64 / KEPT_SQUARE
}

/// The median of values in any order; zero without any.
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
