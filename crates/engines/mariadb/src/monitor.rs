//! Watches the sessions of a point while they work: what state they are in, and who else is at work on the server. Ten
//! looks a second cost next to nothing. Where performance_schema is on, it also sees to it that waits for files are
//! counted.

use super::connection::MariaDbConnection;
use super::privileges;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, OwnSessions, Watch, first};
use mysql::prelude::Queryable as _;
use std::sync::{Arc, Mutex};

/// The grants that take part in counting files.
const FILES: [&str; 2] = ["SELECT ON performance_schema", "UPDATE ON performance_schema"];
/// Why files and the log are neither counted nor timed.
const NO_PERFORMANCE_SCHEMA: &str = "performance_schema is off; start the server with performance_schema = ON";
const NO_FILE_INSTRUMENTS: &str = "the instruments of files are switched off in performance_schema, and only watching (not with --no-sampling) switches \
     them on";

/// Begins to watch a node. `ours` are dbdyno's own sessions there, which may grow. Instruments that it switches on are
/// on for as long as it watches.
///
/// # Errors
/// The server is lost, or no thread.
pub(super) fn watch(
    mut connection: MariaDbConnection,
    ours: Arc<Mutex<OwnSessions>>,
) -> Result<Watch<MariaDbConnection>, EngineError> {
    let may_see = connection.texts("looking at privileges", &DIALECT.get("statistics/may_see_activity")?.text)?;
    let why_blind =
        (first(may_see).as_deref() == Some("0")).then(|| privileges::why_missing(&mut connection, &["PROCESS"]));
    let switched = switch_on(&mut connection);
    Watch::start(connection, ours, &DIALECT.get("statistics/activity")?.text, why_blind, move |connection| {
        for instrument in &switched {
            switch(connection, instrument, "NO");
        }
    })
}

/// Switches on what counts waits for files, where somebody has switched it off and we may. What cannot be switched is
/// missing from the counters, with the reason.
fn switch_on(connection: &mut MariaDbConnection) -> Vec<String> {
    let Ok(sql) = DIALECT.get("statistics/instruments_off") else { return Vec::new() };
    let off = connection.texts("looking at performance_schema", &sql.text).unwrap_or_default();
    let names = off.into_iter().filter_map(|row| row.into_iter().next().flatten());
    names.filter(|name| switch(connection, name, "YES")).collect()
}

fn switch(connection: &mut MariaDbConnection, instrument: &str, to: &str) -> bool {
    let Ok(sql) = DIALECT.get("statistics/switch_instrument") else { return false };
    connection.control("switching what counts waits for files").exec_drop(&sql.text, (to, to, instrument)).is_ok()
}

/// Why performance_schema does not tell of files: it is off, may not be read, or its instruments are off, which is what
/// a point's watch switches on if it may.
pub(super) fn why_no_files(connection: &mut MariaDbConnection, may_read: bool) -> String {
    let is_on = |connection: &mut MariaDbConnection| {
        first(connection.texts("looking at performance_schema", "SELECT @@performance_schema").ok()?)
    };
    if !may_read && is_on(connection).as_deref() != Some("1") {
        return NO_PERFORMANCE_SCHEMA.to_owned();
    }
    let missing = FILES.into_iter().find_map(|grant| privileges::if_missing(connection, grant));
    missing.unwrap_or_else(|| NO_FILE_INSTRUMENTS.to_owned())
}
