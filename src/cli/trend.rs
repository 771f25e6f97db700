//! `dbdyno trend`, as typed.

use super::common::Shown;
use super::values::percent;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What a step of a trend is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepBy {
    /// Each run
    Run,
    /// Each label, whose runs are its samples
    Label,
}

/// `dbdyno trend`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno trend nightly
  dbdyno trend quick --test 'T6*' -o trend.html
  dbdyno trend 15.17 15.18 15.19         three labels: each is a step
  dbdyno trend nightly --fail-on-new 5%  ends with 1 for a loss without a note
  dbdyno note last 'upgraded to 15.19'   and then it is known")]
pub(crate) struct TrendArgs {
    /// Labels or suites: all their runs, in the order of time
    ///
    /// Single runs can be named, too. Of several labels each is a step, in the order as typed, and its runs are its
    /// samples.
    #[arg(required = true, value_name = "LABEL|SUITE")]
    pub(crate) of: Vec<String>,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// Another metric than that of each test: `dbdyno list metrics`
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// What a step is [default: run; label where several are named]
    #[arg(long, value_name = "BY", hide_possible_values = true)]
    pub(crate) by: Option<StepBy>,
    /// Exit with 1 where a figure lost as much as this or more and nobody noted why
    ///
    /// The newest level is compared with the best one since the last change that has a note (`dbdyno note`), so that
    /// small losses add up, and one that was made good is none.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_on_new: Option<f64>,
    /// Write a page for a browser to this file; - is the standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
