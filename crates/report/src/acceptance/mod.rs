//! An acceptance: whether what was measured of the variants of a platform meets what a project requires. It is a pure
//! function of the project and of what its steps have left; text, page, JUnit and JSON show the same [`Acceptance`].

mod bounds;
mod figures;
mod judge;
mod junit;
mod result;

pub(crate) use bounds::ratio_words;
pub(crate) use figures::line as figure_line;
pub use result::{
    Acceptance, AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, AcceptedStep, AcceptedVariant, Left,
    StepResult,
};
