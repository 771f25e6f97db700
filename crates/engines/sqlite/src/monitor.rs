//! Whether other processes commit while a point is measured. SQLite keeps no such count, but tells each connection
//! whether the file has changed under it (`PRAGMA data_version`). A connection that itself does nothing asks at every
//! reading.
//!
//! It belongs to a point: it is opened when the point begins and closed when it ends, because whoever holds a file with
//! a write-ahead log open keeps others from changing its journal mode or dropping it. It is SQLite's own connection and
//! asks in a read transaction of one statement: nothing here opens the file by other means, whose closing would drop
//! the process's locks.

use super::connection::{Access, SqliteConnection};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use std::path::Path;
use std::time::Duration;

/// How long a reading waits for somebody who holds the file locked.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// Watches for commits of others.
pub(super) struct Monitor {
    connection: SqliteConnection,
    seen: Seen,
}

impl Monitor {
    /// Begins to watch, when our own sessions have committed `own_commits` times.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub(super) fn open(path: &Path, own_commits: u64) -> Result<Self, EngineError> {
        let connection = SqliteConnection::open(path, Access::Write)?;
        connection.raw.busy_timeout(LOCK_WAIT).map_err(|e| connection.says("watching the file", e))?;
        let mut monitor = Self { connection, seen: Seen { own_commits, ..Seen::default() } };
        monitor.seen.version = monitor.version()?;
        Ok(monitor)
    }

    /// Changes seen that only others can have made, or why they cannot be told.
    pub(super) fn foreign_commits(&mut self, own_commits: u64) -> Result<u64, String> {
        let version = self.version().map_err(|error| error.message)?;
        self.seen.foreign_commits(version, own_commits)
    }

    fn version(&self) -> Result<i64, EngineError> {
        let sql = &DIALECT.get("statistics/data_version")?.text;
        self.connection.row("asking whether the file has changed", sql, |row| row.get(0))
    }
}

/// What the last reading knew.
#[derive(Debug, Default)]
struct Seen {
    version: i64,
    own_commits: u64,
    foreign: u64,
}

impl Seen {
    /// Cumulative over readings between which our own sessions committed nothing. A reading that cannot tell starts
    /// the count again, as an absent count is none to whoever takes the difference. Several commits between two
    /// readings are one change.
    fn foreign_commits(&mut self, version: i64, own_commits: u64) -> Result<u64, String> {
        let (changed, own) = (version != self.version, own_commits != self.own_commits);
        (self.version, self.own_commits) = (version, own_commits);
        if own {
            self.foreign = 0;
            return Err("SQLite does not tell commits of other processes from those of the test".to_owned());
        }
        self.foreign += u64::from(changed);
        Ok(self.foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_readings_are_never_too_many() {
        let mut seen = Seen { version: 1, own_commits: 5, foreign: 0 };
        assert_eq!(seen.foreign_commits(1, 5), Ok(0));
        assert_eq!(seen.foreign_commits(7, 5), Ok(1), "the version is no count");
        assert_eq!(seen.foreign_commits(7, 5), Ok(1));
        assert!(seen.foreign_commits(9, 6).unwrap_err().contains("does not tell"));
        assert_eq!(seen.foreign_commits(9, 6), Ok(0), "counted from the reading that could not tell");
        assert_eq!(seen.foreign_commits(10, 6), Ok(1));
    }
}
