//! Commands for shells and packages: completions and the manual.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// `dbdyno completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(dbdyno completions bash)        in ~/.bashrc
  source <(dbdyno completions zsh)         in ~/.zshrc, after compinit
  dbdyno completions fish | source         in ~/.config/fish/config.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash, from version 4.4 on
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
}

/// `dbdyno complete`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno complete -- dbdyno show la")]
pub(crate) struct CompleteArgs {
    /// The command line so far; its last word is the one to complete
    #[arg(last = true, value_name = "WORD")]
    pub(crate) words: Vec<OsString>,
}

/// `dbdyno man`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  dbdyno man --output man1")]
pub(crate) struct ManArgs {
    /// Folder for the pages; it is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}
