//! What our database holds: nothing, something of somebody else's, or our data and how far its load has come. Looking
//! changes nothing.

use super::check::grants;
use super::connection::MariaDbConnection;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Contents, Meta};
use dbdyno_engine::server::{Connection as _, first};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;

/// The version of the tables; another one is not ours to read.
pub(super) const FORMAT: &str = "1";
/// The table of the book-keeping.
pub(super) const META: &str = "meta";
/// The entry that says whether the database was made by the load, and so may go with the data.
pub(super) const CREATED_DATABASE: &str = "created_database";

/// Sets one entry.
///
/// # Errors
/// The server's.
pub(super) fn set(connection: &mut MariaDbConnection, name: &str, value: &str) -> Result<(), EngineError> {
    let doing = "keeping the load's progress";
    let done = connection.control(doing).exec_drop(&DIALECT.get("load/set_meta")?.text, (name, value));
    done.map_err(|error| connection.error(doing, &error))
}

/// Makes the book-keeping and writes all of it, in one statement: a table of ours without entries would be nobody's.
///
/// # Errors
/// The server's.
pub(super) fn create(meta: &Meta, connection: &mut MariaDbConnection, create: &str) -> Result<(), EngineError> {
    let rows: Vec<&str> = meta.entries().map(|_| "SELECT ? AS name, ? AS value").collect();
    let values: Vec<&str> = meta.entries().flat_map(<[&str; 2]>::from).collect();
    let doing = "creating the book-keeping";
    let done = connection.control(doing).exec_drop(format!("{create}\n{}", rows.join("\nUNION ALL ")), values);
    done.map_err(|error| connection.error(doing, &error))
}

/// What an object in the database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A table, partitioned or not.
    Table,
    /// A procedure.
    Procedure,
    /// Anything else; dbdyno makes nothing of the kind.
    Other,
}

/// An object in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    /// What it is.
    pub(super) kind: Kind,
    /// Its name.
    pub(super) name: String,
    /// The same in words: `view mine`.
    pub(super) description: String,
    /// Partitions of a table, subpartitions where it has them; arguments of a procedure.
    pub(super) parts: u64,
}

/// The database that this session has as its default: ours where it exists.
///
/// # Errors
/// The server's.
pub(super) fn database(connection: &mut MariaDbConnection) -> Result<Option<String>, EngineError> {
    Ok(first(connection.texts("asking for the database", "SELECT DATABASE()")?))
}

/// Everything in the database.
///
/// # Errors
/// The server's.
pub(super) fn objects(connection: &mut MariaDbConnection) -> Result<Vec<Object>, EngineError> {
    let rows = connection.texts("reading the list of tables", &DIALECT.get("load/objects")?.text)?;
    let object = |row: Vec<Option<String>>| {
        let mut values = row.into_iter();
        let mut next = || values.next().flatten().unwrap_or_default();
        let (what, name, parts) = (next().to_lowercase(), next(), next());
        let kind = match what.as_str() {
            "table" => Kind::Table,
            "procedure" => Kind::Procedure,
            _ => Kind::Other,
        };
        Object { kind, description: format!("{what} {name}"), name, parts: parts.parse().unwrap_or(0) }
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

/// Looks into our database.
///
/// # Errors
/// It cannot be read.
pub(super) fn look(connection: &mut MariaDbConnection) -> Result<Contents, EngineError> {
    let Some(database) = database(connection)? else { return Ok(Contents::Nothing) };
    let objects = objects(connection)?;
    if objects.is_empty() {
        return Ok(Contents::Nothing);
    }
    if !objects.iter().any(|object| object.kind == Kind::Table && object.name == META) {
        let what = listed(objects.iter());
        return Ok(Contents::Foreign(format!(
            "the database {database} was not filled by dbdyno (it holds {what}), and dbdyno needs one of its own; name \
             another one in the target"
        )));
    }
    let meta = match connection.texts("reading the load's progress", &DIALECT.get("load/get_meta")?.text) {
        Ok(rows) => rows.into_iter().filter_map(pair).collect(),
        // A table of that name with other columns.
        Err(error) if error.class == ErrorClass::UnknownObject => Meta::default(),
        Err(error) if error.class == ErrorClass::Permission => {
            let helps = grants::help(connection, &database)?.map_or_else(
                || "connect as a user that may".to_owned(),
                |statement| format!("an administrator runs: {statement}, or connect as a user that may"),
            );
            return Ok(Contents::Foreign(format!(
                "the database {database} holds what this user may not read; {helps}, or name another database in the target"
            )));
        }
        Err(error) => return Err(error),
    };
    Ok(match meta.format() {
        FORMAT => Contents::Ours(meta),
        "" => Contents::Foreign(format!(
            "the database {database} has a table {META} that dbdyno did not make, and dbdyno needs a database of its own; \
             name another one in the target"
        )),
        other => Contents::Foreign(format!(
            "the database {database} holds data in format {other}, and this dbdyno reads format {FORMAT}; use the dbdyno \
             that made it, or name another database in the target"
        )),
    })
}

fn pair(row: Vec<Option<String>>) -> Option<(String, String)> {
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name, value)),
        _ => None,
    }
}
