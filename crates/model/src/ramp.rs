//! Ramps: the degrees of parallelism that a test goes through.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The DOPs of a ramp, as a suite or a user writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Ramp {
    /// These DOPs, in this order: `1,2,4`.
    List(Vec<u32>),
    /// Powers of two up to this multiple of the hardware threads, and that number itself: `1x`, `2x`.
    Threads(u32),
}

impl Ramp {
    /// The DOPs on a platform with this many hardware threads.
    #[must_use]
    pub fn resolve(&self, hardware_threads: u32) -> Vec<u32> {
        match self {
            Self::List(list) => list.clone(),
            Self::Threads(times) => {
                let top = hardware_threads.max(1).saturating_mul(*times);
                let mut dops: Vec<u32> = (0..32).map(|e| 1u32 << e).take_while(|n| *n < top).collect();
                dops.push(top);
                dops
            }
        }
    }
}

impl FromStr for Ramp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const RULE: &str = "a ramp is a list of degrees of parallelism from 1 to 65535, as in 1,2,4";
        if let Some(times) = text.strip_suffix('x').filter(|times| !times.contains(',')) {
            let times = times.parse().ok().filter(|n| (1..=64).contains(n));
            return times
                .map(Self::Threads)
                .ok_or_else(|| format!("'{text}' is no ramp; {RULE}, or 2x for twice the hardware threads"));
        }
        let mut list: Vec<u32> = Vec::new();
        for item in text.split(',') {
            let n = item.trim().parse().ok().filter(|n| (1..=65_535).contains(n));
            let n = n.ok_or_else(|| format!("'{}' in '{text}' is no degree of parallelism; {RULE}", item.trim()))?;
            if list.contains(&n) {
                return Err(format!("{n} stands twice in '{text}'; {RULE}"));
            }
            list.push(n);
        }
        Ok(Self::List(list))
    }
}

impl fmt::Display for Ramp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => {
                let list: Vec<String> = list.iter().map(u32::to_string).collect();
                f.write_str(&list.join(","))
            }
            Self::Threads(times) => write!(f, "{times}x"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_are_lists_or_multiples_of_the_threads() {
        assert_eq!("1,2,4".parse::<Ramp>().unwrap().resolve(2), [1, 2, 4]);
        assert_eq!("2x".parse::<Ramp>().unwrap().resolve(2), [1, 2, 4]);
        assert_eq!("1x".parse::<Ramp>().unwrap().resolve(6), [1, 2, 4, 6]);
        assert_eq!("1x".parse::<Ramp>().unwrap().resolve(1), [1]);
        for bad in ["", "0", "4,x", "1,,2", "1,1", "0x", "-1", "70000"] {
            assert!(bad.parse::<Ramp>().is_err(), "{bad}");
        }
    }
}
