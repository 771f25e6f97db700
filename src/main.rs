//! dbdyno: a dynamometer for database platforms. This is the binary: it translates the command line into calls of the
//! rooms below. Only the binary prints, reads signals or exits.
//!
//! `cli` has the command line, `commands` the commands (one file each), `progress` the display of progress, `output`
//! the results on stdout and notes on stderr, and `error` the failures of commands. `secrets` hides passwords in the
//! output. `signals` stops a run on a signal, or when its time is up.

mod cli;
mod commands;
mod error;
mod output;
mod progress;
mod secrets;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => return cli::print_help_or_error(&error),
    };
    match commands::dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}
