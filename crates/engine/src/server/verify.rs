//! Checksums: leaves read back by all jobs, and compared with what the generator says. How an engine reads one is its
//! own.

use super::{Clock, Connection, Leaf, LoaderPool, Stop, Tally, leaves, recover};
use crate::data::{Checksum, Columns, Generator, Row};
use crate::{EngineError, LoadWatch};
use dbdyno_model::{ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Rows between two looks at who wants us to stop.
const LOOK_ROWS: u64 = 8_000;

/// Reads a leaf's rows into a sum.
pub(crate) type Read<L> = fn(&mut L, &Leaf, &mut Reading<'_>) -> Result<(), EngineError>;

/// A leaf that is being read.
pub struct Reading<'a> {
    checksum: Checksum,
    columns: Columns,
    told: u64,
    stop: &'a Stop<'a>,
    tally: &'a Tally<'a>,
}

impl Reading<'_> {
    /// One more row.
    pub fn add(&mut self, row: &Row<'_>) {
        self.checksum.add(&self.columns.of(row));
    }

    /// Whether to stop, which is looked at now and then; so is the tally told.
    pub fn must_stop(&mut self) -> bool {
        if self.checksum.rows < self.told + LOOK_ROWS {
            return false;
        }
        self.tell();
        self.stop.requested()
    }

    fn tell(&mut self) {
        self.tally.add(self.checksum.rows - self.told);
        self.told = self.checksum.rows;
    }
}

/// What a table holds, by leaf.
type Sums = Mutex<BTreeMap<TableName, Checksum>>;

/// The checksum of a table as the server gives its rows back. `rows` is what it should have, for the progress only.
///
/// # Errors
/// The table cannot be read.
pub fn checksum<L: Connection>(
    crew: &mut LoaderPool<'_, L>,
    table: TableName,
    (rows, columns): (u64, Columns),
    watch: &dyn LoadWatch,
    read: Read<L>,
) -> Result<Checksum, EngineError> {
    let tally = Tally::new(watch, format!("{table} checksum"), 0, rows);
    let sums = Sums::default();
    let work = |connection: &mut L, leaf: &Leaf, (): &mut (), stop: &Stop<'_>| {
        add(&sums, table, sum(connection, leaf, columns, stop, &tally, read)?);
        Ok(())
    };
    crew.each(&format!("reading {table} back"), &leaves(table), || (), work)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner).remove(&table).unwrap_or_default())
}

/// Reads leaves back and compares each with the generator's rows. `clock` measures each.
///
/// # Errors
/// A leaf cannot be read, or holds something else.
pub fn prove<'t, L: Connection>(
    crew: &mut LoaderPool<'_, L>,
    leaves: &[Leaf],
    (size, generator): (&Size, &Generator),
    tally: &Tally<'_>,
    clock: &(dyn Fn(TableName) -> Clock<'t> + Sync),
    read: Read<L>,
) -> Result<BTreeMap<TableName, Checksum>, EngineError> {
    let sums = Sums::default();
    let work = |connection: &mut L, leaf: &Leaf, generator: &mut Generator, stop: &Stop<'_>| {
        let _clock = clock(leaf.table);
        let found = sum(connection, leaf, Columns::All, stop, tally, read)?;
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

fn sum<L>(
    connection: &mut L,
    leaf: &Leaf,
    columns: Columns,
    stop: &Stop<'_>,
    tally: &Tally<'_>,
    read: Read<L>,
) -> Result<Checksum, EngineError> {
    let mut reading = Reading { checksum: Checksum::default(), columns, told: 0, stop, tally };
    read(connection, leaf, &mut reading)?;
    reading.tell();
    Ok(reading.checksum)
}

fn add(sums: &Sums, table: TableName, part: Checksum) {
    recover(sums).entry(table).or_default().merge(part);
}
