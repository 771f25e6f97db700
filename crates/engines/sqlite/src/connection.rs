//! A connection to the database file, with what it takes to put its errors in words.

use super::counters::last_errno;
use super::errors::{Fault, in_words};
use super::options::{Journal, Options};
use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;
use rusqlite::{Connection, OpenFlags, Row};
use rustix::io::Errno;
use std::path::Path;
use std::time::Duration;

/// How long a connection waits for locks of other processes.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Read only.
    Read,
    /// Read a file that nobody has open, without so much as a lock.
    ReadUntouched,
    /// Read and write a file that is there.
    Write,
    /// The same, making the file if it is not.
    Create,
}

/// A connection.
pub(super) struct SqliteConnection {
    /// The library's connection.
    pub(super) raw: Connection,
    file: String,
}

impl SqliteConnection {
    /// Opens a connection.
    ///
    /// # Errors
    /// The file, or a part of its path, is not there or not ours to use.
    pub(super) fn open(path: &Path, access: Access) -> Result<Self, EngineError> {
        let file = path.display().to_string();
        let flags = match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::ReadUntouched => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = match access {
            Access::ReadUntouched => Connection::open_with_flags(untouched_uri(&file), flags),
            _ => Connection::open_with_flags(path, flags),
        };
        let raw = opened.map_err(|error| why_not_opened(path, access, &error))?;
        raw.busy_timeout(LOCK_WAIT).map_err(|error| in_words(&error, &file, None))?;
        Ok(Self { raw, file })
    }

    /// Opens a connection that works as the target says, with a cache of this size.
    ///
    /// # Errors
    /// As for [`SqliteConnection::open`]; also when the journal mode cannot be changed because the file is in use.
    pub(super) fn open_for_work(options: &Options, cache_bytes: u64) -> Result<Self, EngineError> {
        let connection = Self::open(&options.path, Access::Write)?;
        connection.set("mmap_size", "0")?;
        connection.set("synchronous", options.synchronous.name())?;
        connection.set("temp_store", "file")?;
        connection.set_cache(cache_bytes)?;
        if connection.pragma("journal_mode")? != options.journal.name() {
            connection.set_journal(options.journal.name())?;
        }
        if options.journal == Journal::Wal {
            // Checkpoints are made as SQLite makes them, but by the session, so that they can be timed and counted.
            connection.set("wal_autocheckpoint", "0")?;
        }
        Ok(connection)
    }

    /// Sets a pragma.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn set(&self, pragma: &str, value: &str) -> Result<(), EngineError> {
        self.run(&format!("setting {pragma} = {value}"), &format!("PRAGMA {pragma} = {value}"))
    }

    /// Sets the journal mode and checks that it took.
    ///
    /// # Errors
    /// SQLite's; `Timeout` where another connection keeps the mode from changing.
    pub(super) fn set_journal(&self, mode: &str) -> Result<(), EngineError> {
        self.set("journal_mode", mode)?;
        let now = self.pragma("journal_mode")?;
        if now == mode {
            return Ok(());
        }
        let message = format!("{}: its journal mode stays {now}, not {mode}: another process uses the file", self.file);
        Err(EngineError::new(ErrorClass::Timeout, message))
    }

    /// Sets the size of this connection's cache, which grows only as it is used.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn set_cache(&self, bytes: u64) -> Result<(), EngineError> {
        self.set("cache_size", &format!("-{}", bytes >> 10))
    }

    /// Reads a pragma as text.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn pragma(&self, pragma: &str) -> Result<String, EngineError> {
        let value = self.raw.pragma_query_value(None, pragma, |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => other.as_i64().map(|n| n.to_string()).unwrap_or_default(),
            })
        });
        value.map_err(|e| self.says(&format!("reading {pragma}"), e))
    }

    /// Runs statements that have no answer.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn run(&self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.raw.execute_batch(sql).map_err(|e| self.says(doing, e))
    }

    /// What the rows of a query are read as; parameters of it are null.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn rows<T>(
        &self,
        doing: &str,
        sql: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, EngineError> {
        let all = || -> rusqlite::Result<Vec<T>> { self.raw.prepare(sql)?.raw_query().mapped(read).collect() };
        all().map_err(|error| self.says(doing, error))
    }

    /// The rows of a query as texts, or nothing in their place.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn texts(&self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        self.rows(doing, sql, |row| (0..row.as_ref().column_count()).map(|at| row.get(at)).collect())
    }

    /// What the first row of a query is read as.
    ///
    /// # Errors
    /// SQLite's; there is none.
    pub(super) fn row<T>(
        &self,
        doing: &str,
        sql: &str,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, EngineError> {
        self.raw.query_row(sql, [], read).map_err(|error| self.says(doing, error))
    }

    /// Puts what went wrong in words.
    pub(super) fn says(&self, doing: &str, fault: impl Into<Fault>) -> EngineError {
        match fault.into() {
            Fault::Sqlite(error) => in_words(&error, &self.file, last_errno(&self.raw)).while_doing(doing),
            Fault::Engine(error) => error,
        }
    }
}

/// What is there, where it is no plain file, and what to do. SQLite would follow a link and keep its log beside what
/// that leads to, and take a device for an empty database.
pub(super) fn no_plain_file(path: &Path) -> Option<String> {
    let what = match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => "is a link; name the file that it leads to",
        Ok(found) if found.is_dir() => "is a folder; name a file in it",
        Ok(found) if !found.is_file() || dbdyno_files::lies_in_proc(path) => {
            "is no plain file; name one, or one that is not there yet"
        }
        _ => return None,
    };
    Some(format!("{} {what}", path.display()))
}

/// Why there can be no file of this path, if so, and what to do.
pub(super) fn no_place(path: &Path) -> Option<String> {
    let folder = folder_of(path);
    if path.is_dir() {
        return Some(format!("{} is a folder; name a file in it", path.display()));
    }
    (!folder.is_dir()).then(|| format!("the folder {} does not exist; create it first", folder.display()))
}

/// The folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A URI that lets SQLite read the file without locks and without making files beside it.
fn untouched_uri(file: &str) -> String {
    let escaped = file.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

fn why_not_opened(path: &Path, access: Access, error: &rusqlite::Error) -> EngineError {
    let file = path.display();
    let absent = !path.exists() && access != Access::Create;
    let absent = absent.then(|| format!("{file} does not exist; load data into it first"));
    if let Some(why) = no_place(path).or(absent) {
        return EngineError::new(ErrorClass::ConnectionLost, why);
    }
    let reads = matches!(access, Access::Read | Access::ReadUntouched);
    let probed = std::fs::OpenOptions::new().read(reads).append(!reads).open(path).err();
    in_words(error, &file.to_string(), probed.and_then(|e| Errno::from_io_error(&e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_way_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let said = |path: &Path, access| SqliteConnection::open(path, access).map(drop).unwrap_err();
        let missing = said(&folder.path().join("no/x.db"), Access::Create);
        assert!(missing.message.contains("no does not exist; create it first"), "{missing}");
        let missing = said(&folder.path().join("x.db"), Access::Write);
        assert!(missing.message.contains("load data into it first"), "{missing}");
        assert!(said(folder.path(), Access::Write).message.contains("is a folder"));
    }

    #[test]
    fn odd_file_names_are_read_without_being_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a%20b?c#d.db");
        let connection = SqliteConnection::open(&path, Access::Create).unwrap();
        connection.run("making a table", "PRAGMA journal_mode=WAL; CREATE TABLE t (x)").unwrap();
        drop(connection);
        let connection = SqliteConnection::open(&path, Access::ReadUntouched).unwrap();
        assert_eq!(connection.pragma("page_count").unwrap(), "2");
        drop(connection);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
