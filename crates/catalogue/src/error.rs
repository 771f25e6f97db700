//! Errors of the catalogue, and of lookups in it.

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
    /// No such test.
    #[error("there is no test '{code}'{}; `dbdyno list tests` shows all", offer(nearest))]
    UnknownTest {
        /// As given.
        code: String,
        /// Codes that look like it.
        nearest: Vec<String>,
    },
    /// No such suite.
    #[error("there is no suite '{id}'{}; `dbdyno list suites` shows all", offer(nearest))]
    UnknownSuite {
        /// As given.
        id: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// No such size.
    #[error("there is no size '{id}'{}; `dbdyno list sizes` shows all", offer(nearest))]
    UnknownSize {
        /// As given.
        id: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// No such reference platform.
    #[error("there is no platform '{id}'{}; `dbdyno list platforms` shows all", offer(nearest))]
    UnknownPlatform {
        /// As given.
        id: String,
        /// Ids that look like it.
        nearest: Vec<String>,
    },
    /// No such metric.
    #[error("there is no metric '{id}'{}; `dbdyno list metrics` shows all", offer(nearest))]
    UnknownMetric {
        /// As given.
        id: String,
        /// Ids that look like it.
        nearest: Vec<String>,
    },
}

fn offer(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) }
}
