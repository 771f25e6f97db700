//! Commands about what is on a target, as typed: `check`, `load`, `drop` and `sql`.

use super::common::{Shown, TargetArgs};
use super::settings::SettingsArgs;
use super::values::{dop, scale};
use clap::Args;
use dbdyno_model::Scale;

/// `dbdyno check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno check                                   the file that `run` would use
  dbdyno check --target sqlite:demo.sqlite --size D")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Read every row back and compare it with what was loaded
    #[arg(long)]
    pub(crate) deep: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno load`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno load                                    into the file that `run` uses
  dbdyno load --target sqlite:demo.sqlite --size D --jobs 2
  dbdyno load tpcb --target sqlite:demo.sqlite --scale 4
  dbdyno load order-entry --target sqlite:demo.sqlite --scale 0.05
  dbdyno load slob --target sqlite:demo.sqlite --schemas 2")]
pub(crate) struct LoadArgs {
    /// A workload; without one, the tables of the tests
    ///
    /// `dbdyno list workloads` shows them.
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: Option<String>,
    /// Workloads: how much data [default: what the workload says]
    #[arg(long, value_name = "N", value_parser = scale, requires = "workload")]
    pub(crate) scale: Option<Scale>,
    /// Workload slob: how many schemas [default: 1]
    #[arg(long, value_name = "N", value_parser = dop, requires = "workload")]
    pub(crate) schemas: Option<u32>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Jobs that load at the same time [default: hardware threads]
    ///
    /// Where the engine can.
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) jobs: Option<u32>,
    /// Do not prove the tables' content afterwards
    #[arg(long)]
    pub(crate) no_verify: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// `dbdyno drop`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno drop --target sqlite:demo.sqlite")]
pub(crate) struct DropArgs {
    /// The target
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno sql`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno sql sqlite --size D
  dbdyno sql sqlite --test T611,T711 --size N
  dbdyno sql postgres --workload tpcb")]
pub(crate) struct SqlArgs {
    /// The engine (`dbdyno list engines`)
    pub(crate) engine: String,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// Only this workload (`dbdyno list workloads`)
    #[arg(long, value_name = "WORKLOAD", conflicts_with = "test")]
    pub(crate) workload: Option<String>,
    /// Size class that the statements are for
    #[arg(long, value_name = "SIZE", default_value = "D")]
    pub(crate) size: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
