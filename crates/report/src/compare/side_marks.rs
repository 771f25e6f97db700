//! The letters of the sides, and the marks beside their figures.

use super::{Comparison, MOST_SIDES};
use crate::groups::grouped;

static LETTERS: [&str; MOST_SIDES] =
    ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T"];

/// Marks the best figure.
pub(super) const BEST: char = '+';

/// Marks the worst figure.
pub(super) const WORST: char = '-';

/// Marks a figure that is shown but not used.
pub(super) const UNUSED: char = '!';

/// Marks a figure that is only a lower limit.
pub(super) const LIMIT: char = '>';

/// The short name of a side.
pub(crate) fn letter(side: usize) -> &'static str {
    LETTERS.get(side).copied().unwrap_or("?")
}

/// The same as a column's heading.
pub(super) fn head(side: usize) -> &'static [&'static str] {
    LETTERS.get(side).map_or(&[], std::slice::from_ref)
}

/// The source documents of published results, each once, with the letters of its sides.
pub(crate) fn sources(comparison: &Comparison) -> Vec<(&str, Vec<&'static str>)> {
    let sides = comparison.sides.iter().enumerate();
    grouped(sides.filter_map(|(at, side)| Some((side.source.as_deref()?, letter(at)))))
}
