//! The procedures that write.

use super::chunk::{Brackets, Chunk, bind, stopped, taken};
use super::connection::{Access, SqliteConnection};
use super::counters::take_page_counts;
use super::errors::Fault;
use super::meta::{beside, remove};
use super::totals::PAGE_BYTES;
use super::{DIALECT, about_table};
use dbdyno_engine::data::{first_day, iso_day, mix, quantity_sum};
use dbdyno_engine::{ChunkResult, EngineError};
use dbdyno_model::{ProcedureShape, RowsBy, Size, TableShape};
use rusqlite::StatementStatus;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Bytes of each part of a file that T211 writes.
const PART_BYTES: u64 = 1 << 20;
/// Pages of such a file: the largest that SQLite has, so that its writes are as large as it can make them.
const FILE_PAGE_BYTES: u64 = 65_536;

impl<'a> Chunk<'a> {
    /// Copies rows one by one into the point's own table, committing every so many.
    pub(super) fn insert(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let spec = &self.work.job.spec;
        let (k, jobs, job) = (spec.rows_per_tx.max(1), u64::from(spec.jobs_in_all()), u64::from(self.work.job.number));
        let (small_rows, small) = (spec.size.small_rows, &self.work.small);
        let mut brackets = self.brackets()?;
        self.tested(|chunk, statement| {
            for pass in first..first + passes {
                chunk.go_on()?;
                chunk.transaction(&mut brackets, || {
                    let mut done = ChunkResult { ops: 1, ..ChunkResult::default() };
                    for i in 0..k {
                        let number = (pass * k + i) * jobs + job;
                        let source = number % small_rows + 1;
                        bind(statement, &[number + 1, source])?;
                        done.rows += statement.raw_execute()? as u64;
                        done.checksum += small.quantity(source);
                    }
                    Ok(done)
                })?;
            }
            Ok(())
        })
    }

    /// Copies the small heap as often as there are passes, each into a range partition of the job's own; one commit.
    pub(super) fn bulk_load(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let spec = &self.work.job.spec;
        let (jobs, job, partition) =
            (u64::from(spec.jobs_in_all()), u64::from(self.work.job.number), spec.size.small_rows);
        let copied = quantity_sum(&spec.size, TableShape::Small, spec.seed);
        let (mut brackets, stop) = (self.brackets()?, self.stop);
        self.tested(|chunk, statement| {
            chunk.go_on()?;
            chunk.own.scans_uncounted = true;
            chunk.transaction(&mut brackets, || {
                let mut done = ChunkResult::default();
                for pass in first..first + passes {
                    if stop.load(Ordering::Relaxed) {
                        return Err(stopped());
                    }
                    let number = pass * jobs + job;
                    let month = iso_day(first_day(number % Size::RANGES));
                    statement.raw_bind_parameter(1, (number * partition).cast_signed())?;
                    statement.raw_bind_parameter(2, month.get(..7))?;
                    done.rows += statement.raw_execute()? as u64;
                    done.checksum += copied;
                    done.ops += 1;
                }
                Ok(done)
            })
        })
    }

    /// Changes rows of the job's own, a transaction a pass. The checksum adds up the keys.
    pub(super) fn update(&mut self, first: u64, passes: u64) -> Result<(), Fault> {
        let spec = &self.work.job.spec;
        let (jobs, job) = (u64::from(spec.jobs_in_all()), u64::from(self.work.job.number));
        let (table_rows, values) = (self.table_rows(), spec.size.values(self.shape()));
        let secondary = spec.test.procedure.rows_by == Some(RowsBy::SecondaryKey);
        let k = if secondary { 1 } else { spec.rows_per_tx.max(1) };
        let mut keys = self.keys(first.wrapping_mul(k));
        let mut brackets = self.brackets()?;
        self.tested(|chunk, statement| {
            for _ in 0..passes {
                chunk.go_on()?;
                chunk.transaction(&mut brackets, || {
                    let mut done = ChunkResult { ops: 1, ..ChunkResult::default() };
                    for i in 0..k {
                        let key = match secondary {
                            true => keys.secondary(values, job, jobs),
                            false => keys.primary(table_rows, i, k, job, jobs),
                        };
                        bind(statement, &[key])?;
                        done.rows += statement.raw_execute()? as u64;
                        done.checksum = done.checksum.wrapping_add(key);
                    }
                    Ok(done)
                })?;
            }
            Ok(())
        })
    }

    /// Builds an index as often as there are passes, dropping the last one before the next. That it holds the rows that
    /// are counted here is verified after the timed part, when the session flushes.
    pub(super) fn index(&mut self, passes: u64) -> Result<(), Fault> {
        let (connection, work) = (self.connection, self.work);
        let drop_index = work.job.procedure.fill(&DIALECT.get("tables/drop_index")?.text)?;
        let rows = self.table_rows();
        let mut brackets = self.brackets()?;
        self.own.scans_uncounted = true;
        for _ in 0..passes {
            self.go_on()?;
            let mut executions = 0;
            let built = self.transaction(&mut brackets, || {
                connection.raw.execute_batch(&drop_index)?;
                let mut create = connection.raw.prepare(&work.sql)?;
                let created = create.raw_execute();
                executions = taken(&create, StatementStatus::Run);
                created?;
                Ok(ChunkResult { ops: 1, rows, bytes: 0, checksum: rows })
            });
            self.own.executions += executions;
            built?;
        }
        Ok(())
    }

    /// Removes what the last piece has made: the rows of the job's own table, its index or its file.
    pub(super) fn discard(&mut self) -> Result<(), Fault> {
        let work = self.work;
        let sql = match work.job.spec.test.procedure.shape {
            ProcedureShape::Load => about_table("empty_table", &work.job.procedure.fill("{load}")?)?,
            ProcedureShape::Index => work.job.procedure.fill(&DIALECT.get("tables/drop_index")?.text)?,
            ProcedureShape::File => return Ok(remove(&file_of_job(&self.shared.options.path, work.job.number))?),
            _ => return Ok(()),
        };
        let permit = self.shared.writer.wait(self.stop)?;
        self.connection.raw.execute_batch(&sql)?;
        drop(permit);
        self.count_log();
        self.checkpoint_if_due()
    }

    /// Writes database files of its own, one a pass, each on the device before the next begins.
    pub(super) fn write_files(&mut self, passes: u64) -> Result<(), Fault> {
        for _ in 0..passes {
            let bytes = self.write_file()?;
            self.add(ChunkResult { ops: 1, rows: 0, bytes, checksum: bytes });
        }
        Ok(())
    }

    fn write_file(&mut self) -> Result<u64, Fault> {
        let options = &self.shared.options;
        let path = file_of_job(&options.path, self.work.job.number);
        remove(&path)?;
        let connection = SqliteConnection::open(&path, Access::Create)?;
        connection.set("page_size", &FILE_PAGE_BYTES.to_string())?;
        connection.set("synchronous", options.synchronous.name())?;
        let written = self.fill_file(&connection).map_err(|fault| connection.says("writing a file", fault));
        // Counted whatever came of it, in the blocks that everything else is counted in.
        self.own.add_file_pages(take_page_counts(&connection.raw), FILE_PAGE_BYTES / PAGE_BYTES);
        self.own.rows_changed += connection.raw.total_changes();
        drop(connection);
        written?;
        let bytes = path.metadata().map_err(|e| EngineError::other(format!("{}: {e}", path.display())))?.len();
        let asked = self.work.job.spec.size.file_bytes;
        if bytes < asked {
            let message = format!("{} has {bytes} bytes after {asked} were written to it", path.display());
            return Err(EngineError::other(message).into());
        }
        Ok(bytes)
    }

    fn fill_file(&mut self, connection: &SqliteConnection) -> Result<(), Fault> {
        connection.raw.execute_batch(&DIALECT.get("procedures/write_file_table")?.text)?;
        let mut insert = connection.raw.prepare(&self.work.sql)?;
        let parts = self.work.job.spec.size.file_bytes.div_ceil(PART_BYTES).max(1);
        let mut part: Vec<u8> = (0..PART_BYTES / 8).flat_map(|n| mix(n).to_le_bytes()).collect();
        connection.raw.execute_batch("BEGIN IMMEDIATE")?;
        for number in 0..parts {
            self.go_on()?;
            // No two pages alike, so that no storage can write fewer than it is given.
            for (n, page) in (0..).zip(part.chunks_mut(PAGE_BYTES as usize)) {
                page[..8].copy_from_slice(&mix(number << 20 | n).to_le_bytes());
            }
            let inserted = insert.execute((number.cast_signed(), part.as_slice()));
            self.own.executions += taken(&insert, StatementStatus::Run);
            inserted?;
        }
        connection.raw.execute_batch("COMMIT")?;
        self.own.file_commits += 1;
        Ok(())
    }

    /// One transaction, when its turn has come; what it did counts from its commit on. What fails is rolled back.
    fn transaction(
        &mut self,
        brackets: &mut Brackets<'a>,
        work: impl FnOnce() -> Result<ChunkResult, Fault>,
    ) -> Result<(), Fault> {
        let permit = self.open(brackets)?;
        self.close(brackets, permit, work())
    }
}

/// The file that a job of T211 writes.
pub(super) fn file_of_job(path: &std::path::Path, job: u32) -> PathBuf {
    beside(path, &format!("{FILE_SUFFIX}{job}"))
}

/// What follows the database's name in the names of files that T211 writes.
pub(super) const FILE_SUFFIX: &str = ".write-";
