//! The command line as typed. Nothing is looked up here: the commands find out whether a test, a target or a run
//! exists, and suggest the nearest names.

mod accept;
mod candidates;
mod client;
mod common;
mod completion;
mod cores;
mod data;
mod durability;
mod fleet;
mod groups;
mod kubernetes;
mod live;
mod measuring;
mod note;
mod orion;
mod pair;
mod private;
mod results;
mod search;
mod settings;
mod shells;
mod shown;
mod trend;
mod values;

use crate::error::EXIT_USAGE;
use crate::output;
pub(crate) use accept::AcceptArgs;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use common::{Common, TargetArgs};
pub(crate) use completion::completed;
pub(crate) use data::{CheckArgs, DropArgs, LoadArgs, SqlArgs};
pub(crate) use durability::{CrashSessionsArgs, CutBy, DurabilityArgs};
pub(crate) use fleet::{AgentArgs, FilesArgs, FleetArgs, FleetCommand, FleetUpArgs, NatsArgs, SharedArgs};
pub(crate) use kubernetes::{IN_CLUSTER, InCluster, KubernetesArgs};
pub(crate) use live::{HeadroomArgs, MonitorArgs, ReplayArgs, ServeArgs, WatchArgs};
pub(crate) use measuring::{ENGINE_DEFAULT, ResumeArgs, RunArgs, WorkArgs};
pub(crate) use note::NoteArgs;
pub(crate) use orion::{LONG_HELP as ORION_HELP, OrionArgs, command_line as orion_command_line};
pub(crate) use pair::PairArgs;
pub(crate) use private::{DownArgs, UpArgs};
pub(crate) use results::{
    CompareArgs, DescribeArgs, ExportArgs, ExportFormat, ImportArgs, ReportArgs, SiteArgs, VerdictArgs,
};
pub(crate) use settings::SettingsArgs;
pub(crate) use shells::{CompleteArgs, CompletionsArgs, ManArgs, Shell};
pub(crate) use shown::{ListArgs, Listed, ShowArgs};
use std::ffi::OsString;
use std::process::ExitCode;
pub(crate) use trend::{StepBy, TrendArgs};

/// How the help of `dbdyno` itself, and of no command, says its usage.
const ROOT_USAGE: &str = "Usage: dbdyno [OPTIONS] <COMMAND>";

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
    /// Say when figures changed over many runs, and what changed there
    ///
    /// The runs of a label or a suite, in the order of time: when the level of any figure changed, by how much, and
    /// what of the platform changed at that place. Single runs that are off are told from changes.
    Trend(TrendArgs),
    /// Say what dbdyno cannot see of a run's platform
    ///
    /// Storage, prices, licences, remarks, a conclusion.
    Describe(DescribeArgs),
    /// Note something of a run, or show what was noted
    ///
    /// A change of the platform, for those who read the run later. `dbdyno trend` shows it at the changes that lie
    /// there, and takes them for known.
    Note(NoteArgs),
    /// Write a run for other programs, or for another machine
    Export(ExportArgs),
    /// Take in a run that was exported on another machine
    Import(ImportArgs),
    /// Make a folder of pages of runs and platforms, any two to compare
    ///
    /// An index, a page for each, and one that lays any two side by side. The pages need a browser, and neither a
    /// server nor a network. What may be compared is decided as by `compare`.
    Site(SiteArgs),
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
    /// Drive a share of the load that `run --fleet` asks for
    ///
    /// Runs on each driver host until it is ended. It has a target and passwords of its own, and does what the
    /// coordinator of a run asks over NATS.
    Agent(AgentArgs),
    /// Try a fleet on this machine, or make its key
    ///
    /// `up` starts a NATS server and agents here, and `down` stops them.
    Fleet(FleetArgs),
    /// Watch a database that has a load of its own
    ///
    /// What it does each second, on a terminal, in a browser and as metrics: commits, I/Os, redo, processors, sessions
    /// and what they wait for. Nothing is changed there. With --record it is kept, as a profile for `headroom`.
    Monitor(MonitorArgs),
    /// Play the readings of a run or a profile again
    ///
    /// In the views in which they were seen, at the same speed or faster.
    Replay(ReplayArgs),
    /// Say how many times its load production's platform carries
    ///
    /// A profile of production beside a measured run, layer by layer: the share at the peak, how many times that load
    /// the layer carries, and which is reached first. What was not seen is unknown.
    Headroom(HeadroomArgs),
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
    let root = definition();
    let words = orion::translated(words, &root)?;
    let mut root = orion::with_help(root, &words);
    let matches = root.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut root))
}

/// The definition of the command line, from which help, completions and the manual are made.
pub(crate) fn definition() -> clap::Command {
    groups::grouped(Cli::command())
}

/// Prints what the parser returned instead of a command (help, the version or an error), and returns the exit code.
pub(crate) fn print_help_or_error(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let shown =
        |text: &str| output::text(text).map_or_else(|error| ExitCode::from(error.exit_code()), |()| ExitCode::SUCCESS);
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => shown(&text),
        // A command that has commands of its own: its help names them.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !text.contains(ROOT_USAGE) => shown(&text),
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
