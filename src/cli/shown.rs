//! `show` and `list` as typed.

use super::common::Shown;
use clap::{Args, ValueEnum};

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
    /// What each host of a fleet did
    Hosts,
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
            Self::Hosts => &["hosts"],
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
    /// Crash tests and profiles that were made before
    Experiments,
}
