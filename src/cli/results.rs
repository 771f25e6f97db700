//! Commands that read results, or exchange them, as typed.

use super::common::Shown;
use super::values::percent;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use dbdyno_model::Flag;
use dbdyno_report::verdict::REFUSED;
use std::path::PathBuf;

/// `dbdyno compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno compare before after
  dbdyno compare last hp_dl980_violin_2012 --test 'T6*'
  dbdyno compare before after --max-regression 5%
      fails only where a loss beyond 5 % is shown
  dbdyno compare before after --max-regression 5% --markdown
      the summary of a pipeline
  dbdyno compare old new hpe_dl380_bm_2016 --baseline old")]
pub(crate) struct CompareArgs {
    /// 2 to 20 runs, labels or reference platforms
    ///
    /// An id, the beginning of one, a label (all its runs), last, or a reference platform. Runs that share a label are
    /// a sample: name the label, and from three runs a side on differences are told from chance.
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// The one that ratios are of [default: the first]
    #[arg(long, value_name = "RUN")]
    pub(crate) baseline: Option<String>,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// Exit with 1 where a row is worse than the baseline by more
    ///
    /// It must be shown to be worse: the whole interval lies beyond this loss.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) max_regression: Option<f64>,
    /// Print Markdown instead of text, for the summary of a pipeline
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write JUnit XML, too: each figure is a test, and fails where it broke the limit
    #[arg(long, value_name = "FILE", requires = "max_regression")]
    pub(crate) junit: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno report last                       the newest run, into dbdyno-RUN.html
  dbdyno report old new --baseline old -o compared.html
  dbdyno report last --requirements needs.toml -o verdict.html")]
pub(crate) struct ReportArgs {
    /// A run or reference platform; several are compared
    ///
    /// An id, the beginning of one, a label, last, or a reference platform.
    #[arg(value_name = "RUN", required = true, num_args = 1..=20)]
    pub(crate) runs: Vec<String>,
    /// Of several, the one that ratios are of [default: the first]
    #[arg(long, value_name = "RUN")]
    pub(crate) baseline: Option<String>,
    /// What a project needs: the page begins with the verdict
    ///
    /// `dbdyno verdict --help` shows such a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// File to write the page to [default: dbdyno-RUN.html]
    ///
    /// By default the file is in the current folder, and named after the run, or after the names as typed. - is the
    /// standard output. An older page is overwritten, and no other file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `dbdyno verdict`.
#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  dbdyno verdict last --requirements needs.toml
  dbdyno verdict baseline replicated --requirements needs.toml
      two labels, side by side",
    after_long_help = "\
Examples:
  dbdyno verdict last --requirements needs.toml
  dbdyno verdict before --requirements needs.toml --junit verdict.xml
  dbdyno verdict last --requirements needs.toml --accept not_proved
  dbdyno verdict baseline replicated --requirements needs.toml
      two labels, side by side

A file of requirements:
  title = \"Shop\"
  [[requirement]]
  title = \"Orders\"
  test = \"T711\"
  metric = \"tx_per_s\"
  minimum = 2000
  [[requirement]]
  title = \"Tail at 16 jobs\"
  test = \"T611\"
  metric = \"service_time_s.p99\"
  drive = \"client\"
  jobs = 16
  maximum = 0.005
  [[requirement]]
  title = \"Storage\"
  storage = \"8K random reads\"
  metric = \"small_iops\"
  minimum = 10000"
)]
pub(crate) struct VerdictArgs {
    /// A run, a label or a reference platform; several side by side
    ///
    /// An id, the beginning of one, last, a reference platform, or a label: of its runs the newest that measured what a
    /// requirement is about is judged.
    #[arg(value_name = "RUN", required = true, num_args = 1..=20)]
    pub(crate) runs: Vec<String>,
    /// What the project needs
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: PathBuf,
    /// Write the verdict as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Judge points with this flag like sound ones
    ///
    /// The verdict says so. Again for several.
    #[arg(long, value_name = "FLAG", value_parser = flag(), hide_short_help = true)]
    pub(crate) accept: Vec<Flag>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Parses a flag that a verdict refuses by default.
fn flag() -> impl TypedValueParser<Value = Flag> {
    let names = PossibleValuesParser::new(REFUSED.map(Flag::name));
    // Only names of the list get here, so the fallback is never used.
    names.map(|name| REFUSED.into_iter().find(|flag| flag.name() == name).unwrap_or(REFUSED[0]))
}

/// `dbdyno describe`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").args(["file", "remove", "template"]).required(true),
    after_help = "\
Examples:
  dbdyno describe --template > platform.toml      every key, to be filled in
  dbdyno describe last --file platform.toml       attaches it
  dbdyno describe before --remove                 from all runs of the label",
    after_long_help = "\
Examples:
  dbdyno describe --template > platform.toml      every key, to be filled in
  dbdyno describe last --file platform.toml       attaches it
  dbdyno describe before --file platform.toml     to all runs of the label
  dbdyno describe before --remove
  dbdyno show last --table platform               shows it, beside what was seen

A platform file:
  [platform]
  name = \"Order database, new servers\"
  [storage]
  array = \"1 x Hitachi VSP 5600\"
  luns = 16
  queue_depth = 64
  [[price]]
  of = \"server\"
  amount = 54000
  currency = \"EUR\"
  [[remark]]
  test = \"T611\"
  text = \"One of the two sockets was shut off for this test.\""
)]
pub(crate) struct DescribeArgs {
    /// An id, the beginning of one, a label (all its runs) or last
    ///
    /// What is said takes the place of what was said before.
    #[arg(required_unless_present = "template", conflicts_with = "template")]
    pub(crate) run: Option<String>,
    /// What is said of the platform
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Take away what was said
    #[arg(long)]
    pub(crate) remove: bool,
    /// Print a platform file with every key, to be filled in
    #[arg(long)]
    pub(crate) template: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno export last > run.json                     the whole run, for `import`
  dbdyno export before --format csv > points.csv    one line per point
  dbdyno export last --format openmetrics           for a time series database")]
pub(crate) struct ExportArgs {
    /// A run or reference platform
    ///
    /// An id, the beginning of one, a label (its newest run), last, or a reference platform.
    pub(crate) run: String,
    /// What to write to stdout
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) format: ExportFormat,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One line per point; the columns are paths of the JSON document
    Csv,
    /// The whole run, with its plan and histograms
    Json,
    /// Figures as OpenMetrics text, each at the time at which it was measured
    Openmetrics,
}

/// `dbdyno import`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno import run.json")]
pub(crate) struct ImportArgs {
    /// What `dbdyno export --format json` wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno site`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno export before > runs/before.json       a file for each run
  dbdyno site runs --out gallery                makes gallery/index.html
  dbdyno site catalogue/platforms --out gallery
      the published platforms, from dbdyno's source")]
pub(crate) struct SiteArgs {
    /// Folder with exported runs (.json) and platform files (.toml)
    ///
    /// A run is what `dbdyno export RUN` writes, a platform file what catalogue/platforms/README.md explains. Each has
    /// its page. Files of other kinds, and folders, are left out and named.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Folder for the pages, in place of an older gallery
    ///
    /// Pages of files that are gone go, too. A folder that holds anything else is never touched.
    #[arg(long, value_name = "OUT")]
    pub(crate) out: PathBuf,
}
