//! What a database holds: nothing, something of somebody else's in our schema, or our data and how far its load has come.
//! Looking changes nothing.

use super::link::Link;
use super::load::LOADING;
use super::{SCHEMA, TABLE_NAMES};
use crate::data::Checksum;
use crate::{EngineError, Loaded};
use dbdyno_model::{ErrorClass, Shape, Size, TableName};
use std::collections::BTreeMap;

/// The version of the schema; another one is not ours to read.
const FORMAT: &str = "1";
/// The table of the book-keeping.
pub(super) const META: &str = "meta";

/// The book-keeping of a load, as it stands in `dbdyno.meta`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Meta(BTreeMap<String, String>);

impl Meta {
    /// The book-keeping of a load that begins.
    pub(super) fn new(size: &Size, seed: u64, created_schema: bool) -> Self {
        let entries = [
            ("format", FORMAT.to_owned()),
            ("size", size.id.clone()),
            ("small_rows", size.small_rows.to_string()),
            ("large_rows", size.large_rows.to_string()),
            ("seed", seed.to_string()),
            ("created_schema", u8::from(created_schema).to_string()),
        ];
        Self(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn write(&self, link: &mut Link) -> Result<(), EngineError> {
        self.0.iter().try_for_each(|(name, value)| set(link, name, value))
    }

    /// Adds what was written since it was read.
    pub(super) fn put(&mut self, name: String, value: String) {
        self.0.insert(name, value);
    }

    /// Whether it is about data of this size and seed.
    ///
    /// # Errors
    /// It is not; says what to do.
    pub(super) fn must_match(&self, size: &Size, seed: u64, database: &str) -> Result<(), EngineError> {
        let (small, large) = (size.small_rows.to_string(), size.large_rows.to_string());
        let same = self.get("size") == size.id
            && self.seed() == seed
            && self.get("small_rows") == small
            && self.get("large_rows") == large;
        if same {
            return Ok(());
        }
        let message = format!(
            "database {database} holds data of size {} ({} small rows) and seed {}, not of size {} ({small} small rows) \
             and seed {seed}; drop it first, or ask for what it holds",
            self.get("size"),
            self.get("small_rows"),
            self.get("seed"),
            size.id,
        );
        Err(EngineError::new(ErrorClass::Other, message))
    }

    /// Whether a step of the load (`filled`, `primary`, `customer`) is done for a relation.
    pub(super) fn done(&self, step: &str, relation: &str) -> bool {
        self.get(&format!("{step} {relation}")) == "1"
    }

    /// A table's checksum, once it is known.
    pub(super) fn checksum(&self, table: TableName) -> Option<Checksum> {
        self.get(&checksum_key(table)).parse().ok()
    }

    /// Whether every table is loaded.
    pub(super) fn complete(&self) -> bool {
        self.get("complete") == "1"
    }

    /// Whether every checksum was compared with the generator's.
    pub(super) fn verified(&self) -> bool {
        self.get("verified") == "1"
    }

    /// Whether the schema was made by the load, and so may go with the data.
    pub(super) fn created_schema(&self) -> bool {
        self.get("created_schema") == "1"
    }

    /// Rows of a table, as it was or will be loaded.
    pub(super) fn rows(&self, table: TableName) -> u64 {
        let name = match table.shape() {
            Shape::Small => "small_rows",
            Shape::Large => "large_rows",
        };
        self.get(name).parse().unwrap_or(0)
    }

    /// What it says, in the contract's words.
    pub(super) fn loaded(&self) -> Loaded {
        let (size, seed) = (self.get("size").to_owned(), self.seed());
        if !self.complete() {
            return Loaded::Partly { size, seed };
        }
        let checksum = |t: &TableName| Some((t.name().to_owned(), self.checksum(*t)?.to_string()));
        let checksums = TABLE_NAMES.iter().filter_map(checksum).collect();
        Loaded::Complete { size, seed, verified: self.verified(), checksums }
    }

    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn seed(&self) -> u64 {
        self.get("seed").parse().unwrap_or(0)
    }
}

/// The entry that keeps a checksum.
pub(super) fn checksum_key(table: TableName) -> String {
    format!("checksum {table}")
}

/// Sets one entry.
///
/// # Errors
/// The server's.
pub(super) fn set(link: &mut Link, name: &str, value: &str) -> Result<(), EngineError> {
    let done = link.client().execute(&LOADING.get("set_meta")?.text, &[&name, &value]);
    done.map_err(|error| link.error("keeping the load's progress", &error))?;
    link.count_transactions(2);
    Ok(())
}

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Contents {
    /// No schema, or an empty one.
    Nothing,
    /// Not ours; why.
    Foreign(String),
    /// Ours.
    Ours(Meta),
}

/// What an object in the schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A table, partitioned or not.
    Table,
    /// A procedure.
    Procedure,
    /// A function.
    Function,
    /// Anything else; dbdyno makes nothing of the kind.
    Other,
}

/// An object in the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    /// What it is.
    pub(super) kind: Kind,
    /// Its name.
    pub(super) name: String,
    /// The server's words for it.
    pub(super) description: String,
    /// How SQL names it with its arguments, where it has any.
    pub(super) signature: Option<String>,
}

/// Whether the schema is there.
///
/// # Errors
/// The server's.
pub(super) fn schema_exists(link: &mut Link) -> Result<bool, EngineError> {
    Ok(!link.texts("reading the schema", &LOADING.get("schema")?.text)?.is_empty())
}

/// Everything in the schema that is no part of something else in it.
///
/// # Errors
/// The server's.
pub(super) fn objects(link: &mut Link) -> Result<Vec<Object>, EngineError> {
    let rows = link.texts("reading the schema", &LOADING.get("objects")?.text)?;
    let object = |row: Vec<Option<String>>| {
        let mut values = row.into_iter();
        let mut next = || values.next().flatten();
        let kind = match next().as_deref() {
            Some("table") => Kind::Table,
            Some("procedure") => Kind::Procedure,
            Some("function") => Kind::Function,
            _ => Kind::Other,
        };
        let (name, description) = (next().unwrap_or_default(), next().unwrap_or_default());
        Object { kind, name, description, signature: next() }
    };
    Ok(rows.into_iter().map(object).collect())
}

/// The first few of some objects, for a message.
pub(super) fn listed<'o>(objects: impl Iterator<Item = &'o Object>) -> String {
    let mut words: Vec<&str> = objects.map(|object| object.description.as_str()).collect();
    let more = words.len().saturating_sub(3);
    words.truncate(3);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", words.join(", "))
}

/// Looks into a database.
///
/// # Errors
/// It cannot be read.
pub(super) fn look(link: &mut Link) -> Result<Contents, EngineError> {
    let objects = objects(link)?;
    if objects.is_empty() {
        return Ok(Contents::Nothing);
    }
    if !objects.iter().any(|object| object.kind == Kind::Table && object.name == META) {
        let what = listed(objects.iter());
        return Ok(Contents::Foreign(format!(
            "the database has a schema {SCHEMA} that dbdyno did not fill (it holds {what}); name another database, or \
             rename that schema"
        )));
    }
    let meta = match link.texts("reading the load's progress", &LOADING.get("get_meta")?.text) {
        Ok(rows) => Meta(rows.into_iter().filter_map(pair).collect()),
        // A table of that name with other columns.
        Err(error) if error.class == ErrorClass::UnknownObject => Meta::default(),
        Err(error) if error.class == ErrorClass::Permission => {
            return Ok(Contents::Foreign(format!(
                "the schema {SCHEMA} holds what this user may not read; connect as its owner, whom `dbdyno check` names, \
                 or name another database"
            )));
        }
        Err(error) => return Err(error),
    };
    Ok(match meta.get("format") {
        FORMAT => Contents::Ours(meta),
        "" => Contents::Foreign(format!(
            "the database has a table {SCHEMA}.{META} that dbdyno did not make; name another database, or rename the \
             schema {SCHEMA}"
        )),
        other => Contents::Foreign(format!(
            "the schema {SCHEMA} holds data in format {other}, and this dbdyno reads format {FORMAT}; use the dbdyno that \
             made it, or name another database"
        )),
    })
}

fn pair(row: Vec<Option<String>>) -> Option<(String, String)> {
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name, value)),
        _ => None,
    }
}
