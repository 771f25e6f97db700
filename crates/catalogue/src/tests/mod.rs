//! Tests of the room as a whole: the embedded data, lookups, and every message.

mod data;
mod form;
mod lookup;
mod overrides;
mod project;
mod requirements;
mod sense;

use crate::files::{self, Source};
use crate::{Catalogue, CatalogueError};
use dbdyno_model::Test;
use std::borrow::Cow;

fn embedded() -> Catalogue {
    Catalogue::embedded().unwrap()
}

/// The catalogue with one piece of one file replaced; the piece must be there.
fn edited(file: &str, from: &str, to: &str) -> Result<Catalogue, CatalogueError> {
    let mut sources = files::embedded();
    let source = sources.get_mut(file).unwrap();
    assert!(source.text.contains(from), "{file} lacks {from}");
    source.text = Cow::Owned(source.text.replacen(from, to, 1));
    Catalogue::from_sources(&sources)
}

/// The catalogue with one more file.
fn with_file(file: &str, text: &str) -> Result<Catalogue, CatalogueError> {
    let mut sources = files::embedded();
    sources.insert(file.to_owned(), Source { shown: file.to_owned(), text: Cow::Owned(text.to_owned()) });
    Catalogue::from_sources(&sources)
}

/// The message without its line.
fn message(result: Result<Catalogue, CatalogueError>) -> String {
    let text = result.map(|_| ()).unwrap_err().to_string();
    text.split(" (line ").next().unwrap().to_owned()
}

fn codes<'a>(tests: impl IntoIterator<Item = &'a Test>) -> Vec<&'a str> {
    tests.into_iter().map(|t| t.code.as_str()).collect()
}
