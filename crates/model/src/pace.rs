//! The machine's own pace: what a step of arithmetic and of a chase through memory takes right before and after a
//! point. Where others share caches and memory with this machine nothing else shows it. Figures are never corrected by
//! it.

use crate::{Flag, Point};
use serde::{Deserialize, Serialize};

/// Nanoseconds that a step takes, the median over the processors that work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachinePace {
    /// A step of arithmetic that waits for the one before.
    pub alu_ns: Option<f64>,
    /// A step of a chase that fits into a core's own (second) cache.
    pub l2_ns: Option<f64>,
    /// One that fits into the last level of cache.
    pub llc_ns: Option<f64>,
    /// One through main memory.
    pub memory_ns: Option<f64>,
}

/// The pace around one point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PointPace {
    /// Right before its jobs began.
    pub before: Option<MachinePace>,
    /// Right after they had ended.
    pub after: Option<MachinePace>,
    /// Processors that it was taken on, all at once.
    pub processors: u32,
    /// What the chase of the second cache goes through.
    pub l2_bytes: u64,
    /// What that of the last level goes through.
    pub llc_bytes: u64,
    /// What that of memory goes through.
    pub memory_bytes: u64,
}

/// What a pace is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaceKind {
    /// Arithmetic.
    Alu,
    /// The core's own cache.
    L2,
    /// The last level of cache.
    Llc,
    /// Main memory.
    Memory,
}

impl PaceKind {
    /// All of them, the nearest to the core first.
    pub const ALL: [Self; 4] = [Self::Alu, Self::L2, Self::Llc, Self::Memory];

    /// What a reader calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alu => "arithmetic",
            Self::L2 => "second-level cache",
            Self::Llc => "last-level cache",
            Self::Memory => "memory",
        }
    }

    /// Its nanoseconds.
    #[must_use]
    pub fn of(self, pace: &MachinePace) -> Option<f64> {
        let ns = match self {
            Self::Alu => pace.alu_ns,
            Self::L2 => pace.l2_ns,
            Self::Llc => pace.llc_ns,
            Self::Memory => pace.memory_ns,
        };
        ns.filter(|ns| ns.is_finite() && *ns > 0.0)
    }

    /// How many times the best of its edge a step may take on a machine that is even; beyond it is `uneven_machine`.
    /// See `benches/pace` for the data that these were chosen from.
    #[must_use]
    pub fn bound(self) -> f64 {
        match self {
            Self::Alu => 1.15,
            Self::L2 | Self::Llc | Self::Memory => 1.3,
        }
    }
}

/// Paces at one edge of a run's points from which their best tenth is known. Fewer judge nothing.
pub const FEWEST_PACES: usize = 5;

/// How the paces of one kind are spread at one edge of a run's points: those before all of them, or those after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeSpread {
    /// How many there are.
    pub n: usize,
    /// The best tenth begins here: what the machine can do.
    pub best_ns: f64,
    /// The median.
    pub median_ns: f64,
    /// The 90th percentile.
    pub p90_ns: f64,
}

/// How a run's paces of one kind are spread. A processor that comes from rest has another clock than one that comes
/// from work, on every machine: so those before the points are compared with each other, and those after likewise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceSpread {
    /// Of what.
    pub kind: PaceKind,
    /// Right before the points.
    pub before: Option<EdgeSpread>,
    /// Right after them.
    pub after: Option<EdgeSpread>,
    /// How many times the best of its own edge a step takes: the 90th percentile of both edges together.
    pub unevenness: f64,
    /// Standard deviation of the logarithms of each point's pace, likewise in times the best.
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
    /// The spread of one kind over points; none where no pace was taken.
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

    /// What is known of each edge.
    pub fn edges(&self) -> impl Iterator<Item = EdgeSpread> {
        self.before.into_iter().chain(self.after)
    }

    /// Whether there are enough paces to judge by.
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

    /// How many times the best of its own edge a point's step took, before and after it.
    #[must_use]
    pub fn times(&self, pace: &PointPace) -> [Option<f64>; 2] {
        [(&pace.before, self.before), (&pace.after, self.after)]
            .map(|(pace, edge)| Some(self.kind.of(pace.as_ref()?)? / edge?.best_ns))
    }

    /// The slower one of both.
    #[must_use]
    pub fn slower_times(&self, pace: &PointPace) -> Option<f64> {
        self.times(pace).into_iter().flatten().reduce(f64::max)
    }
}

/// A quantile of sorted values, between its neighbours in proportion.
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

/// Flags the points around which the machine was slower than at the run's own best tenth by more than the bound. It is
/// done where a run is put together, since no point knows the others; what is kept are the paces.
pub(crate) fn judge(points: &mut [Point]) {
    for kind in PaceKind::ALL {
        let Some(spread) = PaceSpread::of(points.iter(), kind).filter(PaceSpread::is_known) else { continue };
        for point in points.iter_mut() {
            let Some(times) = point.pace.as_ref().and_then(|pace| spread.slower_times(pace)) else { continue };
            let note = format!("{} took {times:.2} times its best", kind.name());
            // A document that was put together before brings its flags along.
            let said = || point.flag_notes.get(Flag::UnevenMachine.name()).is_some_and(|s| s.contains(kind.name()));
            if times > kind.bound() && !said() {
                point.flag(Flag::UnevenMachine, note);
            }
        }
    }
}

#[cfg(test)]
mod tests;
