//! `durability` as typed, and the sessions that it starts.

use super::common::Shown;
use super::values::{dop, duration_s, label};
use clap::{Args, ValueEnum};
use dbdyno_engine::servers::StandbyKind;

/// `dbdyno durability`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno durability --target private:postgres
  dbdyno durability --target private:sqlite --by kill --cuts 5
  dbdyno durability --target private:mariadb --cuts 100 --control
  dbdyno durability --target private:postgres --standby sync --hold-link 0.5s")]
pub(crate) struct DurabilityArgs {
    /// What is made and cut: private:postgres, private:mariadb or private:sqlite
    ///
    /// dbdyno makes it for this test and removes it afterwards. A private server that runs already is left alone. Of
    /// your own server you say how it is cut: --cut-command or --manual.
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    /// How often it is cut
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) cuts: u32,
    /// How it is cut [default: the strongest that is possible here]
    #[arg(long, value_name = "WAY")]
    pub(crate) by: Option<CutBy>,
    /// Kill the primary, and promote its standby: sync, semisync, async
    ///
    /// A second server replicates from the first. The first is killed and never comes back; what was acknowledged is
    /// compared with the second. For the next cut that one gets a standby of its own.
    #[arg(long, value_name = "KIND", conflicts_with = "by", value_parser = StandbyKind::named)]
    pub(crate) standby: Option<StandbyKind>,
    /// Before a cut hold what goes between the two for so long; it is lost then
    ///
    /// A control does that for 0.5 s. Where commits do not wait for the standby it lasts until some were acknowledged
    /// meanwhile.
    #[arg(long, value_name = "TIME", requires = "standby", value_parser = duration_s)]
    pub(crate) hold_link: Option<f64>,
    /// With the log that standbys read (MariaDB's binary log): it must have everything, too
    #[arg(long, conflicts_with_all = ["standby", "cut_command", "manual"])]
    pub(crate) replication_log: bool,
    /// Your own server: the shell command that cuts it off
    ///
    /// As one that switches off its power, or kills it. dbdyno adds tables to its own schema there, and removes them.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["by", "control", "standby"])]
    pub(crate) cut_command: Option<String>,
    /// Your own server: the shell command that starts it again
    #[arg(long, value_name = "CMD", requires = "cut_command")]
    pub(crate) restart_command: Option<String>,
    /// Your own server: cut it by hand, when dbdyno says so
    #[arg(long, conflicts_with_all = ["by", "control", "cut_command", "standby"])]
    pub(crate) manual: bool,
    /// Cut as often with a setting that makes commits unsafe, to see losses
    ///
    /// Without a name it is the first setting whose losses this way of cutting can show.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) control: Option<String>,
    /// Sessions that commit at the same time [default: 8, and 1 where there is one writer]
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) sessions: Option<u32>,
    /// Decides the moments of the cuts
    #[arg(long, value_name = "N", default_value_t = 42, hide_short_help = true)]
    pub(crate) seed: u64,
    /// Name under which it is kept
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label: Option<String>,
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
    /// Its device loses its volatile cache, too: what it was not told to flush is lost. As root
    Device,
    /// The primary is lost, and its standby promoted
    #[value(skip)]
    Promotion,
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
