//! How an engine realises a test.

use crate::Dimension;
use serde::{Deserialize, Serialize};

/// How an engine realises a test. It stands in every report, so that no reader takes an equivalent for the native
/// thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mapping {
    /// The engine has exactly what the test names.
    Native {
        /// The dimension that a ramp moves, where it differs from the catalogue's first choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ramp: Option<Dimension>,
    },
    /// The engine does the same work by other means.
    Equivalent {
        /// The other means.
        how: String,
        /// As for `Native`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ramp: Option<Dimension>,
    },
    /// The engine cannot do it.
    None {
        /// Why not.
        why: String,
    },
}

impl Mapping {
    /// `native`, `equivalent` or `none`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Native { .. } => "native",
            Self::Equivalent { .. } => "equivalent",
            Self::None { .. } => "none",
        }
    }

    /// How an equivalent is made, or why there is none.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Native { .. } => None,
            Self::Equivalent { how, .. } => Some(how),
            Self::None { why } => Some(why),
        }
    }

    /// The ramp's dimension where the engine's differs from the catalogue's.
    #[must_use]
    pub fn ramp(&self) -> Option<Dimension> {
        match self {
            Self::Native { ramp } | Self::Equivalent { ramp, .. } => *ramp,
            Self::None { .. } => None,
        }
    }
}
