//! SQL files: named statements under headings, with what they prove.
//!
//! ```sql
//! -- name: select_primary
//! -- plan heap: SEARCH {table} USING INDEX {table}_pk
//! SELECT quantity FROM {table} WHERE id = ?1;
//! ```
//! Text before the first heading is the file's own comment. `{word}` is replaced by an identifier that is checked,
//! never by a value: values are bound.

use crate::EngineError;
use std::collections::BTreeMap;

/// Why a statement cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// No file of that name.
    #[error("the dialect of {engine} has no file sql/{name}.sql")]
    NoFile {
        /// The engine.
        engine: &'static str,
        /// The name.
        name: String,
    },
    /// No statement of that name.
    #[error("{file} has no statement '{name}'")]
    Unknown {
        /// The file.
        file: String,
        /// The name.
        name: String,
    },
    /// A placeholder without a value.
    #[error("'{name}' in {file} needs {{{placeholder}}}")]
    Unfilled {
        /// The file.
        file: String,
        /// The statement.
        name: String,
        /// The placeholder.
        placeholder: String,
    },
    /// Something that is no identifier.
    #[error("'{0}' is no identifier: a letter, then up to 62 letters, digits and underscores")]
    BadIdentifier(String),
}

impl From<SqlError> for EngineError {
    fn from(error: SqlError) -> Self {
        Self::other(error.to_string())
    }
}

/// One statement of a file, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// The SQL with its placeholders.
    pub text: String,
    /// What `-- key: value` lines under the heading say, by key.
    pub notes: BTreeMap<String, String>,
}

/// A file of named statements, embedded in the binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFile {
    name: String,
    statements: Vec<(String, Statement)>,
}

impl SqlFile {
    /// Takes a file apart.
    #[must_use]
    pub fn parse(name: impl Into<String>, text: &str) -> Self {
        let mut statements: Vec<(String, Statement)> = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("-- name:") {
                statements.push((title.trim().to_owned(), Statement::default()));
                continue;
            }
            let Some((_, statement)) = statements.last_mut() else { continue };
            let note = line.strip_prefix("-- ").and_then(|l| l.split_once(':')).filter(|_| statement.text.is_empty());
            if let Some((key, value)) = note {
                statement.notes.insert(key.trim().to_owned(), value.trim().to_owned());
            } else if !(line.trim().is_empty() && statement.text.is_empty()) {
                statement.text.push_str(line);
                statement.text.push('\n');
            }
        }
        for (_, statement) in &mut statements {
            statement.text.truncate(statement.text.trim_end().len());
        }
        Self { name: name.into(), statements }
    }

    /// A statement by name.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn get(&self, name: &str) -> Result<&Statement, SqlError> {
        self.find(name)
            .map(|(_, statement)| statement)
            .ok_or_else(|| SqlError::Unknown { file: self.name.clone(), name: name.to_owned() })
    }

    /// A statement by name, with its name, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(&str, &Statement)> {
        self.statements.iter().find(|(n, _)| n == name).map(|(n, statement)| (n.as_str(), statement))
    }

    /// Names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.statements.iter().map(|(n, _)| n.as_str())
    }

    /// A statement's SQL with its placeholders replaced.
    ///
    /// # Errors
    /// There is no such statement, a placeholder has no value, or a value is no identifier.
    pub fn fill(&self, name: &str, identifiers: &[(&str, &str)]) -> Result<String, SqlError> {
        self.fill_text(name, &self.get(name)?.text, identifiers)
    }

    /// A note of a statement with its placeholders replaced, if there is one.
    ///
    /// # Errors
    /// As for [`SqlFile::fill`].
    pub fn note(&self, name: &str, key: &str, identifiers: &[(&str, &str)]) -> Result<Option<String>, SqlError> {
        let note = self.get(name)?.notes.get(key);
        note.map(|text| self.fill_text(name, text, identifiers)).transpose()
    }

    fn fill_text(&self, name: &str, text: &str, identifiers: &[(&str, &str)]) -> Result<String, SqlError> {
        let mut filled = text.to_owned();
        for (placeholder, value) in identifiers {
            if !is_identifier(value) {
                return Err(SqlError::BadIdentifier((*value).to_owned()));
            }
            filled = filled.replace(&format!("{{{placeholder}}}"), value);
        }
        match filled.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
            Some((placeholder, _)) => Err(SqlError::Unfilled {
                file: self.name.clone(),
                name: name.to_owned(),
                placeholder: placeholder.to_owned(),
            }),
            None => Ok(filled),
        }
    }
}

/// Whether a text may stand in SQL as an identifier (or a plain number, as in a worker count).
fn is_identifier(text: &str) -> bool {
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.len() <= 63
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let number = !text.is_empty() && text.len() <= 19 && text.chars().all(|c| c.is_ascii_digit());
    word || number
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "-- what this is\n\n-- name: one\n-- plan heap: SEARCH {table}\nSELECT 1\n  FROM {table};\n\n-- name: two\nSELECT 2;\n";

    #[test]
    fn statements_have_names_notes_and_checked_identifiers() {
        let file = SqlFile::parse("x.sql", FILE);
        assert_eq!(file.names().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(file.fill("one", &[("table", "t_1")]).unwrap(), "SELECT 1\n  FROM t_1;");
        assert_eq!(file.note("one", "plan heap", &[("table", "t_1")]).unwrap().unwrap(), "SEARCH t_1");
        assert!(matches!(file.fill("one", &[]), Err(SqlError::Unfilled { .. })));
        assert!(matches!(file.fill("three", &[]), Err(SqlError::Unknown { .. })));
        for bad in ["", "t; DROP TABLE x", "t\"", "a b", "1a", "é"] {
            assert!(matches!(file.fill("one", &[("table", bad)]), Err(SqlError::BadIdentifier(_))), "{bad}");
        }
    }
}
