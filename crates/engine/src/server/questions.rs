//! What a server is asked in the statements of its dialect, and what it answers. Notes of a statement say for which
//! versions it is (`from`, `until`), placeholders stand for identifiers and numbers.

use super::connection::Connection;
use super::settings::Answers;
use crate::{Dialect, EngineError, Statement};
use dbdyno_model::ErrorClass;
use std::collections::BTreeMap;

/// Rows of texts.
pub type TextRows = Vec<Vec<Option<String>>>;

/// The statements of a dialect, as they are asked of one server.
#[derive(Debug, Clone)]
pub struct Questions {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// The server's version, in the numbers of the notes.
    pub version: u32,
    /// A statement NAME_VARIANT goes before the statement NAME; empty where there are no variants.
    pub variant: &'static str,
    /// What placeholders stand for.
    pub values: Vec<(&'static str, String)>,
}

impl Questions {
    /// Those of a dialect, for a version.
    #[must_use]
    pub fn new(dialect: &'static Dialect, version: u32) -> Self {
        Self { dialect, version, variant: "", values: Vec::new() }
    }

    /// The same with more values for placeholders.
    #[must_use]
    pub fn with(mut self, values: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.values.extend(values);
        self
    }

    /// The SQL of a statement.
    ///
    /// # Errors
    /// There is none of that name, or a placeholder has no value.
    pub fn sql(&self, name: &str) -> Result<String, EngineError> {
        let values: Vec<(&str, &str)> = self.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let variant = format!("{name}_{}", self.variant);
        let name = if self.dialect.get(&variant).is_ok() { variant.as_str() } else { name };
        Ok(self.dialect.fill(name, &values)?)
    }

    /// The rows that a statement is answered with, or what the server has against it.
    ///
    /// # Errors
    /// The server is lost, or somebody has cancelled; there is no such statement.
    pub fn rows(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Result<TextRows, EngineError>, EngineError> {
        let question = name.split_once('/').map_or(name, |(_, name)| name).replace('_', " ");
        unless_lost(connection.texts(&format!("asking the server for its {question}"), &self.sql(name)?))
    }

    /// The names and values that a statement is answered with; none where it may not be asked.
    ///
    /// # Errors
    /// As for [`Questions::rows`].
    pub fn answers(&self, connection: &mut dyn Connection, name: &str) -> Result<Answers, EngineError> {
        Ok(pairs(self.rows(connection, name)?.unwrap_or_default()))
    }

    /// The rows of all statements of a file that are for this version, and those that the server has something against.
    ///
    /// # Errors
    /// As for [`Questions::rows`].
    pub fn all(
        &self,
        connection: &mut dyn Connection,
        file: &str,
    ) -> Result<(TextRows, Vec<(String, EngineError)>), EngineError> {
        let (mut rows, mut refused) = (TextRows::new(), Vec::new());
        let statements = self.dialect.file(file)?;
        for name in statements.names() {
            if statements.get(name)?.fits(self.version) {
                match self.rows(connection, &format!("{file}/{name}"))? {
                    Ok(more) => rows.extend(more),
                    Err(error) => refused.push((name.replace('_', " "), error)),
                }
            }
        }
        Ok((rows, refused))
    }
}

/// Tells what a server has against a question from the end of the connection or of the work.
///
/// # Errors
/// The server is lost, or somebody has cancelled.
pub fn unless_lost<T>(asked: Result<T, EngineError>) -> Result<Result<T, EngineError>, EngineError> {
    match asked {
        Err(error) if matches!(error.class, ErrorClass::ConnectionLost | ErrorClass::Cancelled) => Err(error),
        asked => Ok(asked),
    }
}

/// Whether a question is refused for want of a privilege, or of what is asked about.
#[must_use]
pub fn is_refusal(error: &EngineError) -> bool {
    matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Permission)
}

/// Why something is missing that the server does not answer.
#[must_use]
pub fn reason(error: EngineError) -> String {
    match is_refusal(&error) {
        true => format!(
            "this user may not read it ({}); `dbdyno check` says what to grant",
            error.message.lines().next().unwrap_or_default()
        ),
        false => error.message,
    }
}

/// Rows of a name and a value, by name. A value that the server does not show is left out; several of one name stand
/// one after the other.
#[must_use]
pub fn pairs(rows: TextRows) -> Answers {
    let mut answers = Answers::new();
    for row in rows {
        if let Ok([Some(name), Some(value)]) = <[Option<String>; 2]>::try_from(row) {
            let known = answers.entry(name.to_lowercase()).or_default();
            *known = if known.is_empty() { value } else { format!("{known}; {value}") };
        }
    }
    answers
}

/// Rows of a name and a count, by name.
#[must_use]
pub fn counts(rows: &[Vec<Option<String>>]) -> BTreeMap<String, u64> {
    let pair = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(name), Some(value)] => Some((name.clone(), value.parse().ok()?)),
        _ => None,
    };
    rows.iter().filter_map(pair).collect()
}

impl Statement {
    /// Whether it is for a version.
    #[must_use]
    pub fn fits(&self, version: u32) -> bool {
        let bound = |key: &str| self.notes.get(key).and_then(|text| text.parse::<u32>().ok());
        bound("from").is_none_or(|from| version >= from) && bound("until").is_none_or(|until| version <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_for_versions() {
        let statement = |notes: &[(&str, &str)]| Statement {
            notes: notes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            ..Statement::default()
        };
        let some = statement(&[("from", "14"), ("until", "17")]);
        assert_eq!([13, 14, 17, 18].map(|version| some.fits(version)), [false, true, true, false]);
        assert!(statement(&[]).fits(1));
    }

    #[test]
    fn answers_are_pairs_of_what_is_shown() {
        let row = |texts: &[Option<&str>]| texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>();
        let rows = vec![
            row(&[Some("Name"), Some("a")]),
            row(&[Some("name"), Some("b")]),
            row(&[Some("hidden"), None]),
            row(&[Some("one")]),
        ];
        assert_eq!(pairs(rows), Answers::from([("name".to_owned(), "a; b".to_owned())]));
        assert_eq!(counts(&[row(&[Some("n"), Some("7")]), row(&[Some("x"), Some("y")])]).len(), 1);
    }

    #[test]
    fn what_is_refused_is_no_failure() {
        let asked =
            |class| unless_lost::<()>(Err(EngineError::new(class, "no\nmore"))).map(|told| told.map_err(reason));
        assert!(asked(ErrorClass::Permission).unwrap().unwrap_err().contains("may not read it (no)"));
        assert_eq!(asked(ErrorClass::Other).unwrap().unwrap_err(), "no\nmore");
        assert!(asked(ErrorClass::ConnectionLost).is_err());
    }
}
