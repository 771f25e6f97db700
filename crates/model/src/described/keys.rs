//! The keys by which a user describes a platform: rows of facts in `keys.toml`. One more key is a row there and a field
//! in the reader of platform files.

use super::value::DescribedValue;
use serde::Deserialize;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<DescribedKey>> = LazyLock::new(|| {
    let rows = toml::from_str(include_str!("keys.toml")).map(|Rows { key }| key);
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    rows.expect("keys.toml has rows of facts")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    key: Vec<DescribedKey>,
}

/// The tables of a platform file that hold facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DescribedTable {
    /// `[platform]`: server, operating system, database.
    Platform,
    /// `[storage]`.
    Storage,
    /// `[licences]`.
    Licences,
}

impl DescribedTable {
    /// The name as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The kind of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DescribedKind {
    /// A line of text.
    Text,
    /// A whole number from 1 on.
    Count,
    /// A number above zero.
    Number,
    /// `true` or `false`.
    YesNo,
}

impl DescribedKind {
    /// The kind in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "whole number",
            Self::Number => "number",
            Self::YesNo => "true or false",
        }
    }

    /// Whether a value is of this kind. A whole number is a number, too.
    pub(super) fn check(self, value: &DescribedValue) -> Result<(), String> {
        match (self, value) {
            (Self::Text, DescribedValue::Text(_))
            | (Self::Count | Self::Number, DescribedValue::Count(_))
            | (Self::Number, DescribedValue::Number(_))
            | (Self::YesNo, DescribedValue::YesNo(_)) => Ok(()),
            _ => Err(format!("it is '{value}', and must be {}", self.words())),
        }
    }
}

/// One key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedKey {
    /// The table that it stands in.
    pub table: DescribedTable,
    /// The table beside whose facts readers see it, where that is another.
    pub section: Option<DescribedTable>,
    /// Its name.
    pub key: String,
    /// Its name for readers.
    pub title: String,
    /// The kind of its value.
    pub kind: DescribedKind,
    /// The unit of a number.
    pub unit: Option<String>,
    /// What it is.
    pub what: String,
    /// A value as it is written in a file.
    pub example: String,
}

impl DescribedKey {
    /// Every key, in the order for readers.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The keys of a table.
    pub fn of(table: DescribedTable) -> impl Iterator<Item = &'static Self> {
        Self::all().iter().filter(move |key| key.table == table)
    }

    /// The table beside whose facts readers see it.
    #[must_use]
    pub fn section(&self) -> DescribedTable {
        self.section.unwrap_or(self.table)
    }

    /// A value with its unit.
    #[must_use]
    pub fn shown(&self, value: &DescribedValue) -> String {
        match &self.unit {
            Some(unit) => format!("{value} {unit}"),
            None => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_titles_are_unique_and_every_key_is_explained() {
        for (n, key) in DescribedKey::all().iter().enumerate() {
            let before = &DescribedKey::all()[..n];
            assert!(!before.iter().any(|k| (k.table, &k.key) == (key.table, &key.key)), "{} twice", key.key);
            // A comparison lays facts side by side by their titles.
            assert!(!before.iter().any(|k| (k.section(), &k.title) == (key.section(), &key.title)), "{}", key.title);
            assert!(key.what.len() >= 10 && !key.example.is_empty(), "{}", key.key);
            assert_eq!(key.kind == DescribedKind::Text, key.example.starts_with('"'), "{}", key.key);
        }
    }

    #[test]
    fn numbers_have_their_unit() {
        let memory = DescribedKey::all().iter().find(|k| k.key == "memory_gib").unwrap();
        assert_eq!(memory.shown(&DescribedValue::Count(512)), "512 GiB");
        assert_eq!(memory.shown(&DescribedValue::Number(1.5)), "1.5 GiB");
    }
}
