//! Runs that were measured in turn, point by point: a pair.

use crate::{Flag, Point, RunId, Status};
use serde::{Deserialize, Serialize};

/// A side of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairSide {
    /// The one that ratios are of.
    A,
    /// The other.
    B,
}

impl PairSide {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Its place, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }
}

/// With which run another was measured in turn. Points of the same repeat were measured right after each other: in odd
/// repeats A comes first, in even ones B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The other run.
    pub with: RunId,
    /// Which side this run is.
    pub side: PairSide,
    /// The most pairs of a cell.
    pub most_pairs: u32,
    /// The command that was called before each of its points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

impl Pairing {
    /// Whether two runs were measured in turn with each other.
    #[must_use]
    pub fn is_between(one: (&RunId, Option<&Self>), other: (&RunId, Option<&Self>)) -> bool {
        let knows = |pairing: Option<&Self>, run: &RunId| pairing.is_some_and(|pairing| pairing.with == *run);
        let sides = one.1.zip(other.1).is_some_and(|(one, other)| one.side != other.side);
        sides && knows(one.1, other.0) && knows(other.1, one.0)
    }

    /// Whether a point's figure can be part of a pair: it is valid, and one of the test.
    #[must_use]
    pub fn counts(point: &Point) -> bool {
        point.status == Status::Ok && !Flag::DOUBTFUL.iter().any(|flag| point.has(*flag))
    }

    /// The figure of B divided by that of A, if both count and are of the same metric.
    #[must_use]
    pub fn ratio(a: &Point, b: &Point) -> Option<f64> {
        if !Self::counts(a) || !Self::counts(b) {
            return None;
        }
        let (a, b) = a.metric.as_ref().zip(b.metric.as_ref())?;
        (a.id == b.id && a.value > 0.0 && b.value > 0.0).then(|| b.value / a.value)
    }
}
