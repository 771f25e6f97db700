//! One file, split into entries that know their places, so that every message can name the place.

use crate::error::CatalogueError;
use crate::files::Source;
use crate::wording;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// The place of something in a file.
#[derive(Debug, Clone)]
pub(crate) struct SourcePlace {
    file: String,
    entry: String,
    line: Option<usize>,
    /// The lines of the entry's keys.
    lines: BTreeMap<String, usize>,
}

impl SourcePlace {
    /// An error at this place.
    pub(crate) fn invalid(&self, problem: impl Into<String>) -> CatalogueError {
        let Self { file, entry, line, .. } = self.clone();
        CatalogueError::Invalid { file, entry, problem: problem.into(), line }
    }

    /// The place of one of the entry's keys.
    pub(crate) fn of_key(&self, key: &str) -> Self {
        Self { line: self.lines.get(key).copied().or(self.line), ..self.clone() }
    }

    /// What a check of a key's value found, as an error at the key's place.
    pub(crate) fn check_key<T>(&self, key: &str, checked: Result<T, String>) -> Result<T, CatalogueError> {
        self.of_key(key).check(checked.map_err(|problem| format!("key '{key}': {problem}")))
    }

    /// What a check found, as an error at this place.
    pub(crate) fn check<T>(&self, checked: Result<T, String>) -> Result<T, CatalogueError> {
        checked.map_err(|problem| self.invalid(problem))
    }

    /// Returns an error at this place unless a condition holds.
    pub(crate) fn ensure<P: Into<String>>(
        &self,
        holds: bool,
        problem: impl FnOnce() -> P,
    ) -> Result<(), CatalogueError> {
        if holds { Ok(()) } else { Err(self.invalid(problem())) }
    }
}

/// An entry and its place.
#[derive(Debug, Clone)]
pub(crate) struct Entry<T> {
    pub(crate) value: T,
    pub(crate) place: SourcePlace,
}

/// What is left of a file without further keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoKeys {}

/// A TOML file of the catalogue.
pub(crate) struct Document<'a> {
    source: &'a Source,
    table: DeTable<'a>,
    /// Where its lines end: each key has a line.
    line_ends: Vec<usize>,
}

impl<'a> Document<'a> {
    /// Reads a file as TOML.
    pub(crate) fn parse(source: &'a Source) -> Result<Self, CatalogueError> {
        match DeTable::parse(&source.text) {
            Ok(table) => {
                let line_ends =
                    source.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect();
                Ok(Self { source, table: table.into_inner(), line_ends })
            }
            Err(error) => {
                let offset = error.span().map_or(0, |s| s.start);
                let entry = entry_before(&source.text, offset);
                let line = Some(line_of(&source.text, offset));
                let place = SourcePlace { file: source.shown.clone(), entry, line, lines: BTreeMap::new() };
                Err(place.invalid(wording::problem(error.message(), key_on_line(&source.text, offset))))
            }
        }
    }

    /// Whether the file has such a key or table.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Removes and returns the tables `[[array]]`, each named by its key `name_key`.
    pub(crate) fn entries<T: DeserializeOwned>(
        &mut self,
        array: &str,
        name_key: &str,
    ) -> Result<Vec<Entry<T>>, CatalogueError> {
        if !self.table.contains_key(array) {
            return Err(self.place("head", None).invalid(format!("there is no [[{array}]]")));
        }
        self.entries_if_any(array, name_key)
    }

    /// The same for a file that may have none.
    pub(crate) fn entries_if_any<T: DeserializeOwned>(
        &mut self,
        array: &str,
        name_key: &str,
    ) -> Result<Vec<Entry<T>>, CatalogueError> {
        let head = self.place("head", None);
        let Some(entries) = self.table.remove(array) else { return Ok(Vec::new()) };
        let DeValue::Array(entries) = entries.into_inner() else {
            return Err(head.invalid(format!("'{array}' must be a list of tables, each beginning with [[{array}]]")));
        };
        let entries = entries.into_iter().enumerate().map(|(n, entry)| {
            let table = entry.get_ref().as_table();
            let name = table.and_then(|t| t.get(name_key)).and_then(|v| v.get_ref().as_str());
            let name = name.map_or_else(|| format!("number {}", n + 1), str::to_owned);
            let place = self.place(&format!("[[{array}]] {name}"), Some(entry.span().start));
            let place = SourcePlace { lines: self.lines(&entry), ..place };
            Ok(Entry { value: self.read(entry, &place)?, place })
        });
        entries.collect()
    }

    /// Removes and returns the one table `[name]`.
    pub(crate) fn table<T: DeserializeOwned>(&mut self, name: &str) -> Result<Entry<T>, CatalogueError> {
        let found = self.table_if_any(name)?;
        found.ok_or_else(|| self.place("head", None).invalid(format!("there is no [{name}]")))
    }

    /// The same for a file that may have none.
    pub(crate) fn table_if_any<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<Entry<T>>, CatalogueError> {
        let Some(table) = self.table.remove(name) else { return Ok(None) };
        let place = self.place(&format!("[{name}]"), Some(table.span().start));
        place.ensure(table.get_ref().is_table(), || {
            format!("'{name}' must be a table, which begins with a line [{name}]")
        })?;
        let place = SourcePlace { lines: self.lines(&table), ..place };
        Ok(Some(Entry { value: self.read(table, &place)?, place }))
    }

    /// The place of the file as a whole.
    pub(crate) fn whole(&self) -> SourcePlace {
        self.place("head", None)
    }

    /// The first of these tables that the file has.
    pub(crate) fn has_any(&self, names: &[&'static str]) -> Option<(&'static str, SourcePlace)> {
        names.iter().find_map(|name| {
            let value = self.table.get(*name)?;
            Some((*name, self.place("head", Some(value.span().start))))
        })
    }

    /// Refuses tables and keys of other names than these.
    pub(crate) fn refuse_others(&self, known: &[&str]) -> Result<(), CatalogueError> {
        let others = self.table.iter().filter(|(key, _)| !known.contains(&&**key.get_ref()));
        let Some((key, _)) = others.min_by_key(|(key, _)| key.span().start) else { return Ok(()) };
        let problem = wording::unknown("key", key.get_ref(), known);
        Err(self.place("head", Some(key.span().start)).invalid(problem))
    }

    /// The place of something within an entry.
    pub(crate) fn within(&self, place: &SourcePlace, offset: usize) -> SourcePlace {
        SourcePlace { line: Some(self.line_of(offset)), ..place.clone() }
    }

    /// Refuses any other keys.
    pub(crate) fn end(self) -> Result<(), CatalogueError> {
        self.head::<NoKeys>().map(drop)
    }

    /// The rest: the keys before the entries.
    pub(crate) fn head<T: DeserializeOwned>(mut self) -> Result<Entry<T>, CatalogueError> {
        let place = self.place("head", None);
        let table = std::mem::take(&mut self.table);
        let value = self.read(Spanned::new(0..0, DeValue::Table(table)), &place)?;
        Ok(Entry { value, place })
    }

    /// The line of an offset, from 1.
    fn line_of(&self, offset: usize) -> usize {
        self.line_ends.partition_point(|end| *end < offset) + 1
    }

    fn place(&self, entry: &str, offset: Option<usize>) -> SourcePlace {
        let line = offset.map(|o| self.line_of(o));
        SourcePlace { file: self.source.shown.clone(), entry: entry.to_owned(), line, lines: BTreeMap::new() }
    }

    /// The lines of a table's keys.
    fn lines(&self, value: &Spanned<DeValue<'_>>) -> BTreeMap<String, usize> {
        let line = |(span, key): (std::ops::Range<usize>, String)| (key, self.line_of(span.start));
        keys_of(value).into_iter().map(line).collect()
    }

    fn read<T: DeserializeOwned>(&self, value: Spanned<DeValue<'a>>, place: &SourcePlace) -> Result<T, CatalogueError> {
        let at = value.span().start;
        // The deserialiser consumes the value, and reports the place of an error but not the key.
        let keys = keys_of(&value);
        T::deserialize(ValueDeserializer::from(value)).map_err(|error| {
            let offset = error.span().map_or(at, |s| s.start);
            let key = keys.iter().find(|(span, _)| span.contains(&offset)).map(|(_, key)| key.as_str());
            let line = (offset > 0).then(|| self.line_of(offset)).or(place.line);
            SourcePlace { line, ..place.clone() }.invalid(wording::problem(error.message(), key))
        })
    }
}

/// The keys of a table, each with the span of its value.
fn keys_of(value: &Spanned<DeValue<'_>>) -> Vec<(std::ops::Range<usize>, String)> {
    let table = value.get_ref().as_table();
    let keys = table.into_iter().flat_map(|t| t.iter());
    keys.map(|(key, value)| (value.span(), key.get_ref().to_string())).collect()
}

/// The same in a file that cannot be read as TOML.
fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|b| *b == b'\n').count() + 1
}

/// The key of the line at an offset, where that line is `key = value`.
fn key_on_line(text: &str, offset: usize) -> Option<&str> {
    let (key, _) = text.lines().nth(line_of(text, offset) - 1)?.split_once('=')?;
    Some(key.trim())
}

/// The entry at an offset, for a file that cannot be read as TOML.
fn entry_before(text: &str, offset: usize) -> String {
    let mut entry = "head".to_owned();
    for line in text.lines().take(line_of(text, offset)).map(str::trim) {
        if line.starts_with("[[") {
            entry = line.split('#').next().unwrap_or_default().trim().to_owned();
        } else if let Some(("code" | "id", name)) = line.split_once('=').map(|(k, v)| (k.trim(), v.trim()))
            && entry.ends_with("]]")
        {
            entry = format!("{entry} {}", name.split('"').nth(1).unwrap_or(name));
        }
    }
    entry
}
