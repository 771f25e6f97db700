//! What PostgreSQL says of itself: for the run's record, and for the reader of a figure. The questions are in
//! sql/describe.sql.

use super::connection::PostgresConnection;
use crate::DIALECT;
use dbdyno_engine::server::Connection;
use dbdyno_engine::{Durability, EngineError};
use dbdyno_model::{CommitMode, Database, ErrorClass};
use std::collections::BTreeMap;

/// The parameter that says how far a commit waits.
const SYNCHRONOUS_COMMIT: &str = "synchronous_commit";

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut PostgresConnection) -> Result<Database, EngineError> {
    let mut version = ask(connection, "version")?;
    let parameters = ask(connection, "parameters")?;
    let mut facts = ask(connection, "facts")?;
    facts.extend(version.remove_entry("build"));
    facts.insert("licence".to_owned(), "PostgreSQL licence; no licence to count".to_owned());
    let version = version.remove("version").unwrap_or_else(|| connection.version_num().to_string());
    Ok(Database { engine: super::INFO.name.to_owned(), version, parameters, facts, notice: None })
}

/// Names and values that a question of sql/describe.sql is answered with. A value that the server does not show is left
/// out.
///
/// # Errors
/// The server is lost.
pub(super) fn ask(connection: &mut dyn Connection, question: &str) -> Result<BTreeMap<String, String>, EngineError> {
    let sql = &DIALECT
        .get(&format!("describe/{question}"))
        .map_err(|e| EngineError::new(ErrorClass::Other, e.to_string()))?
        .text;
    let rows = connection.texts(&format!("asking the server for its {question}"), sql)?;
    let pair = |row: Vec<Option<String>>| match <[_; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name, value)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// How durable commits of dbdyno's sessions are.
///
/// # Errors
/// The server is lost.
pub(super) fn durability(connection: &mut PostgresConnection, commit: CommitMode) -> Result<Durability, EngineError> {
    let mut durability = durability_of(ask(connection, "durability")?, commit);
    let not_logged = ask(connection, "not_logged")?;
    if let Some((first, how)) = not_logged.first_key_value() {
        let others = match not_logged.len() {
            1 => String::new(),
            n => format!(" and {} more are", n - 1),
        };
        let is = if others.is_empty() { " is" } else { "" };
        durability.unsafe_settings.push(format!(
            "table {first}{others}{is} {how}: commits that change it do not wait for the log, and a crash empties it; ALTER \
             TABLE ... SET LOGGED"
        ));
    }
    Ok(durability)
}

/// Whether the log's files are opened so that writing to them is syncing them.
///
/// # Errors
/// The server is lost.
pub(super) fn log_is_synced_by_writing(connection: &mut PostgresConnection) -> Result<bool, EngineError> {
    Ok(ask(connection, "durability")?.get("wal_sync_method").is_some_and(|method| method.starts_with("open_")))
}

/// What sessions set so that their commits are as asked.
///
/// # Errors
/// The server is lost.
pub(super) fn commit_settings(
    connection: &mut dyn Connection,
    commit: CommitMode,
) -> Result<Vec<(&'static str, String)>, EngineError> {
    let servers = ask(connection, "durability")?;
    let set = servers.get(SYNCHRONOUS_COMMIT).and_then(|own| synchronous_commit(commit, own));
    Ok(set.map(|value| (SYNCHRONOUS_COMMIT, value.to_owned())).into_iter().collect())
}

/// What sessions set synchronous_commit to where the server's own setting does not do. Every other value than `off`
/// waits for the local log at least; which of them it is says how standbys take part, and that is the platform's.
fn synchronous_commit(commit: CommitMode, servers_own: &str) -> Option<&'static str> {
    (commit == CommitMode::Durable && servers_own == "off").then_some("on")
}

fn durability_of(mut settings: BTreeMap<String, String>, commit: CommitMode) -> Durability {
    let is_off = |settings: &BTreeMap<String, String>, name| settings.get(name).is_some_and(|value| value == "off");
    let mut unsafe_settings = Vec::new();
    if is_off(&settings, "fsync") {
        unsafe_settings.push("fsync=off: a power failure loses commits and can damage the database".to_owned());
    }
    if is_off(&settings, "full_page_writes") {
        let text = "full_page_writes=off: a power failure can leave torn pages that recovery cannot mend, unless the \
                    storage writes whole pages or none";
        unsafe_settings.push(text.to_owned());
    }
    let own = settings.get(SYNCHRONOUS_COMMIT).cloned().unwrap_or_default();
    if let Some(set) = synchronous_commit(commit, &own) {
        let told = format!("{set} (set by dbdyno; the server's own is {own})");
        settings.insert(SYNCHRONOUS_COMMIT.to_owned(), told);
    } else if own == "off" {
        unsafe_settings.push("synchronous_commit=off: a crash loses the last commits".to_owned());
    }
    Durability { settings, unsafe_settings, by_default: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(fsync: &str, pages: &str, commit: &str) -> BTreeMap<String, String> {
        let settings = [("fsync", fsync), ("full_page_writes", pages), (SYNCHRONOUS_COMMIT, commit)];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn durable_sessions_wait_and_say_so() {
        let durable = durability_of(settings("on", "on", "off"), CommitMode::Durable);
        assert_eq!(durable.unsafe_settings, Vec::<String>::new());
        assert_eq!(durable.settings[SYNCHRONOUS_COMMIT], "on (set by dbdyno; the server's own is off)");
        let default = durability_of(settings("on", "on", "off"), CommitMode::EngineDefault);
        assert!(default.unsafe_settings[0].starts_with("synchronous_commit=off"), "{default:?}");
        assert_eq!(default.settings[SYNCHRONOUS_COMMIT], "off");
    }

    #[test]
    fn what_dbdyno_cannot_mend_stays_unsafe() {
        let durable = durability_of(settings("off", "off", "remote_write"), CommitMode::Durable);
        assert_eq!(durable.settings[SYNCHRONOUS_COMMIT], "remote_write");
        assert!(durable.unsafe_settings[0].starts_with("fsync=off"), "{durable:?}");
        assert!(durable.unsafe_settings[1].starts_with("full_page_writes=off"), "{durable:?}");
    }
}
