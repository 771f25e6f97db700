//! The command line as typed. Nothing is looked up here: the commands find out whether a test, a target or a run
//! exists, and suggest the nearest names.

mod accept;
mod candidates;
mod client;
mod common;
mod completion;
mod cores;
mod durability;
mod kubernetes;
mod measuring;
mod orion;
mod pair;
mod private;
mod results;
mod search;
mod settings;
mod shells;
mod values;

use crate::error::EXIT_USAGE;
use crate::output;
pub(crate) use accept::AcceptArgs;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
pub(crate) use common::{Common, Shown, TargetArgs};
pub(crate) use completion::completed;
use dbdyno_model::Scale;
pub(crate) use durability::{CrashSessionsArgs, CutBy, DurabilityArgs};
pub(crate) use kubernetes::{IN_CLUSTER, InCluster, KubernetesArgs};
pub(crate) use measuring::{ENGINE_DEFAULT, ResumeArgs, RunArgs, WorkArgs};
pub(crate) use orion::{LONG_HELP as ORION_HELP, OrionArgs, command_line as orion_command_line};
pub(crate) use pair::PairArgs;
pub(crate) use private::{DownArgs, UpArgs};
pub(crate) use results::{CompareArgs, DescribeArgs, ExportArgs, ExportFormat, ImportArgs, ReportArgs, VerdictArgs};
pub(crate) use settings::SettingsArgs;
pub(crate) use shells::{CompleteArgs, CompletionsArgs, ManArgs, Shell};
use std::ffi::OsString;
use std::process::ExitCode;
use values::{dop, scale};

/// What `dbdyno` alone says.
const FIRST_STEP: &str = "\
dbdyno measures database platforms. A first step, in about three minutes:

  dbdyno run               measures this machine, on the embedded engine
  dbdyno report last       makes a page of it, for a browser

With a server of its own, or with yours:

  dbdyno up                says which servers can be started here
  dbdyno list engines      says how a target is written, for --target

`dbdyno list` says what there is, and `dbdyno -h` names all commands.
";

const EXAMPLES: &str = "\
Examples:
  dbdyno run               a first look at this machine, in minutes
  dbdyno COMMAND -h        what a command takes; --help says more";

const MORE_EXAMPLES: &str = "\
Examples:
  dbdyno run                             a first look at this machine
  dbdyno run quick --target URL          the same of another database
  dbdyno show last --table platform      what its figures depend on
  dbdyno report last                     a page of it, for a browser
  dbdyno list                            what else could be measured
  dbdyno completions bash                makes a shell complete names

Exit codes:
  0  done (unsupported tests and flags are no failure)
  1  a requirement or a regression limit was missed, or a crash lost something
  2  bad usage or input, nothing done
  3  target lost, interrupted or internal error, what was measured is kept
  4  some points failed or are invalid";

/// A dynamometer for database platforms
///
/// Puts a known load on a platform through its database, with rising parallelism, and reports a few key metrics: how
/// fast one job is, how much the whole platform carries, how long one operation takes, how far it scales.
#[derive(Debug, Parser)]
#[command(
    name = "dbdyno", version, max_term_width = HELP_COLUMNS, after_help = EXAMPLES, after_long_help = MORE_EXAMPLES,
    arg_required_else_help = true, subcommand_required = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The width of the narrowest terminal in use; longer lines are hard to read.
const HELP_COLUMNS: usize = 80;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at a target without changing it
    ///
    /// Says what stands in the way, what would make figures doubtful, and how long measuring takes.
    Check(CheckArgs),
    /// Measure a suite, single tests or a workload on a target
    ///
    /// Without a target the embedded engine is measured, in a file beside the results. What a target lacks is loaded
    /// first, where dbdyno may do that without being asked. Each point is stored before the next one begins.
    Run(Box<RunArgs>),
    /// Measure what is missing or failed in a run
    Resume(ResumeArgs),
    /// Show what a run measured
    Show(ShowArgs),
    /// Make one HTML page of runs, that needs nothing but a browser
    Report(ReportArgs),
    /// Judge a run by what a project needs
    ///
    /// The exit code is 1 where it does not meet that.
    Verdict(VerdictArgs),
    /// Put runs and published platforms side by side
    Compare(CompareArgs),
    /// Say what dbdyno cannot see of a run's platform
    ///
    /// Storage, prices, licences, remarks, a conclusion.
    Describe(DescribeArgs),
    /// Write a run for other programs, or for another machine
    Export(ExportArgs),
    /// Take in a run that was exported on another machine
    Import(ImportArgs),
    /// List what there is
    List(ListArgs),
    /// Create and fill the test tables, or those of a workload
    Load(LoadArgs),
    /// Drop dbdyno's tables of a target, and nothing else
    ///
    /// Those of workloads are dropped, too. The target must be named.
    Drop(DropArgs),
    /// Print every statement that would run
    ///
    /// For review, or to run by hand.
    Sql(SqlArgs),
    /// Start a database server of dbdyno's own on this machine
    ///
    /// It measures without touching another. The server lives in $DBDYNO_HOME (root: /var/lib/dbdyno, others:
    /// ~/.local/state/dbdyno), one per engine, and is reached by no network. It goes on when dbdyno ends; one that was
    /// stopped or has crashed is started again with its data. Its programs are found in PATH and where distributions
    /// put them; DBDYNO_POSTGRES_BIN or DBDYNO_MARIADB_BIN names another folder.
    Up(UpArgs),
    /// Stop a server that `up` started, and remove its data
    Down(DownArgs),
    /// Print a Job for Kubernetes that measures from inside a cluster
    #[command(name = "k8s")]
    Kubernetes(KubernetesArgs),
    /// Measure two targets in alternation, and tell small differences
    ///
    /// A point of one, then the same point of the other: what disturbs a machine disturbs both. The ratio of each pair
    /// is taken, and the interval of their mean.
    Pair(Box<PairArgs>),
    /// Measure the storage below a database, as ORION does
    Orion(Box<OrionArgs>),
    /// Crash a database that is made for that, and see what is lost
    ///
    /// Sessions commit, and a ledger keeps what was acknowledged. At a moment that nobody foresees everything is cut
    /// off and started again, and compared with the ledger.
    Durability(DurabilityArgs),
    /// Do what an acceptance project asks for, and judge it
    ///
    /// Its file names variants of a platform, steps and requirements. What is missing is run, and what is there stays:
    /// the same command goes on after Ctrl-C. One page shows all variants beside what is required.
    Accept(AcceptArgs),
    /// Print what makes a shell complete commands and names
    Completions(CompletionsArgs),
    /// Commit until cut off, for `durability`
    #[command(hide = true)]
    CrashSessions(CrashSessionsArgs),
    /// Say how a command line could go on
    #[command(hide = true)]
    Complete(CompleteArgs),
    /// Write the manual, a page for each command
    #[command(hide = true)]
    Man(ManArgs),
}

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

/// `dbdyno show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno show last
  dbdyno show last --test 'T6*' --table cells
  dbdyno show last --table latency
  dbdyno show before --json > before.json
  dbdyno show hp_dl980_violin_2012     a published result (`list platforms`)")]
pub(crate) struct ShowArgs {
    /// A run, a crash test, or a reference platform
    ///
    /// An id, the beginning of one, a label (its newest run), last (the newest run), or a reference platform.
    pub(crate) run: String,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// One table instead of the summary and the 8.0 tables
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Option<ShownTable>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `--table`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShownTable {
    /// Every point, in the columns of Benchware 8.0
    #[value(name = "8.0")]
    Bps80,
    /// Load, select and update tests, in the columns of Benchware 8.4
    #[value(name = "8.4")]
    Bps84,
    /// Medians, intervals and flags
    Cells,
    /// The scaling law of each ramp
    Scaling,
    /// How many users saturate it, and the highest rate within limits, where that was searched for
    Searches,
    /// What the sessions of each test waited for
    Waits,
    /// What each point wrote, log and data files told apart
    Writes,
    /// How long transactions took in the client drive, by the rate that was asked for
    Latency,
    /// What a workload did, by the minute and by statement
    Transactions,
    /// Random I/O through the database, by the figures of SLOB
    Slob,
    /// I/Os of the storage itself, below any database
    Storage,
    /// The key metrics on one page
    Summary,
    /// Hardware, operating system, database and settings
    Platform,
    /// What a reference platform's source prints beside its series, with every doubt about it
    Published,
    /// How it was measured, and with what settings
    Method,
}

impl ShownTable {
    /// The reports that it consists of.
    pub(crate) fn reports(self) -> &'static [&'static str] {
        match self {
            Self::Bps80 => &["bps8.0"],
            Self::Bps84 => &["bps8.4-load", "bps8.4-oltp"],
            Self::Cells => &["cells"],
            Self::Scaling => &["scaling"],
            Self::Searches => &["searches"],
            Self::Waits => &["waits"],
            Self::Writes => &["writes"],
            Self::Latency => &["latency"],
            Self::Transactions => &["transactions"],
            Self::Slob => &["slob"],
            Self::Storage => &["storage"],
            Self::Summary => &["summary"],
            Self::Platform => &["platform"],
            Self::Published => &["published"],
            Self::Method => &["method"],
        }
    }
}

/// `dbdyno list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno list                              what can be listed
  dbdyno list suites
  dbdyno list tests --engine sqlite        how that engine realises each test
  dbdyno list platforms
  dbdyno list runs --json")]
pub(crate) struct ListArgs {
    /// What to list; without it: what can be listed
    pub(crate) what: Option<Listed>,
    /// Tests: how this engine realises each
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Every test of the catalogue
    Tests,
    /// Ordered choices of tests
    Suites,
    /// Programs with a schema of their own, like applications
    Workloads,
    /// Size classes of the data
    Sizes,
    /// Databases that can be measured
    Engines,
    /// Figures and their units
    Metrics,
    /// Published results that stand where a run can
    Platforms,
    /// What was measured before
    Runs,
    /// Crash tests that were made before
    Experiments,
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

/// Parses the command line.
///
/// # Errors
/// The answer in place of a command: a usage error, the help or the version.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    read(std::env::args_os().collect())
}

/// Parses words as a shell passes them to a program.
///
/// # Errors
/// As for [`parse`].
pub(crate) fn read(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let root = Cli::command();
    let words = orion::translated(words, &root)?;
    let mut root = orion::with_help(root, &words);
    let matches = root.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut root))
}

/// The definition of the command line, from which help, completions and the manual are made.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// Prints what the parser returned instead of a command (help, the version or an error), and returns the exit code.
pub(crate) fn print_help_or_error(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let shown =
        |text: &str| output::text(text).map_or_else(|error| ExitCode::from(error.exit_code()), |()| ExitCode::SUCCESS);
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => shown(&text),
        // Nothing was asked for, so nothing is wrong.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => shown(FIRST_STEP),
        _ => {
            output::complain(text.strip_prefix("error: ").unwrap_or(&text));
            ExitCode::from(EXIT_USAGE)
        }
    }
}

#[cfg(test)]
mod tests;
