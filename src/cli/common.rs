//! Options that several commands have.

use crate::output::{self, Format};
use clap::Args;
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Common {
    /// File that holds the results
    ///
    /// The variable DBDYNO_RESULTS names another one for all commands.
    #[arg(
        long, global = true, value_name = "FILE", env = "DBDYNO_RESULTS", hide_env = true,
        default_value = Common::DEFAULT_RESULTS
    )]
    pub(crate) results: PathBuf,
    /// Folder whose files replace or extend the built-in catalogue
    ///
    /// The variable DBDYNO_CATALOGUE names one for all commands.
    #[arg(long, global = true, value_name = "DIR", env = "DBDYNO_CATALOGUE", hide_env = true, hide_short_help = true)]
    pub(crate) catalogue: Option<PathBuf>,
    /// Show no progress, and no next step
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl Common {
    /// The results file if the user names none.
    pub(crate) const DEFAULT_RESULTS: &'static str = "./dbdyno.db";
}

/// Whether a command prints its result as text or as JSON.
#[derive(Debug, Clone, Args)]
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
#[derive(Debug, Clone, Args)]
pub(crate) struct TargetArgs {
    /// Where to measure [default: a file beside the results]
    ///
    /// A URL: `dbdyno list engines` shows how a target of each engine is written. Without a target dbdyno takes its
    /// embedded engine, in a file beside the results: dbdyno-data.sqlite for dbdyno.db.
    #[arg(long, value_name = "URL")]
    pub(crate) target: Option<String>,
    /// Size class of a target without data [default: D]
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Seed of the data for a target that holds none yet [default: 42]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// Parts that an Oracle database lacks, as in partitioning,hcc
    ///
    /// It has no licence for them, or has not got them. Tests that need one are left out.
    #[arg(long, value_name = "PARTS", hide_short_help = true)]
    pub(crate) without: Option<String>,
    /// Claim a licence of the Oracle Diagnostics Pack for this database
    ///
    /// Each point then has AWR snapshots and ASH samples around it.
    #[arg(long, hide_short_help = true)]
    pub(crate) diagnostics_pack: bool,
}

impl TargetArgs {
    /// The part of a next command that names the target again, with a blank before it; empty where none was named,
    /// because the next command then takes the same file by itself.
    pub(crate) fn again(&self, target: &str) -> String {
        match &self.target {
            Some(_) => format!(" --target {}", output::shell_word(target)),
            None => String::new(),
        }
    }

    /// A target with `--without` and `--diagnostics-pack` as URL parameters, so that a run stores them and `resume`
    /// uses them again.
    pub(crate) fn with_options(&self, target: &str) -> String {
        let without =
            self.without.iter().map(|parts| format!("without={}", parts.replace('%', "%25").replace('&', "%26")));
        let diagnostics_pack = self.diagnostics_pack.then(|| "diagnostics_pack=yes".to_owned());
        let mut url = target.to_owned();
        for option in without.chain(diagnostics_pack) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&option);
        }
        url
    }
}
