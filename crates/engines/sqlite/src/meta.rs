//! What a file holds: nothing, something of somebody else's, or our data and how far its load has come. Looking changes
//! nothing, and leaves no files beside a database that nobody has open.

use super::connection::{Access, SqliteConnection, no_plain_file};
use super::errors::of_system;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Contents, Meta};
use dbdyno_engine::server::contents::judged;
use dbdyno_model::{ErrorClass, TableName};
use rusqlite::{ErrorCode, ffi};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The table of the book-keeping.
pub(super) const META: &str = "dbdyno_meta";
/// The version of the schema; another one is not ours to read.
pub(super) const FORMAT: &str = "2";

/// What SQLite says of a file that must be opened for writing first.
const RECOVERS: [std::ffi::c_int; 3] =
    [ffi::SQLITE_READONLY_ROLLBACK, ffi::SQLITE_READONLY_RECOVERY, ffi::SQLITE_READONLY_CANTINIT];
const READING: &str = "reading the schema";

/// The entry that says how many rows are committed.
pub(super) fn rows_key(table: TableName) -> String {
    format!("rows {table}")
}

/// Writes all of the book-keeping.
///
/// # Errors
/// SQLite's.
pub(super) fn write(meta: &Meta, connection: &SqliteConnection) -> Result<(), EngineError> {
    meta.entries().try_for_each(|(name, value)| set(connection, name, value))
}

/// Sets one entry.
///
/// # Errors
/// SQLite's.
pub(super) fn set(connection: &SqliteConnection, name: &str, value: &str) -> Result<(), EngineError> {
    let sql = &DIALECT.get("tables/set_meta")?.text;
    let done = connection.raw.prepare_cached(sql).and_then(|mut s| s.execute((name, value)));
    done.map(drop).map_err(|e| connection.says("keeping the load's progress", e))
}

/// The entry that says whether the file was made by the load, and so may go with the data.
pub(super) const CREATED_FILE: &str = "created_file";

/// Rows of a table that are committed.
pub(super) fn rows_done(meta: &Meta, table: TableName) -> u64 {
    meta.get(&rows_key(table)).parse().unwrap_or(0)
}

/// Looks into a file.
///
/// # Errors
/// It cannot be read.
pub(super) fn look(path: &Path) -> Result<Contents, EngineError> {
    if let Some(why) = no_plain_file(path) {
        return Ok(Contents::Foreign(why));
    }
    let header = match header(path) {
        Ok(header) => header,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Contents::Nothing),
        Err(error) => {
            return Err(of_system(&error, ErrorClass::ConnectionLost, format!("{}: {error}", path.display())));
        }
    };
    if header.is_empty() {
        return Ok(Contents::Nothing);
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Ok(Contents::Foreign(format!("{} is not an SQLite database; it is left alone", path.display())));
    }
    let has_log = beside(path, "-wal").metadata().is_ok_and(|m| m.len() > 0);
    let write_ahead = header.get(18) == Some(&2);
    let first = if write_ahead && !has_log { Access::ReadUntouched } else { Access::Read };
    look_with(path, first, true)
}

/// A file that SQLite keeps beside the database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Names of the tables and views in the file.
///
/// # Errors
/// SQLite's.
pub(super) fn objects(connection: &SqliteConnection) -> Result<Vec<String>, EngineError> {
    connection.rows(READING, &DIALECT.get("statistics/objects")?.text, |row| row.get(0))
}

fn look_with(path: &Path, access: Access, may_recover: bool) -> Result<Contents, EngineError> {
    let connection = SqliteConnection::open(path, access)?;
    let sql = &DIALECT.get("statistics/objects")?.text;
    let names =
        || -> rusqlite::Result<Vec<String>> { connection.raw.prepare(sql)?.query_map([], |row| row.get(0))?.collect() };
    let found = match names() {
        // A load that was killed left its journal: whoever opens the file next rolls the last transaction back.
        Err(rusqlite::Error::SqliteFailure(error, _)) if may_recover && RECOVERS.contains(&error.extended_code) => {
            drop(connection);
            return look_with(path, Access::Write, false);
        }
        found => found.map_err(|error| connection.says(READING, error))?,
    };
    if found.is_empty() {
        return Ok(Contents::Nothing);
    }
    let file = path.display().to_string();
    if !found.iter().any(|name| name == META) {
        let words = if found.iter().any(|n| n.starts_with("dbdyno_")) { "foreign_tables" } else { "foreign" };
        let holds = found.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        return Ok(Contents::Foreign(DIALECT.words(words, &[("place", &file), ("holds", &holds)])));
    }
    let sql = &DIALECT.get("tables/get_meta")?.text;
    let read = || -> rusqlite::Result<Meta> {
        connection.raw.prepare(sql)?.query_map([], |row| <(String, String)>::try_from(row))?.collect()
    };
    let meta = match read() {
        Err(error) if error.sqlite_error_code().is_some_and(|code| code != ErrorCode::Unknown) => {
            return Err(connection.says("reading the load's progress", error));
        }
        // Any other error comes from a table of that name with other columns.
        read => read.unwrap_or_default(),
    };
    Ok(judged(&DIALECT, &file, meta, FORMAT, false))
}

/// The first bytes of a file; fewer where it is shorter.
fn header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(20);
    std::fs::File::open(path)?.take(20).read_to_end(&mut header)?;
    Ok(header)
}

/// Removes a database, and all that SQLite keeps beside it.
///
/// # Errors
/// Something is there and cannot be removed.
pub(super) fn remove(path: &Path) -> Result<(), EngineError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let file = beside(path, suffix);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let message = format!("{}: cannot be removed: {error}", file.display());
                return Err(EngineError::new(ErrorClass::Permission, message));
            }
            _ => {}
        }
    }
    Ok(())
}
