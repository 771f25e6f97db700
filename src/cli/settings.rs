//! The options of `load` and `run` for a workload that has parameters.

use clap::Args;
use std::path::PathBuf;

/// What users set of a workload that has parameters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Workload slob")]
pub(crate) struct SettingsArgs {
    /// Its slob.conf, as it is: it is read, and never executed
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) conf: Option<PathBuf>,
    /// A parameter as slob.conf has it, as in --set WORK_UNIT=32
    ///
    /// It comes after the file, and may be given several times.
    #[arg(long, value_name = "NAME=VALUE", hide_short_help = true)]
    pub(crate) set: Vec<String>,
    /// UPDATE_PCT: how many of 100 operations are updates
    #[arg(long, value_name = "PCT", hide_short_help = true)]
    pub(crate) update_pct: Option<String>,
}
