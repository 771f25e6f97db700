//! The catalogue: what is measured, as data. Tests, sizes, suites, metrics and reference platforms stand in the folder
//! `catalogue`, are embedded in the binary and can be overridden from a folder of the same form. No engine is known
//! here.
//!
//! A user edits these files, so every load is checked as if they came from a stranger: a message names the file, the
//! entry and the key, and says what would be right. What has been loaded is sound; nobody has to check it again.

mod catalogue;
mod check;
mod document;
mod error;
mod files;
mod nearest;
mod platforms;
mod requirements;
#[cfg(test)]
mod tests;
mod wording;

pub use catalogue::Catalogue;
pub use error::CatalogueError;
pub use requirements::{Asked, Limit, Percentile, Requirement, Requirements, TestFigure};
