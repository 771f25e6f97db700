//! Opening a results file without ever harming a file that is not dbdyno's.
//!
//! The file is first examined through an `immutable` connection, which takes no locks, recovers nothing and creates no
//! side files. SQLite opens it, because closing a plain file descriptor would drop the locks that another connection of
//! this process holds on the same file (POSIX advisory locks belong to the process).
//!
//! A new file gets its schema under a rollback journal and switches to a write-ahead log afterwards. So the main file
//! shows that it is dbdyno's even if its creator is killed a moment later.

use crate::ResultsError;
use crate::error::{PATIENCE_S, shown};
use crate::lease::Lease;
use crate::migrations::{self, APPLICATION_ID, application_id, user_version};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// For reading; the file must exist, and nothing in it changes.
    ReadOnly,
    /// For a look at the names of runs while somebody types: nothing is created, changed or waited for. What another
    /// process left half done is not mended, an older file is read as it is, and what is only in the write-ahead log is
    /// seen while that process lives.
    Glance,
    /// For reading and writing; a missing file is created, and an older one is upgraded to the current schema.
    ReadWrite,
}

/// Opens a results file for reading or writing, with the schema that `steps` lead to.
pub(crate) fn open(path: &Path, access: FileAccess, steps: &[&str]) -> Result<Connection, ResultsError> {
    let is_there = is_there(path, migrations::version(steps))?;
    match access {
        FileAccess::ReadOnly if is_there => open_to_read(path, steps),
        FileAccess::Glance if is_there => open_to_glance(path),
        FileAccess::ReadOnly | FileAccess::Glance => Err(ResultsError::NoResults(shown(path))),
        FileAccess::ReadWrite => open_to_write(path, steps),
    }
}

/// Whether there is a results file that this program can read, and not nothing or an empty file.
fn is_there(path: &Path, known: u32) -> Result<bool, ResultsError> {
    if dbdyno_files::refuse_anothers_link(path).is_err() {
        return Err(ResultsError::AnothersLink(shown(path)));
    }
    match std::fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(_) => return Err(ResultsError::Unreadable(shown(path))),
        Ok(meta) if meta.is_dir() => return Err(ResultsError::Folder(path.to_owned())),
        Ok(meta) if !meta.is_file() => return Err(ResultsError::NoFile(shown(path))),
        Ok(meta) if meta.len() == 0 => return Ok(false),
        Ok(_) => {}
    }
    let ids = open_immutable(path).and_then(|connection| {
        // A checkpoint that was interrupted leaves a main file that is shorter than its header says; the rest is in the
        // log. Without this pragma SQLite, which ignores the log here, would call such a file damaged.
        connection.pragma_update(None, "writable_schema", true)?;
        Ok((application_id(&connection)?, user_version(&connection)?))
    });
    match ids {
        Ok((APPLICATION_ID, found)) if found > known => Err(ResultsError::Newer { path: shown(path), found, known }),
        Ok((APPLICATION_ID, _)) => Ok(true),
        Ok(_) => Err(ResultsError::OtherApplication(shown(path))),
        Err(e) if e.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(ResultsError::SomethingElse(shown(path)))
        }
        Err(e) => Err(unread(path, e)),
    }
}

/// The folder of a file that exists or may be created.
fn folder_of(path: &Path) -> Result<&Path, ResultsError> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() { Ok(folder) } else { Err(ResultsError::NoFolder { path: shown(path), folder: shown(folder) }) }
}

/// Whether a file can be opened for writing, as far as this can be checked without creating it.
pub(crate) fn can_write(path: &Path, steps: &[&str]) -> Result<(), ResultsError> {
    if is_there(path, migrations::version(steps))? {
        return open_to_write(path, steps).map(drop);
    }
    let folder = folder_of(path)?;
    if dbdyno_files::may_write(folder) && (!path.exists() || dbdyno_files::may_write(path)) {
        Ok(())
    } else {
        Err(ResultsError::Unwritable(shown(path)))
    }
}

fn open_to_write(path: &Path, steps: &[&str]) -> Result<Connection, ResultsError> {
    folder_of(path)?;
    dbdyno_files::make_private(path);
    let failed = |e| ResultsError::from_sqlite(path, "open", e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(Duration::from_secs(PATIENCE_S)).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(ResultsError::Unwritable(shown(path)));
    }
    // Hours of measurements must not be written to a file that cannot be read again.
    must_be_whole(&connection, path)?;
    refuse_newer(&connection, path, steps)?;
    refuse_while_an_older_one_measures(&connection, path, steps)?;
    migrations::migrate(&mut connection, steps).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    // NORMAL would survive kill -9 as well. FULL also survives a loss of power, for one sync a point (benches/own_cost
    // times it).
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    Ok(connection)
}

/// Refuses a file whose pages are inconsistent.
pub(crate) fn must_be_whole(connection: &Connection, path: &Path) -> Result<(), ResultsError> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found.map_err(|e| ResultsError::from_sqlite(path, "open", e))? {
        ok if ok == "ok" => Ok(()),
        detail => Err(ResultsError::Damaged { path: shown(path), detail }),
    }
}

/// A reader opens the file for writing if it may, and forbids itself to write. Only then SQLite recovers what a killed
/// process left behind, and removes its side files when the last reader closes.
fn open_to_read(path: &Path, steps: &[&str]) -> Result<Connection, ResultsError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(PATIENCE_S))?;
        connection.pragma_update(None, "query_only", true)?;
        user_version(&connection)?;
        Ok(connection)
    });
    let connection = match opened {
        Err(e) if matches!(e.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) => {
            // A read-only folder has no room for side files. That is no obstacle if nothing waits in the log.
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            if Path::new(&log).metadata().is_ok_and(|m| m.len() > 0) {
                return Err(ResultsError::Unreadable(shown(path)));
            }
            open_immutable(path)
        }
        other => other,
    };
    let connection = connection.map_err(|e| unread(path, e))?;
    refuse_newer(&connection, path, steps)?;
    match user_version(&connection).map_err(|e| unread(path, e))? {
        // The creator was killed before its first transaction was complete.
        0 => Err(ResultsError::NoResults(shown(path))),
        seen if seen < migrations::version(steps) => upgraded_copy(&connection, steps).map_err(|e| unread(path, e)),
        _ => Ok(connection),
    }
}

/// SQLite makes a missing index of the log, and a connection that may write brings a log that was left behind into the
/// main file. So a file without a log, or whose log has no index, is read as it is; otherwise the connection may not
/// write.
fn open_to_glance(path: &Path) -> Result<Connection, ResultsError> {
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        Path::new(&name).metadata().is_ok_and(|file| file.len() > 0)
    };
    let opened = if beside("-wal") && beside("-shm") {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags).and_then(|connection| {
            connection.busy_timeout(Duration::ZERO)?;
            Ok(connection)
        })
    } else {
        open_immutable(path)
    };
    opened.map_err(|e| unread(path, e))
}

/// The examination of the main file may have missed what is in the write-ahead log.
fn refuse_newer(connection: &Connection, path: &Path, steps: &[&str]) -> Result<(), ResultsError> {
    let known = migrations::version(steps);
    match user_version(connection).map_err(|e| unread(path, e))? {
        found if found > known => Err(ResultsError::Newer { path: shown(path), found, known }),
        _ => Ok(()),
    }
}

/// A process that measures into an older file could record nothing more after an upgrade of its schema.
fn refuse_while_an_older_one_measures(
    connection: &Connection,
    path: &Path,
    steps: &[&str],
) -> Result<(), ResultsError> {
    let failed = |e| ResultsError::from_sqlite(path, "open", e);
    let seen = user_version(connection).map_err(failed)?;
    if seen == 0 || seen == migrations::version(steps) {
        return Ok(());
    }
    let mut query = connection.prepare("SELECT id, lease FROM runs WHERE lease IS NOT NULL").map_err(failed)?;
    let mut rows = query.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let (run, lease): (String, String) = row.get(0).and_then(|run| Ok((run, row.get(1)?))).map_err(failed)?;
        // An unreadable lease counts as expired.
        let lease = serde_json::from_str::<Lease>(&lease).ok().filter(Lease::holds);
        if let Some(Lease { pid, .. }) = lease {
            return Err(ResultsError::OlderAtWork { path: shown(path), run, pid });
        }
    }
    Ok(())
}

/// A reader leaves an older file as it is, so that the older dbdyno can still read it.
fn upgraded_copy(connection: &Connection, steps: &[&str]) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(connection, &mut copy)?.run_to_completion(1_000, Duration::ZERO, None)?;
    migrations::migrate(&mut copy, steps)?;
    copy.pragma_update(None, "query_only", true)?;
    Ok(copy)
}

/// Why a file could not be opened for reading.
fn unread(path: &Path, error: rusqlite::Error) -> ResultsError {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            ResultsError::Unreadable(shown(path))
        }
        _ => ResultsError::from_sqlite(path, "read", error),
    }
}

/// What is percent-encoded in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = percent_encode(absolute.as_os_str().as_bytes(), ENCODED);
    let uri = format!("file://{path}?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Runs are searched in every older file.
    const OLDER: &[&str] =
        &["CREATE TABLE kept (a INTEGER); INSERT INTO kept VALUES (7); CREATE TABLE runs (id, lease);"];
    const CURRENT: &[&str] = &[OLDER[0], "ALTER TABLE kept ADD COLUMN b INTEGER DEFAULT 1;"];

    #[test]
    fn a_new_file_is_its_owners_alone_and_nothing_is_made_to_find_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        can_write(&path, CURRENT).unwrap();
        assert!(!path.exists());
        let connection = open(&path, FileAccess::ReadWrite, CURRENT).unwrap();
        connection.execute_batch("INSERT INTO kept VALUES (8, 1)").unwrap();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            assert_eq!(
                std::os::unix::fs::PermissionsExt::mode(&entry.unwrap().metadata().unwrap().permissions()) & 0o077,
                0
            );
        }
        can_write(&path, CURRENT).unwrap();
        let refused = |path: &Path| can_write(path, CURRENT).unwrap_err();
        assert!(matches!(refused(&folder.path().join("no/x.db")), ResultsError::NoFolder { .. }));
        assert!(matches!(refused(folder.path()), ResultsError::Folder { .. }));
    }

    fn sum(connection: &Connection) -> rusqlite::Result<i64> {
        connection.query_row("SELECT a + b FROM kept", [], |row| row.get(0))
    }

    #[test]
    fn a_reader_understands_an_older_file_and_leaves_it_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b%?#é.db");
        drop(open(&path, FileAccess::ReadWrite, OLDER).unwrap());
        let before = std::fs::read(&path).unwrap();
        assert_eq!(sum(&open(&path, FileAccess::ReadOnly, CURRENT).unwrap()).unwrap(), 8);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(sum(&open(&path, FileAccess::ReadWrite, OLDER).unwrap()).is_err());
    }

    /// Every file in a folder, with its content.
    fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        files.sort();
        files
    }

    #[test]
    fn a_glance_makes_and_changes_nothing_and_sees_what_a_living_process_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        let glance = || open(&path, FileAccess::Glance, CURRENT);
        assert!(matches!(glance().unwrap_err(), ResultsError::NoResults(_)));
        assert!(files(folder.path()).is_empty());
        let writer = open(&path, FileAccess::ReadWrite, CURRENT).unwrap();
        writer.execute_batch("INSERT INTO kept VALUES (8, 1)").unwrap();
        let count = |connection: &Connection| {
            connection.query_row("SELECT count(*) FROM kept", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(count(&glance().unwrap()), 2);
        // A process that was killed leaves its log, with an index of it or without.
        let left = tempfile::tempdir().unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let name = format!("dbdyno.db{suffix}");
            std::fs::copy(folder.path().join(&name), left.path().join(&name)).unwrap();
        }
        for _ in ["with an index", "without"] {
            let before = files(left.path());
            let connection = open(&left.path().join("dbdyno.db"), FileAccess::Glance, CURRENT).unwrap();
            assert!(count(&connection) >= 1);
            drop(connection);
            let main = |files: &[(std::path::PathBuf, Vec<u8>)]| {
                files.iter().filter(|(p, _)| !p.ends_with("dbdyno.db-shm")).cloned().collect::<Vec<_>>()
            };
            assert!(main(&files(left.path())) == main(&before));
            assert_eq!(files(left.path()).len(), before.len());
            _ = std::fs::remove_file(left.path().join("dbdyno.db-shm"));
        }
        drop(writer);
        let before = files(folder.path());
        assert_eq!(count(&glance().unwrap()), 2);
        assert!(files(folder.path()) == before);
    }

    #[test]
    fn a_writer_brings_an_older_file_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        drop(open(&path, FileAccess::ReadWrite, OLDER).unwrap());
        assert_eq!(sum(&open(&path, FileAccess::ReadWrite, CURRENT).unwrap()).unwrap(), 8);
        let refused = open(&path, FileAccess::ReadWrite, OLDER).unwrap_err();
        assert!(matches!(refused, ResultsError::Newer { found: 2, known: 1, .. }));
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        drop(open(&path, FileAccess::ReadWrite, OLDER).unwrap());
        let broken = [OLDER[0], "DELETE FROM kept; SELECT no_such_function();"];
        let refused = open(&path, FileAccess::ReadWrite, &broken).unwrap_err();
        assert!(matches!(refused, ResultsError::Sqlite { doing: "open", .. }), "{refused}");
        let connection = open(&path, FileAccess::ReadOnly, OLDER).unwrap();
        assert_eq!(connection.query_row("SELECT a FROM kept", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn a_writer_that_the_log_alone_knows_to_be_newer_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        drop(open(&path, FileAccess::ReadWrite, OLDER).unwrap());
        // Kept open, so that the second step stays in the log.
        let _newer = open(&path, FileAccess::ReadWrite, CURRENT).unwrap();
        for access in [FileAccess::ReadOnly, FileAccess::ReadWrite] {
            let refused = open(&path, access, OLDER).unwrap_err();
            assert!(matches!(refused, ResultsError::Newer { found: 2, known: 1, .. }), "{refused}");
        }
    }
}
