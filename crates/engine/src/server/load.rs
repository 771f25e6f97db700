//! Loading. All sessions fill leaves at the same time, each straight from the generator; then comes what the product
//! does when rows are in (keys, statistics), and everything is read back. A leaf is filled in one transaction that also
//! notes it in the book-keeping, so that a load that was killed goes on where it was and no leaf is ever half full.

use super::contents::{self, META, Object, transaction};
use super::tables::{Load, LoadRequest};
use super::verify::prove;
use super::{
    Connection as _, Leaf, LoadStop, LoaderPool, Phase, PhaseProgress, ProductTables, Rows, Times, held, leaves,
    remove, run_lock,
};
use crate::bookkeeping::{Contents, Meta, checksum_key};
use crate::data::{Columns, Generator, test_columns};
use crate::{EngineError, LoadReport, LoadWatch, TableLoad};
use dbdyno_model::{ErrorClass, TableName, TableShape};
use std::collections::BTreeMap;

/// The name under which servers list sessions that load.
const NAME: &str = "dbdyno load";
const CREATING: &str = "creating tables";

/// Loads what is missing.
///
/// # Errors
/// The place is not ours, holds something else of ours, or cannot be written; what was committed stays.
pub(super) fn load<P: ProductTables>(
    product: &P,
    request: LoadRequest<'_>,
    watch: &dyn LoadWatch,
) -> Result<LoadReport, EngineError> {
    let LoadRequest { size, seed, jobs, verify } = request;
    let tables = product.tables();
    let mut control = product.open(0, NAME)?;
    if let Ok(settings) = P::dialect().get("load/control") {
        control.batch("preparing to load", &settings.text)?;
    }
    let there = |control: &mut P::Connection| -> Result<Option<Meta>, EngineError> {
        let meta = contents::look(product, control)?.ours()?.filter(Meta::has_tables);
        meta.iter().try_for_each(|meta| meta.must_match(size, seed, &product.database()))?;
        Ok(meta)
    };
    let done = |meta: &Meta| {
        let all = meta.complete() && tables.iter().all(|table| is_full(meta, *table));
        all && (meta.verified() || !verify)
    };
    let found = there(&mut control)?;
    let resumed = found.is_some();
    if let Some(meta) = found.filter(done) {
        return Ok(report(&tables, request, &meta, &BTreeMap::new(), &Times::default(), resumed));
    }
    let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
    run_lock::hold(product, &mut control, &give_up, &|| watch.progress(held::WAITING, 0, 0))?;
    // Whoever held it before may have done more than we saw.
    let meta = match there(&mut control)? {
        Some(meta) => meta,
        None => begin(product, &mut control, request)?,
    };
    let pool = pool(product, jobs, watch)?;
    let mut load = Load { product, request, watch, control, pool, meta, times: Times::default() };
    load.create(&tables)?;
    let mut rows_written = BTreeMap::new();
    // Small tables are loaded together, so that those without partitions, each the work of one session, do not leave
    // the others idle. A large table may be made of another one.
    let (small, large): (Vec<_>, Vec<_>) = tables.iter().copied().partition(|table| table.shape() == TableShape::Small);
    let large = large.into_iter().map(|table| (table.name(), vec![table]));
    for (label, tables) in std::iter::once(("small tables", small)).chain(large) {
        rows_written.append(&mut load.group(label, &tables)?);
    }
    load.finish(&tables)?;
    Ok(report(&tables, request, &load.meta, &rows_written, &load.times, resumed))
}

/// Whether a load had this table: one that its target left out can still be added.
fn is_full(meta: &Meta, table: TableName) -> bool {
    leaves(table).iter().all(|leaf| meta.done("filled", &leaf.name))
}

/// The book-keeping of a load that begins.
fn begin<P: ProductTables>(
    product: &P,
    control: &mut P::Connection,
    request: LoadRequest<'_>,
) -> Result<Meta, EngineError> {
    let mut meta = contents::books(product, control)?;
    meta.begin_tables(request.size, request.seed);
    contents::set::<P>(control, meta.entries())?;
    Ok(meta)
}

/// The sessions of a load, all on the first node: the others may be read-only copies of it.
///
/// # Errors
/// The server turns one away.
pub(super) fn pool<'w, P: ProductTables>(
    product: &P,
    jobs: u32,
    watch: &'w dyn LoadWatch,
) -> Result<LoaderPool<'w, P::Connection>, EngineError> {
    LoaderPool::open(jobs, watch, |job| {
        let doing = "preparing a session that loads";
        let mut connection = product.open(0, NAME)?;
        connection.batch(doing, &P::dialect().get("load/session")?.text)?;
        product.prepare_loader(&mut connection, doing, job)?;
        Ok(connection)
    })
}

/// What a load did: rows written to each table, how long that took, the checksums that the book-keeping has.
pub fn report(
    tables: &[TableName],
    request: LoadRequest<'_>,
    meta: &Meta,
    rows_written: &BTreeMap<TableName, u64>,
    times: &Times,
    resumed: bool,
) -> LoadReport {
    let of = |table: &TableName| {
        let (write_s, elapsed_s) = times.of(*table);
        let checksum = meta.checksum(*table).map(|checksum| checksum.to_string()).unwrap_or_default();
        let rows_written = rows_written.get(table).copied().unwrap_or(0);
        TableLoad { table: *table, rows: table.rows(request.size), rows_written, write_s, elapsed_s, checksum }
    };
    LoadReport { tables: tables.iter().map(of).collect(), resumed }
}

/// The statement that notes a step of the load.
///
/// # Errors
/// The dialect has none.
pub fn note<P: ProductTables>(step: &str, part: &str) -> Result<String, EngineError> {
    Ok(P::dialect().fill("load/note", &[("step", step), ("leaf", part)])?)
}

/// A statement about a leaf.
///
/// # Errors
/// The dialect has none of that name.
pub fn about<P: ProductTables>(statement: &str, leaf: &Leaf) -> Result<String, EngineError> {
    Ok(P::dialect().get(statement)?.text.replace("{leaf}", &P::in_sql(leaf)))
}

impl<P: ProductTables> Load<'_, P> {
    /// Creates the tables that are not there. A table of which only parts are there, or that has rows and no notes, is
    /// what a drop left that was interrupted, or somebody's hand: it is made anew, and nothing that was noted holds.
    fn create(&mut self, tables: &[TableName]) -> Result<(), EngineError> {
        let objects = contents::objects::<P>(&mut self.control)?;
        let dialect = P::dialect();
        for table in tables {
            if self.is_whole(*table, &objects)? {
                continue;
            }
            let mut statements = vec![dialect.get("load/no_longer_complete")?.text.clone()];
            let forget = dialect.fill("load/forget_table", &[("table", table.name())])?;
            let old = objects.iter().filter(|object| remove::table_of(object) == Some(*table));
            let drops: Vec<String> = old.filter(|object| object.name != META).filter_map(|o| o.drop.clone()).collect();
            // A statement that makes or drops something may commit, so it is forgotten before.
            statements.push(forget);
            statements.extend(drops);
            statements.extend(self.product.create_table(*table, self.request.size)?);
            // One table after the other: what comes second may need what comes first.
            let create =
                |connection: &mut P::Connection, statements: &Vec<String>, (): &mut (), stop: &LoadStop<'_>| {
                    statements.iter().try_for_each(|sql| match stop.requested() {
                        true => Err(EngineError::new(ErrorClass::Cancelled, format!("{CREATING}: stopped"))),
                        false => connection.batch(CREATING, sql),
                    })
                };
            self.pool.each(CREATING, &[statements], || (), create)?;
        }
        if let Contents::Ours(meta) = contents::look(self.product, &mut self.control)? {
            self.meta = meta;
        }
        Ok(())
    }

    fn is_whole(&mut self, table: TableName, objects: &[Object]) -> Result<bool, EngineError> {
        let there = objects.iter().find(|object| object.is_table(table.name()));
        if there.is_none_or(|object| object.parts != P::parts(table)) {
            return Ok(false);
        }
        let any_filled = leaves(table).iter().any(|leaf| self.meta.done("filled", &leaf.name));
        let sql = P::dialect().fill("load/any_row", &[("table", table.name())])?;
        Ok(any_filled || self.control.texts(&format!("looking into {table}"), &sql)?.is_empty())
    }

    /// Loads tables of one shape. Returns the rows written to each.
    fn group(&mut self, label: &str, tables: &[TableName]) -> Result<BTreeMap<TableName, u64>, EngineError> {
        let LoadRequest { size, seed, verify, .. } = self.request;
        let shape = tables.first().map_or(TableShape::Small, |table| table.shape());
        let all: Vec<Leaf> = tables.iter().flat_map(|table| leaves(*table)).collect();
        let rows_of = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.rows(size)).sum::<u64>();
        let (rows, mut written) = (rows_of(&all), BTreeMap::new());
        let missing: Vec<Leaf> = all.iter().filter(|leaf| !self.meta.done("filled", &leaf.name)).cloned().collect();
        let generator = Generator::new(size, shape, seed);
        if !missing.is_empty() || !self.meta.complete() {
            for leaf in &missing {
                *written.entry(leaf.table).or_insert(0) += leaf.rows(size);
            }
            let (times, product) = (&self.times, self.product);
            let progress = PhaseProgress::new(self.watch, label.to_owned(), rows - rows_of(&missing), rows);
            let work = |connection: &mut P::Connection, leaf: &Leaf, generator: &mut Generator, stop: &LoadStop<'_>| {
                let _clock = times.clock(leaf.table, Phase::Fill);
                let mut ids = leaf.ids(size);
                let mut rows = Rows::new(test_columns(), generator, &mut ids, (stop, &progress));
                let doing = format!("loading {}", leaf.name);
                transaction::<P, ()>(connection, &doing, |connection| {
                    product.fill(connection, &doing, (leaf, size), &mut rows)?;
                    connection.batch(&doing, &note::<P>("filled", &leaf.name)?)
                })
            };
            self.pool.each(&format!("loading {label}"), &missing, || generator.clone(), work)?;
            P::after_rows(self, label, (tables, &all, rows))?;
        }
        if verify {
            let progress = PhaseProgress::new(self.watch, format!("{label} checksum"), 0, rows);
            let times = &self.times;
            let clock = |table| times.clock(table, Phase::Prove);
            // Tests may have changed rows of a table that was proved before: then its other columns are compared.
            let proved: Vec<TableName> =
                tables.iter().copied().filter(|table| self.meta.checksum(*table).is_some()).collect();
            let columns = |table| if proved.contains(&table) { Columns::Unchanging } else { Columns::All };
            let sums = prove::<P>(&mut self.pool, &all, (size, &generator), &columns, &progress, &clock)?;
            for (table, checksum) in sums.into_iter().filter(|(table, _)| !proved.contains(table)) {
                let (name, value) = (checksum_key(table), checksum.to_string());
                contents::set::<P>(&mut self.control, [(name.as_str(), value.as_str())])?;
                self.meta.put(name, value);
            }
        }
        Ok(written)
    }

    /// The last word, and everything onto the device.
    fn finish(&mut self, tables: &[TableName]) -> Result<(), EngineError> {
        let verified = if self.request.verify { "1" } else { "0" };
        contents::set::<P>(&mut self.control, [("verified", verified), ("complete", "1")])?;
        let doing = "writing the tables out";
        let write = |connection: &mut P::Connection, sql: &String, (): &mut (), _: &LoadStop<'_>| {
            match connection.batch(doing, sql) {
                // Not everybody may; the first point's settling then says so, or waits for the server's own checkpoint.
                Err(error) if error.class == ErrorClass::Permission => Ok(()),
                done => done,
            }
        };
        self.pool.each(doing, &P::write_out(tables)?, || (), write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_a_load_left_out_is_not_full() {
        let full =
            leaves(TableName::SmallHeapList).into_iter().map(|leaf| (format!("filled {}", leaf.name), "1".to_owned()));
        let meta: Meta = full.collect();
        assert!(is_full(&meta, TableName::SmallHeapList) && !is_full(&meta, TableName::SmallHeap));
    }
}
