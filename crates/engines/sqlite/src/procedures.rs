//! The procedures: loops inside the process over statements that are prepared once. What an operation costs here is
//! what SQLite costs and a few tens of nanoseconds: keys are computed and bound in place, and nothing is allocated.

use super::Shared;
use super::connection::SqliteConnection;
use super::counters::take_page_counts;
use super::errors::Fault;
use super::session::{ProcedureWork, stopped};
use super::totals::{PAGE_BYTES, Totals};
use crate::DIALECT;
use dbdyno_engine::data::Keys;
use dbdyno_engine::{ChunkResult, EngineError};
use dbdyno_model::{Argument, ErrorClass, ProcedureShape, RowsBy, Size, TableName, TableShape};
use rusqlite::{CachedStatement, Statement, StatementStatus};
use std::sync::atomic::{AtomicBool, Ordering};

/// One call of a procedure.
pub(super) struct Chunk<'a, W = &'a ProcedureWork> {
    pub(super) connection: &'a SqliteConnection,
    pub(super) work: W,
    pub(super) shared: &'a Shared,
    pub(super) stop: &'a AtomicBool,
    pub(super) own: &'a mut Totals,
    /// What has succeeded so far: it stands whatever becomes of the rest.
    pub(super) done: ChunkResult,
}

impl<'a> Chunk<'a> {
    /// Runs passes `first .. first + passes`, adding each operation to `done` when it is over.
    pub(super) fn run(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let facts = self.work.spec.test.procedure;
        match (facts.shape, facts.rows_by) {
            (ProcedureShape::Loop, _) if facts.argument.is_some() => self.evaluate(passes),
            (ProcedureShape::Loop, _) => self.loop_inside(first, passes),
            (ProcedureShape::Statement, None) if facts.sorts && facts.scanned_rows_are_counted => self.sort(passes),
            (ProcedureShape::Statement, None) => self.read_all(passes),
            (ProcedureShape::Select, Some(RowsBy::PrimaryKey)) => self.select_primary(first, passes),
            (ProcedureShape::Select, Some(RowsBy::PrimaryKeyRange)) => self.select_range(first, passes),
            (ProcedureShape::Statement | ProcedureShape::Select, _) => self.select_many(first, passes),
            (ProcedureShape::Insert, _) => self.insert(first, passes),
            (ProcedureShape::Load, _) => self.bulk_load(first, passes),
            (ProcedureShape::Update, _) => self.update(first, passes),
            (ProcedureShape::Index, _) => self.index(passes),
            (ProcedureShape::File, _) => self.write_files(passes),
        }
    }

    /// The whole loop inside one statement.
    fn loop_inside(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let ops_per_pass = self.work.spec.test.ops_per_pass;
        let state = self.keys(first).state.cast_signed();
        self.tested(|chunk, statement| {
            chunk.go_on()?;
            let (made, checksum) = match statement.parameter_count() {
                1 => answer(statement, (passes.cast_signed(),))?,
                _ => answer(statement, (passes.cast_signed(), state))?,
            };
            must_equal("passes", made, passes)?;
            chunk.add(ChunkResult { ops: passes * ops_per_pass, checksum, ..ChunkResult::default() });
            Ok(())
        })
    }

    /// One statement a pass, which answers with the operations that it counted.
    fn evaluate(&mut self, passes: u64) -> Result<(), Fault> {
        let test = &self.work.spec.test;
        let argument = test.argument.ok_or_else(|| wrong(format!("{} lacks its argument", test.code)))?;
        // Primes are looked for among as many numbers as the test counts, ending with its argument.
        let first = (argument + 1).saturating_sub(test.ops_per_pass);
        let primes = test.procedure.argument == Some(Argument::NumbersFromTwo);
        self.tested(|chunk, statement| {
            for _ in 0..passes {
                chunk.go_on()?;
                let (ops, checksum) = match primes {
                    true => answer(statement, (first.cast_signed(), argument.cast_signed()))?,
                    false => answer(statement, (argument.cast_signed(),))?,
                };
                must_equal("operations of a pass", ops, test.ops_per_pass)?;
                chunk.add(ChunkResult { ops, checksum, ..ChunkResult::default() });
            }
            Ok(())
        })
    }

    /// One statement a pass, over a whole table.
    fn read_all(&mut self, passes: u64) -> Result<(), Fault> {
        let scan = self.work.spec.test.procedure.scanned_rows_are_counted;
        self.tested(|chunk, statement| {
            chunk.pages_so_far();
            for _ in 0..passes {
                chunk.go_on()?;
                let (rows, checksum) = answer(statement, ())?;
                if scan {
                    chunk.count_scan(statement, rows);
                } else {
                    chunk.own.scans_uncounted = true;
                }
                let bytes = chunk.pages_so_far() * PAGE_BYTES;
                chunk.add(ChunkResult { ops: 1, rows, bytes, checksum });
            }
            Ok(())
        })
    }

    fn sort(&mut self, passes: u64) -> Result<(), Fault> {
        self.tested(|chunk, statement| {
            chunk.pages_so_far();
            for _ in 0..passes {
                chunk.go_on()?;
                let (mut rows, mut checksum, mut last) = (0u64, 0u64, f64::NEG_INFINITY);
                let mut sorted = statement.raw_query();
                while let Some(row) = sorted.next()? {
                    let amount = row.get::<_, f64>(1)?;
                    if amount < last {
                        return Err(wrong("a sort gave its rows out of order").into());
                    }
                    last = amount;
                    rows += 1;
                    checksum += number(row, 0)?;
                }
                drop(sorted);
                chunk.count_scan(statement, rows);
                let bytes = chunk.pages_so_far() * PAGE_BYTES;
                chunk.add(ChunkResult { ops: 1, rows, bytes, checksum });
            }
            Ok(())
        })
    }

    fn select_primary(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (rows, k) = (self.table_rows(), self.work.spec.rows_per_tx.max(1));
        let mut keys = self.keys(first.wrapping_mul(k));
        self.reading(|chunk, statement| {
            for _ in 0..passes {
                chunk.go_on()?;
                let (mut found, mut checksum) = (0, 0u64);
                for i in 0..k {
                    let (one, quantity) = one_row(statement, keys.primary(rows, i, k, 0, 1))?;
                    found += one;
                    checksum = checksum.wrapping_add(quantity);
                }
                chunk.add(ChunkResult { ops: 1, rows: found, bytes: 0, checksum });
            }
            Ok(())
        })
    }

    /// One statement a pass, over rows whose keys follow each other.
    fn select_range(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (rows, k) = (self.table_rows(), self.work.spec.rows_per_tx.max(1));
        let mut keys = self.keys(first);
        self.reading(|chunk, statement| {
            for _ in 0..passes {
                chunk.go_on()?;
                let from = keys.range(rows, k);
                statement.raw_bind_parameter(1, from.cast_signed())?;
                statement.raw_bind_parameter(2, (from + k - 1).cast_signed())?;
                let (mut found, mut checksum) = (0, 0u64);
                let mut answered = statement.raw_query();
                while let Some(row) = answered.next()? {
                    found += 1;
                    checksum = checksum.wrapping_add(number(row, 0)?);
                }
                drop(answered);
                chunk.add(ChunkResult { ops: 1, rows: found, bytes: 0, checksum });
            }
            Ok(())
        })
    }

    /// One statement a pass, over the rows of one key.
    fn select_many(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (size, test) = (&self.work.spec.size, &self.work.spec.test);
        let values = size.values(test.key_shape());
        let (partition, scan) = (size.small_rows, test.procedure.rows_by == Some(RowsBy::RangePartition));
        let mut keys = self.keys(first);
        self.reading(|chunk, statement| {
            if scan {
                chunk.pages_so_far();
            }
            for _ in 0..passes {
                chunk.go_on()?;
                let (rows, checksum) = if scan {
                    let range = keys.draw(Size::RANGES);
                    statement.raw_bind_parameter(2, ((range + 1) * partition).cast_signed())?;
                    all_rows(statement, range * partition + 1)?
                } else {
                    all_rows(statement, keys.secondary(values, 0, 1))?
                };
                let bytes = if scan { chunk.pages_so_far() * PAGE_BYTES } else { 0 };
                chunk.add(ChunkResult { ops: 1, rows, bytes, checksum });
            }
            Ok(())
        })
    }

    /// Runs a loop over the statement under test in one read transaction, as a stored procedure of a server would:
    /// reading has no transaction control in the tests, and SQLite's own, for each statement, is a lock that all jobs
    /// share.
    fn reading(&mut self, work: impl FnOnce(&mut Self, &mut Statement<'a>) -> Result<(), Fault>) -> Result<(), Fault> {
        let (mut begin, mut commit) = (self.fixed("begin_read")?, self.fixed("commit")?);
        begin.raw_execute()?;
        let done = self.tested(work).and_then(|()| {
            commit.raw_execute()?;
            Ok(())
        });
        self.undo_if_open();
        done
    }

    /// Runs a loop over the statement under test, and counts its runs whatever comes of them.
    pub(super) fn tested(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Statement<'a>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut statement = self.connection.connection.prepare_cached(&self.work.sql)?;
        // A client may have executed the same statement, and has not asked for its steps.
        taken(&statement, StatementStatus::FullscanStep);
        let done = work(self, &mut statement);
        self.own.executions += taken(&statement, StatementStatus::Run);
        done
    }

    /// A statement that is always the same.
    pub(super) fn fixed(&self, name: &str) -> Result<CachedStatement<'a>, Fault> {
        Ok(self.connection.connection.prepare_cached(&DIALECT.get(&format!("procedures/{name}"))?.text)?)
    }

    /// SQLite counts the steps between the rows of a scan: one fewer than rows, for each run.
    fn count_scan(&mut self, statement: &Statement<'_>, rows: u64) {
        self.own.rows_scanned += taken(statement, StatementStatus::FullscanStep) + u64::from(rows > 0);
    }

    /// Pages that this connection has asked of its cache since this was last called: what a scan went through.
    fn pages_so_far(&mut self) -> u64 {
        let pages = take_page_counts(&self.connection.connection);
        self.own.add_pages(pages);
        pages.hits + pages.misses
    }

    /// The job's key stream after this many draws.
    pub(super) fn keys(&self, draws: u64) -> Keys {
        Keys::at(self.work.spec.key_seed, self.work.job, draws)
    }

    /// The shape of the test's table.
    pub(super) fn shape(&self) -> TableShape {
        self.work.spec.test.table.map_or(TableShape::Small, TableName::shape)
    }

    /// Rows of the test's table.
    pub(super) fn table_rows(&self) -> u64 {
        self.work.spec.size.rows(self.shape())
    }
}

impl<W> Chunk<'_, W> {
    /// Counts what has just succeeded.
    pub(super) fn add(&mut self, more: ChunkResult) {
        self.done.ops += more.ops;
        self.done.rows += more.rows;
        self.done.bytes += more.bytes;
        self.done.checksum = self.done.checksum.wrapping_add(more.checksum);
    }

    /// Rolls back what an error left open. SQLite may have done so itself.
    pub(super) fn undo_if_open(&self) {
        if !self.connection.connection.is_autocommit() {
            drop(self.connection.run("rolling back", "ROLLBACK"));
        }
    }

    /// Whether to go on.
    pub(super) fn go_on(&self) -> Result<(), Fault> {
        if self.stop.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) }
    }
}

/// The row of a primary key: whether there is one, and its quantity.
pub(super) fn one_row(statement: &mut Statement<'_>, key: u64) -> Result<(u64, u64), Fault> {
    statement.raw_bind_parameter(1, key.cast_signed())?;
    match statement.raw_query().next()? {
        Some(row) => Ok((1, number(row, 0)?)),
        None => Ok((0, 0)),
    }
}

/// The rows that an aggregate finds by its first parameter: their number, and the sum of their quantities.
pub(super) fn all_rows(statement: &mut Statement<'_>, first: u64) -> Result<(u64, u64), Fault> {
    statement.raw_bind_parameter(1, first.cast_signed())?;
    let mut answered = statement.raw_query();
    let row = answered.next()?.ok_or_else(|| wrong("an aggregate gave no row"))?;
    Ok((number(row, 0)?, number(row, 1)?))
}

/// Runs a statement that answers with one row of two numbers.
fn answer(statement: &mut Statement<'_>, parameters: impl rusqlite::Params) -> Result<(u64, u64), Fault> {
    Ok(statement.query_row(parameters, |row| Ok((number(row, 0)?, number(row, 1)?)))?)
}

/// A whole number of a row; a sum over no rows is none.
fn number(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, Option<i64>>(column)?.unwrap_or(0).cast_unsigned())
}

/// Takes a statement's counter and starts it again from zero.
pub(super) fn taken(statement: &Statement<'_>, status: StatementStatus) -> u64 {
    u64::try_from(statement.reset_status(status)).unwrap_or(0)
}

fn must_equal(what: &str, found: u64, expected: u64) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(wrong(format!("SQLite counted {found} {what}, and the test says {expected}")).into())
}

/// An error of the work itself.
pub(super) fn wrong(message: impl Into<String>) -> EngineError {
    EngineError::new(ErrorClass::Other, message)
}
