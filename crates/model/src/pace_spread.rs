//! How the machine's pace varied over the points of a run, and which points it makes doubtful.

use crate::{Flag, MachinePace, PaceKind, Point, PointPace};

/// Readings that one edge needs for a judgement. With fewer, the best tenth is unknown.
pub const FEWEST_PACES: usize = 5;

/// How the readings of one kind are distributed at one edge: all readings before the points, or all readings after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeSpread {
    /// Number of readings.
    pub n: usize,
    /// The 10th percentile: what the machine can do.
    pub best_ns: f64,
    /// The median.
    pub median_ns: f64,
    /// The 90th percentile.
    pub p90_ns: f64,
}

/// How a run's readings of one kind are distributed. A processor has another clock after rest than after work, on every
/// machine. So readings before the points are compared with each other, and readings after the points likewise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceSpread {
    /// The kind.
    pub kind: PaceKind,
    /// Right before the points.
    pub before: Option<EdgeSpread>,
    /// Right after them.
    pub after: Option<EdgeSpread>,
    /// The 90th percentile, over both edges together, of a step's time divided by the best of its edge.
    pub unevenness: f64,
    /// Standard deviation of the logarithm of a point's pace, relative to the best of its edge.
    pub log_sd: f64,
}

impl EdgeSpread {
    fn of(mut all_ns: Vec<f64>) -> Option<Self> {
        all_ns.sort_unstable_by(f64::total_cmp);
        Some(Self {
            n: all_ns.len(),
            best_ns: quantile(&all_ns, 0.1)?,
            median_ns: quantile(&all_ns, 0.5)?,
            p90_ns: quantile(&all_ns, 0.9)?,
        })
    }
}

impl PaceSpread {
    /// The distribution of one kind over points; `None` where no reading was taken.
    #[must_use]
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>, kind: PaceKind) -> Option<Self> {
        let paces: Vec<&PointPace> = points.into_iter().filter_map(|p| p.pace.as_ref()).collect();
        let edge = |of: fn(&PointPace) -> Option<&MachinePace>| {
            EdgeSpread::of(paces.iter().filter_map(|pace| kind.of(of(pace)?)).collect())
        };
        let (before, after) = (edge(|pace| pace.before.as_ref()), edge(|pace| pace.after.as_ref()));
        let mut spread = Self { kind, before, after, unevenness: 1.0, log_sd: 0.0 };
        let (mut all, mut logs) = (Vec::new(), Vec::new());
        for pace in paces {
            let times: Vec<f64> = spread.times(pace).into_iter().flatten().collect();
            if !times.is_empty() {
                logs.push(times.iter().map(|t| t.ln()).sum::<f64>() / times.len() as f64);
            }
            all.extend(times);
        }
        all.sort_unstable_by(f64::total_cmp);
        spread.unevenness = quantile(&all, 0.9)?;
        spread.log_sd = deviation(&logs);
        Some(spread)
    }

    /// The edges that have readings.
    pub fn edges(&self) -> impl Iterator<Item = EdgeSpread> {
        self.before.into_iter().chain(self.after)
    }

    /// Whether there are enough readings for a judgement.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.edges().all(|edge| edge.n >= FEWEST_PACES)
    }

    /// Whether the machine was uneven while the points were measured.
    #[must_use]
    pub fn is_uneven(&self) -> bool {
        self.is_known() && self.unevenness > self.kind.bound()
    }

    /// The median step, the mean of both edges.
    #[must_use]
    pub fn median_ns(&self) -> f64 {
        self.edges().map(|edge| edge.median_ns).sum::<f64>() / self.edges().count() as f64
    }

    /// A point's step before and after, each divided by the best of its edge.
    #[must_use]
    pub fn times(&self, pace: &PointPace) -> [Option<f64>; 2] {
        [(&pace.before, self.before), (&pace.after, self.after)]
            .map(|(pace, edge)| Some(self.kind.of(pace.as_ref()?)? / edge?.best_ns))
    }

    /// The slower of the two.
    #[must_use]
    pub fn slower_times(&self, pace: &PointPace) -> Option<f64> {
        self.times(pace).into_iter().flatten().reduce(f64::max)
    }
}

/// A quantile of sorted values, interpolated between neighbours.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (place.floor(), place.ceil());
    let (low_ns, high_ns) = (sorted.get(low as usize)?, sorted.get(high as usize)?);
    Some(low_ns + (high_ns - low_ns) * (place - low))
}

fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// Flags the points around which the machine was slower than the run's own best tenth by more than the bound. It runs
/// when a run is put together, because a point does not know the others. Only the readings are stored.
pub(crate) fn judge(points: &mut [Point]) {
    for kind in PaceKind::ALL {
        let Some(spread) = PaceSpread::of(points.iter(), kind).filter(PaceSpread::is_known) else { continue };
        for point in points.iter_mut() {
            let Some(times) = point.pace.as_ref().and_then(|pace| spread.slower_times(pace)) else { continue };
            let note = format!("{} took {times:.2} times its best", kind.name());
            // A document that was put together before already has its flags.
            let said = || point.flag_notes.get(Flag::UnevenMachine.name()).is_some_and(|s| s.contains(kind.name()));
            if times > kind.bound() && !said() {
                point.flag(Flag::UnevenMachine, note);
            }
        }
    }
}

#[cfg(test)]
mod tests;
