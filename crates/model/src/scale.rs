//! How much data a workload has, in a unit of its own.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How much data a workload has: hundredths of the workload's own unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scale {
    hundredths: u32,
}

/// A scale that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a number from {} to {}, with two digits after the point at most", Scale::LEAST, Scale::MOST)]
pub struct BadScale;

impl Scale {
    /// One hundredth.
    pub const LEAST: Self = Self { hundredths: 1 };
    /// A tenth of the workload's unit.
    pub const TENTH: Self = Self { hundredths: 10 };
    /// The workload's unit.
    pub const ONE: Self = Self { hundredths: 100 };
    /// More than any machine can store, and small enough for 32-bit numbers.
    pub const MOST: Self = Self { hundredths: 2_000_000 };

    /// So many hundredths.
    ///
    /// # Errors
    /// There are none, or more than [`Scale::MOST`].
    pub fn hundredths(hundredths: u32) -> Result<Self, BadScale> {
        let scale = Self { hundredths };
        if (Self::LEAST..=Self::MOST).contains(&scale) { Ok(scale) } else { Err(BadScale) }
    }

    /// So many whole units; [`Scale::MOST`] where they are more.
    #[must_use]
    pub fn units(units: u32) -> Self {
        Self { hundredths: units.saturating_mul(100).clamp(Self::LEAST.hundredths, Self::MOST.hundredths) }
    }

    /// Its whole units.
    #[must_use]
    pub fn whole_units(self) -> u32 {
        self.hundredths / 100
    }

    /// Whether it is so many whole steps.
    #[must_use]
    pub fn is_multiple_of(self, step: Self) -> bool {
        self.hundredths.is_multiple_of(step.hundredths)
    }

    /// Rows of a table that has so many for a unit; at least one.
    #[must_use]
    pub fn rows(self, for_a_unit: u64) -> u64 {
        let rows = u128::from(for_a_unit) * u128::from(self.hundredths) / 100;
        u64::try_from(rows).unwrap_or(u64::MAX).max(1)
    }
}

impl FromStr for Scale {
    type Err = BadScale;

    fn from_str(text: &str) -> Result<Self, BadScale> {
        let (units, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(units) || !digits(part) || part.len() > 2 {
            return Err(BadScale);
        }
        let tens = if part.len() == 1 { 10 } else { 1 };
        let (units, part): (u32, u32) =
            units.parse().and_then(|units| Ok((units, part.parse()?))).map_err(|_| BadScale)?;
        units.checked_mul(100).and_then(|all| all.checked_add(part * tens)).map_or(Err(BadScale), Self::hundredths)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.hundredths / 100, self.hundredths % 100) {
            (units, 0) => write!(f, "{units}"),
            (units, part) if part % 10 == 0 => write!(f, "{units}.{}", part / 10),
            (units, part) => write!(f, "{units}.{part:02}"),
        }
    }
}

impl Serialize for Scale {
    /// A whole number where it is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.hundredths % 100 {
            0 => serializer.serialize_u32(self.hundredths / 100),
            _ => serializer.serialize_f64(f64::from(self.hundredths) / 100.0),
        }
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = f64::deserialize(deserializer)?;
        let hundredths = (units * 100.0).round();
        let whole = (0.0..=f64::from(u32::MAX)).contains(&hundredths) && (hundredths / 100.0 - units).abs() < 1e-6;
        let scale = if whole { Self::hundredths(hundredths as u32) } else { Err(BadScale) };
        scale.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scales_are_read_as_users_write_them() {
        for (text, said) in
            [("1", "1"), ("0.05", "0.05"), ("0.10", "0.1"), ("4.0", "4"), ("12.5", "12.5"), ("20000", "20000")]
        {
            assert_eq!(text.parse::<Scale>().map(|scale| scale.to_string()), Ok(said.to_owned()), "{text}");
        }
        for bad in ["", "0", "0.0", ".5", "1.", "0.005", "-1", "1e3", "20000.01", "99999999999", "1,5", "+1", "NaN"] {
            assert_eq!(bad.parse::<Scale>(), Err(BadScale), "{bad}");
        }
        assert_eq!(BadScale.to_string(), "write a number from 0.01 to 20000, with two digits after the point at most");
    }

    #[test]
    fn rows_follow_from_the_scale() {
        let scale = |text: &str| text.parse::<Scale>().unwrap();
        assert_eq!((scale("3").rows(10), scale("0.05").rows(1_429_790), scale("0.01").rows(5)), (30, 71_489, 1));
        assert!(scale("0.3").is_multiple_of(Scale::LEAST) && scale("3").is_multiple_of(Scale::ONE));
        assert!(!scale("0.3").is_multiple_of(Scale::ONE));
        assert_eq!(Scale::units(7), scale("7"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(hundredths in 1..=2_000_000_u32) {
            let scale = Scale::hundredths(hundredths).unwrap();
            prop_assert_eq!(scale.to_string().parse(), Ok(scale));
            let json = serde_json::to_string(&scale).unwrap();
            prop_assert_eq!(serde_json::from_str::<Scale>(&json).unwrap(), scale);
            prop_assert_eq!(json.contains('.'), hundredths % 100 != 0);
        }
    }
}
