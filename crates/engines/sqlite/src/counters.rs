//! What SQLite tells only through C: counts of a connection's page cache, and the last error of the operating system.
//! This is the one module of dbdyno that may be `unsafe`: rusqlite offers neither call. Both take a live connection,
//! read or reset plain counters inside it and keep nothing; the borrow of the connection keeps it alive, and a
//! connection belongs to one thread at a time.
#![allow(unsafe_code)]

use rusqlite::{Connection, ffi};
use rustix::io::Errno;

/// What a connection's page cache has done since it was last asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PageCounts {
    /// Pages found in the cache.
    pub(super) hits: u64,
    /// Pages read from below it.
    pub(super) misses: u64,
    /// Pages written: to the write-ahead log where there is one, to the data file otherwise.
    pub(super) writes: u64,
}

/// Takes the counts and starts again from zero.
pub(super) fn take_page_counts(connection: &Connection) -> PageCounts {
    PageCounts {
        hits: take(connection, ffi::SQLITE_DBSTATUS_CACHE_HIT),
        misses: take(connection, ffi::SQLITE_DBSTATUS_CACHE_MISS),
        writes: take(connection, ffi::SQLITE_DBSTATUS_CACHE_WRITE),
    }
}

fn take(connection: &Connection, counter: std::ffi::c_int) -> u64 {
    let (mut now, mut highest) = (0, 0);
    // SAFETY: the handle is that of a live, borrowed connection; the two integers outlive the call; SQLite answers an
    // unknown counter with an error and leaves them at zero.
    unsafe { ffi::sqlite3_db_status(connection.handle(), counter, &raw mut now, &raw mut highest, 1) };
    u64::try_from(now).unwrap_or(0)
}

/// What the operating system said to the connection's last failed call, if anything.
pub(super) fn last_errno(connection: &Connection) -> Option<Errno> {
    // SAFETY: the handle is that of a live, borrowed connection; the call reads one integer of it.
    let errno = unsafe { ffi::sqlite3_system_errno(connection.handle()) };
    (errno != 0).then(|| Errno::from_raw_os_error(errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_start_again_when_taken() {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("x.db")).unwrap();
        connection.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
        let written = take_page_counts(&connection);
        assert!(written.writes >= 3 && written.hits + written.misses > 0, "{written:?}");
        assert_eq!(take_page_counts(&connection), PageCounts::default());
        assert_eq!(last_errno(&connection), None);
    }
}
