//! The value of a fact that a user states.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DescribedValue {
    /// Yes or no.
    YesNo(bool),
    /// A whole number.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// A line of text.
    Text(String),
}

impl DescribedValue {
    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(n) => Some(*n as f64),
            Self::Number(n) => Some(*n),
            Self::YesNo(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for DescribedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::YesNo(yes) => f.write_str(if *yes { "yes" } else { "no" }),
            Self::Count(n) => n.fmt(f),
            Self::Number(n) => n.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}
