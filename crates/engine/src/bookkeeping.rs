//! The book-keeping of a load: what a database holds, and how far its load has come. Every engine keeps it beside the
//! data, in a table of names and values; only how that is read and written is its own.

use crate::data::Checksum;
use crate::{EngineError, Loaded};
use dbdyno_model::{Size, TableName, TableShape};
use std::collections::BTreeMap;

/// The name of the entry that says how an engine lays its data out; another format is not ours to read.
const FORMAT: &str = "format";

/// What begins the entries of what a point makes.
const MADE: &str = "made ";
/// What begins the entries of what a workload's load makes, and keeps until everything is dropped.
const KEPT: &str = "kept ";

/// Something that a point makes beside the tables of the load. It is noted before it is made, and only where nothing of
/// that name is there: so nothing that somebody else has made under such a name is ever dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    kind: String,
    /// Its name; `#` stands for a number.
    name: String,
}

impl Made {
    /// A thing of a kind: `table`, `index`, `cluster`, `tablespace`.
    pub fn new(kind: &str, name: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), name: name.into() }
    }

    /// A table.
    pub fn table(name: impl Into<String>) -> Self {
        Self::new("table", name)
    }

    /// An index.
    pub fn index(name: impl Into<String>) -> Self {
        Self::new("index", name)
    }

    /// The name of its entry.
    pub fn entry(&self) -> String {
        format!("{MADE}{} {}", self.kind, self.name)
    }

    /// Whether an object is such a thing.
    pub fn is(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && fits(&self.name, name)
    }
}

/// The name of the entry for a thing that a workload's load makes; its value is what tells such a thing from others of
/// its name: the columns of a table.
pub fn kept_entry(kind: &str, name: &str) -> String {
    format!("{KEPT}{kind} {name}")
}

/// What an entry's name notes, if anything.
pub fn noted(entry: &str) -> Option<Made> {
    let (kind, name) = entry.strip_prefix(MADE)?.split_once(' ')?;
    Some(Made::new(kind, name))
}

fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('#') else { return pattern == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    let rest_from = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest_from > 0 && fits(after, &rest[rest_from..])
}

/// Of the objects that are there, by kind and name, those that points have made.
pub fn ours<'t>(made: &[Made], there: &'t [(String, String)]) -> impl Iterator<Item = &'t (String, String)> {
    there.iter().filter(move |(kind, name)| made.iter().any(|made| made.is(kind, name)))
}

/// Refuses to make what somebody else has a thing by the name of. `place` is where.
///
/// # Errors
/// There is one, which is named.
pub fn refuse_taken(wanted: &[Made], there: &[(String, String)], place: &str) -> Result<(), EngineError> {
    let Some((kind, name)) = ours(wanted, there).next() else { return Ok(()) };
    Err(EngineError::other(format!(
        "{place} holds the {kind} {name}, which dbdyno did not make and whose name the test needs; rename it or drop it yourself"
    )))
}

/// What a place holds that could be a load's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// Nothing of ours, and nothing that stands in the way.
    Nothing,
    /// Not ours; why.
    Foreign(String),
    /// Ours.
    Ours(Meta),
}

impl Contents {
    /// The book-keeping, if there is any.
    ///
    /// # Errors
    /// It is not ours.
    pub fn ours(self) -> Result<Option<Meta>, EngineError> {
        match self {
            Self::Nothing => Ok(None),
            Self::Foreign(why) => Err(EngineError::other(why)),
            Self::Ours(meta) => Ok(Some(meta)),
        }
    }

    /// The same of an engine's tables, in the contract's words.
    pub fn loaded(self, tables: &[TableName]) -> Loaded {
        match self {
            Self::Nothing => Loaded::Nothing,
            Self::Foreign(why) => Loaded::Foreign(why),
            Self::Ours(meta) => meta.loaded(tables),
        }
    }
}

/// The book-keeping of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Meta {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Meta {
    /// The book-keeping of a place that has none of the tests' tables. `created` is what is made around them, and
    /// whether it was.
    pub fn without_tables(format: &str, created: (&str, bool)) -> Self {
        let entries = [(FORMAT, format.to_owned()), (created.0, u8::from(created.1).to_string())];
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Notes which tables of the tests are going to be loaded.
    pub fn begin_tables(&mut self, size: &Size, seed: u64) {
        self.put("small_rows".to_owned(), size.small_rows.to_string());
        self.put("large_rows".to_owned(), size.large_rows.to_string());
        self.put("seed".to_owned(), seed.to_string());
        self.put("size".to_owned(), size.id.clone());
    }

    /// Whether it is about tables of the tests, loaded or begun.
    pub fn has_tables(&self) -> bool {
        !self.get("size").is_empty()
    }

    /// What loads of workloads have made of a kind: name, and what tells it from others of that name.
    pub fn kept<'m>(&'m self, kind: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
        let beginning = kept_entry(kind, "");
        let kept = move |(name, value): (&'m str, &'m str)| Some((name.strip_prefix(beginning.as_str())?, value));
        self.entries().filter_map(kept).filter(|(_, value)| !value.is_empty())
    }

    /// Whether a workload's load has made a thing of this kind and name. An empty entry is of one that it could not
    /// make.
    pub fn keeps(&self, kind: &str, name: &str) -> bool {
        !self.get(&kept_entry(kind, name)).is_empty()
    }

    /// All of it, by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What points have made and not yet dropped.
    pub fn made(&self) -> Vec<Made> {
        self.0.keys().filter_map(|name| noted(name)).collect()
    }

    /// Adds what was written since it was read.
    pub fn put(&mut self, name: String, value: String) {
        self.0.insert(name, value);
    }

    /// An entry; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Whether an entry says yes.
    pub fn says(&self, name: &str) -> bool {
        self.get(name) == "1"
    }

    /// How the data is laid out; empty where nothing says so.
    pub fn format(&self) -> &str {
        self.get(FORMAT)
    }

    /// Whether it is about data of this size and seed. `place` is where it was found.
    ///
    /// # Errors
    /// It is not; says what to do.
    pub fn must_match(&self, size: &Size, seed: u64, place: &str) -> Result<(), EngineError> {
        let (small, large) = (size.small_rows.to_string(), size.large_rows.to_string());
        let same = self.get("size") == size.id
            && self.seed() == seed
            && self.get("small_rows") == small
            && self.get("large_rows") == large;
        if same {
            return Ok(());
        }
        Err(EngineError::other(format!(
            "{place} holds data of size {} ({} small rows) and seed {}, not of size {} ({small} small rows) and seed \
             {seed}; drop it first, or ask for what it holds",
            self.get("size"),
            self.get("small_rows"),
            self.get("seed"),
            size.id,
        )))
    }

    /// Whether a step of the load (`filled`, `primary`, `customer`) is done for a part of it.
    pub fn done(&self, step: &str, part: &str) -> bool {
        self.says(&format!("{step} {part}"))
    }

    /// A table's checksum, once it is known.
    pub fn checksum(&self, table: TableName) -> Option<Checksum> {
        self.get(&checksum_key(table)).parse().ok()
    }

    /// Whether every table is loaded.
    pub fn complete(&self) -> bool {
        self.says("complete")
    }

    /// Whether every checksum was compared with the generator's.
    pub fn verified(&self) -> bool {
        self.says("verified")
    }

    /// Rows of a table, as it was or will be loaded.
    pub fn rows(&self, table: TableName) -> u64 {
        let name = match table.shape() {
            TableShape::Small => "small_rows",
            TableShape::Large => "large_rows",
        };
        self.get(name).parse().unwrap_or(0)
    }

    /// What it says of an engine's tables, in the contract's words.
    pub fn loaded(&self, tables: &[TableName]) -> Loaded {
        let (size, seed) = (self.get("size").to_owned(), self.seed());
        if !self.has_tables() {
            return Loaded::Nothing;
        }
        if !self.complete() {
            return Loaded::Partly { size, seed };
        }
        let checksum = |t: &TableName| Some((t.name().to_owned(), self.checksum(*t)?.to_string()));
        let checksums = tables.iter().filter_map(checksum).collect();
        Loaded::Complete { size, seed, verified: self.verified(), checksums }
    }

    fn seed(&self) -> u64 {
        self.get("seed").parse().unwrap_or(0)
    }
}

/// The entry that keeps a table's checksum.
pub fn checksum_key(table: TableName) -> String {
    format!("checksum {table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_point_makes_is_known_by_kind_and_name() {
        for made in [Made::table("load_heap_#"), Made::index("load_index_#_#"), Made::table("load_heap_list")] {
            assert_eq!(noted(&made.entry()), Some(made));
        }
        assert_eq!(noted("checksum small_heap"), None);
        let heaps = Made::table("load_heap_#");
        assert!(heaps.is("table", "load_heap_0") && heaps.is("table", "load_heap_127"));
        for name in ["load_heap", "load_heap_", "load_heap_7x", "load_heap_list", "load_heap_1_2", "my_load_heap_1"] {
            assert!(!heaps.is("table", name), "{name}");
        }
        assert!(!heaps.is("index", "load_heap_0"));
        let indexes = Made::index("load_index_#_#");
        assert!(indexes.is("index", "load_index_3_128") && !indexes.is("index", "load_index_3"));
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        let there = [("table".to_owned(), "load_customers".to_owned()), ("table".to_owned(), "load_heap_7".to_owned())];
        assert!(refuse_taken(&[Made::table("load_heap")], &there, "the schema").is_ok());
        let refused = refuse_taken(&[Made::table("load_heap_#")], &there, "the schema").unwrap_err();
        assert!(
            refused.message.starts_with("the schema holds the table load_heap_7, which dbdyno did not make"),
            "{refused}"
        );
    }
}
