//! ORION's interface: its flags, its matrix, its files.
//!
//! `typed` has the flags as typed, `settings` their meaning (`rules` says which flags can be combined), `matrix` the
//! points, `lun_file` the list of devices, and `files` the files of a run. Nothing here does I/O on a LUN.

mod error;
pub mod files;
mod lun_file;
mod matrix;
mod rules;
mod settings;
mod typed;

pub use error::OrionError;
pub use matrix::{Matrix, MatrixLevels, Outstanding};
pub use settings::{CacheWarming, OrionSettings, PlannedIoPoint};
pub use typed::{Choice, LargeType, MatrixKind, RunKind, Simulate, Storax, TypedFlags};

use std::path::PathBuf;

/// The LUNs of a run: those of `--file`, or else of NAME.lun.
///
/// # Errors
/// The flags do not describe a run; or the list cannot be read, is empty, or names the same storage twice.
pub fn lun_paths(typed: &TypedFlags) -> Result<Vec<PathBuf>, OrionError> {
    // Errors in flags are reported before files are looked for.
    OrionSettings::resolve(typed, &[])?;
    let luns = if typed.files.is_empty() { lun_file::read(typed.name())? } else { typed.files.clone() };
    lun_file::distinct(&luns)?;
    Ok(luns)
}

#[cfg(test)]
mod tests;
