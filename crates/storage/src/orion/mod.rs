//! What ORION's users see: its flags, its matrix, its files.
//!
//! `typed` is what was typed, `settings` what that means (`rules` says what goes together), `matrix` the points,
//! `lun_file` the list of devices, `files` what is written about them. Nothing here does I/O on a LUN.

mod error;
pub mod files;
mod lun_file;
mod matrix;
mod rules;
mod settings;
mod typed;

pub use error::OrionError;
pub use lun_file::LunFileError;
pub use matrix::{Matrix, Outstanding, Range, Shape};
pub use settings::{Planned, Settings, Warming};
pub use typed::{Choice, LargeType, MatrixKind, Run, Simulate, Storax, Typed};

use std::path::PathBuf;

/// The LUNs of a run: those of `--file`, or else of NAME.lun.
///
/// # Errors
/// The flags make no run; or the list cannot be read or is empty, or names the same storage twice.
pub fn lun_paths(typed: &Typed) -> Result<Vec<PathBuf>, OrionError> {
    // What is wrong with the flags is said before files are looked for.
    Settings::resolve(typed, &[])?;
    let luns = if typed.files.is_empty() { lun_file::read(typed.name())? } else { typed.files.clone() };
    lun_file::distinct(&luns)?;
    Ok(luns)
}

#[cfg(test)]
mod tests;
