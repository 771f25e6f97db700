//! Watches the sessions of a point while they work: what they wait for, and who else is at work in the database. Shares
//! of samples are the only way to waits that the server offers to everybody.

use super::connection::PostgresConnection;
use super::grants;
use super::options::Options;
use super::snapshot::flush;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, Seen, Watch, first};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

/// What a session that waits for nothing does.
const RUNNING: (&str, &str) = ("CPU", "running");

/// A thread that looks, with a connection of its own. Ends when dropped.
pub(super) struct Monitor(Watch<PostgresConnection>);

impl Monitor {
    /// Begins to watch a node. `ours` are the processes of dbdyno's own sessions there, which may grow.
    ///
    /// # Errors
    /// No connection, no thread, or no right to see what others do.
    pub(super) fn start(options: &Options, node: usize, ours: Arc<Mutex<BTreeSet<u64>>>) -> Result<Self, EngineError> {
        let mut connection = PostgresConnection::open(options, node, "dbdyno watch")?;
        let may_see =
            first(connection.texts("looking at privileges", &DIALECT.get("counters/may_see_activity")?.text)?);
        let blind = may_see.as_deref() != Some("1");
        let why_blind = blind.then(|| grants::why_missing(grants::MONITOR, connection.version_num()));
        let watch = Watch::start(connection, ours, &DIALECT.get("counters/activity")?.text, why_blind, |row| {
            let text = |n: usize| row.get(n).cloned().flatten();
            let (class, event) = match text(3)?.as_str() {
                "" => (RUNNING.0.to_owned(), RUNNING.1.to_owned()),
                class => (class.to_owned(), text(4)?),
            };
            // A parallel worker's number is that of the session whose statement it works for.
            Some((text(1)?.parse().ok()?, class, event))
        })?;
        Ok(Self(watch))
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Seen {
        self.0.seen()
    }

    /// The connection, while nobody looks: for making its own statistics visible.
    pub(super) fn connection(&self) -> MutexGuard<'_, PostgresConnection> {
        self.0.connection()
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.0.stop();
        // What it has not made visible yet would become so at some moment of the next point. Nobody waits for a server
        // that is lost.
        drop(flush(&mut self.0.connection(), None));
    }
}
