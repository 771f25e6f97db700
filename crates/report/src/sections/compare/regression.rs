//! Whether a limit was kept.

use super::sides::letter;
use crate::compare::{BrokenLimit, Comparison};
use crate::document::{Block, Note, Section};
use crate::numbers::short;

/// The section; without blocks where no limit was set.
pub(super) fn section(comparison: &Comparison) -> Section {
    let mut section = Section::new("regression", "Regression limit");
    let Some(regression) = &comparison.regression else { return section };
    section.title.clone_from(&section.name);
    section.about = format!(": {} % worse than {}", short(regression.limit_pct), letter(comparison.baseline));
    let broken = |broken: &BrokenLimit| {
        format!(
            "{} {} of {} is {:.3} of the baseline, corrected interval {:.3}..{:.3}, wholly beyond the limit",
            broken.test,
            broken.which.words(),
            comparison.sides[broken.side].name,
            broken.ratio,
            broken.low,
            broken.high
        )
    };
    if !regression.broken.is_empty() {
        section.push(Block::List(regression.broken.iter().map(broken).collect()));
    }
    section.push(Note::plain(format!(
        "{} of {} rows broke the limit; judged together by Holm's correction.",
        regression.broken.len(),
        regression.judged
    )));
    if regression.not_judged > 0 {
        section.push(Note::plain(format!(
            "{} rows could not be judged: run-to-run spread unknown (it takes 3 runs of a label on each side) or the \
             figures do not compare.",
            regression.not_judged
        )));
    }
    section
}
