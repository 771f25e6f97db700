//! Checksums: tables read back row by row, by several connections, and compared with what the generator says.

use super::connection::{Access, SqliteConnection};
use super::{about_table, rows, table_name};
use dbdyno_engine::data::{Checksum, Columns, Generator, RowSum, test_columns};
use dbdyno_engine::server::PhaseProgress;
use dbdyno_engine::{EngineError, LoadWatch};
use dbdyno_model::{ErrorClass, TableName};
use std::path::Path;

/// Rows between two looks at the watch.
const LOOK_ROWS: u64 = 10_000;

/// The checksum of a table of so many rows as SQLite gives them back; with a generator, compared with the generator's.
///
/// # Errors
/// The table cannot be read, or is not what the generator makes.
pub(super) fn checksum(
    path: &Path,
    table: TableName,
    (columns, of): (Columns, u64),
    jobs: u32,
    generator: Option<Generator>,
    watch: &dyn LoadWatch,
) -> Result<Checksum, EngineError> {
    let parts = u64::from(jobs.clamp(1, 64));
    let progress = PhaseProgress::new(watch, format!("{table} checksum"), 0, of);
    let (doing, sql) = (format!("reading {table} back"), about_table("read_rows", &table_name(table))?);
    let read = |rowids: (i64, i64)| {
        let connection = SqliteConnection::open(path, Access::Read)?;
        let mut sum = RowSum::new(test_columns(), columns);
        let read = rows::for_each(&connection, (&doing, &sql), rowids, test_columns(), |row| {
            sum.add(row);
            if !sum.checksum.rows.is_multiple_of(LOOK_ROWS) {
                return Ok(());
            }
            progress.add(LOOK_ROWS);
            watch.refuse(&doing)
        });
        read.map_err(|fault| connection.says(&doing, fault))?;
        Ok::<_, EngineError>(sum.checksum)
    };
    let (mut found, mut expected) = (Checksum::default(), Checksum::default());
    std::thread::scope(|scope| {
        let part = |n: u64| {
            // The outer parts are open, so that no row escapes.
            let ids = (of * n / parts + 1, of * (n + 1) / parts);
            let first = if n == 0 { i64::MIN } else { ids.0.cast_signed() };
            let last = if n + 1 == parts { i64::MAX } else { ids.1.cast_signed() };
            let (read, mut generator) = (&read, generator.clone());
            scope.spawn(move || {
                let found = read((first, last))?;
                let expected = generator.as_mut().map(|generator| generator.checksum_over(Columns::All, ids.0..=ids.1));
                Ok::<_, EngineError>((found, expected))
            })
        };
        let threads: Vec<_> = (0..parts).map(part).collect();
        for thread in threads {
            let gone = |_| Err(EngineError::other("a thread that reads rows back panicked"));
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
