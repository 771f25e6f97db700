//! A value that cannot be read stays absent, with its reason. The reasons are collected here.

use std::collections::BTreeMap;

/// A value, or why there is none.
pub(crate) type Reading<T> = Result<T, String>;

/// JSON path -> why the value there is absent.
#[derive(Debug, Default)]
pub(crate) struct Missing(pub(crate) BTreeMap<String, String>);

impl Missing {
    /// Returns a value, or stores the reason for its absence.
    pub(crate) fn keep<T>(&mut self, path: &str, reading: Reading<T>) -> Option<T> {
        reading.map_err(|why| self.note(path, why)).ok()
    }

    /// Stores why the value at a path is absent.
    pub(crate) fn note(&mut self, path: &str, why: impl Into<String>) {
        self.0.insert(path.to_owned(), why.into());
    }
}
