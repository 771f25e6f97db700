//! Errors of the catalogue, and of lookups in it.

use crate::nearest::nearest;

/// Why the catalogue cannot be read, or does not have something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// A file contains an error.
    #[error("{file}: {entry}: {problem}{}", line.map(|n| format!(" (line {n})")).unwrap_or_default())]
    Invalid {
        /// The file: its name within the catalogue, or its path where it is an override.
        file: String,
        /// The entry: `[[test]] T611`, `head` for the keys before the entries.
        entry: String,
        /// The key, the error, and what would be right.
        problem: String,
        /// The line, counted from 1, where it is known.
        line: Option<usize>,
    },
    /// A file or folder cannot be read.
    #[error("the catalogue cannot be read from '{path}': {problem}")]
    Unreadable {
        /// The file or folder.
        path: String,
        /// What the operating system said.
        problem: String,
    },
    /// A list of tests with an empty item, or an empty list.
    #[error("'{pattern}' leaves a test out; write codes or patterns with commas between them, as in T611,T62*")]
    EmptyPattern {
        /// As given.
        pattern: String,
    },
    /// There is nothing of this kind by this name.
    #[error("there is no {kind} '{name}'{}; `dbdyno list {kind}s` shows all", offer(nearest))]
    Unknown {
        /// `test`, `suite`, `size`, `platform` or `metric`.
        kind: &'static str,
        /// As given.
        name: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
}

impl CatalogueError {
    /// Says which of the known names are nearest.
    pub(crate) fn unknown<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Unknown { kind, name: name.to_owned(), nearest: nearest(name, known) }
    }
}

fn offer(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) }
}
