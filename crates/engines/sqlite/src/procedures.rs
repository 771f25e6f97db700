//! The procedures: loops inside the process over statements that are prepared once. What an operation costs here is
//! what SQLite costs and a few tens of nanoseconds: keys are computed and bound in place, and nothing is allocated.

use super::chunk::{Chunk, bind, taken};
use super::errors::Fault;
use super::totals::PAGE_BYTES;
use dbdyno_engine::{ChunkResult, EngineError};
use dbdyno_model::{Argument, ProcedureShape, RowsBy, Size};
use rusqlite::{Row, Statement, StatementStatus};

impl<'a> Chunk<'a> {
    /// Runs passes `first .. first + passes`, adding each operation to `done` when it is over.
    pub(super) fn run(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let facts = self.work.job.spec.test.procedure;
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
        let ops_per_pass = self.work.job.spec.test.ops_per_pass;
        let numbers = [passes, self.keys(first).state];
        self.each_pass(1, |_, statement| {
            let takes = statement.parameter_count().min(numbers.len());
            let (made, checksum) = sums(statement, &numbers[..takes])?;
            must_equal("passes", made, passes)?;
            Ok(ChunkResult { ops: passes * ops_per_pass, checksum, ..ChunkResult::default() })
        })
    }

    /// One statement a pass, which answers with the operations that it counted.
    fn evaluate(&mut self, passes: u64) -> Result<(), Fault> {
        let test = &self.work.job.spec.test;
        let argument = test.argument.ok_or_else(|| EngineError::other(format!("{} lacks its argument", test.code)))?;
        // Primes are looked for among as many numbers as the test counts, ending with its argument.
        let numbers = [(argument + 1).saturating_sub(test.ops_per_pass), argument];
        let primes = test.procedure.argument == Some(Argument::NumbersFromTwo);
        self.each_pass(passes, |_, statement| {
            let (ops, checksum) = sums(statement, if primes { &numbers } else { &numbers[1..] })?;
            must_equal("operations of a pass", ops, test.ops_per_pass)?;
            Ok(ChunkResult { ops, checksum, ..ChunkResult::default() })
        })
    }

    /// One statement a pass, over a whole table.
    fn read_all(&mut self, passes: u64) -> Result<(), Fault> {
        let scan = self.work.job.spec.test.procedure.scanned_rows_are_counted;
        self.each_pass(passes, |chunk, statement| {
            let (rows, checksum) = sums(statement, &[])?;
            if scan {
                chunk.count_scan(statement, rows);
            } else {
                chunk.own.scans_uncounted = true;
            }
            Ok(ChunkResult { ops: 1, rows, bytes: chunk.pages_so_far() * PAGE_BYTES, checksum })
        })
    }

    fn sort(&mut self, passes: u64) -> Result<(), Fault> {
        self.each_pass(passes, |chunk, statement| {
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
            Ok(ChunkResult { ops: 1, rows, bytes: chunk.pages_so_far() * PAGE_BYTES, checksum })
        })
    }

    fn select_primary(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (rows, k) = (self.table_rows(), self.work.job.spec.rows_per_tx.max(1));
        let mut keys = self.keys(first.wrapping_mul(k));
        self.reading(passes, |_, statement| {
            let mut done = ChunkResult { ops: 1, ..ChunkResult::default() };
            for i in 0..k {
                bind(statement, &[keys.primary(rows, i, k, 0, 1)])?;
                if let Some(row) = statement.raw_query().next()? {
                    done.rows += 1;
                    done.checksum = done.checksum.wrapping_add(number(row, 0)?);
                }
            }
            Ok(done)
        })
    }

    /// One statement a pass, over rows whose keys follow each other.
    fn select_range(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (rows, k) = (self.table_rows(), self.work.job.spec.rows_per_tx.max(1));
        let mut keys = self.keys(first);
        self.reading(passes, |_, statement| {
            let from = keys.range(rows, k);
            bind(statement, &[from, from + k - 1])?;
            let mut done = ChunkResult { ops: 1, ..ChunkResult::default() };
            let mut answered = statement.raw_query();
            while let Some(row) = answered.next()? {
                done.rows += 1;
                done.checksum = done.checksum.wrapping_add(number(row, 0)?);
            }
            Ok(done)
        })
    }

    /// One statement a pass, over the rows of one key.
    fn select_many(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let (size, test) = (&self.work.job.spec.size, &self.work.job.spec.test);
        let (scan, values) = (test.procedure.rows_by == Some(RowsBy::RangePartition), size.values(test.key_shape()));
        let mut keys = self.keys(first);
        self.reading(passes, |chunk, statement| {
            if !scan {
                let (rows, checksum) = sums(statement, &[keys.secondary(values, 0, 1)])?;
                return Ok(ChunkResult { ops: 1, rows, bytes: 0, checksum });
            }
            let before = keys.draw(Size::RANGES) * size.small_rows;
            let (rows, checksum) = sums(statement, &[before + 1, before + size.small_rows])?;
            Ok(ChunkResult { ops: 1, rows, bytes: chunk.pages_so_far() * PAGE_BYTES, checksum })
        })
    }

    /// Runs passes in one read transaction, as a stored procedure of a server would: reading has no transaction control
    /// in the tests, and SQLite's own, for each statement, is a lock that all jobs share.
    fn reading(
        &mut self,
        passes: u64,
        pass: impl FnMut(&mut Self, &mut Statement<'a>) -> Result<ChunkResult, Fault>,
    ) -> Result<(), Fault> {
        let (mut begin, mut commit) = (self.fixed("begin_read")?, self.fixed("commit")?);
        begin.raw_execute()?;
        let done = self.each_pass(passes, pass).and_then(|()| commit.raw_execute().map(drop).map_err(Fault::from));
        self.undo_if_open();
        done
    }

    /// Runs so many passes over the statement under test, and counts each when it is over.
    fn each_pass(
        &mut self,
        passes: u64,
        mut pass: impl FnMut(&mut Self, &mut Statement<'a>) -> Result<ChunkResult, Fault>,
    ) -> Result<(), Fault> {
        self.tested(|chunk, statement| {
            // What a scan goes through is counted from here on.
            chunk.pages_so_far();
            for _ in 0..passes {
                chunk.go_on()?;
                let done = pass(chunk, statement)?;
                chunk.add(done);
            }
            Ok(())
        })
    }

    /// SQLite counts the steps between the rows of a scan: one fewer than rows, for each run.
    fn count_scan(&mut self, statement: &Statement<'_>, rows: u64) {
        self.own.rows_scanned += taken(statement, StatementStatus::FullscanStep) + u64::from(rows > 0);
    }
}

/// The two numbers that a statement answers with: how many rows or operations there were, and a sum over them.
fn sums(statement: &mut Statement<'_>, numbers: &[u64]) -> Result<(u64, u64), Fault> {
    bind(statement, numbers)?;
    let mut answered = statement.raw_query();
    let row = answered.next()?.ok_or_else(|| EngineError::other("an aggregate gave no row"))?;
    Ok((number(row, 0)?, number(row, 1)?))
}

/// A whole number of a row; a sum over no rows is none.
fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, Option<i64>>(column)?.unwrap_or(0).cast_unsigned())
}

fn must_equal(what: &str, found: u64, expected: u64) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(EngineError::other(format!("SQLite counted {found} {what}, and the test says {expected}")).into())
}
