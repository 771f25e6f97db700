//! A value that cannot be had stays absent and leaves its reason; this is where the reasons go.

use std::collections::BTreeMap;

/// A value, or why there is none.
pub(crate) type Reading<T> = Result<T, String>;

/// JSON path -> why the value there is absent.
#[derive(Debug, Default)]
pub(crate) struct Missing(pub(crate) BTreeMap<String, String>);

impl Missing {
    /// Keeps a value, or the reason for its absence.
    pub(crate) fn keep<T>(&mut self, path: &str, reading: Reading<T>) -> Option<T> {
        reading.map_err(|why| self.note(path, why)).ok()
    }

    /// Notes why the value at a path is absent.
    pub(crate) fn note(&mut self, path: &str, why: impl Into<String>) {
        self.0.insert(path.to_owned(), why.into());
    }
}
