//! A function that mixes the bits of a number.

use dbdyno_stats::SplitMix64;

/// A mixing function of 64 bits (the finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
#[must_use]
pub fn mix(x: u64) -> u64 {
    SplitMix64::new(x).draw()
}
