//! Why there is nothing to run. Each error says what was asked, what is wrong and what to do.

use super::lun_file::LunFileError;
use std::path::PathBuf;

/// Flags that do not describe a run.
#[derive(Debug, thiserror::Error)]
pub enum OrionError {
    /// `-run` is missing.
    #[error(
        "-run is missing: choose simple, normal, advanced, oltp or dss, as in `dbdyno orion -run simple`; --reference is the one-minute version"
    )]
    NoRun,
    /// `-run` beside `--reference`.
    #[error("--reference is a run of its own: leave -run out, or --reference")]
    TwoRuns,
    /// A flag that this kind of run does not use.
    #[error("{flag} is not for {run}: {hint}")]
    NotFor {
        /// The flag.
        flag: &'static str,
        /// The run, as typed.
        run: String,
        /// What to do.
        hint: &'static str,
    },
    /// A number out of its range.
    #[error("{flag} {value} is out of range: {rule}")]
    OutOfRange {
        /// The flag.
        flag: &'static str,
        /// The value as typed.
        value: String,
        /// The values that would do.
        rule: String,
    },
    /// A matrix lacks a flag.
    #[error("-matrix {matrix} needs {flag}: {why}")]
    Needs {
        /// The matrix.
        matrix: &'static str,
        /// The missing flag.
        flag: &'static str,
        /// What the flag says.
        why: &'static str,
    },
    /// A flag that cannot be combined with another.
    #[error("{flag} has no part in {what}: {hint}")]
    NoPart {
        /// The flag.
        flag: &'static str,
        /// What it cannot be combined with.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Nothing would be outstanding.
    #[error("{0} asks for no outstanding I/O at all: there must be at least one, small or large")]
    NothingOutstanding(String),
    /// Too many I/Os would be outstanding.
    #[error(
        "{small} small and {large} large I/Os would be outstanding, of {most} at most: ask for fewer by -num_disks, -num_small, \
         -num_large or -num_streamIO"
    )]
    TooMany {
        /// Small ones.
        small: u32,
        /// Large I/Os, including those of all streams.
        large: u32,
        /// The limit for both together.
        most: u32,
    },
    /// An open loop with several sizes of I/O, or at several points.
    #[error(
        "--rate drives I/Os of one size at one point: add -run advanced -matrix point -num_small N -num_large 0 (or the other \
         way round), where N is the most that may be under way"
    )]
    RateOfWhat,
    /// A LUN that is too small for one I/O.
    #[error("{path} has {size_bytes} bytes, too few: {what} takes {least_bytes}")]
    TooSmall {
        /// The LUN.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
        /// What must fit on each LUN.
        what: &'static str,
        /// Its bytes.
        least_bytes: u64,
    },
    /// ORION's files cannot be written.
    #[error(
        "nothing can be written to {folder} ({source}): -testname says where the files of the run go; make the folder, or choose \
         another name"
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The list of LUNs.
    #[error(transparent)]
    LunFile(#[from] LunFileError),
}
