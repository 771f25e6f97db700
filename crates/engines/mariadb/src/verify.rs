//! How a leaf is read back.

use super::connection::MariaDbConnection;
use super::load::{self, Broken, decode};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Asked, Leaf, Reading};
use mysql::Conn;
use mysql::prelude::Queryable as _;

/// Reads a leaf, row by row.
///
/// # Errors
/// It cannot be read, or somebody stopped it.
pub(super) fn read(
    connection: &mut MariaDbConnection,
    leaf: &Leaf,
    reading: &mut Reading<'_>,
) -> Result<(), EngineError> {
    let sql = load::about("rows_out", leaf)?;
    let doing = format!("reading {} back", leaf.name);
    let read = rows(connection.control(&doing), &sql, reading);
    read.map_err(|broken| broken.in_words(connection, &doing))
}

fn rows(mut conn: Asked<'_, Conn>, sql: &str, reading: &mut Reading<'_>) -> Result<(), Broken> {
    let (conn, asking) = conn.parts();
    // Prepared, so that numbers and days come as such.
    for row in conn.exec_iter(sql, ())? {
        reading.add(&decode(&row?)?);
        asking.heard();
        if reading.must_stop() {
            return Err(Broken::Stopped);
        }
    }
    Ok(())
}
