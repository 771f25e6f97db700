//! How a leaf is read back.

use super::link::Link;
use super::load::{self, Broken, decode};
use crate::EngineError;
use crate::server::{Leaf, Reading};
use mysql::Conn;
use mysql::prelude::Queryable as _;

/// Reads a leaf, row by row.
///
/// # Errors
/// It cannot be read, or somebody stopped it.
pub(super) fn read(link: &mut Link, leaf: &Leaf, reading: &mut Reading<'_>) -> Result<(), EngineError> {
    let sql = load::about("rows_out", leaf)?;
    let read = rows(link.conn(), &sql, reading);
    read.map_err(|broken| broken.in_words(link, &format!("reading {} back", leaf.name)))
}

fn rows(conn: &mut Conn, sql: &str, reading: &mut Reading<'_>) -> Result<(), Broken> {
    // Prepared, so that numbers and days come as such.
    for row in conn.exec_iter(sql, ())? {
        reading.add(&decode(&row?)?);
        if reading.must_stop() {
            return Err(Broken::Stopped);
        }
    }
    Ok(())
}
