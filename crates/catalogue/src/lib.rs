//! The catalogue: what is measured, as data. Tests, sizes, suites, metrics and reference platforms lie in the folder
//! `catalogue`. They are embedded in the binary and can be overridden from a folder of the same form. No engine is
//! known here.
//!
//! Users edit these files, so every load is checked as strictly as untrusted input: a message names the file, the entry
//! and the key, and says what would be right. Loaded data is sound and needs no further checks.

mod catalogue;
mod check;
mod document;
mod error;
mod files;
mod nearest;
mod platforms;
mod project;
mod requirements;
#[cfg(test)]
mod tests;
mod wording;

pub use catalogue::Catalogue;
pub use error::CatalogueError;
pub use platforms::platform_template;
pub use project::{
    Bound, PairedSubject, Project, ProjectRequirement, ProjectStep, ProjectVariant, RatioLimit, Role, StepCommand,
    split_words,
};
pub use requirements::{
    MeasuredFigure, Percentile, RequiredFigure, RequiredSubject, Requirement, RequirementLimit, Requirements,
};
