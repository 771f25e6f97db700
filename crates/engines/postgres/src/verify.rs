//! How a leaf is read back: through COPY.

use super::connection::PostgresConnection;
use super::copy::Decoder;
use super::load::Broken;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Asked, Leaf, Reading};
use postgres::Client;
use std::io::BufRead;

/// Reads a leaf, as much at a time as has come.
///
/// # Errors
/// It cannot be read, or somebody stopped it.
pub(super) fn read(
    connection: &mut PostgresConnection,
    leaf: &Leaf,
    reading: &mut Reading<'_>,
) -> Result<(), EngineError> {
    let sql = DIALECT.fill("load/copy_out", &[("relation", &leaf.name)])?;
    let doing = format!("reading {} back", leaf.name);
    let read = rows(connection.control(&doing), &sql, reading);
    read.map_err(|broken| broken.in_words(connection, &doing))?;
    connection.count_transactions(2);
    Ok(())
}

fn rows(mut client: Asked<'_, Client>, sql: &str, reading: &mut Reading<'_>) -> Result<(), Broken> {
    let (client, asking) = client.parts();
    let mut reader = client.copy_out(sql)?;
    let mut decoder = Decoder::default();
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let taken = chunk.len();
        decoder.take(chunk, |row| reading.add(row)).map_err(Broken::Damaged)?;
        reader.consume(taken);
        asking.heard();
        if reading.must_stop() {
            return Err(Broken::Stopped);
        }
    }
    decoder.finish().map_err(Broken::Damaged)
}
