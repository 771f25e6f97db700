//! `accept` as typed.

use super::common::Shown;
use clap::Args;
use std::path::PathBuf;

/// `dbdyno accept`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno accept orders.toml --dry-run
  dbdyno accept orders.toml
  dbdyno accept orders.toml -o orders.html --junit orders.xml")]
pub(crate) struct AcceptArgs {
    /// The project: variants, steps and requirements
    ///
    /// docs/acceptance.md explains its keys.
    #[arg(value_name = "PROJECT.toml")]
    pub(crate) project: PathBuf,
    /// Say what would be run, what is there and how long it takes
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Where the page goes [default: dbdyno-accept-NAME.html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the results as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
