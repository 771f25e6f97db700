//! `dbdyno completions`: the script by which a shell asks dbdyno how a command line could go on, and the answer.

use crate::cli::{self, CompleteArgs, CompletionsArgs, Shell};
use crate::error::Error;
use crate::output;

pub(super) fn completions(args: &CompletionsArgs) -> Result<(), Error> {
    output::text(match args.shell {
        Shell::Bash => include_str!("bash.sh"),
        Shell::Zsh => include_str!("zsh.sh"),
        Shell::Fish => include_str!("fish.fish"),
    })
}

/// Answers a shell. What cannot be found is not offered: an error would stand in the middle of what somebody types.
pub(super) fn complete(args: CompleteArgs) -> Result<(), Error> {
    let lines = cli::completed(cli::definition(), args.words);
    output::text(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}
