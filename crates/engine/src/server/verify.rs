//! Checksums: leaves read back by all sessions of a load, and compared with what the generator says.

use super::{Clock, Connection, Leaf, LoadStop, LoaderPool, PhaseProgress, ProductTables, leaves, recover};
use crate::client::Values;
use crate::data::{Checksum, Columns, Generator, RowSum, test_columns};
use crate::{EngineError, LoadWatch};
use dbdyno_model::{ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Rows between two looks at who wants us to stop.
const LOOK_ROWS: u64 = 8_000;

/// What a table holds, by leaf.
type Sums = Mutex<BTreeMap<TableName, Checksum>>;

/// The checksum of a table as the server gives its rows back. `rows` is what it should have, for the progress only.
///
/// # Errors
/// The table cannot be read.
pub fn checksum<P: ProductTables>(
    pool: &mut LoaderPool<'_, P::Connection>,
    table: TableName,
    (rows, columns): (u64, Columns),
    watch: &dyn LoadWatch,
) -> Result<Checksum, EngineError> {
    let progress = PhaseProgress::new(watch, format!("{table} checksum"), 0, rows);
    let sums = Sums::default();
    let work = |connection: &mut P::Connection, leaf: &Leaf, (): &mut (), stop: &LoadStop<'_>| {
        add(&sums, table, sum::<P>(connection, leaf, columns, (stop, &progress))?);
        Ok(())
    };
    pool.each(&format!("reading {table} back"), &leaves(table), || (), work)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner).remove(&table).unwrap_or_default())
}

/// Reads leaves back and compares each with the generator's rows, in the columns that count for its table. `clock`
/// measures each.
///
/// # Errors
/// A leaf cannot be read, or holds something else.
pub(super) fn prove<'t, P: ProductTables>(
    pool: &mut LoaderPool<'_, P::Connection>,
    leaves: &[Leaf],
    (size, generator): (&Size, &Generator),
    columns: &(dyn Fn(TableName) -> Columns + Sync),
    progress: &PhaseProgress<'_>,
    clock: &(dyn Fn(TableName) -> Clock<'t> + Sync),
) -> Result<BTreeMap<TableName, Checksum>, EngineError> {
    let sums = Sums::default();
    let work = |connection: &mut P::Connection, leaf: &Leaf, generator: &mut Generator, stop: &LoadStop<'_>| {
        let _clock = clock(leaf.table);
        let columns = columns(leaf.table);
        let found = sum::<P>(connection, leaf, columns, (stop, progress))?;
        let made = generator.checksum_over(columns, leaf.ids(size));
        if found != made {
            let name = &leaf.name;
            let message =
                format!("{name} reads back as {found}, and the generator made {made}; drop it and load again");
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        add(&sums, leaf.table, found);
        Ok(())
    };
    pool.each("proving the tables' content", leaves, || generator.clone(), work)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn sum<P: ProductTables>(
    connection: &mut P::Connection,
    leaf: &Leaf,
    columns: Columns,
    (stop, progress): (&LoadStop<'_>, &PhaseProgress<'_>),
) -> Result<Checksum, EngineError> {
    let sql = P::dialect().get("load/rows_out")?.text.replace("{leaf}", &P::in_sql(leaf));
    let doing = format!("reading {} back", leaf.name);
    let (mut sum, mut told) = (RowSum::new(test_columns(), columns), 0);
    connection.rows(&doing, &sql, &Values::new(), test_columns(), &mut |row| {
        sum.add(row);
        let rows = sum.checksum.rows;
        if rows < told + LOOK_ROWS {
            return Ok(());
        }
        progress.add(rows - told);
        told = rows;
        match stop.requested() {
            true => Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped"))),
            false => Ok(()),
        }
    })?;
    progress.add(sum.checksum.rows - told);
    Ok(sum.checksum)
}

fn add(sums: &Sums, table: TableName, part: Checksum) {
    recover(sums).entry(table).or_default().merge(part);
}
