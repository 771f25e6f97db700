//! The schema, as the ordered list of steps that lead to it. A step is never changed once released: files carry the
//! number of steps that they have seen, and a newer dbdyno takes the rest.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a file as ours: "dbdy" in the SQLite header's application id.
pub(crate) const APPLICATION_ID: i32 = 0x6462_6479;

/// Every step, oldest first. The schema version is the number of steps taken.
pub(crate) const ALL: &[&str] = &[include_str!("migrations/001_runs.sql")];

/// The schema version that a list of steps leads to.
pub(crate) fn version(steps: &[&str]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

/// Takes the steps that the file has not seen, each in a transaction of its own. Two processes that do so at once take
/// turns, and the second finds nothing left to do.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    for (seen, step) in (0u32..).zip(steps) {
        if seen < user_version(connection)? {
            continue;
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if user_version(&transaction)? == seen {
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", seen + 1)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// The number of steps that a file has seen.
pub(crate) fn user_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whose file it is; 0 where no application says so.
pub(crate) fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}
