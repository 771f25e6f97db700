//! The command line as typed. Nothing is looked up here: the commands find out whether a test, a target or a run
//! exists, and suggest the nearest names.

mod client;
mod common;
mod measuring;
mod orion;
mod private;
mod results;
mod values;

use crate::error::EXIT_USAGE;
use crate::output;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
pub(crate) use common::{Common, Shown, TargetArgs};
pub(crate) use measuring::{ENGINE_DEFAULT, ResumeArgs, RunArgs};
pub(crate) use orion::{OrionArgs, command_line as orion_command_line};
pub(crate) use private::{DownArgs, UpArgs};
pub(crate) use results::{CompareArgs, DescribeArgs, ExportArgs, ExportFormat, ImportArgs, ReportArgs, VerdictArgs};
use std::ffi::OsString;
use std::process::ExitCode;
use values::{dop, scale};

const EXAMPLES: &str = "\
Examples:
  dbdyno run quick --target sqlite:demo.sqlite     a first look at this machine, in minutes
  dbdyno show last --table platform                what its figures depend on
  dbdyno list suites                               what else could be measured

Exit codes: 0 done (unsupported tests and flags are no failure); 1 a requirement or a regression limit was missed;
2 bad usage or input, nothing done; 3 target lost, interrupted or internal error, what was measured is kept; 4 some points
failed or are invalid.";

/// A dynamometer for database platforms
///
/// Puts a known load on a platform through its database, with rising parallelism, and reports a few key metrics: how
/// fast one job is, how much the whole platform carries, how long one operation takes, how far it scales.
#[derive(Debug, Parser)]
#[command(name = "dbdyno", version, after_help = EXAMPLES, arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at a target without changing it: what stands in the way, what would make figures doubtful, how long it
    /// takes
    Check(CheckArgs),
    /// Measure a suite or single tests on a target
    Run(Box<RunArgs>),
    /// Measure what is missing or failed in a run
    Resume(ResumeArgs),
    /// Show what a run measured
    Show(ShowArgs),
    /// Make one HTML page of runs, that needs nothing but a browser
    Report(ReportArgs),
    /// Judge a run by what a project needs: exit code 1 where it does not meet that
    Verdict(VerdictArgs),
    /// Put runs and published platforms side by side
    Compare(CompareArgs),
    /// Say what dbdyno cannot see of a run's platform: storage, prices, licences, remarks, a conclusion
    Describe(DescribeArgs),
    /// Write a run for other programs, or for another machine
    Export(ExportArgs),
    /// Take in a run that was exported on another machine
    Import(ImportArgs),
    /// List what there is
    List(ListArgs),
    /// Create and fill the test tables, or those of a workload, on a target
    Load(LoadArgs),
    /// Drop dbdyno's tables of a target, workloads' included, and nothing else
    Drop(DropArgs),
    /// Print every statement that would run, for review or to run by hand
    Sql(SqlArgs),
    /// Start a database server of dbdyno's own on this machine, to measure without touching another
    Up(UpArgs),
    /// Stop a server that `up` started, and remove its data
    Down(DownArgs),
    /// Measure what the storage below a database can do, with the options, the matrix and the files of ORION
    Orion(Box<OrionArgs>),
}

/// `dbdyno check`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno check --target sqlite:demo.sqlite --size D")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Read every row of every table back and compare it with what was loaded
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
  dbdyno show hp_dl980_violin_2012         a published result (`dbdyno list platforms`)")]
pub(crate) struct ShowArgs {
    /// An id, the beginning of one, a label (its newest run), last, or a reference platform
    pub(crate) run: String,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// One table instead of the summary page and the 8.0 tables
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
    /// What the sessions of each test waited for
    Waits,
    /// What each point wrote, log and data files told apart
    Writes,
    /// How long transactions took in the client drive, by the rate that was asked for
    Latency,
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
            Self::Waits => &["waits"],
            Self::Writes => &["writes"],
            Self::Latency => &["latency"],
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
  dbdyno list suites
  dbdyno list tests --engine sqlite        how that engine realises each test
  dbdyno list platforms
  dbdyno list runs --json")]
pub(crate) struct ListArgs {
    /// What to list
    pub(crate) what: Listed,
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
}

/// `dbdyno load`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno load --target sqlite:demo.sqlite --size D --jobs 2
  dbdyno load tpcb --target sqlite:demo.sqlite --scale 4")]
pub(crate) struct LoadArgs {
    /// A workload (`dbdyno list workloads`); the tables of the tests without one
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: Option<String>,
    /// Workloads: how much data [default: 1]
    #[arg(long, value_name = "N", value_parser = scale, requires = "workload")]
    pub(crate) scale: Option<u64>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Jobs that load at the same time, where the engine can [default: hardware threads]
    #[arg(long, value_name = "N", value_parser = dop)]
    pub(crate) jobs: Option<u32>,
    /// Do not prove the tables' content afterwards
    #[arg(long)]
    pub(crate) no_verify: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
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
fn read(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(orion::translated(words, &Cli::command())?)
}

/// Prints what the parser returned instead of a command (help, the version or an error), and returns the exit code.
pub(crate) fn print_help_or_error(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::text(&text).map_or_else(|error| ExitCode::from(error.exit_code()), |()| ExitCode::SUCCESS)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output::note(&text);
            ExitCode::from(EXIT_USAGE)
        }
        _ => {
            output::complain(text.strip_prefix("error: ").unwrap_or(&text));
            ExitCode::from(EXIT_USAGE)
        }
    }
}

#[cfg(test)]
mod tests;
