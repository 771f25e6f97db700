//! Why there is nothing to run. Each error says what was asked, what is wrong and what to do.

use super::lun_file::LunFileError;
use std::path::PathBuf;

/// Flags that make no run.
#[derive(Debug, thiserror::Error)]
pub enum OrionError {
    /// No kind of run.
    #[error(
        "-run is missing: choose simple, normal, advanced, oltp or dss, as in `dbdyno orion -run simple`; --reference is the one-minute version"
    )]
    NoRun,
    /// `-run` beside `--reference`.
    #[error("--reference is a run of its own: leave -run out, or --reference")]
    TwoRuns,
    /// A flag that this kind of run has no use for.
    #[error("{flag} is not for {run}: {hint}")]
    NotFor {
        /// The flag.
        flag: &'static str,
        /// The run, as typed.
        run: String,
        /// What to do.
        hint: &'static str,
    },
    /// A number that is none of those that make sense.
    #[error("{flag} {value} is out of range: {rule}")]
    OutOfRange {
        /// The flag.
        flag: &'static str,
        /// What was typed.
        value: String,
        /// What would do.
        rule: String,
    },
    /// A matrix needs to know where.
    #[error("-matrix {matrix} needs {flag}: {why}")]
    Needs {
        /// The matrix.
        matrix: &'static str,
        /// The missing flag.
        flag: &'static str,
        /// What it says.
        why: &'static str,
    },
    /// A flag that has no part in this.
    #[error("{flag} has no part in {what}: {hint}")]
    NoPart {
        /// The flag.
        flag: &'static str,
        /// In what.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Nothing would be outstanding.
    #[error("{0} asks for no outstanding I/O at all: there must be at least one, small or large")]
    NothingOutstanding(String),
    /// More than can be kept outstanding.
    #[error(
        "{small} small and {large} large I/Os would be outstanding, of {most} at most: ask for fewer by -num_disks, -num_small, \
         -num_large or -num_streamIO"
    )]
    TooMany {
        /// Small ones.
        small: u32,
        /// Large ones, those of all streams.
        large: u32,
        /// The most of both.
        most: u32,
    },
    /// An open loop of more than one size of I/O, or at more than one point.
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
        /// What must find its place on each LUN.
        what: &'static str,
        /// How much that is.
        least_bytes: u64,
    },
    /// Nowhere to write ORION's files.
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
