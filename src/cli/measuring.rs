//! `run` and `resume`.

use super::client::ClientArgs;
use super::common::{Shown, TargetArgs};
use super::cores::CoresArgs;
use super::fleet::SharedArgs;
use super::live::WatchArgs;
use super::search::SearchArgs;
use super::settings::SettingsArgs;
use super::values::{Word, dop, duration_s, label, limit_s, only_dop, scale, words};
use clap::Args;
use dbdyno_model::{CommitMode, Ramp, Scale};
use std::path::PathBuf;

/// `dbdyno run`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "\
Examples:
  dbdyno run                                     quick, on the embedded engine
  dbdyno run T611 'T7*' --target private:postgres --ramp 1,2 --repeat 3
  dbdyno run tpcb --target private:postgres --users 1,2,4,8
  dbdyno run tpcb --target private:postgres --until-saturated",
    after_long_help = "\
Examples:
  dbdyno run                                     quick, on the embedded engine
  dbdyno run quick --target sqlite:demo.sqlite
  dbdyno run T611 'T7*' --target sqlite:demo.sqlite --ramp 1,2 --repeat 3
  dbdyno run T426 --target private:postgres --ramp 1,2,4
      scans by rising numbers of threads
  dbdyno run T426 --target private:postgres --threads 1 --ramp 1,2,4
      by rising numbers of jobs, one thread each
  dbdyno run T611 T711 --target private:postgres --drive client --jobs 8
  dbdyno run T711 --drive client --jobs 8 --rate 10%..100%
  dbdyno run T711 --drive client --jobs 64 --rate 500/s,1000/s
  dbdyno run T611 --drive client --jobs 200 --think 5ms..50ms
  dbdyno run T711 --drive client --jobs 200 --connections 16 --rate 1000/s
  dbdyno run tpcb --target private:postgres --users 1,2,4,8 --repeat 3
  dbdyno run tpcb --target private:postgres --users 16 --drive server
  dbdyno run tpcb --target private:postgres --until-saturated
  dbdyno run tpcb --target private:postgres --until 'p99<5ms,errors<0.1%'
  dbdyno run slob --target private:postgres --conf slob.conf --schemas 1,2,4
  dbdyno run slob --target private:postgres --update-pct 20 --set WORK_UNIT=16
  dbdyno run T711 --drive client --jobs 8 --until 'p99<5ms'
  dbdyno run quick --target postgres://me@db1/mydb --max-jobs 4 --dry-run"
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How often the whole ramp is measured; 3 give intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) repeat: Option<u32>,
    /// Name of the run; runs that share one are a sample
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label: Option<String>,
    /// End the run after this time: 90s, 10m, 2h
    ///
    /// As Ctrl-C does: what is at work is cancelled, and what was measured is kept.
    #[arg(long, value_name = "TIME", value_parser = limit_s, hide_short_help = true)]
    pub(crate) max_duration: Option<f64>,
    /// Folder for Oracle's AWR report of each point and instance
    ///
    /// Each is fetched into a file of its own. This needs --diagnostics-pack, and so a licence.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) awr_report: Option<PathBuf>,
    /// Say what would be done, and do nothing
    ///
    /// What would be loaded and measured, how long the points take, and what load it puts on.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) cores: CoresArgs,
    #[command(flatten)]
    pub(crate) shared: SharedArgs,
    /// Let EXTERNAL_SCRIPT of slob.conf be run: before, after, and at the end
    ///
    /// It is called with the word pre, post or end, and without a shell.
    #[arg(long, hide_short_help = true, help_heading = "Workload slob")]
    pub(crate) allow_scripts: bool,
}

/// What `run` and `pair` measure, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkArgs {
    /// A suite, tests, or a workload
    ///
    /// For instance quick, T611, 'T6*' or tpcb: see `dbdyno list suites`, `list tests` and `list workloads`.
    #[arg(value_name = "WHAT", default_value = "quick")]
    pub(crate) what: Vec<String>,
    /// Degrees of parallelism to go through
    ///
    /// By default the suite says them. They go in the dimension that each test names, or its other one if that is
    /// fixed. 2x is up to twice the hardware threads.
    #[arg(long, value_name = "1,2,4")]
    pub(crate) ramp: Option<Ramp>,
    /// Workloads: users at work at once [default: 1]
    ///
    /// Each has a connection of its own but for --connections.
    #[arg(long, value_name = "1,2,4")]
    pub(crate) users: Option<Ramp>,
    /// Workload slob: schemas at work at once [default: all]
    ///
    /// Each has THREADS_PER_SCHEMA sessions.
    #[arg(long, value_name = "1,2,4", hide_short_help = true)]
    pub(crate) schemas: Option<Ramp>,
    /// Workloads: how much data [default: what the workload says]
    ///
    /// For a target that holds none of it yet (`dbdyno list workloads` says what 1 is).
    #[arg(long, value_name = "N", value_parser = scale, hide_short_help = true)]
    pub(crate) scale: Option<Scale>,
    /// Fix the number of cluster nodes
    #[arg(long, value_name = "N", value_parser = dop, hide_short_help = true)]
    pub(crate) nodes: Option<u32>,
    /// Fix the number of jobs
    ///
    /// Tests whose ramp moves jobs are then measured at this number alone.
    #[arg(long, value_name = "N", value_parser = only_dop)]
    pub(crate) jobs: Option<u32>,
    /// Fix the number of threads inside one statement
    ///
    /// As --jobs for tests whose ramp moves threads. With --ramp, tests that can have several jobs as well (T426) then
    /// ramp these.
    #[arg(long, value_name = "N", value_parser = dop, hide_short_help = true)]
    pub(crate) threads: Option<u32>,
    /// How long each point is measured: 500ms, 10s, 1m
    ///
    /// The warm-up comes before it. By default the suite says it.
    #[arg(long, value_name = "TIME", value_parser = duration_s)]
    pub(crate) duration: Option<f64>,
    /// Whether each commit waits until it is on the device
    #[arg(
        long, value_name = "MODE", default_value = "durable", value_parser = words(COMMITS), hide_short_help = true
    )]
    pub(crate) commit: CommitMode,
    /// Do not prove the tables' content after loading them
    #[arg(long, hide_short_help = true)]
    pub(crate) no_verify: bool,
    /// Do not look at the database's sessions while they work
    ///
    /// There are no wait events then, and foreign sessions are noticed less.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sampling: bool,
    /// No more jobs at once than this, also to load
    ///
    /// Each is counted as often as it has threads. What a ramp has above is left out.
    #[arg(long, value_name = "N", value_parser = dop, hide_short_help = true)]
    pub(crate) max_jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// `--commit`.
const COMMITS: &[Word<CommitMode>] = &[
    ("durable", CommitMode::Durable, "Each commit waits for the log"),
    (ENGINE_DEFAULT, CommitMode::EngineDefault, "What the engine does in a procedure by default"),
];
/// How users type the commits that are not durable.
pub(crate) const ENGINE_DEFAULT: &str = "engine_default";

/// `dbdyno resume`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  dbdyno resume last
  dbdyno resume 7xk2                       the run whose id begins so")]
pub(crate) struct ResumeArgs {
    /// An id, the beginning of one, a label (its newest run), or last
    pub(crate) run: String,
    /// The target, where the run's own is not enough [default: the run's own]
    ///
    /// A password is never stored. The target of a run that others may have written is not trusted.
    #[arg(long, value_name = "URL")]
    pub(crate) target: Option<String>,
    /// End after this time as Ctrl-C does: 90s, 10m, 2h
    ///
    /// What is at work is cancelled, and what was measured is kept.
    #[arg(long, value_name = "TIME", value_parser = limit_s)]
    pub(crate) max_duration: Option<f64>,
    /// Folder for AWR reports, as for `dbdyno run`
    ///
    /// Of the points that are measured now.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) awr_report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: SharedArgs,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
