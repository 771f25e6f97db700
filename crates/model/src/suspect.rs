//! Doubt about a published value: why it may not be what it seems, and what it may still be used for.

use serde::{Deserialize, Serialize};

/// What is wrong with a value, or may be.
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
    /// It belongs to something else than its label says, or the label is missing.
    Label,
    /// It is cut at the page's edge.
    CutOff,
    /// A zero is printed for want of a value.
    NotMeasured,
    /// It cannot well be true.
    Implausible,
    /// It contradicts another figure.
    Inconsistent,
    /// It is out of line with its sisters.
    Noisy,
    /// The cache was cold.
    Warmup,
    /// It sits on the shortest time of the tool.
    Floor,
    /// It was computed from few whole units.
    Quantised,
    /// It was rounded to few digits.
    Rounding,
}

/// What a value may be used for, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Shown as printed, and for nothing else.
    Nothing,
    /// It says something of its platform, and nothing beside another.
    NotForComparison,
    /// The platform does at least as well.
    LowerLimit,
    /// With care, or within the error that is named.
    Value,
}

impl SuspectCode {
    /// Every code, in the order in which reports explain them.
    pub const ALL: [Self; 13] = [
        Self::Unit,
        Self::Column,
        Self::Misprint,
        Self::Label,
        Self::CutOff,
        Self::NotMeasured,
        Self::Implausible,
        Self::Inconsistent,
        Self::Noisy,
        Self::Warmup,
        Self::Floor,
        Self::Quantised,
        Self::Rounding,
    ];

    /// The name as in platform files and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The code of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// What it means for a reader, in a few words.
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
    pub fn usable_for(self) -> Use {
        match self {
            Self::Unit | Self::Column | Self::Misprint | Self::CutOff | Self::NotMeasured => Use::Nothing,
            Self::Warmup => Use::NotForComparison,
            Self::Floor => Use::LowerLimit,
            Self::Label | Self::Implausible | Self::Inconsistent | Self::Noisy | Self::Quantised | Self::Rounding => {
                Use::Value
            }
        }
    }

    /// Whether it holds for everything that was counted over the same seconds, whichever value it is noted at:
    /// operations, rows and transactions are one work.
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
    /// What stands behind them, in the words of whoever read the source.
    pub why: String,
    /// Whether the value was brought to its right unit already, so that a wrong printed one does no harm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub converted: bool,
}

impl Suspect {
    /// What the value may be used for.
    #[must_use]
    pub fn usable_for(&self) -> Use {
        let doubts = self.codes.iter().filter(|code| !(self.converted && **code == SuspectCode::Unit));
        doubts.map(|code| code.usable_for()).min().unwrap_or(Use::Value)
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
        assert_eq!(of(&[SuspectCode::Rounding, SuspectCode::Unit], false), Use::Nothing);
        assert_eq!(of(&[SuspectCode::Rounding, SuspectCode::Unit], true), Use::Value);
        assert_eq!(of(&[SuspectCode::Quantised, SuspectCode::Floor], false), Use::LowerLimit);
        assert_eq!(of(&[], false), Use::Value);
    }
}
