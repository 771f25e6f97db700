//! The figures of a profile in words: what each is called, its unit, and the layer that it belongs to.

use crate::document::Form;
use dbdyno_model::{ProfileFigure, ProfileJson};

/// A figure of a profile.
pub(crate) struct Watched {
    /// Its path in a reading.
    pub(crate) path: &'static str,
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    /// Its unit; empty where the figure says it, as a time does.
    pub(crate) unit: &'static str,
    pub(crate) form: Form,
}

const fn watched(
    group: &'static str,
    path: &'static str,
    name: &'static str,
    unit: &'static str,
    form: Form,
) -> Watched {
    Watched { path, group, name, unit, form }
}

const WORK: &str = "Work";
const LOG: &str = "Log";
const CACHE: &str = "Database cache";
const SESSIONS: &str = "Sessions";
const CPU: &str = "Processors";
const DEVICES: &str = "Devices";
const SERVER: &str = "The server's processes";
const NETWORK: &str = "Network";

/// Every figure, in the order in which a report shows them.
pub(crate) const WATCHED: [Watched; 28] = [
    watched(WORK, "database.commits_per_s", "commits", "1/s", Form::Thousands),
    watched(WORK, "database.rollbacks_per_s", "rollbacks", "1/s", Form::Thousands),
    watched(WORK, "database.executions_per_s", "statements", "1/s", Form::Thousands),
    watched(WORK, "database.rows_changed_per_s", "rows changed", "1/s", Form::Thousands),
    watched(LOG, "database.redo.mib_per_s", "redo", "MiB/s", Form::Thousands),
    watched(LOG, "database.redo.writes_per_s", "log writes", "1/s", Form::Thousands),
    watched(LOG, "database.redo.sync_writes_per_s", "log syncs", "1/s", Form::Thousands),
    watched(LOG, "database.redo.sync_service_time_s", "time of a sync", "", Form::Duration),
    watched(LOG, "database.replication_lag_s", "lag of the standby", "", Form::Duration),
    watched(CACHE, "database.logical_reads_per_s", "logical reads", "blocks/s", Form::Thousands),
    watched(CACHE, "database.physical_reads_per_s", "reads below it", "blocks/s", Form::Thousands),
    watched(CACHE, "database.physical_writes_per_s", "writes", "blocks/s", Form::Thousands),
    watched(SESSIONS, "sessions.active", "active", "", Form::Short),
    watched(SESSIONS, "sessions.idle_in_transaction", "idle in transaction", "", Form::Short),
    watched(SESSIONS, "sessions.all", "all", "", Form::Short),
    watched(CPU, "cpu.busy_pct", "busy", "%", Form::Short),
    watched(CPU, "cpu.server_pct", "the server's share", "%", Form::Short),
    watched(CPU, "cpu.others_pct", "the share of others", "%", Form::Short),
    watched(DEVICES, "io.read_iops", "reads", "IOPS", Form::Thousands),
    watched(DEVICES, "io.write_iops", "writes", "IOPS", Form::Thousands),
    watched(DEVICES, "io.read_mib_per_s", "read", "MiB/s", Form::Thousands),
    watched(DEVICES, "io.write_mib_per_s", "written", "MiB/s", Form::Thousands),
    watched(DEVICES, "io.read_service_time_s", "time of a read", "", Form::Duration),
    watched(DEVICES, "io.write_service_time_s", "time of a write", "", Form::Duration),
    watched(SERVER, "server_io.read_mib_per_s", "read", "MiB/s", Form::Thousands),
    watched(SERVER, "server_io.write_mib_per_s", "written", "MiB/s", Form::Thousands),
    watched(NETWORK, "network.receive_mib_per_s", "received", "MiB/s", Form::Thousands),
    watched(NETWORK, "network.send_mib_per_s", "sent", "MiB/s", Form::Thousands),
];

impl Watched {
    /// What a profile has of it.
    pub(crate) fn of<'p>(&self, profile: &'p ProfileJson) -> Option<&'p ProfileFigure> {
        profile.seen.figures.get(self.path)
    }
}

/// A time to the minute, in UTC.
pub(crate) fn minute(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A time to the second, in UTC.
pub(crate) fn second(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::PROFILE_FIGURES;

    #[test]
    fn every_figure_of_a_profile_has_words() {
        let mut known: Vec<&str> = WATCHED.iter().map(|watched| watched.path).collect();
        let mut all = PROFILE_FIGURES.to_vec();
        known.sort_unstable();
        all.sort_unstable();
        assert_eq!(known, all);
    }
}
