//! `dbdyno verdict`, as typed.

use super::common::Shown;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dbdyno_model::Flag;
use dbdyno_report::verdict::REFUSED;
use std::path::PathBuf;

/// `dbdyno verdict`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno verdict last --requirements needs.toml
  dbdyno verdict before --requirements needs.toml --junit verdict.xml
  dbdyno verdict last --requirements needs.toml --accept not_proved

A file of requirements:
  title = \"Shop\"
  [[requirement]]
  title = \"Orders\"
  test = \"T711\"
  metric = \"tx_per_s\"
  minimum = 2000
  [[requirement]]
  title = \"Tail at 16 jobs\"
  test = \"T611\"
  metric = \"service_time_s.p99\"
  drive = \"client\"
  jobs = 16
  maximum = 0.005")]
pub(crate) struct VerdictArgs {
    /// An id, the beginning of one, a label (its newest run), last, or a reference platform
    pub(crate) run: String,
    /// What the project needs
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: PathBuf,
    /// Write the verdict as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Judge points with this flag like sound ones; the verdict says so. Again for several
    #[arg(long, value_name = "FLAG", value_parser = flag())]
    pub(crate) accept: Vec<Flag>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Parses a flag that a verdict refuses by default.
fn flag() -> impl TypedValueParser<Value = Flag> {
    let names = PossibleValuesParser::new(REFUSED.map(Flag::name));
    // Only names of the list get here, so the fallback is never used.
    names.map(|name| REFUSED.into_iter().find(|flag| flag.name() == name).unwrap_or(REFUSED[0]))
}
