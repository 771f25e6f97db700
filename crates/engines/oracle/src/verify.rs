//! How a leaf is read back.

use super::connection::OracleConnection;
use super::load::{self, decode};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Leaf, Reading};
use dbdyno_model::ErrorClass;

/// Rows of one round trip, about 350 KB.
const FETCH_ROWS: u32 = 1_000;

/// Reads a leaf, row by row.
///
/// # Errors
/// It cannot be read, or somebody stopped it.
pub(super) fn read(
    connection: &mut OracleConnection,
    leaf: &Leaf,
    reading: &mut Reading<'_>,
) -> Result<(), EngineError> {
    let doing = format!("reading {} back", leaf.name);
    let sql = load::about("rows_out", leaf)?;
    let damaged = |how: load::DamagedRow| EngineError::new(ErrorClass::Corruption, format!("{doing}: {how}"));
    connection.each_row(&doing, &sql, &[], FETCH_ROWS, |row| {
        reading.add(&decode(row).map_err(damaged)?);
        if reading.must_stop() {
            return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
        }
        Ok(())
    })
}
