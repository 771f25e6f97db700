//! `report` as typed.

use clap::Args;
use std::path::PathBuf;

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno report last -o report.html              the newest run as one page, to be sent and printed
  dbdyno report old new --baseline old -o compared.html
  dbdyno report last --requirements needs.toml -o verdict.html")]
pub(crate) struct ReportArgs {
    /// A run or reference platform: an id, the beginning of one, a label, `last`; several are compared
    #[arg(value_name = "RUN", required = true, num_args = 1..=20)]
    pub(crate) runs: Vec<String>,
    /// Of several, the one that ratios are of [default: the first]
    #[arg(long, value_name = "RUN")]
    pub(crate) baseline: Option<String>,
    /// What a project needs (see `dbdyno verdict --help`): the page begins with the verdict
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// File to write the page to; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
