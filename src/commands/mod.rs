//! The commands: one file each, and what several of them share (`context`, `opened_target`, `measuring`, `named_runs`).

mod accept;
mod awr_report;
mod check;
mod compare;
mod completions;
mod context;
mod cores;
mod default_target;
mod describe;
mod down;
mod drop;
mod dry_run;
mod durability;
mod experiments;
mod fleet;
mod kubernetes;
mod list;
mod load;
mod man;
mod measuring;
mod named_runs;
mod new_id;
mod note;
mod opened_target;
mod orion;
mod pair;
mod private_servers;
mod readings;
mod report;
mod resolved_run;
mod resume;
mod run;
mod script;
mod searches;
mod settings;
mod show;
mod site;
mod sql;
mod tool;
mod transfer;
mod trend;
mod up;
mod verdict;
mod views;
mod watch;
mod watching;
mod workloads;

use crate::cli::{Cli, Command};
use crate::error::Error;
use context::Context;

/// Executes the command.
///
/// # Errors
/// Why it was not done, or not completely.
pub(crate) fn dispatch(cli: Cli) -> Result<(), Error> {
    // Made by those that need it: a shell gets no complaint about a catalogue in the middle of a line.
    let context = || Context::resolve(cli.common);
    match cli.command {
        Command::Check(args) => check::check(&args, &context()?),
        Command::Run(args) => run::run(&args, &context()?),
        Command::Resume(args) => resume::resume(&args, &context()?),
        Command::Show(args) => show::show(&args, &context()?),
        Command::Report(args) => report::report(&args, &context()?),
        Command::Compare(args) => compare::compare(&args, &context()?),
        Command::Describe(args) => describe::describe(&args, &context()?),
        Command::Trend(args) => trend::trend(&args, &context()?),
        Command::Note(args) => note::note(&args, &context()?),
        Command::Verdict(args) => verdict::verdict(&args, &context()?),
        Command::Export(args) => transfer::export(&args, &context()?),
        Command::Import(args) => transfer::import(&args, &context()?),
        Command::Site(args) => site::site(&args, &context()?),
        Command::List(args) => list::list(&args, &context()?),
        Command::Load(args) => load::load(&args, &context()?),
        Command::Drop(args) => drop::drop(&args, &context()?),
        Command::Sql(args) => sql::sql(&args, &context()?),
        Command::Up(args) => up::up(&args, &context()?),
        Command::Down(args) => down::down(&args, &context()?),
        Command::Kubernetes(args) => kubernetes::kubernetes(&args, &context()?),
        Command::Pair(args) => pair::pair(&args, &context()?),
        Command::Orion(args) => orion::orion(&args, &context()?),
        Command::Agent(args) => fleet::agent(&args, &context()?),
        Command::Fleet(args) => fleet::fleet(&args, &context()?),
        Command::Durability(args) => durability::durability(&args, &context()?),
        Command::Monitor(args) => watching::monitor(&args, &context()?),
        Command::Replay(args) => watching::replay(&args, &context()?),
        Command::Headroom(args) => watching::headroom(&args, &context()?),
        Command::Accept(args) => accept::accept(&args, &context()?),
        Command::CrashSessions(args) => durability::sessions(&args, &context()?),
        Command::Completions(args) => completions::completions(&args),
        Command::Complete(args) => completions::complete(args),
        Command::Man(args) => man::man(&args),
    }
}
