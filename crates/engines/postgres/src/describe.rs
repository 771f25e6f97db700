//! What PostgreSQL says of itself: for the run's record, and for the reader of a figure.

use super::connection::PostgresConnection;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::Setting;
use dbdyno_engine::server::{Connection, Questions, describe, pairs};
use dbdyno_model::{CommitMode, Database};

/// The questions to a server of this version.
pub(super) fn questions(connection: &PostgresConnection) -> Questions {
    Questions::new(&DIALECT, connection.version_num() / 10_000)
}

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut PostgresConnection) -> Result<Database, EngineError> {
    let questions = questions(connection);
    describe::database(connection, &questions)
}

/// Whether the log's files are opened so that writing to them is syncing them.
///
/// # Errors
/// The server is lost.
pub(super) fn log_is_synced_by_writing(connection: &mut PostgresConnection) -> Result<bool, EngineError> {
    let rows = questions(connection).rows(connection, "durability/settings")??;
    Ok(pairs(rows).get("wal_sync_method").is_some_and(|method| method.starts_with("open_")))
}

/// What sessions set so that their commits are as asked.
///
/// # Errors
/// The server is lost.
pub(super) fn commit_settings(
    connection: &mut dyn Connection,
    commit: CommitMode,
) -> Result<Vec<Setting>, EngineError> {
    describe::commit_settings(connection, &Questions::new(&DIALECT, 0), commit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Durability;
    use dbdyno_model::Drive;
    use std::collections::BTreeMap;

    /// The parameter that says how far a commit waits.
    const SYNCHRONOUS_COMMIT: &str = "synchronous_commit";

    fn durability_of(fsync: &str, pages: &str, own: &str, commit: CommitMode) -> Durability {
        let settings = [("fsync", fsync), ("full_page_writes", pages), (SYNCHRONOUS_COMMIT, own)];
        let settings: BTreeMap<String, String> =
            settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        DIALECT.settings.durability(settings, commit, Drive::Server)
    }

    #[test]
    fn durable_sessions_wait_and_say_so() {
        let durable = durability_of("on", "on", "off", CommitMode::Durable);
        assert_eq!(durable.unsafe_settings, Vec::<String>::new());
        assert_eq!(durable.settings[SYNCHRONOUS_COMMIT], "on (set by dbdyno; the server's own is off)");
        let default = durability_of("on", "on", "off", CommitMode::EngineDefault);
        assert!(default.unsafe_settings[0].starts_with("synchronous_commit=off"), "{default:?}");
        assert_eq!(default.settings[SYNCHRONOUS_COMMIT], "off");
    }

    #[test]
    fn what_dbdyno_cannot_mend_stays_unsafe() {
        let durable = durability_of("off", "off", "remote_write", CommitMode::Durable);
        assert_eq!(durable.settings[SYNCHRONOUS_COMMIT], "remote_write");
        assert!(durable.unsafe_settings[0].starts_with("fsync=off"), "{durable:?}");
        assert!(durable.unsafe_settings[1].starts_with("full_page_writes=off"), "{durable:?}");
    }
}
