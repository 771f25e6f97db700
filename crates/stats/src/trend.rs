//! Whether a rate went up or down within a window, or only wavered.
//!
//! Chunks are not independent: a slow one is followed by another slow one, and such waves look like a trend. So two
//! accounts of the successive rates are set against each other: a straight line with noise, and noise alone. In both
//! the noise of neighbours hangs together as an autoregressive process of first order does, by as much as suits the
//! account best, from not at all to one half. How much likelier the line makes the rates decides (a likelihood ratio).
//! The bound on that is one of simulation rather than of a table: with few chunks their correlation can hardly be told,
//! and the bound must keep false alarms at 1 %. `trend/tests.rs` finds it, and says what is found beyond it and what
//! could be found at best.

/// The line through successive rates, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// From the window's beginning to its end, in percent of the mean.
    pub change_pct: f64,
    /// Standard error of that, with the correlation of neighbours.
    pub error_pct: f64,
    /// Rates that it rests on.
    pub rates: usize,
    /// Twice the logarithm of how much likelier a line makes the rates than noise alone.
    pub evidence: f64,
}

impl Trend {
    /// Fewer rates are not judged.
    pub const LEAST_RATES: usize = 8;
    /// Of more, neighbours are put together.
    const MOST_RATES: usize = 128;

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
        let moments: Vec<f64> = (0..rates.len()).map(|i| (i as f64 + 0.5) / n - 0.5).collect();
        let parts: Vec<f64> = rates.iter().map(|rate| rate / mean - 1.0).collect();
        let sums = Sums::of(&moments, &parts);
        let fits: Vec<Fit> = correlations().map(|correlation| sums.fit(correlation)).collect();
        let likeliest = |of: fn(&Fit) -> f64| fits.iter().min_by(|a, b| of(a).total_cmp(&of(b)));
        let (line, noise) = (likeliest(|fit| fit.line)?, likeliest(|fit| fit.noise)?);
        Some(Self {
            change_pct: line.change * 100.0,
            error_pct: line.error * 100.0,
            rates: rates.len(),
            evidence: noise.noise - line.line,
        })
    }

    /// Whether chance does not explain it: of steady rates, wavering by any amount, at most 1 in 100 is beyond this.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        self.evidence > bound(self.rates)
    }
}

/// What the evidence stays below in 99 of 100 windows without a trend, by the number of rates, whatever the correlation
/// of neighbours up to one half. Found by simulation (100,000 windows each); between them along straight lines. At the
/// end it is nearly the chi-square of one degree of freedom.
const BOUNDS: [(f64, f64); 10] = [
    (8.0, 12.1),
    (10.0, 11.3),
    (14.0, 10.85),
    (16.0, 10.5),
    (24.0, 9.8),
    (32.0, 9.0),
    (40.0, 8.0),
    (48.0, 7.35),
    (56.0, 7.05),
    (128.0, 6.65),
];

fn bound(rates: usize) -> f64 {
    let n = rates as f64;
    let right = BOUNDS.partition_point(|(at, _)| *at < n).clamp(1, BOUNDS.len() - 1);
    let ((n0, low), (n1, high)) = (BOUNDS[right - 1], BOUNDS[right]);
    low + (high - low) * (n - n0) / (n1 - n0)
}

/// The strongest correlation of neighbours that is tried, in steps of a tenth of it.
const MOST_CORRELATED: f64 = 0.5;
/// How much less evidence a line is over noise that hangs together most: noise that does so looks like a line with less
/// noise, and to hold that against it finds the most drifts at the same rate of false alarms. Likewise found by
/// simulation.
const WARINESS: f64 = 3.0;

fn correlations() -> impl Iterator<Item = f64> {
    (0..=10).map(|n| MOST_CORRELATED * f64::from(n) / 10.0)
}

/// The means of so many neighbours each. What does not fill a group is left away at the beginning.
fn together(rates: &[f64], each: usize) -> Vec<f64> {
    rates[rates.len() % each..].chunks_exact(each).map(|group| group.iter().sum::<f64>() / each as f64).collect()
}

/// The two accounts under one correlation.
struct Fit {
    /// The line's change over the window, as a part of the mean.
    change: f64,
    /// Its standard error.
    error: f64,
    /// Twice the negative logarithm of the likelihood of the line, but for what is the same for all; and the wariness.
    line: f64,
    /// The same of noise alone.
    noise: f64,
}

/// What the fits need to know of the rates. As moments lie evenly about zero, the line's slope and its height do not
/// depend on each other, whatever the correlation.
struct Sums {
    n: f64,
    ones: Products,
    height: Products,
    moments: Products,
    slope: Products,
    rates: Products,
}

impl Sums {
    fn of(moments: &[f64], rates: &[f64]) -> Self {
        let ones = vec![1.0; rates.len()];
        Self {
            n: rates.len() as f64,
            ones: Products::of(&ones, &ones),
            height: Products::of(&ones, rates),
            moments: Products::of(moments, moments),
            slope: Products::of(moments, rates),
            rates: Products::of(rates, rates),
        }
    }

    fn fit(&self, correlation: f64) -> Fit {
        let [ones, height, moments, slope, rates] =
            [self.ones, self.height, self.moments, self.slope, self.rates].map(|sum| sum.under(correlation));
        let noise = (rates - height * height / ones).max(0.0);
        let line = (noise - slope * slope / moments).max(0.0);
        let unlikely = |scatter: f64| self.n * scatter.ln() - (1.0 - correlation * correlation).ln();
        Fit {
            change: slope / moments,
            error: (line / (self.n - 2.0) / moments).sqrt(),
            line: unlikely(line) + WARINESS * correlation / MOST_CORRELATED,
            noise: unlikely(noise),
        }
    }
}

/// Sums of the products of two series, from which their product under any correlation of neighbours follows: that of
/// what is left of each when its neighbour's part is taken away.
#[derive(Clone, Copy)]
struct Products {
    all: f64,
    /// Without the first and the last.
    inner: f64,
    /// Of each with the other's neighbour.
    crossed: f64,
}

impl Products {
    fn of(a: &[f64], b: &[f64]) -> Self {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let last = a.len() - 1;
        Self {
            all: dot(a, b),
            inner: dot(&a[1..last], &b[1..last]),
            crossed: dot(&a[1..], &b[..last]) + dot(&a[..last], &b[1..]),
        }
    }

    fn under(self, correlation: f64) -> f64 {
        self.all - correlation * self.crossed + correlation * correlation * self.inner
    }
}

#[cfg(test)]
mod tests;
