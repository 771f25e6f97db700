//! What ORION's users see: its flags, its matrix, its files.
//!
//! `typed` is what was typed, `settings` what that means (`rules` says what goes together), `matrix` the points, `lun_file` the
//! list of devices, `files` what is written. Nothing here does I/O on a LUN.

mod error;
pub mod files;
pub mod lun_file;
pub mod matrix;
mod rules;
mod settings;
mod typed;

pub use error::OrionError;
pub use matrix::{Matrix, Outstanding};
pub use settings::{Planned, Settings, Warming};
pub use typed::{Choice, LargeType, MatrixKind, Run, Simulate, Typed};

use std::path::PathBuf;

/// The LUNs of a run: those of `--file`, or else of NAME.lun.
///
/// # Errors
/// The list cannot be read or is empty.
pub fn lun_paths(typed: &Typed) -> Result<Vec<PathBuf>, OrionError> {
    if typed.files.is_empty() { Ok(lun_file::read(typed.name())?) } else { Ok(typed.files.clone()) }
}

#[cfg(test)]
mod tests;
