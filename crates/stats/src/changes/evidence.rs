//! What a segment says for a change within it.

use super::noise::{NeighbourNoise, correlation, inflation, median, steady_square};
use crate::split_mix::SplitMix64;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A level has at least this many steps: three figures show a spread, and one or two may be outliers.
pub(super) const LEAST_LEVEL: usize = 3;
/// A level of so many steps, at an end, is a new one.
pub(super) const NEW_LEVEL: usize = 6;
/// Values further than this from the median, in standard deviations of the noise, are taken as being there.
static CLIPPED: std::sync::LazyLock<f64> =
    std::sync::LazyLock::new(|| std::env::var("CLIP").ok().and_then(|s| s.parse().ok()).unwrap_or(4.0));
/// All stretches of up to this many steps are looked at, and beyond, lengths that grow by an eighth.
const EACH_LENGTH: usize = 16;

/// Steps from one to before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Stretch {
    pub(super) fn len(self) -> usize {
        self.to - self.from
    }

    pub(super) fn has(self, step: usize) -> bool {
        (self.from..self.to).contains(&step)
    }
}

/// Where the stretch lies, which decides how many others it competes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A few steps at an end, against all others.
    New,
    /// A border between two levels of more steps.
    Border,
    /// Steps inside, against those before and after them together.
    Inside,
}

impl Shape {
    pub(super) fn of(stretch: Stretch, n: usize) -> Self {
        let at_end = stretch.from == 0 || stretch.to == n;
        match stretch.len().min(n - stretch.len()) {
            _ if !at_end => Self::Inside,
            ..=NEW_LEVEL => Self::New,
            _ => Self::Border,
        }
    }
}

/// Values of a segment, clipped and with a mean of zero.
pub(super) struct Segment {
    values: Vec<f64>,
    /// Of the values before each.
    sums: Vec<f64>,
    squares: f64,
}

impl Segment {
    pub(super) fn of(values: &[f64]) -> Self {
        let middle = median(values);
        let mut values: Vec<f64> = values.iter().map(|value| value - middle).collect();
        let most = *CLIPPED * steady_square(values.iter().map(|value| value.abs()).collect()).sqrt();
        if most > 0.0 {
            values.iter_mut().for_each(|value| *value = value.clamp(-most, most));
        }
        Self::of_clipped(values)
    }

    fn of_clipped(mut values: Vec<f64>) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter_mut().for_each(|value| *value -= mean);
        let mut sums = Vec::with_capacity(values.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        for value in &values {
            sum += value;
            sums.push(sum);
        }
        let squares = values.iter().map(|value| value * value).sum();
        Self { values, sums, squares }
    }

    fn n(&self) -> usize {
        self.values.len()
    }

    fn sum(&self, stretch: Stretch) -> f64 {
        self.sums[stretch.to] - self.sums[stretch.from]
    }

    /// By how much two means instead of one reduce the sum of squares. It is half the energy statistic of Matteson and
    /// James with an exponent of 2, but for what both sides' own spreads add.
    fn gain(&self, stretch: Stretch) -> f64 {
        self.sum(stretch).powi(2) * factor(stretch.len(), self.n())
    }

    /// The best stretch of each shape.
    pub(super) fn best(&self) -> [Option<Stretch>; 3] {
        let n = self.n();
        let border = |at: usize| Stretch { from: at, to: n };
        let by_gain = |a: &Stretch, b: &Stretch| self.gain(*a).total_cmp(&self.gain(*b));
        let borders = || (LEAST_LEVEL..(n + 1).saturating_sub(LEAST_LEVEL)).map(border);
        let of_shape = |shape: Shape| borders().filter(|s| Shape::of(*s, n) == shape).max_by(by_gain);
        [of_shape(Shape::New), of_shape(Shape::Border), self.best_inside()]
    }

    pub(super) fn best_border(&self) -> Option<usize> {
        let n = self.n();
        let gain = |at: &usize| self.gain(Stretch { from: *at, to: n });
        (LEAST_LEVEL..(n + 1).saturating_sub(LEAST_LEVEL)).max_by(|a, b| gain(a).total_cmp(&gain(b)))
    }

    fn best_inside(&self) -> Option<Stretch> {
        let n = self.n();
        let mut best: Option<(f64, Stretch)> = None;
        let mut length = LEAST_LEVEL;
        while length + 2 * LEAST_LEVEL <= n {
            let starts = LEAST_LEVEL..=n - LEAST_LEVEL - length;
            let sums = self.sums[*starts.start()..].iter().zip(&self.sums[starts.start() + length..=n - LEAST_LEVEL]);
            let most = sums.map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
            let gain = most * most * factor(length, n);
            if best.is_none_or(|(other, _)| gain > other) {
                let from = starts.clone().find(|from| (self.sums[from + length] - self.sums[*from]).abs() >= most);
                best = from.map(|from| (gain, Stretch { from, to: from + length }));
            }
            length += if length < EACH_LENGTH { 1 } else { length / 8 };
        }
        best.map(|(_, stretch)| stretch)
    }

    /// How many standard errors the means inside and outside lie apart, and with how many degrees of freedom these are
    /// known.
    fn t(&self, stretch: Stretch) -> (f64, f64) {
        let n = self.n();
        // Logarithms of equal figures differ by rounding alone.
        if self.squares <= 1e-24 * n as f64 {
            return (0.0, 1.0);
        }
        let sum = self.sum(stretch);
        let (inside, outside) = (sum / stretch.len() as f64, -sum / (n - stretch.len()) as f64);
        let from = if stretch.from == 0 { stretch.to } else { stretch.from };
        let to = if stretch.to == n { stretch.from } else { stretch.to };
        let (from, to) = (from.saturating_sub(*NEAR), (to + *NEAR).min(n));
        let noise: Vec<f64> =
            (from..to).map(|i| self.values[i] - if stretch.has(i) { inside } else { outside }).collect();
        let neighbours = NeighbourNoise::of(&self.values[from..to]);
        let correlation = neighbours.correlation(correlation(&noise));
        let squares: f64 = noise.iter().map(|v| v * v).sum();
        let degrees = (noise.len() - 2) as f64;
        let mut variance = neighbours.variance(squares / degrees, correlation).max(1e-12 * self.squares / n as f64);
        // hetero
        let close = |i: usize| {
            i.abs_diff(stretch.from) < *CLOSE && stretch.from > 0 || i.abs_diff(stretch.to) < *CLOSE && stretch.to < n
        };
        let (mut c, mut cn) = (0.0, 0.0);
        for i in from..to {
            if close(i) {
                c += noise[i - from].powi(2);
                cn += 1.0;
            }
        }
        let (r, rn) = (squares - c, noise.len() as f64 - cn);
        if rn >= 8.0 && c / cn > *RATIO * r / rn {
            variance = variance.max(c / (cn - 2.0));
        }
        let t = (self.gain(stretch) / variance / inflation(correlation, stretch, n)).sqrt();
        (t, degrees)
    }

    /// How often normal noise has a stretch that lies as far apart.
    pub(super) fn by_bound(&self, stretch: Stretch) -> f64 {
        let n = self.n();
        let (t, degrees) = self.t(stretch);
        let tail = StudentsT::new(0.0, 1.0, degrees).map_or(1.0, |student| 2.0 * student.sf(t));
        (tail * tests(Shape::of(stretch, n), n)).min(1.0)
    }

    pub(super) fn strongest(&self) -> Option<(f64, Stretch)> {
        let shown = self.best().into_iter().flatten().map(|stretch| (self.by_bound(stretch), stretch));
        shown.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// How often noise alone has a stretch that lies as far apart.
    pub(super) fn p_value(&self, stretch: Stretch) -> f64 {
        let bound = self.by_bound(stretch);
        if self.n() < *LEAST_PERM as usize || !(1e-5..0.01).contains(&bound) {
            return bound;
        }
        let mut values = self.values.clone();
        values.sort_unstable_by(f64::total_cmp);
        let mut random = SplitMix64::new(1);
        let mut more = 0;
        for _ in 0..999 {
            for i in (1..values.len()).rev() {
                values.swap(i, random.below(i as u64 + 1) as usize);
            }
            let permuted = Self::of_clipped(values.clone());
            more += usize::from(permuted.strongest().is_some_and(|(p, _)| p <= bound));
            if more == 10 {
                return bound.max(0.01);
            }
        }
        bound.max((more + 1) as f64 / 1000.0)
    }
}

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}
static LEAST_PERM: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("LEAST_PERM", 16.0));
static RATIO: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| env("RATIO", 2.0));
static NEAR: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| env("NEAR", 64.0) as usize);
static CLOSE: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| env("CLOSE", 24.0) as usize);
static M: std::sync::LazyLock<Vec<f64>> = std::sync::LazyLock::new(|| {
    std::env::var("M")
        .ok()
        .map(|s| s.split(',').map(|x| x.parse().unwrap()).collect())
        .unwrap_or(vec![12.0, 40.0, 20.0, 400.0, 150.0, 30000.0])
});

/// The gain is this times the square of a stretch's sum, as all values have a mean of zero.
fn factor(length: usize, n: usize) -> f64 {
    n as f64 / (length * (n - length)) as f64
}

/// As many independent tests as these would find as much in noise, by simulation.
fn tests(shape: Shape, n: usize) -> f64 {
    let n = n as f64;
    let (few, many, beyond) = match shape {
        Shape::New => (M[0], M[1], 1.0),
        Shape::Border => (M[2], M[3], 1.0),
        Shape::Inside => (M[4], M[5], (n / 1_000.0).max(1.0)),
    };
    let along = ((n / 20.0).ln() / 5.0_f64.ln()).clamp(0.0, 1.0);
    few * f64::powf(many / few, along) * beyond
}

#[cfg(test)]
pub(super) mod calibration;
