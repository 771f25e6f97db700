//! What every command works with.

use crate::cli::Common;
use crate::error::Error;
use crate::output::shell_word;
use crate::progress::Verbosity;
use dbdyno_catalogue::Catalogue;
use std::path::PathBuf;

/// What every command works with, derived from the command line.
pub(super) struct Context {
    pub(super) catalogue: Catalogue,
    pub(super) results: PathBuf,
    pub(super) verbosity: Verbosity,
    /// Options that a further command needs in order to find the same files, with a blank before each.
    pub(super) same_files: String,
}

impl Context {
    pub(super) fn resolve(common: Common) -> Result<Self, Error> {
        let catalogue = match &common.catalogue {
            Some(folder) => Catalogue::with_overrides(folder)?,
            None => Catalogue::embedded()?,
        };
        let mut same_files = String::new();
        // The environment will be the same for the next command.
        if std::env::var_os("DBDYNO_RESULTS").is_none() && common.results.as_os_str() != Common::DEFAULT_RESULTS {
            same_files += &format!(" --results {}", shell_word(&common.results.to_string_lossy()));
        }
        if let Some(folder) = common.catalogue.filter(|_| std::env::var_os("DBDYNO_CATALOGUE").is_none()) {
            same_files += &format!(" --catalogue {}", shell_word(&folder.to_string_lossy()));
        }
        let verbosity = if common.quiet { Verbosity::Quiet } else { Verbosity::Normal };
        Ok(Self { catalogue, results: common.results, verbosity, same_files })
    }
}
