//! `run` and `resume`.

use super::client::ClientArgs;
use super::common::{Shown, TargetArgs};
use super::values::{Word, dop, duration_s, label, limit_s, only_dop, scale, words};
use clap::Args;
use dbdyno_model::{CommitMode, Ramp};
use std::path::PathBuf;

/// `dbdyno run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno run quick --target sqlite:demo.sqlite
  dbdyno run T611 'T7*' --target sqlite:demo.sqlite --ramp 1,2 --repeat 3
  dbdyno run T426 --target private:postgres --ramp 1,2,4                 scans by rising numbers of threads
  dbdyno run T426 --target private:postgres --threads 1 --ramp 1,2,4     by rising numbers of jobs, one thread each
  dbdyno run T611 T711 --target private:postgres --drive client --jobs 8
  dbdyno run T711 --target private:postgres --drive client --jobs 8 --rate 10%..100%
  dbdyno run T711 --target private:postgres --drive client --jobs 64 --rate 500/s,1000/s
  dbdyno run T611 --target private:postgres --drive client --jobs 200 --think 5ms..50ms
  dbdyno run T711 --target private:postgres --drive client --jobs 200 --connections 16 --rate 1000/s
  dbdyno run tpcb --target private:postgres --users 1,2,4,8 --repeat 3
  dbdyno run tpcb --target private:postgres --users 16 --drive server
  dbdyno run quick --target postgres://dbdyno@db1/mydb --max-jobs 4 --max-duration 10m --dry-run")]
pub(crate) struct RunArgs {
    /// A suite, codes and patterns of tests, or a workload: quick, T611, 'T6*', tpcb
    #[arg(required = true, value_name = "WHAT")]
    pub(crate) what: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Degrees of parallelism to go through, in the dimension that each test names, or its other one if that is fixed;
    /// 2x is up to twice the hardware threads
    #[arg(long, value_name = "1,2,4")]
    pub(crate) ramp: Option<Ramp>,
    /// Workloads: numbers of users at work at once, each with a connection of its own but for --connections [default:
    /// 1]
    #[arg(long, value_name = "1,2,4")]
    pub(crate) users: Option<Ramp>,
    /// Workloads: how much data, for a target that holds none of it yet [default: 1] (`dbdyno list workloads`)
    #[arg(long, value_name = "N", value_parser = scale)]
    pub(crate) scale: Option<u64>,
    /// Fix the number of cluster nodes
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) nodes: Option<u32>,
    /// Fix the number of jobs; tests whose ramp moves jobs are then measured at this number alone
    #[arg(long, value_name = "N", value_parser = only_dop)]
    pub(crate) jobs: Option<u32>,
    /// Fix the number of threads inside one statement; as --jobs for tests whose ramp moves threads. With --ramp, tests
    /// that can have several jobs as well (T426) then ramp these
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) threads: Option<u32>,
    /// How long each point is measured, after its warm-up: 500ms, 10s, 1m
    #[arg(long, value_name = "TIME", value_parser = duration_s)]
    pub(crate) duration: Option<f64>,
    /// How often the whole ramp is measured; from 3 on, figures have an interval
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) repeat: Option<u32>,
    /// Name of the run; runs that share one are a sample
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label: Option<String>,
    /// Whether each commit waits until it is on the device
    #[arg(long, value_name = "MODE", default_value = "durable", value_parser = words(COMMITS))]
    pub(crate) commit: CommitMode,
    /// Do not prove the tables' content after loading them
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Do not look at the database's sessions while they work: no wait events, and foreign sessions are noticed less
    #[arg(long)]
    pub(crate) no_sampling: bool,
    /// No more jobs at once than this, each counted as often as it has threads, also to load: what a ramp has above is
    /// left out
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) max_jobs: Option<u32>,
    /// End the run after this time as Ctrl-C does: what is at work is cancelled, what was measured is kept: 90s, 10m,
    /// 2h
    #[arg(long, value_name = "TIME", value_parser = limit_s)]
    pub(crate) max_duration: Option<f64>,
    /// Fetch Oracle's AWR report of each point and instance into a file of its own in this folder; needs
    /// --diagnostics-pack, and so a licence
    #[arg(long, value_name = "DIR")]
    pub(crate) awr_report: Option<PathBuf>,
    /// Say what would be loaded and measured, how long the points take and what load it puts on, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
}

/// `--commit`.
const COMMITS: &[Word<CommitMode>] = &[
    ("durable", CommitMode::Durable, "Each commit waits for the log"),
    (ENGINE_DEFAULT, CommitMode::EngineDefault, "What the engine does in a procedure by default"),
];
/// How users type the commits that are not durable.
pub(crate) const ENGINE_DEFAULT: &str = "engine_default";

/// `dbdyno resume`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno resume last
  dbdyno resume 7xk2                       the run whose id begins so")]
pub(crate) struct ResumeArgs {
    /// An id, the beginning of one, a label (its newest run), or last
    pub(crate) run: String,
    /// The target, where the run's own is not enough (a password is never stored)
    #[arg(long, value_name = "URL")]
    pub(crate) target: Option<String>,
    /// End after this time as Ctrl-C does: what is at work is cancelled, what was measured is kept: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", value_parser = limit_s)]
    pub(crate) max_duration: Option<f64>,
    /// As for `dbdyno run`, for the points that are measured now
    #[arg(long, value_name = "DIR")]
    pub(crate) awr_report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
