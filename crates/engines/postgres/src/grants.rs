//! What a run and `check` say of grants that are missing, in the words of the set-up script.

use super::connection::PostgresConnection;
use super::{DIALECT, describe};
use dbdyno_engine::server::grants::{self, Grant};
use dbdyno_engine::{EngineError, Finding};
use dbdyno_model::ErrorClass;

/// The role whose members see what other sessions do, where the server keeps its files and what waits in its memory.
pub(super) const MONITOR: &str = "pg_monitor";
/// The role whose members may make checkpoints.
pub(super) const CHECKPOINT: &str = "pg_checkpoint";
/// Whom the statements are for that a run's record shows: it names no account.
const THIS_USER: &str = "this user";
/// Why there is no statement that helps.
pub(super) const NO_CHECKPOINT: &str = "before version 15 only superusers may make checkpoints";

/// What `check` says of the optional grants of the set-up that this user lacks.
///
/// # Errors
/// The server is lost.
pub(super) fn findings(
    connection: &mut PostgresConnection,
    user: &str,
    database: &str,
) -> Result<Vec<Finding>, EngineError> {
    let held = describe::questions(connection).rows(connection, "describe/held_grants")??;
    let version = connection.version_num() / 10_000;
    let is_held = |grant: &Grant| held.iter().flatten().flatten().any(|name| *name == grant.grant);
    let missing: Vec<&Grant> = DIALECT.grants.iter().filter(|grant| !grant.required && !is_held(grant)).collect();
    Ok(grants::findings(&missing, user, |grant| match grant.is_known_to(version) {
        true => Ok(grant.statement(database, user)),
        false => Err(NO_CHECKPOINT),
    }))
}

/// A grant of the set-up.
pub(super) fn named(name: &str) -> Option<&'static Grant> {
    DIALECT.grants.iter().find(|grant| grant.grant == name)
}

/// What a run says where something is missing for want of a grant.
pub(super) fn why_missing(name: &str, version_num: u32) -> String {
    match named(name) {
        Some(grant) if grant.is_known_to(version_num / 10_000) => grant.reason(&grant.statement("", THIS_USER)),
        Some(grant) => grant.reason(NO_CHECKPOINT),
        None => String::new(),
    }
}

/// What a test is not measured for that a grant is for: no failure, because an administrator may leave it out.
pub(super) fn unmeasured(error: EngineError, name: &str, version_num: u32) -> EngineError {
    if error.class != ErrorClass::Permission {
        return error;
    }
    EngineError::new(ErrorClass::Unsupported, format!("{} ({})", why_missing(name, version_num), error.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grant_of_the_set_up_has_its_words() {
        let names: Vec<&str> = DIALECT.grants.iter().map(|grant| grant.grant.as_str()).collect();
        assert_eq!(names, ["CONNECT ON DATABASE {database}", MONITOR, CHECKPOINT]);
        for grant in &DIALECT.grants {
            assert!(!grant.purpose.is_empty() && !grant.without.is_empty(), "{grant:?}");
            assert_eq!(grant.required, grant.grant.starts_with("CONNECT"), "{grant:?}");
        }
        assert_eq!(named(CHECKPOINT).unwrap().from, Some(15));
        assert!(why_missing(CHECKPOINT, 140_000).ends_with(NO_CHECKPOINT));
        assert!(why_missing(CHECKPOINT, 150_000).ends_with("GRANT pg_checkpoint TO this user"));
    }
}
