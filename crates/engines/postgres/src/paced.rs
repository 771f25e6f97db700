//! Settings of its own for a point whose writing must keep up with its dirtying (T721), on a private instance alone:
//! its checkpoints come between points, so without them nothing would be written inside the window.
//!
//! They stand at the end of the file of settings that `dbdyno up` writes, under a mark. So whatever a user has set by
//! ALTER SYSTEM stays untouched and goes first, the next start writes the file anew without them, and a point that
//! finds the mark (its dbdyno was killed) takes them away before it does anything else.

use super::connection::PostgresConnection;
use super::private::SETTINGS;
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{Connection as _, first};
use dbdyno_engine::servers::DataFolder;
use dbdyno_engine::{BlockWrites, EngineError};
use dbdyno_model::ErrorClass;
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

/// Begins what is a point's own in the file.
const MARK: &str = "\n# For one point alone; dbdyno takes this away again.\n";
/// A checkpoint is begun after about half of this much log, and is paced to end when nine tenths of that again is
/// written.
const MAX_WAL_SIZE: &str = "128MB";
/// How long the server may take to read its settings.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// What checkpoints have written is made known a moment after they have ended.
const ACCOUNT: Duration = Duration::from_millis(50);
const DOING: &str = "setting how the server writes";

/// Has checkpoints come by the size of the log. Nothing where the settings cannot be made, or a user's own stand
/// against it.
///
/// # Errors
/// The server is lost.
pub(super) fn begin(
    connection: &mut PostgresConnection,
    server: &PrivateServer,
) -> Result<BTreeMap<String, String>, EngineError> {
    let own = format!("max_wal_size = {MAX_WAL_SIZE}\n");
    if write(server, Some(&own)).is_err() {
        return Ok(BTreeMap::new());
    }
    if !reload(connection, |now| now == MAX_WAL_SIZE)? {
        restore(connection, server)?;
        return Ok(BTreeMap::new());
    }
    let names = ["checkpoint_completion_target", "checkpoint_timeout", "max_wal_size"];
    let mut settings = BTreeMap::new();
    for name in names {
        let value = first(connection.texts(DOING, &format!("SELECT current_setting('{name}')"))?);
        settings.insert(name.to_owned(), value.unwrap_or_default());
    }
    Ok(settings)
}

/// Takes away what is a point's own, if anything is there.
///
/// # Errors
/// It cannot be taken away, or the server is lost.
pub(super) fn restore(connection: &mut PostgresConnection, server: &PrivateServer) -> Result<(), EngineError> {
    let failed = |e: io::Error| {
        let message =
            format!("{}: {e}; restart the private server to be rid of them", server.data.join(SETTINGS).display());
        EngineError::new(ErrorClass::Other, message).while_doing("putting settings back")
    };
    if write(server, None).map_err(failed)? {
        reload(connection, |now| now != MAX_WAL_SIZE)?;
    }
    Ok(())
}

/// Whether a point's own settings stand in the file.
pub(super) fn is_left(server: &PrivateServer) -> bool {
    DataFolder::open(&server.data).and_then(|folder| folder.read(SETTINGS)).is_ok_and(|text| text.contains(MARK))
}

/// Writes the file anew with these settings of a point's own; says whether that differs from what it was.
fn write(server: &PrivateServer, own: Option<&str>) -> io::Result<bool> {
    let folder = DataFolder::open(&server.data)?;
    let is = folder.read(SETTINGS)?;
    let plain = is.split(MARK).next().unwrap_or_default();
    let shall = own.map_or(plain.to_owned(), |own| format!("{plain}{MARK}{own}"));
    if shall == is {
        return Ok(false);
    }
    folder.write(SETTINGS, &shall).map(|()| true)
}

/// Has the server read its settings; says whether they came to be as they shall.
fn reload(connection: &mut PostgresConnection, shall: impl Fn(&str) -> bool) -> Result<bool, EngineError> {
    connection.batch(DOING, "SELECT pg_reload_conf()")?;
    let began = Instant::now();
    loop {
        let now = first(connection.texts(DOING, "SELECT current_setting('max_wal_size')")?);
        if now.is_some_and(|now| shall(&now)) {
            return Ok(true);
        }
        if began.elapsed() > PATIENCE {
            return Ok(false);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// The last checkpoint that has ended, by its place in the log.
///
/// # Errors
/// The server is lost.
pub(super) fn last_checkpoint(connection: &mut PostgresConnection) -> Result<String, EngineError> {
    let sql = "SELECT checkpoint_lsn FROM pg_catalog.pg_control_checkpoint()";
    Ok(first(connection.texts("looking for the end of a checkpoint", sql)?).unwrap_or_default())
}

/// Blocks written to data files until now, and those that wait.
///
/// # Errors
/// The server is lost, or does not count what waits.
pub(super) fn block_writes(
    connection: &mut PostgresConnection,
    buffercache: Option<&str>,
) -> Result<BlockWrites, EngineError> {
    std::thread::sleep(ACCOUNT);
    let read = super::snapshot::statistics(connection, &[], buffercache)?;
    let get = |name: &str| {
        let why = || EngineError::new(ErrorClass::Unsupported, format!("the server does not tell {name}"));
        read.get(name).copied().ok_or_else(why)
    };
    Ok(BlockWrites { written: get("blocks_written")?, waiting: get("blocks_dirty")? })
}
