//! What a database holds: nothing, something of somebody else's in our schema, or our data and how far its load has
//! come. Looking changes nothing.

use super::SCHEMA;
use super::connection::PostgresConnection;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Contents, Meta};
use dbdyno_engine::server::Connection as _;
use dbdyno_model::ErrorClass;

/// The version of the schema; another one is not ours to read.
pub(super) const FORMAT: &str = "1";
/// The table of the book-keeping.
pub(super) const META: &str = "meta";
/// The entry that says whether the schema was made by the load, and so may go with the data.
pub(super) const CREATED_SCHEMA: &str = "created_schema";

/// Sets one entry.
///
/// # Errors
/// The server's.
pub(super) fn set(connection: &mut PostgresConnection, name: &str, value: &str) -> Result<(), EngineError> {
    let doing = "keeping the load's progress";
    let done = connection.control(doing).execute(&DIALECT.get("load/set_meta")?.text, &[&name, &value]);
    done.map_err(|error| connection.error(doing, &error))?;
    connection.count_transactions(2);
    Ok(())
}

/// Writes all of the book-keeping.
///
/// # Errors
/// The server's.
pub(super) fn write(meta: &Meta, connection: &mut PostgresConnection) -> Result<(), EngineError> {
    meta.entries().try_for_each(|(name, value)| set(connection, name, value))
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
pub(super) fn schema_exists(connection: &mut PostgresConnection) -> Result<bool, EngineError> {
    Ok(!connection.texts("reading the schema", &DIALECT.get("load/schema")?.text)?.is_empty())
}

/// Everything in the schema that is no part of something else in it.
///
/// # Errors
/// The server's.
pub(super) fn objects(connection: &mut PostgresConnection) -> Result<Vec<Object>, EngineError> {
    let rows = connection.texts("reading the schema", &DIALECT.get("load/objects")?.text)?;
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
pub(super) fn look(connection: &mut PostgresConnection) -> Result<Contents, EngineError> {
    let objects = objects(connection)?;
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
    let meta = match connection.texts("reading the load's progress", &DIALECT.get("load/get_meta")?.text) {
        Ok(rows) => rows.into_iter().filter_map(pair).collect(),
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
    Ok(match meta.format() {
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
