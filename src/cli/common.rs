//! Options that several commands have.

use crate::output::Format;
use clap::Args;
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Common {
    /// File that holds the results
    #[arg(
        long, global = true, value_name = "FILE", env = "DBDYNO_RESULTS", hide_env_values = true,
        default_value = Common::DEFAULT_RESULTS
    )]
    pub(crate) results: PathBuf,
    /// Folder whose files replace or extend the built-in catalogue
    #[arg(long, global = true, value_name = "DIR", env = "DBDYNO_CATALOGUE", hide_env_values = true)]
    pub(crate) catalogue: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl Common {
    /// The results file if the user names none.
    pub(crate) const DEFAULT_RESULTS: &'static str = "./dbdyno.db";
}

/// Whether a command prints its result as text or as JSON.
#[derive(Debug, Args)]
pub(crate) struct Shown {
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

impl Shown {
    /// The requested format.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }
}

/// Options for the target and for the data on it.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Where to measure, as a URL (`dbdyno list engines` shows how each is written)
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    /// Size class for a target that holds no data yet [default: D]
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Seed of the data for a target that holds none yet [default: 42]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Parts of an Oracle database that it has no licence for or has not got, whose tests are left out:
    /// partitioning,hcc
    #[arg(long, value_name = "PARTS")]
    pub(crate) without: Option<String>,
    /// Claims a licence of the Oracle Diagnostics Pack for this database: AWR snapshots and ASH samples around each
    /// point
    #[arg(long)]
    pub(crate) diagnostics_pack: bool,
}

impl TargetArgs {
    /// The target with `--without` and `--diagnostics-pack` as URL parameters, so that a run stores them and `resume`
    /// uses them again.
    pub(crate) fn url(&self) -> String {
        let without =
            self.without.iter().map(|parts| format!("without={}", parts.replace('%', "%25").replace('&', "%26")));
        let diagnostics_pack = self.diagnostics_pack.then(|| "diagnostics_pack=yes".to_owned());
        let mut url = self.target.clone();
        for option in without.chain(diagnostics_pack) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&option);
        }
        url
    }
}
