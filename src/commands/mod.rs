//! The commands: one file each, and what several of them share (`opened_target`, `measuring`, `named_runs`).

mod check;
mod compare;
mod down;
mod drop;
mod dry_run;
mod list;
mod load;
mod measuring;
mod named_runs;
mod opened_target;
mod orion;
mod report;
mod resume;
mod run;
mod show;
mod sql;
mod tool;
mod transfer;
mod up;
mod verdict;
mod workloads;

use crate::cli::{Cli, Command, Common};
use crate::error::Error;
use crate::output::shell_word;
use crate::progress::Verbosity;
use dbdyno_catalogue::Catalogue;
use std::path::PathBuf;

/// What every command works with, derived from the command line.
struct Context {
    catalogue: Catalogue,
    results: PathBuf,
    verbosity: Verbosity,
    /// Options that a further command needs in order to find the same files, with a blank before each.
    same_files: String,
}

impl Context {
    fn resolve(common: Common) -> Result<Self, Error> {
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

/// Executes the command.
///
/// # Errors
/// Why it was not done, or not completely.
pub(crate) fn dispatch(cli: Cli) -> Result<(), Error> {
    let context = Context::resolve(cli.common)?;
    match cli.command {
        Command::Check(args) => check::check(&args, &context),
        Command::Run(args) => run::run(&args, &context),
        Command::Resume(args) => resume::resume(&args, &context),
        Command::Show(args) => show::show(&args, &context),
        Command::Report(args) => report::report(&args, &context),
        Command::Compare(args) => compare::compare(&args, &context),
        Command::Verdict(args) => verdict::verdict(&args, &context),
        Command::Export(args) => transfer::export(&args, &context),
        Command::Import(args) => transfer::import(&args, &context),
        Command::List(args) => list::list(&args, &context),
        Command::Load(args) => load::load(&args, &context),
        Command::Drop(args) => drop::drop(&args, &context),
        Command::Sql(args) => sql::sql(&args, &context),
        Command::Up(args) => up::up(&args, &context),
        Command::Down(args) => down::down(&args, &context),
        Command::Orion(args) => orion::orion(&args, &context),
    }
}
