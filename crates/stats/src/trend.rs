//! Whether a rate rose or fell within a window, or only fluctuated.
//!
//! Chunks are not independent: a slow chunk is often followed by another slow one, and such waves look like a trend. So
//! two models of the successive rates are compared: a straight line with noise, and noise alone. In both, the noise is
//! an autoregressive process of first order whose correlation, from 0 to one half, is chosen to fit best. The statistic
//! is the likelihood ratio of the two models. Its bound comes from simulation and not from a table, because few chunks
//! hardly show their correlation and false alarms must stay at 1 %. `trend/tests.rs` determines the bound, the power,
//! and the best power that is possible.

/// The line through successive rates, and its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Change from the window's beginning to its end, in percent of the mean.
    pub change_pct: f64,
    /// Standard error of the change, with the correlation of neighbours.
    pub error_pct: f64,
    /// Number of rates that it is based on.
    pub rates: usize,
    /// Twice the logarithm of the likelihood ratio of a line to noise alone.
    pub evidence: f64,
}

impl Trend {
    /// With fewer rates there is no judgement.
    pub const LEAST_RATES: usize = 8;
    /// More rates than this are averaged in groups of neighbours.
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

    /// Whether chance does not explain the change. Of steady rates with any noise, at most 1 in 100 windows passes the
    /// bound.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        self.evidence > bound(self.rates)
    }
}

/// The bound that the evidence stays below in 99 of 100 windows without a trend, by the number of rates, for any
/// correlation of neighbours up to one half. Found by simulation (100,000 windows each); interpolated linearly between
/// them. At the end it is nearly the chi-square of one degree of freedom.
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
/// Penalty on a line with strongly correlated noise. Such noise looks like a line with less noise; with the penalty the
/// most drifts are found at the same rate of false alarms. Found by simulation, too.
const PENALTY: f64 = 3.0;

fn correlations() -> impl Iterator<Item = f64> {
    (0..=10).map(|n| MOST_CORRELATED * f64::from(n) / 10.0)
}

/// The means of groups of neighbours. Rates that do not fill a group are dropped at the beginning.
fn together(rates: &[f64], each: usize) -> Vec<f64> {
    rates[rates.len() % each..].chunks_exact(each).map(|group| group.iter().sum::<f64>() / each as f64).collect()
}

/// The two models under one correlation.
struct Fit {
    /// The line's change over the window, relative to the mean.
    change: f64,
    /// Its standard error.
    error: f64,
    /// Twice the negative log-likelihood of the line, without common terms, plus the penalty.
    line: f64,
    /// The same for noise alone.
    noise: f64,
}

/// Sums that the fits need. Moments lie evenly around zero, so the line's slope and its height are independent for
/// every correlation.
struct Sums {
    n: f64,
    /// Of ones, of ones and rates (the height), of moments, of moments and rates (the slope), and of rates.
    products: [Products; 5],
}

impl Sums {
    fn of(moments: &[f64], rates: &[f64]) -> Self {
        let ones = &vec![1.0; rates.len()][..];
        let pairs = [(ones, ones), (ones, rates), (moments, moments), (moments, rates), (rates, rates)];
        Self { n: rates.len() as f64, products: pairs.map(|(a, b)| Products::of(a, b)) }
    }

    fn under(&self, correlation: f64) -> [f64; 5] {
        self.products.map(|sum| sum.under(correlation))
    }

    fn fit(&self, correlation: f64) -> Fit {
        let [ones, height, moments, slope, rates] = self.under(correlation);
        let noise = (rates - height * height / ones).max(0.0);
        let line = (noise - slope * slope / moments).max(0.0);
        let unlikely = |scatter: f64| self.n * scatter.ln() - (1.0 - correlation * correlation).ln();
        Fit {
            change: slope / moments,
            error: (line / (self.n - 2.0) / moments).sqrt(),
            line: unlikely(line) + PENALTY * correlation / MOST_CORRELATED,
            noise: unlikely(noise),
        }
    }
}

/// Sums of products of two series. The sum of products of their residuals, after removing the correlated part of each
/// neighbour, follows from them for any correlation.
#[derive(Clone, Copy)]
struct Products {
    all: f64,
    /// Without the first and the last product.
    inner: f64,
    /// Products of each value with the other's neighbour.
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
