//! The heads of the sides' columns.

use crate::compare::Comparison;
use crate::compare::side_marks::letter;
use crate::html::table::ColumnHead;
use crate::text::clean;

/// Up to this many sides have their names in the column heads; more have letters.
const MOST_NAMED: usize = 6;

/// The heads of the sides' columns.
pub(super) fn heads(comparison: &Comparison) -> Vec<ColumnHead> {
    let named = comparison.sides.len() <= MOST_NAMED;
    let head = |(n, side): (usize, &crate::compare::SideInfo)| {
        let name = if named { clean(&side.name).into_owned() } else { String::new() };
        ColumnHead::figures(letter(n), name)
    };
    comparison.sides.iter().enumerate().map(head).collect()
}
