//! `dbdyno note`, as typed.

use super::common::Shown;
use super::values::note;
use clap::Args;

/// `dbdyno note`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno note last 'upgraded to 15.19'
  dbdyno note 7xk2                        its notes
  dbdyno note 7xk2 --remove")]
pub(crate) struct NoteArgs {
    /// The run
    ///
    /// An id, the beginning of one, a label (its newest run), or last.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// What is to be noted, in one line; without it the notes are shown
    #[arg(value_name = "TEXT", value_parser = note)]
    pub(crate) text: Option<String>,
    /// Take all notes of the run away
    #[arg(long, conflicts_with = "text")]
    pub(crate) remove: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
