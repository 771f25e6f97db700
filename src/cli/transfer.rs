//! `dbdyno export` and `dbdyno import`, as typed.

use super::common::Shown;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `dbdyno export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno export last > run.json                     the whole run, for `dbdyno import` on another machine
  dbdyno export before --format csv > points.csv    one line per point
  dbdyno export last --format openmetrics           figures for a time series database")]
pub(crate) struct ExportArgs {
    /// An id, the beginning of one, a label (its newest run), last, or a reference platform
    pub(crate) run: String,
    /// What to write to stdout
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) format: ExportFormat,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One line per point; the columns are paths of the JSON document
    Csv,
    /// The whole run, with its plan and histograms
    Json,
    /// Figures as OpenMetrics text, each at the time at which it was measured
    Openmetrics,
}

/// `dbdyno import`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno import run.json")]
pub(crate) struct ImportArgs {
    /// What `dbdyno export --format json` wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
