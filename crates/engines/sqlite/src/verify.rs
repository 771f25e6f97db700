//! Checksums: tables read back row by row, by several connections, and compared with what the generator says.

use super::connection::{Access, SqliteConnection};
use super::rows;
use super::table_name;
use crate::DIALECT;
use dbdyno_engine::client::Values;
use dbdyno_engine::data::{Checksum, Columns, Generator, RowSum, test_columns};
use dbdyno_engine::{EngineError, LoadWatch};
use dbdyno_model::{ErrorClass, TableName};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows between two looks at the watch.
const LOOK_ROWS: u64 = 10_000;

/// The checksum of a table as SQLite gives its rows back; with a generator, compared with the generator's.
///
/// # Errors
/// The table cannot be read, or is not what the generator makes.
pub(super) fn checksum(
    path: &Path,
    table: TableName,
    columns: Columns,
    rows: u64,
    jobs: u32,
    generator: Option<Generator>,
    watch: &dyn LoadWatch,
) -> Result<Checksum, EngineError> {
    let parts = u64::from(jobs.clamp(1, 64));
    let (seen, what) = (AtomicU64::new(0), format!("{table} checksum"));
    let (mut found, mut expected) = (Checksum::default(), Checksum::default());
    std::thread::scope(|scope| {
        let part = |n: u64| {
            // The outer parts are open, so that no row escapes.
            let ids = (rows * n / parts + 1, rows * (n + 1) / parts);
            let first = if n == 0 { i64::MIN } else { ids.0.cast_signed() };
            let last = if n + 1 == parts { i64::MAX } else { ids.1.cast_signed() };
            let (seen, what, mut generator) = (&seen, &what, generator.clone());
            scope.spawn(move || {
                let found = Part { path, table, columns, rowids: (first, last), seen, what, of: rows, watch }.read()?;
                let expected = generator.as_mut().map(|generator| generator.checksum_over(Columns::All, ids.0..=ids.1));
                Ok::<_, EngineError>((found, expected))
            })
        };
        let threads: Vec<_> = (0..parts).map(part).collect();
        for thread in threads {
            let gone = |_| Err(EngineError::new(ErrorClass::Other, "a thread that reads rows back panicked"));
            let (part_found, part_expected) = thread.join().unwrap_or_else(gone)?;
            found.merge(part_found);
            expected.merge(part_expected.unwrap_or_default());
        }
        Ok::<_, EngineError>(())
    })?;
    if generator.is_some() && found != expected {
        let message = format!(
            "{}: {table} reads back as {found}, and the generator made {expected}; drop it and load again",
            path.display()
        );
        return Err(EngineError::new(ErrorClass::Corruption, message));
    }
    Ok(found)
}

struct Part<'p> {
    path: &'p Path,
    table: TableName,
    columns: Columns,
    rowids: (i64, i64),
    seen: &'p AtomicU64,
    what: &'p str,
    of: u64,
    watch: &'p dyn LoadWatch,
}

impl Part<'_> {
    fn read(&self) -> Result<Checksum, EngineError> {
        let connection = SqliteConnection::open(self.path, Access::Read)?;
        let sql = DIALECT.fill("tables/read_rows", &[("table", &table_name(self.table))])?;
        let (mut sum, mut values) = (RowSum::new(test_columns(), self.columns), Values::new());
        let mut complaint = None;
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = connection.connection.prepare(&sql)?;
            let mut found = statement.query(self.rowids)?;
            while let Some(row) = found.next()? {
                match rows::read(row, test_columns(), &mut values) {
                    Ok(()) => sum.add(&values),
                    Err(column) => {
                        complaint = Some(format!("row {}: {column} is not as it was written", row.get::<_, i64>(0)?));
                    }
                }
                if sum.checksum.rows.is_multiple_of(LOOK_ROWS) {
                    let seen = self.seen.fetch_add(LOOK_ROWS, Ordering::Relaxed) + LOOK_ROWS;
                    self.watch.progress(self.what, seen.min(self.of), self.of);
                    if self.watch.cancelled() {
                        complaint = Some("stopped".to_owned());
                    }
                }
                if complaint.is_some() {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(|e| connection.says(&format!("reading {} back", self.table), e))?;
        match complaint {
            None => Ok(sum.checksum),
            Some(what) => {
                let class = if self.watch.cancelled() { ErrorClass::Cancelled } else { ErrorClass::Corruption };
                Err(EngineError::new(class, format!("reading {} back: {what}", self.table)))
            }
        }
    }
}
