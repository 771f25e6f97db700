//! The procedures: loops inside the process over statements that are prepared once. What an operation costs here is
//! what SQLite costs and a few tens of nanoseconds: keys are computed and bound in place, and nothing is allocated.

use super::chunk::{Chunk, taken};
use super::errors::Fault;
use super::totals::PAGE_BYTES;
use dbdyno_engine::{ChunkResult, EngineError};
use dbdyno_model::{Argument, ProcedureShape, RowsBy, Size};
use rusqlite::{Statement, StatementStatus};

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
        let argument = test.argument.ok_or_else(|| EngineError::other(format!("{} lacks its argument", test.code)))?;
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
                        return Err(EngineError::other("a sort gave its rows out of order").into());
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

    /// SQLite counts the steps between the rows of a scan: one fewer than rows, for each run.
    fn count_scan(&mut self, statement: &Statement<'_>, rows: u64) {
        self.own.rows_scanned += taken(statement, StatementStatus::FullscanStep) + u64::from(rows > 0);
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
    let row = answered.next()?.ok_or_else(|| EngineError::other("an aggregate gave no row"))?;
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

fn must_equal(what: &str, found: u64, expected: u64) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(EngineError::other(format!("SQLite counted {found} {what}, and the test says {expected}")).into())
}
