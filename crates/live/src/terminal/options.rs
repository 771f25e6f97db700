//! What a view is told when it begins, and how it ends.

use super::style::Colours;

/// What happens to the view when nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenOver {
    /// It closes by itself.
    Close,
    /// It stays until the user leaves.
    Stay,
}

/// How the board is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewOptions {
    /// Whether colours are used.
    pub colours: Colours,
    /// What the key `q` does, in words: "stops the run", "ends the monitor".
    pub may_quit: String,
    /// What happens when nothing more will come.
    pub when_over: WhenOver,
}

impl ViewOptions {
    /// Options with colours as the environment asks (`NO_COLOR`).
    #[must_use]
    pub fn from_environment(may_quit: &str, when_over: WhenOver) -> Self {
        Self { colours: Colours::from_environment(), may_quit: may_quit.to_owned(), when_over }
    }
}

/// How a view ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The board was over.
    Over,
    /// The user asked to end what is watched.
    Quit,
}

/// Why the board could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The terminal refused to become a full screen.
    #[error("the terminal cannot show a full screen: {0}")]
    Begin(#[source] std::io::Error),
    /// The terminal could not be written or read any more.
    #[error("the terminal is gone: {0}")]
    Gone(#[source] std::io::Error),
    /// Another thread panicked. Its message stands on the terminal, so nothing is drawn over it.
    #[error("another part of dbdyno failed, and the view gave its place to the message")]
    Panicked,
}
