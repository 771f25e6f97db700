//! Steps that may be on another level than those around them.

/// A level has at least so many steps: three figures show a spread, and one or two away from others may be outliers.
pub(super) const LEAST_LEVEL: usize = 3;
/// A level of at most so many steps, at an end, is new.
const MOST_NEW: usize = 6;

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

    /// Where it meets other steps, of so many in all.
    pub(super) fn edges(self, n: usize) -> impl Iterator<Item = usize> {
        [self.from, self.to].into_iter().filter(move |edge| (1..n).contains(edge))
    }

    pub(super) fn shape(self, n: usize) -> Shape {
        if self.from > 0 && self.to < n {
            Shape::Inside
        } else if self.len().min(n - self.len()) <= MOST_NEW {
            Shape::New
        } else {
            Shape::Border
        }
    }
}

/// Where a stretch lies. It decides how many others it competes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A few steps at an end, against all others.
    New,
    /// Two levels of more steps.
    Border,
    /// Steps inside, against those before and after them.
    Inside,
}

impl Shape {
    pub(super) const ALL: [Self; 3] = [Self::New, Self::Border, Self::Inside];

    /// The best stretch of a shape among so many steps in noise is as far from others as the furthest of this number of
    /// independent ones, by simulation (the tests of `evidence.rs`). A new level is found first: it may be wrong as
    /// often as both others together.
    ///
    /// In few steps the noise is white; in 100 and more, neighbours may have a correlation of 0.3.
    pub(super) fn rivals(self, n: usize) -> f64 {
        let n = n as f64;
        let (few, until, many, beyond) = match self {
            Self::New => (4.4, 40.0, 22.0, (10.0 / n).max(1.0)),
            Self::Border => (14.0, 20.0, 500.0, (n / 300.0).max(1.0).sqrt()),
            Self::Inside => (600.0, 20.0, 40_000.0, (n / 300.0).max(1.0)),
        };
        let along = (f64::ln(n / until) / f64::ln(100.0 / until)).clamp(0.0, 1.0);
        few * f64::powf(many / few, along) * beyond
    }
}
