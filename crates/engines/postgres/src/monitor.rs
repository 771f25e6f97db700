//! Watches the sessions of a point while they work: what they wait for, and who else is at work in the database. Shares
//! of samples are the only way to waits that the server offers to everybody.

use super::connection::PostgresConnection;
use super::grants;
use super::snapshot::flush;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, OwnSessions, Watch, first};
use std::sync::{Arc, Mutex};

/// Begins to watch a node. `ours` are the processes of dbdyno's own sessions there, which may grow.
///
/// # Errors
/// The server is lost, no thread, or no right to see what others do.
pub(super) fn watch(
    mut connection: PostgresConnection,
    ours: Arc<Mutex<OwnSessions>>,
) -> Result<Watch<PostgresConnection>, EngineError> {
    let may_see = first(connection.texts("looking at privileges", &DIALECT.get("counters/may_see_activity")?.text)?);
    let blind = may_see.as_deref() != Some("1");
    let why_blind = blind.then(|| grants::why_missing(grants::MONITOR, connection.version_num()));
    // What it has not made visible at its end would become so at some moment of the next point. Nobody waits for a
    // server that is lost.
    Watch::start(connection, ours, &DIALECT.get("counters/activity")?.text, why_blind, |connection| {
        drop(flush(connection, None));
    })
}
