//! The load of a workload's tables: parts of them, each by one transaction that also notes it, and all read back.

use super::contents::{self, transaction};
use super::load::{note, pool};
use super::{Connection as _, LoadStop, PhaseProgress, ProductTables, Rows};
use crate::client::Values;
use crate::data::{Columns, RowSum};
use crate::{EngineError, LoadWatch, RowPart, TableRows};
use dbdyno_model::ErrorClass;

/// Fills what is missing, and reads all back.
///
/// # Errors
/// As for [`crate::Workloads::fill`].
pub(super) fn fill<P: ProductTables>(
    product: &P,
    tables: &[TableRows],
    jobs: u32,
    watch: &dyn LoadWatch,
) -> Result<(), EngineError> {
    let mut control = product.open(0, "dbdyno load")?;
    let books = contents::look(product, &mut control)?.ours()?.unwrap_or_default();
    let mut pool = pool(product, jobs, watch)?;
    for table in tables {
        let parts = table.parts();
        let missing: Vec<RowPart> = parts.iter().filter(|part| !books.done("filled", &part.name)).cloned().collect();
        let done = table.rows - missing.iter().map(RowPart::rows).sum::<u64>();
        let progress = PhaseProgress::new(watch, table.what.clone(), done, table.rows);
        let insert = table.filled(&P::dialect().get("load/insert_rows")?.text);
        let doing = format!("loading {}", table.name());
        let work = |connection: &mut P::Connection, part: &RowPart, (): &mut (), stop: &LoadStop<'_>| {
            let (mut source, mut ids) = (table.source(), part.ids.clone());
            let mut rows = Rows::new(&table.columns, &mut source, &mut ids, (stop, &progress));
            transaction::<P, ()>(connection, &doing, |connection| {
                connection.insert(&doing, &insert, &mut rows)?;
                connection.batch(&doing, &note::<P>("filled", &part.name)?)
            })
        };
        pool.each(&doing, &missing, || (), work)?;
        let progress = PhaseProgress::new(watch, format!("{} checksum", table.what), 0, table.rows);
        let prove = |connection: &mut P::Connection, part: &RowPart, (): &mut (), stop: &LoadStop<'_>| {
            prove_part::<P>(connection, (table, part), stop)?;
            progress.add(part.rows());
            Ok(())
        };
        pool.each(&format!("reading {} back", table.name()), &parts, || (), prove)?;
    }
    Ok(())
}

fn prove_part<P: ProductTables>(
    connection: &mut P::Connection,
    (table, part): (&TableRows, &RowPart),
    stop: &LoadStop<'_>,
) -> Result<(), EngineError> {
    let (from, to) = table.keys(part);
    let sql = table.filled(&P::dialect().get("load/rows_of")?.text);
    let sql = sql.replace("{from}", &from.to_string()).replace("{to}", &to.to_string());
    let doing = format!("reading {} back", part.name);
    let mut sum = RowSum::new(&table.columns, Columns::All);
    connection.rows(&doing, &sql, &Values::new(), &table.columns, &mut |row| {
        sum.add(row);
        match stop.requested() {
            true => Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped"))),
            false => Ok(()),
        }
    })?;
    table.prove(part, sum.checksum)
}
