//! dbdyno: a dynamometer for database platforms. This is the binary: it turns what was typed into calls of the rooms
//! below, and it is the only place that prints, reads signals or exits.
//!
//! `cli` is what was typed, `commands` what is done about it (one file each), `progress` what is seen meanwhile,
//! `output` what comes out of it, `error` how it ends when it does not end well.

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
        Err(answer) => return cli::answer(&answer),
    };
    match commands::dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}
