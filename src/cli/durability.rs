//! `durability` as typed, and the sessions that it starts.

use super::common::Shown;
use super::values::dop;
use clap::{Args, ValueEnum};

/// `dbdyno durability`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno durability --target private:postgres
  dbdyno durability --target private:sqlite --by kill --cuts 5
  dbdyno durability --target private:mariadb --cuts 100 --control")]
pub(crate) struct DurabilityArgs {
    /// What is made and cut: private:postgres, private:mariadb or private:sqlite
    ///
    /// dbdyno makes it for this test and removes it afterwards. Nothing else is ever cut: a private server that runs
    /// already is left alone.
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    /// How often it is cut
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) cuts: u32,
    /// How it is cut [default: the strongest that is possible here]
    #[arg(long, value_name = "WAY")]
    pub(crate) by: Option<CutBy>,
    /// Cut as often with a setting that makes commits unsafe, to see losses
    ///
    /// Without a name it is the first setting whose losses this way of cutting can show.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) control: Option<String>,
    /// Sessions that commit at the same time [default: 8, and 1 where there is one writer]
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) sessions: Option<u32>,
    /// Decides the moments of the cuts
    #[arg(long, value_name = "N", default_value_t = 42, hide_short_help = true)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// A way to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CutBy {
    /// All processes are killed: what they had in memory is lost
    Kill,
    /// The file system is shut down, too: what was not written to its device is lost. As root
    Filesystem,
}

/// `dbdyno crash-sessions`: what `durability` starts and cuts off.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  dbdyno crash-sessions --target private:postgres --cut 1 --sessions 8")]
pub(crate) struct CrashSessionsArgs {
    /// The target
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    /// The cut that they precede
    #[arg(long, value_name = "N")]
    pub(crate) cut: u32,
    /// How many there are
    #[arg(long, value_name = "N")]
    pub(crate) sessions: u32,
    /// Leave it to the server's settings whether commits are durable
    #[arg(long)]
    pub(crate) as_set: bool,
}
