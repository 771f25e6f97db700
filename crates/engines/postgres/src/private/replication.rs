//! A standby of PostgreSQL: streaming replication through the primary's socket, as the one who may come through it.

use super::{NAME, PORT, Postgres, options_of};
use crate::connection::PostgresConnection;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::servers::{Link, Observed, Place, Product as _, Replication, Setting, StandbyKind};
use std::io;

/// The name by which a primary knows its standby.
const STANDBY: &str = "dbdyno_standby";
/// What of its log a primary keeps for a standby that is late.
const KEPT_LOG: &str = "2GB";
/// How a standby replicates, where it streams.
const STREAMS: &str =
    "SELECT state, sync_state FROM pg_catalog.pg_stat_replication WHERE application_name = 'dbdyno_standby'";
/// Waits until what was received is applied and it is a primary.
const PROMOTE: &str = "SELECT pg_catalog.pg_promote(true, 60)";

impl Replication for Postgres {
    fn kinds(&self) -> &'static [StandbyKind] {
        &[StandbyKind::Sync, StandbyKind::Async]
    }

    fn link(&self, primary: &Place) -> io::Result<Link> {
        Ok(Link::Socket(primary.socket_folder.join(self.about().socket_name)))
    }

    fn of_primary(&self, kind: StandbyKind, _: &Link) -> Vec<Setting> {
        let names = if kind == StandbyKind::Async { "" } else { STANDBY };
        let settings = [("synchronous_standby_names", names), ("wal_keep_size", KEPT_LOG)];
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    fn of_standby(&self, _: StandbyKind, link: &Link) -> Vec<Setting> {
        let (host, port) = match link {
            Link::Socket(path) => (path.parent().map(|folder| folder.display().to_string()), PORT),
            Link::Port(port) => (Some("127.0.0.1".to_owned()), *port),
        };
        let host = host.unwrap_or_default().replace('\\', "\\\\").replace('\'', "\\'");
        let primary = format!("host='{host}' port={port} user={NAME} application_name={STANDBY}");
        vec![("primary_conninfo".to_owned(), primary), ("hot_standby".to_owned(), "on".to_owned())]
    }

    fn standby_file(&self) -> Option<&'static str> {
        Some("standby.signal")
    }

    /// Its settings say all.
    fn follow(&self, _: &Place, _: &Place, _: &Link) -> Result<(), EngineError> {
        Ok(())
    }

    fn observe(&self, primary: &Place, standby: &Place) -> Result<Observed, EngineError> {
        let seen = open(primary)?.texts("looking at the standby", STREAMS)?;
        let recovers = open(standby)?.texts("looking at the standby", "SELECT pg_catalog.pg_is_in_recovery()")?;
        let is_standby = recovers.concat() == [Some("t".to_owned())];
        let (state, sync_state) = match seen.as_slice() {
            [row] => {
                let of = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
                (of(0), of(1))
            }
            [] => return Ok(Observed { kind: None, text: "no standby is connected".to_owned() }),
            _ => return Ok(Observed { kind: None, text: "several standbys are connected".to_owned() }),
        };
        let kind = match sync_state.as_str() {
            "sync" | "quorum" => Some(StandbyKind::Sync),
            "async" => Some(StandbyKind::Async),
            _ => None,
        };
        let recovery = if is_standby { "in recovery" } else { "not in recovery" };
        let text = format!("pg_stat_replication says {state}, {sync_state}; the standby is {recovery}");
        Ok(Observed { kind: kind.filter(|_| is_standby && state == "streaming"), text })
    }

    fn promote(&self, standby: &Place) -> Result<(), EngineError> {
        let mut connection = open(standby)?;
        let said = connection.texts("promoting the standby", PROMOTE)?;
        match said.concat().as_slice() {
            [Some(done)] if done == "t" => Ok(()),
            _ => Err(EngineError::other("promoting the standby: it is still in recovery after 60 s")),
        }
    }
}

fn open(place: &Place) -> Result<PostgresConnection, EngineError> {
    let options = options_of(place).map_err(|error| EngineError::other(error.to_string()))?;
    PostgresConnection::open(&options, 0, "dbdyno up")
}
