//! The machine's own pace: how long a step of arithmetic and a step of a memory chase take right before and after a
//! point. Where other guests of the host share caches and memory, only the pace shows it. Figures are never corrected
//! by it.

use serde::{Deserialize, Serialize};

/// Nanoseconds per step, the median over the processors in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachinePace {
    /// A step of arithmetic that depends on the step before.
    pub alu_ns: Option<f64>,
    /// A step of a chase through a table that fits into a core's own (second-level) cache.
    pub l2_ns: Option<f64>,
    /// A step of a chase through a table that fits into the last-level cache.
    pub llc_ns: Option<f64>,
    /// A step of a chase through main memory.
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
    /// Processors that were measured, all at once.
    pub processors: u32,
    /// Bytes of the table for the second-level cache.
    pub l2_bytes: u64,
    /// Bytes of the table for the last-level cache.
    pub llc_bytes: u64,
    /// Bytes of the table for main memory.
    pub memory_bytes: u64,
}

/// What a pace measures.
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

    /// The name for readers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alu => "arithmetic",
            Self::L2 => "second-level cache",
            Self::Llc => "last-level cache",
            Self::Memory => "memory",
        }
    }

    /// The nanoseconds of this kind in a pace.
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

    /// The bound for a step, as a multiple of the best step of its edge. Slower steps raise `uneven_machine`.
    /// `benches/pace` has the data that the bounds were chosen from.
    #[must_use]
    pub fn bound(self) -> f64 {
        match self {
            Self::Alu => 1.15,
            Self::L2 | Self::Llc | Self::Memory => 1.3,
        }
    }
}
