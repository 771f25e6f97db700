//! What our user's schema holds: nothing, something of somebody else's, or our data and how far its load has come.
//! Looking changes nothing.

use super::connection::{Bind, OracleConnection};
use super::options::Options;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Contents, Meta};
use dbdyno_engine::server::Connection as _;
use dbdyno_model::ErrorClass;

/// The version of the tables; another one is not ours to read.
pub(super) const FORMAT: &str = "1";
/// The table of the book-keeping.
pub(super) const META: &str = "meta";
/// The entry that a schema has from its load: an administrator made the user, and nothing else goes with the data.
pub(super) const MADE_SCHEMA: &str = "made_schema";

/// Sets one entry; the caller commits.
///
/// # Errors
/// The server's.
pub(super) fn set(connection: &mut OracleConnection, name: &str, value: &str) -> Result<(), EngineError> {
    let sql = &DIALECT.get("load/set_meta")?.text;
    connection.run_block("keeping the load's progress", sql, &[Bind::Text(name), Bind::Text(value)])
}

/// Makes the book-keeping and writes all of it. A table that is there and empty is what an end between the two left.
///
/// # Errors
/// The server's.
pub(super) fn create(meta: &Meta, connection: &mut OracleConnection) -> Result<(), EngineError> {
    let doing = "creating the book-keeping";
    if !objects(connection)?.iter().any(|object| object.kind == Kind::Table && object.name == META) {
        connection.batch(doing, &DIALECT.get("tables/create_meta")?.text)?;
    }
    meta.entries().try_for_each(|(name, value)| set(connection, name, value))?;
    connection.batch(doing, &DIALECT.get("load/commit")?.text)
}

/// What an object in the schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A table, partitioned or not.
    Table,
    /// A cluster.
    Cluster,
    /// A package.
    Package,
    /// A procedure that is in none.
    Procedure,
    /// Anything else; dbdyno makes nothing of the kind.
    Other,
}

impl Kind {
    /// Its name, as in the book-keeping.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Cluster => "cluster",
            Self::Package => "package",
            Self::Procedure => "procedure",
            Self::Other => "other",
        }
    }
}

/// An object in the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    /// What it is.
    pub(super) kind: Kind,
    /// Its name, in small letters.
    pub(super) name: String,
    /// The same in words: `view mine`.
    pub(super) description: String,
    /// Partitions of a table, subpartitions where it has them.
    pub(super) parts: u64,
}

impl Object {
    /// What a row says: a kind in small letters, a name, a number of parts.
    fn read(row: Vec<Option<String>>) -> Self {
        let mut values = row.into_iter();
        let mut next = || values.next().flatten().unwrap_or_default();
        let (what, name, parts) = (next(), next(), next());
        let kind = match what.as_str() {
            "table" => Kind::Table,
            "cluster" => Kind::Cluster,
            "package" => Kind::Package,
            "procedure" => Kind::Procedure,
            _ => Kind::Other,
        };
        Self { kind, description: format!("{what} {name}"), name, parts: parts.parse().unwrap_or(0) }
    }
}

/// Everything in the schema.
///
/// # Errors
/// The server's.
pub(super) fn objects(connection: &mut OracleConnection) -> Result<Vec<Object>, EngineError> {
    let rows = connection.texts("reading the list of tables", &DIALECT.get("load/objects")?.text)?;
    Ok(rows.into_iter().map(Object::read).collect())
}

/// The first few of some objects, for a message.
pub(super) fn listed<'o>(objects: impl Iterator<Item = &'o Object>) -> String {
    let mut words: Vec<&str> = objects.map(|object| object.description.as_str()).collect();
    let more = words.len().saturating_sub(3);
    words.truncate(3);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", words.join(", "))
}

/// Looks into our schema.
///
/// # Errors
/// It cannot be read.
pub(super) fn look(connection: &mut OracleConnection, options: &Options) -> Result<Contents, EngineError> {
    let objects = objects(connection)?;
    let schema = options.schema();
    if !objects.iter().any(|object| object.kind == Kind::Table && object.name == META) {
        return Ok(without_meta(&objects, &schema));
    }
    let meta: Meta = match connection.texts("reading the load's progress", &DIALECT.get("load/get_meta")?.text) {
        Ok(rows) => rows.into_iter().filter_map(pair).collect(),
        // A table of that name with other columns.
        Err(error) if error.class == ErrorClass::UnknownObject => Meta::default(),
        Err(error) => return Err(error),
    };
    Ok(judged(meta, &objects, &schema))
}

fn without_meta(objects: &[Object], schema: &str) -> Contents {
    if objects.is_empty() {
        return Contents::Nothing;
    }
    Contents::Foreign(format!(
        "the schema {schema} was not filled by dbdyno (it holds {}), and dbdyno needs one of its own; connect as another user",
        listed(objects.iter())
    ))
}

fn judged(meta: Meta, objects: &[Object], schema: &str) -> Contents {
    match meta.format() {
        FORMAT => Contents::Ours(meta),
        // A load that was killed before it had written anything.
        "" if meta.entries().next().is_none() && objects.len() == 1 => Contents::Nothing,
        "" => Contents::Foreign(format!(
            "the schema {schema} has a table {META} that dbdyno did not make, and dbdyno needs a schema of its own; connect \
             as another user"
        )),
        other => Contents::Foreign(format!(
            "the schema {schema} holds data in format {other}, and this dbdyno reads format {FORMAT}; use the dbdyno that \
             made it, or connect as another user"
        )),
    }
}

/// An entry. The server keeps an empty text as none.
fn pair(row: Vec<Option<String>>) -> Option<(String, String)> {
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), value]) => Some((name, value.unwrap_or_default())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &str, name: &str) -> Object {
        Object::read(vec![Some(kind.to_owned()), Some(name.to_owned()), Some("8".to_owned())])
    }

    #[test]
    fn objects_are_told_apart() {
        let table = object("table", "small_heap_list");
        assert_eq!((table.kind, table.parts, table.description.as_str()), (Kind::Table, 8, "table small_heap_list"));
        let kinds = ["cluster", "package", "view", "materialized view"].map(|kind| object(kind, "X").kind);
        assert_eq!(kinds, [Kind::Cluster, Kind::Package, Kind::Other, Kind::Other]);
        let many: Vec<Object> = (0..5).map(|n| object("view", &format!("V{n}"))).collect();
        assert_eq!(listed(many.iter()), "view V0, view V1, view V2 and 2 more");
    }

    #[test]
    fn whose_schema_it_is_shows_in_its_book_keeping() {
        assert_eq!(without_meta(&[], "DBDYNO"), Contents::Nothing);
        let foreign = |contents| matches!(contents, Contents::Foreign(why) if why.contains("SCOTT"));
        assert!(foreign(without_meta(&[object("table", "EMP")], "SCOTT")));
        let entries = |pairs: &[(&str, &str)]| -> Meta {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let meta = [object("table", META)];
        assert_eq!(judged(Meta::default(), &meta, "DBDYNO"), Contents::Nothing, "a load that had written nothing yet");
        let other = [object("table", META), object("table", "EMP")];
        assert!(foreign(judged(Meta::default(), &other, "SCOTT")));
        assert!(foreign(judged(entries(&[("x", "y")]), &meta, "SCOTT")));
        assert!(foreign(judged(entries(&[("format", "9")]), &meta, "SCOTT")));
        assert!(matches!(judged(entries(&[("format", FORMAT)]), &other, "DBDYNO"), Contents::Ours(_)));
    }

    #[test]
    fn an_empty_value_comes_back_as_one() {
        assert_eq!(pair(vec![Some("a".to_owned()), Some("b".to_owned())]), Some(("a".to_owned(), "b".to_owned())));
        assert_eq!(pair(vec![Some("a".to_owned()), None]), Some(("a".to_owned(), String::new())));
        assert_eq!(pair(vec![None, None]), None);
    }
}
