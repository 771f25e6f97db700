//! Refusals: where an assignment stands, what was asked, what is wrong and what to do.

use std::fmt;

/// What messages have in place of a text that may be, or be a part of, a password.
pub(super) const NOT_SHOWN: &str = "(not shown, as it may be a password)";
/// Characters of a user's text that a message has at the most.
const MOST_SHOWN: usize = 60;

/// Where an assignment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    Line {
        /// The file's name, as whoever reads the file gave it.
        file: String,
        /// The line, from 1 on.
        line: usize,
    },
    /// On the command line: the option, and the name that it sets where it can set several, as in `--set UPDATE_PCT`.
    Option(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}, line {line}"),
            Self::Option(option) => f.write_str(option),
        }
    }
}

/// Why a file, an option or a parameter was refused: where it stands, what was asked, what is wrong and what to do.
/// The text never has the value of a parameter that could be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {asked}: {}; {}", .why.wrong, .why.todo)]
pub struct ConfError {
    place: Place,
    asked: String,
    why: Refusal,
}

impl ConfError {
    pub(super) fn new(place: Place, asked: String, why: Refusal) -> Self {
        Self { place, asked, why }
    }

    /// Where the assignment stands that was refused.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }
}

/// What is wrong with a value, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    wrong: String,
    todo: String,
}

impl Refusal {
    pub(super) fn new(wrong: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), todo: todo.into() }
    }

    /// The same, with something else to do.
    pub(super) fn with_todo(self, todo: &str) -> Self {
        Self { todo: todo.to_owned(), ..self }
    }
}

/// A user's text as messages have it: not too long, and without characters that would do something to a terminal.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for char in text.chars().take(MOST_SHOWN) {
        match char {
            '\'' | '"' | '\\' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    if text.chars().nth(MOST_SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}
