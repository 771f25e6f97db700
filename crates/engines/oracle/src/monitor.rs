//! Watches the sessions of a point while they work: what they wait for, and who else is at work in the instance. Reads
//! `v$session`, which no pack has to be licensed for; Oracle's own samples of it (ASH) are another matter.

use super::connection::OracleConnection;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, OwnSessions, Watch};
use dbdyno_model::ErrorClass;
use std::sync::{Arc, Mutex};

/// Begins to watch a node. `ours` are dbdyno's own sessions there, which may grow.
///
/// # Errors
/// The server is lost, no thread, or `v$session` may not be read.
pub(super) fn watch(
    mut connection: OracleConnection,
    ours: Arc<Mutex<OwnSessions>>,
) -> Result<Watch<OracleConnection>, EngineError> {
    let sql = &DIALECT.get("statistics/activity")?.text;
    match connection.texts("looking at sessions", sql) {
        Err(error) if error.class == ErrorClass::UnknownObject => {
            let why = "this user may not see sessions; `dbdyno check` says what to grant";
            return Err(EngineError::new(ErrorClass::Permission, why));
        }
        looked => drop(looked?),
    }
    Watch::start(connection, ours, sql, None, |_| ())
}
