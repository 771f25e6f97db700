//! Checksums: leaves read back by all jobs, and compared with what the generator says.

use super::link::Link;
use super::load::{self, decode};
use super::options::Options;
use crate::data::{Checksum, Generator};
use crate::server::{Clock, Crew, Leaf, Stop, Tally, leaves, recover};
use crate::{EngineError, LoadWatch};
use dbdyno_model::{ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Rows between two looks at who wants us to stop.
const LOOK_ROWS: u64 = 8_000;
/// Rows of one round trip, about 350 KB.
const FETCH_ROWS: u32 = 1_000;

/// What a table holds, by leaf.
type Sums = Mutex<BTreeMap<TableName, Checksum>>;

/// The checksum of a table as the server gives its rows back. `rows` is what it should have, for the progress only.
///
/// # Errors
/// The table cannot be read.
pub(super) fn checksum(
    options: &Options,
    table: TableName,
    rows: u64,
    jobs: u32,
    watch: &dyn LoadWatch,
) -> Result<Checksum, EngineError> {
    let mut crew = load::crew(options, jobs, watch)?;
    let tally = Tally::new(watch, format!("{table} checksum"), 0, rows);
    let sums = Sums::default();
    let work = |link: &mut Link, leaf: &Leaf, (): &mut (), stop: &Stop<'_>| {
        add(&sums, table, read(link, leaf, stop, &tally)?);
        Ok(())
    };
    crew.each(&format!("reading {table} back"), &leaves(table), || (), work)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner).remove(&table).unwrap_or_default())
}

/// Reads leaves back and compares each with the generator's rows. `clock` measures each.
///
/// # Errors
/// A leaf cannot be read, or holds something else.
pub(super) fn prove<'t>(
    crew: &mut Crew<'_, Link>,
    leaves: &[Leaf],
    size: &Size,
    generator: &Generator,
    tally: &Tally<'_>,
    clock: &(dyn Fn(TableName) -> Clock<'t> + Sync),
) -> Result<BTreeMap<TableName, Checksum>, EngineError> {
    let sums = Sums::default();
    let work = |link: &mut Link, leaf: &Leaf, generator: &mut Generator, stop: &Stop<'_>| {
        let _clock = clock(leaf.table);
        let found = read(link, leaf, stop, tally)?;
        let mut made = Checksum::default();
        leaf.ids(size).for_each(|id| made.add(&generator.row(id)));
        if found != made {
            let name = &leaf.name;
            let message =
                format!("{name} reads back as {found}, and the generator made {made}; drop it and load again");
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        add(&sums, leaf.table, found);
        Ok(())
    };
    crew.each("proving the tables' content", leaves, || generator.clone(), work)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn add(sums: &Sums, table: TableName, part: Checksum) {
    recover(sums).entry(table).or_default().merge(part);
}

fn read(link: &mut Link, leaf: &Leaf, stop: &Stop<'_>, tally: &Tally<'_>) -> Result<Checksum, EngineError> {
    let doing = format!("reading {} back", leaf.name);
    let (mut checksum, mut told) = (Checksum::default(), 0);
    let sql = load::about("rows_out", leaf)?;
    let damaged = |how: load::DamagedRow| EngineError::new(ErrorClass::Corruption, format!("{doing}: {how}"));
    link.each_row(&doing, &sql, &[], FETCH_ROWS, |row| {
        checksum.add(&decode(row).map_err(damaged)?);
        if checksum.rows >= told + LOOK_ROWS {
            tally.add(checksum.rows - told);
            told = checksum.rows;
            if stop.requested() {
                return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
            }
        }
        Ok(())
    })?;
    tally.add(checksum.rows - told);
    Ok(checksum)
}
