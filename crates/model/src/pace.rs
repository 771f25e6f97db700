//! The machine's own pace: what a step of arithmetic and of a chase through memory takes right before and after a point. Where
//! others share caches and memory with this machine nothing else shows it. Figures are never corrected by it.

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

    /// How many times the best a step may take on a machine that is even; beyond it is `uneven_machine`. See `benches/pace`
    /// for the data that these were chosen from.
    #[must_use]
    pub fn bound(self) -> f64 {
        match self {
            Self::Alu => 1.15,
            Self::L2 | Self::Llc | Self::Memory => 1.3,
        }
    }
}

/// Paces of a run from which its best tenth is known. Fewer judge nothing.
pub const FEWEST_PACES: usize = 10;

/// How a run's paces of one kind are spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceSpread {
    /// How many there are.
    pub n: usize,
    /// The best tenth begins here: what the machine can do.
    pub best_ns: f64,
    /// The median.
    pub median_ns: f64,
    /// The 90th percentile.
    pub p90_ns: f64,
    /// Standard deviation of the logarithms of each point's pace.
    pub log_sd: f64,
}

impl PaceSpread {
    /// The spread of one kind over points; none where no pace was taken.
    #[must_use]
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>, kind: PaceKind) -> Option<Self> {
        let (mut all, mut logs) = (Vec::new(), Vec::new());
        for pace in points.into_iter().filter_map(|p| p.pace.as_ref()) {
            let both: Vec<f64> = pace.each().filter_map(|pace| kind.of(pace)).collect();
            if !both.is_empty() {
                logs.push(both.iter().map(|ns| ns.ln()).sum::<f64>() / both.len() as f64);
            }
            all.extend(both);
        }
        all.sort_unstable_by(f64::total_cmp);
        Some(Self {
            n: all.len(),
            best_ns: quantile(&all, 0.1)?,
            median_ns: quantile(&all, 0.5)?,
            p90_ns: quantile(&all, 0.9)?,
            log_sd: deviation(&logs),
        })
    }

    /// How many times its best the 90th percentile takes.
    #[must_use]
    pub fn unevenness(&self) -> f64 {
        self.p90_ns / self.best_ns
    }
}

impl PointPace {
    /// Before and after, as far as they were taken.
    pub fn each(&self) -> impl Iterator<Item = &MachinePace> {
        self.before.iter().chain(&self.after)
    }

    /// The slower one of a kind.
    #[must_use]
    pub fn slower_ns(&self, kind: PaceKind) -> Option<f64> {
        self.each().filter_map(|pace| kind.of(pace)).reduce(f64::max)
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

/// Flags the points around which the machine was slower than at the run's own best tenth by more than the bound. It is done where
/// a run is put together, since no point knows the others; what is kept are the paces.
pub(crate) fn judge(points: &mut [Point]) {
    for kind in PaceKind::ALL {
        let Some(spread) = PaceSpread::of(points.iter(), kind).filter(|s| s.n >= FEWEST_PACES) else { continue };
        for point in points.iter_mut() {
            let Some(ns) = point.pace.as_ref().and_then(|pace| pace.slower_ns(kind)) else { continue };
            let times = ns / spread.best_ns;
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
