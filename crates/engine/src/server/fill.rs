//! The load of a workload's tables: parts of them, each by one transaction that also notes it, and all read back; and
//! what comes after that.

use super::contents::{self, transaction};
use super::load::{note, pool};
use super::{Connection as _, LoadStop, PhaseProgress, ProductTables, Rows};
use crate::client::Values;
use crate::data::{Columns, RowSum};
use crate::{EngineError, FillTimes, LoadWatch, RowPart, TableRows};
use dbdyno_model::ErrorClass;
use std::time::Instant;

/// Fills what is missing, and reads all back.
///
/// # Errors
/// As for [`crate::Workloads::fill`].
pub(super) fn fill<P: ProductTables>(
    product: &P,
    tables: &[TableRows],
    jobs: u32,
    watch: &dyn LoadWatch,
) -> Result<FillTimes, EngineError> {
    let mut times = FillTimes::default();
    let mut control = product.open(0, "dbdyno load")?;
    let books = contents::look(product, &mut control)?.ours()?.unwrap_or_default();
    let mut pool = pool(product, jobs, watch)?;
    // Tables of the units of a workload are filled together, so that jobs work on several at the same time.
    for tables in tables.chunk_by(|one, other| one.what == other.what) {
        let Some(first) = tables.first() else { continue };
        let parts = parts_in_turn(tables);
        let (rows, done) = (|parts: &[TablePart<'_>]| parts.iter().map(|(_, part)| part.rows()).sum::<u64>(), "filled");
        let missing: Vec<TablePart<'_>> =
            parts.iter().filter(|(_, part)| !books.done(done, &part.name)).cloned().collect();
        let progress = PhaseProgress::new(watch, first.what.clone(), rows(&parts) - rows(&missing), rows(&parts));
        let insert = &P::dialect().get("load/insert_rows")?.text;
        let work = |connection: &mut P::Connection, (table, part): &TablePart<'_>, (): &mut (), stop: &LoadStop<'_>| {
            let doing = format!("loading {}", table.name());
            let (mut source, mut ids) = (table.source(), part.ids.clone());
            let mut rows = Rows::new(&table.columns, &mut source, &mut ids, (stop, &progress));
            transaction::<P, ()>(connection, &doing, |connection| {
                connection.insert(&doing, &table.filled(insert), &mut rows)?;
                connection.batch(&doing, &note::<P>(done, &part.name)?)
            })
        };
        let began = Instant::now();
        pool.each(&format!("loading {}", first.what), &missing, || (), work)?;
        times.write_s += began.elapsed().as_secs_f64();
        let progress = PhaseProgress::new(watch, format!("{} checksum", first.what), 0, rows(&parts));
        let prove =
            |connection: &mut P::Connection, (table, part): &TablePart<'_>, (): &mut (), stop: &LoadStop<'_>| {
                prove_part::<P>(connection, (table, part), stop)?;
                progress.add(part.rows());
                Ok(())
            };
        let began = Instant::now();
        pool.each(&format!("reading {} back", first.what), &parts, || (), prove)?;
        times.read_back_s += began.elapsed().as_secs_f64();
    }
    Ok(times)
}

/// A part with its table.
type TablePart<'t> = (&'t TableRows, RowPart);

/// The parts of tables: the first of each table, then the second of each, so that sessions write into different tables
/// where they can.
fn parts_in_turn(tables: &[TableRows]) -> Vec<TablePart<'_>> {
    let numbered = |table| TableRows::parts(table).into_iter().enumerate().map(move |(nth, part)| (nth, (table, part)));
    let mut parts: Vec<(usize, TablePart<'_>)> = tables.iter().flat_map(numbered).collect();
    parts.sort_by_key(|(nth, _)| *nth);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Runs statements, each by the next session that has nothing to do.
///
/// # Errors
/// As for [`crate::Workloads::run_each`].
pub(super) fn run_each<P: ProductTables>(
    product: &P,
    what: &str,
    statements: &[String],
    (jobs, watch): (u32, &dyn LoadWatch),
) -> Result<(), EngineError> {
    let jobs = jobs.min(statements.len().try_into().unwrap_or(u32::MAX));
    let mut pool = pool(product, jobs, watch)?;
    let progress = PhaseProgress::new(watch, what.to_owned(), 0, statements.len() as u64);
    let work = |connection: &mut P::Connection, sql: &String, (): &mut (), _: &LoadStop<'_>| {
        connection.batch(&format!("making {what}"), sql)?;
        progress.add(1);
        Ok(())
    };
    pool.each(&format!("making {what}"), statements, || (), work)
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
