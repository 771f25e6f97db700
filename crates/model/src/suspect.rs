//! Doubt about a published value: why it may be wrong, and what it may still be used for.

use crate::variants::all;
use serde::{Deserialize, Serialize};

/// What is wrong with a value, or may be wrong.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SuspectCode {
    /// The printed unit is wrong.
    Unit,
    /// It belongs to another column.
    Column,
    /// Digits are wrong or cut off.
    Misprint,
    /// It belongs to something other than its label says, or the label is missing.
    Label,
    /// It is cut off at the page's edge.
    CutOff,
    /// A zero is printed in place of a missing value.
    NotMeasured,
    /// It is hardly possible.
    Implausible,
    /// It contradicts another figure.
    Inconsistent,
    /// It does not fit the values around it.
    Noisy,
    /// The cache was cold.
    Warmup,
    /// It equals the shortest time that the tool can show.
    Floor,
    /// It was computed from few whole units.
    Quantised,
    /// It was rounded to few digits.
    Rounding,
}

/// What a value may be used for, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsableFor {
    /// Shown as printed, and for nothing else.
    Nothing,
    /// It describes its own platform, but must not be compared with another.
    NotForComparison,
    /// A lower limit: the platform does at least as well.
    LowerLimit,
    /// Everything, with care or within the stated error.
    Value,
}

impl SuspectCode {
    /// Every code, in the order in which reports explain them.
    pub const ALL: [Self; 13] = all();

    /// The code with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Unit => "the printed unit is wrong; not used",
            Self::Column => "it belongs to another column; not used",
            Self::Misprint => "digits are wrong or cut off; not used",
            Self::Label => "the label is missing or wrong; use with care",
            Self::CutOff => "cut at the page's edge; not used",
            Self::NotMeasured => "a zero printed for want of a value; not used",
            Self::Implausible => "it cannot well be true; use with care",
            Self::Inconsistent => "it contradicts another figure; use with care",
            Self::Noisy => "out of line with its sisters; use with care",
            Self::Warmup => "the cache was cold; not compared",
            Self::Floor => "it sits on the shortest time of the tool: a lower limit only",
            Self::Quantised => "computed from few whole units: true within the error named",
            Self::Rounding => "few digits: true within the error named",
        }
    }

    /// What such a value may be used for.
    #[must_use]
    pub fn usable_for(self) -> UsableFor {
        match self {
            Self::Unit | Self::Column | Self::Misprint | Self::CutOff | Self::NotMeasured => UsableFor::Nothing,
            Self::Warmup => UsableFor::NotForComparison,
            Self::Floor => UsableFor::LowerLimit,
            Self::Label | Self::Implausible | Self::Inconsistent | Self::Noisy | Self::Quantised | Self::Rounding => {
                UsableFor::Value
            }
        }
    }

    /// Whether it holds for everything that was counted over the same seconds: operations, rows and transactions
    /// describe the same work.
    #[must_use]
    pub fn is_of_the_whole_rate(self) -> bool {
        matches!(self, Self::Warmup | Self::Quantised)
    }
}

/// A doubt with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// What kinds of doubt.
    pub codes: Vec<SuspectCode>,
    /// The reason, in the words of whoever read the source.
    pub why: String,
    /// Whether the value was already converted to the right unit, so that a wrong printed unit does no harm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub converted: bool,
}

impl Suspect {
    /// What the value may be used for.
    #[must_use]
    pub fn usable_for(&self) -> UsableFor {
        let doubts = self.codes.iter().filter(|code| !(self.converted && **code == SuspectCode::Unit));
        doubts.map(|code| code.usable_for()).min().unwrap_or(UsableFor::Value)
    }

    /// The codes as a reader finds them: `noisy, quantised`.
    #[must_use]
    pub fn names(&self) -> String {
        self.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_named_as_in_json_and_the_worst_decides() {
        for code in SuspectCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            assert_eq!(SuspectCode::of_name(code.name()), Some(code));
        }
        let of = |codes: &[SuspectCode], converted| {
            Suspect { codes: codes.to_vec(), why: String::new(), converted }.usable_for()
        };
        assert_eq!(of(&[SuspectCode::Rounding, SuspectCode::Unit], false), UsableFor::Nothing);
        assert_eq!(of(&[SuspectCode::Rounding, SuspectCode::Unit], true), UsableFor::Value);
        assert_eq!(of(&[SuspectCode::Quantised, SuspectCode::Floor], false), UsableFor::LowerLimit);
        assert_eq!(of(&[], false), UsableFor::Value);
    }
}
