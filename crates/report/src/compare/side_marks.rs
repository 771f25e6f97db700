//! The letters of the sides, and the marks beside their figures.

use super::MOST_SIDES;

/// A side's letter as a column's heading.
pub(super) const HEADS: [[&str; 1]; MOST_SIDES] = [
    ["A"],
    ["B"],
    ["C"],
    ["D"],
    ["E"],
    ["F"],
    ["G"],
    ["H"],
    ["I"],
    ["J"],
    ["K"],
    ["L"],
    ["M"],
    ["N"],
    ["O"],
    ["P"],
    ["Q"],
    ["R"],
    ["S"],
    ["T"],
];

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
    HEADS.get(side).map_or("?", |head| head[0])
}
