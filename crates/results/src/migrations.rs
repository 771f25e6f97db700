//! The schema, as an ordered list of steps. A released step is never changed: a file stores the number of steps applied
//! to it, and a newer dbdyno applies the rest.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a file as ours: "dbdy" in the SQLite header's application id.
pub(crate) const APPLICATION_ID: i32 = 0x6462_6479;

/// Every step, the oldest first. The schema version is the number of steps applied.
pub(crate) const ALL: &[&str] = &[
    include_str!("migrations/001_runs.sql"),
    include_str!("migrations/002_in_short.sql"),
    include_str!("migrations/003_imported.sql"),
    include_str!("migrations/004_versions.sql"),
    include_str!("migrations/005_types.sql"),
    include_str!("migrations/006_tool.sql"),
    include_str!("migrations/007_connections.sql"),
    include_str!("migrations/008_described.sql"),
    include_str!("migrations/009_experiments.sql"),
    include_str!("migrations/010_readings.sql"),
    include_str!("migrations/011_notes.sql"),
];

/// The schema version after all of these steps.
pub(crate) fn version(steps: &[&str]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

/// Applies the missing steps to a file, each in a transaction of its own. If two processes do this at the same time,
/// the second one waits for the first and then finds nothing left to do.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    for (applied_before, step) in (0u32..).zip(steps) {
        if applied_before < user_version(connection)? {
            continue;
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have applied the step before this transaction got its lock.
        if user_version(&transaction)? == applied_before {
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", applied_before + 1)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// The number of steps applied to a file.
pub(crate) fn user_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The id of the application that a file belongs to; 0 if none is set.
pub(crate) fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Lease;
    use crate::{FileAccess, Repository, file};

    /// The content of a file of version 1: a run of two planned points. One was measured twice, the other not yet.
    const CONTENT_OF_VERSION_1: &str = r#"
        INSERT INTO runs VALUES ('abc', 'mine', 'quick', 'T', '7', '2026-01-01T00:00:00.000000000Z', '0.1.0', 'null:',
                                 'interrupted', '{"points": [{}, {}]}', '{}', '{}', NULL);
        INSERT INTO points (run, plan_index, attempt, point) VALUES
            ('abc', 0, 1, '{"status": "failed"}'), ('abc', 0, 2, '{"status": "ok"}');"#;

    #[test]
    fn an_old_file_is_listed_by_readers_and_brought_up_to_date_by_writers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        file::open(&path, FileAccess::ReadWrite, &ALL[..1]).unwrap().execute_batch(CONTENT_OF_VERSION_1).unwrap();
        for access in [FileAccess::ReadOnly, FileAccess::ReadWrite, FileAccess::ReadOnly] {
            let listed = Repository::open(&path, access).unwrap().list_runs().unwrap();
            let counts =
                |s: &crate::RunSummary| (s.points_planned, s.points_done, s.ok, s.failed, s.invalid, s.unsupported);
            assert_eq!(listed.iter().map(counts).collect::<Vec<_>>(), [(2, 1, 1, 0, 0, 0)], "{access:?}");
        }
    }

    /// An older dbdyno that is still measuring must find the tables that it records into.
    #[test]
    fn a_file_that_an_older_dbdyno_measures_into_stays_as_it_is_until_that_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dbdyno.db");
        let mut measuring = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let lease = serde_json::to_string(&Lease::of(measuring.id()).unwrap()).unwrap();
        file::open(&path, FileAccess::ReadWrite, &ALL[..1]).unwrap().execute_batch(CONTENT_OF_VERSION_1).unwrap();
        let older = file::open(&path, FileAccess::ReadWrite, &ALL[..3]).unwrap();
        older.execute("UPDATE runs SET lease = ?1", [lease]).unwrap();
        let refused = Repository::open(&path, FileAccess::ReadWrite).err().unwrap().to_string();
        assert!(refused.contains(&format!("run abc is being measured into {}", path.display())), "{refused}");
        assert!(refused.contains(&format!("by process {}", measuring.id())), "{refused}");
        assert_eq!(user_version(&older).unwrap(), 3);
        // Readers are allowed.
        assert_eq!(Repository::open(&path, FileAccess::ReadOnly).unwrap().list_runs().unwrap().len(), 1);
        older.execute_batch("INSERT INTO histograms VALUES (1, 'service', x'')").unwrap();
        measuring.kill().and_then(|()| measuring.wait()).unwrap();
        Repository::open(&path, FileAccess::ReadWrite).unwrap();
        assert_eq!(user_version(&older).unwrap(), version(ALL));
    }

    /// Lists of many runs must be fast, so they must not read the JSON of plans and points.
    #[test]
    fn lists_read_indexes_alone() {
        let folder = tempfile::tempdir().unwrap();
        let connection = file::open(&folder.path().join("dbdyno.db"), FileAccess::ReadWrite, ALL).unwrap();
        for sql in [crate::read::list_sql(), crate::read::IDS_AND_LABELS.to_owned()] {
            let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let steps = query.query_map([], |row| row.get::<_, String>(3)).unwrap();
            for step in steps.map(Result::unwrap).filter(|step| step.contains("runs") || step.contains("points")) {
                assert!(step.contains("USING COVERING INDEX"), "{step}");
            }
        }
    }

    /// A run of many points must not be read again for each of them.
    #[test]
    fn the_histograms_of_a_point_are_found_by_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let connection = file::open(&folder.path().join("dbdyno.db"), FileAccess::ReadWrite, ALL).unwrap();
        let sql = crate::histograms::histograms_sql(Some(0));
        let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = query.query_map(("run", 0), |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.map(Result::unwrap).collect();
        assert!(steps.iter().any(|step| step.starts_with("SEARCH p ") && step.contains("plan_index=?")), "{steps:?}");
    }
}
