//! Noise of several kinds, in standard deviations or about that.

use crate::SplitMix64;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    White,
    /// Neighbours have this correlation.
    Correlated(f64),
    /// Student's t with three degrees of freedom.
    Wild,
    /// The same, with a correlation of 0.3.
    WildCorrelated,
    /// Times that are often the shortest possible, and sometimes much longer.
    Skewed,
    Uniform,
    /// Two bands, each with noise of its own.
    Banded,
    /// Two figures, at random.
    TwoFigures,
    /// Few figures are possible.
    Rounded,
    /// One run in ten is slow.
    Dips,
    /// Five times as much noise from the middle on.
    Uneven,
}

impl Kind {
    pub(crate) const ALL: [Self; 13] = [
        Self::White,
        Self::Correlated(0.3),
        Self::Correlated(0.5),
        Self::Correlated(-0.3),
        Self::Wild,
        Self::WildCorrelated,
        Self::Skewed,
        Self::Uniform,
        Self::Banded,
        Self::TwoFigures,
        Self::Rounded,
        Self::Dips,
        Self::Uneven,
    ];

    pub(crate) fn noise(self, random: &mut SplitMix64, n: usize) -> Vec<f64> {
        let mut correlated = |with: f64, error: fn(&mut SplitMix64) -> f64| {
            let mut last = error(random);
            let mut next = || {
                let now = last;
                last = with * last + (1.0 - with * with).sqrt() * error(random);
                now
            };
            (0..n).map(|_| next()).collect::<Vec<f64>>()
        };
        let each = |error: fn(&mut SplitMix64) -> f64, random: &mut SplitMix64| (0..n).map(|_| error(random)).collect();
        match self {
            Self::White => each(SplitMix64::normal, random),
            Self::Correlated(with) => correlated(with, SplitMix64::normal),
            Self::Wild => each(wild, random),
            Self::WildCorrelated => correlated(0.3, wild),
            Self::Skewed => each(|random| 50.0 * (0.05 * random.normal().exp()).ln_1p(), random),
            Self::Uniform => each(|random| 3.0 * random.uniform(), random),
            Self::Banded => each(|random| 2.5 * random.below(2) as f64 + random.normal(), random),
            Self::TwoFigures => each(|random| 2.5 * random.below(2) as f64, random),
            Self::Rounded => each(|random| random.normal().round(), random),
            Self::Dips => each(|random| random.normal() - if random.below(10) == 0 { 4.0 } else { 0.0 }, random),
            Self::Uneven => (0..n).map(|i| if i < n / 2 { 0.2 } else { 1.0 } * random.normal()).collect(),
        }
    }
}

fn wild(random: &mut SplitMix64) -> f64 {
    let square = (0..3).map(|_| random.normal().powi(2)).sum::<f64>() / 3.0;
    random.normal() / square.sqrt()
}
