//! What is done with runs that are there: the page.

use clap::Args;
use std::path::PathBuf;

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno report last -o report.html              the newest run as one page, to be sent and printed
  dbdyno report old_array new_array -o both.html")]
pub(crate) struct ReportArgs {
    /// Runs: ids, beginnings of ids, labels, or `last`
    #[arg(value_name = "RUN", required = true, num_args = 1..=20)]
    pub(crate) runs: Vec<String>,
    /// What a project needs (see `dbdyno verdict --help`): the page begins with the verdict
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// File to write the page to; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
