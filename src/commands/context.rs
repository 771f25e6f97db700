//! What every command works with.

use crate::cli::Common;
use crate::error::Error;
use crate::output::{self, option_again};
use crate::progress::Verbosity;
use dbdyno_catalogue::Catalogue;
use std::io::IsTerminal;
use std::path::PathBuf;

/// What every command works with, derived from the command line.
pub(super) struct Context {
    pub(super) catalogue: Catalogue,
    pub(super) results: PathBuf,
    /// The folder that replaces or extends the catalogue.
    pub(super) catalogue_folder: Option<PathBuf>,
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
        let results = common.results.to_string_lossy();
        let typed = (results != Common::DEFAULT_RESULTS).then_some(&*results);
        let catalogue_folder = common.catalogue;
        let folder = catalogue_folder.as_ref().map(|folder| folder.to_string_lossy());
        let same_files = option_again("--results", "DBDYNO_RESULTS", typed)
            + &option_again("--catalogue", "DBDYNO_CATALOGUE", folder.as_deref());
        let verbosity = if common.quiet { Verbosity::Quiet } else { Verbosity::Normal };
        Ok(Self { catalogue, catalogue_folder, results: common.results, verbosity, same_files })
    }

    /// Says something on stderr, unless the user wants it quiet.
    pub(super) fn say(&self, line: &str) {
        if self.verbosity == Verbosity::Normal {
            output::note(line);
        }
    }

    /// Says the command that comes next, and its use. Behind `next: ` it can be given to a shell as it is, but for
    /// words in capitals.
    pub(super) fn say_next(&self, command: &str, purpose: &str) {
        self.say(&format!("next: {command}{}   # {purpose}", self.same_files));
    }

    /// The same after a command that only shows something: it is said to a person at a terminal, and programs that read
    /// the output get nothing else.
    pub(super) fn suggest_next(&self, command: &str, purpose: &str) {
        if std::io::stderr().is_terminal() && std::io::stdout().is_terminal() {
            self.say_next(command, purpose);
        }
    }
}
