//! What a point needs that its jobs share, and what it leaves behind. Everything that a point makes in the file is
//! noted before, and files end in `.write-JOB`, so that one rule cleans up after any point, also one that was killed.

use super::connection::{SqliteConnection, folder_of};
use super::meta::{self, beside, remove};
use super::writing::FILE_SUFFIX;
use super::{DIALECT, Shared, about_table, inspect, procedure};
use dbdyno_engine::bookkeeping::{self, Made, Meta};
use dbdyno_engine::{EngineError, PointSpec};
use std::path::Path;
use std::sync::atomic::Ordering;

const LOOKING: &str = "looking for what a point left";

/// Makes what a point needs.
///
/// # Errors
/// SQLite's.
pub(super) fn begin(shared: &Shared, connection: &SqliteConnection, spec: &PointSpec) -> Result<(), EngineError> {
    end(shared, connection)?;
    let own = procedure::of_point(&spec.test)?;
    let wanted = own.makes()?;
    if !wanted.is_empty() {
        bookkeeping::refuse_taken(&wanted, &there(connection)?, "the file")?;
        wanted.iter().try_for_each(|made| meta::set(connection, &made.entry(), "1"))?;
    }
    let doing = format!("preparing {}", spec.test.code);
    for (_, table) in own.made_by_all(spec.jobs, 1)?.iter().filter(|(kind, _)| kind == "table") {
        for statement in procedure::load_table(&own) {
            connection.run(&doing, &about_table(statement, table)?)?;
        }
    }
    Ok(())
}

/// Removes whatever a point has made.
///
/// # Errors
/// SQLite's, or a file that cannot be removed.
pub(super) fn end(shared: &Shared, connection: &SqliteConnection) -> Result<(), EngineError> {
    let doing = "cleaning up after a point";
    let sql = &DIALECT.get("statistics/noted")?.text;
    let noted: Vec<String> = connection.rows(LOOKING, sql, |row| row.get(0))?;
    let made: Vec<Made> = noted.iter().filter_map(|entry| bookkeeping::noted(entry)).collect();
    if !made.is_empty() {
        let there = there(connection)?;
        let tables = bookkeeping::ours(&made, &there).filter(|(kind, _)| kind == "table");
        inspect::refuse_others(connection, tables.map(|(_, name)| name.as_str()), &Meta::default())?;
        for (kind, name) in bookkeeping::ours(&made, &there) {
            let (statement, placeholder) =
                if kind == "index" { ("drop_index", "index") } else { ("drop_table", "table") };
            connection.run(doing, &DIALECT.fill(&format!("tables/{statement}"), &[(placeholder, name)])?)?;
        }
        connection.run(doing, &DIALECT.get("statistics/forget_made")?.text)?;
    }
    shared.pending_pages.store(0, Ordering::Relaxed);
    remove_files(&shared.options.path)
}

/// Tables and indexes whose names are such as points give.
fn there(connection: &SqliteConnection) -> Result<Vec<(String, String)>, EngineError> {
    let sql = &DIALECT.get("statistics/there")?.text;
    connection.rows(LOOKING, sql, |row| <(String, String)>::try_from(row))
}

/// Removes the files that T211 wrote beside the database.
///
/// # Errors
/// One cannot be removed.
pub(super) fn remove_files(path: &Path) -> Result<(), EngineError> {
    let prefix = beside(path, FILE_SUFFIX);
    let Some(prefix) = prefix.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let Ok(entries) = std::fs::read_dir(folder_of(path)) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let job = name.to_str().and_then(|name| name.strip_prefix(prefix));
        if job.is_some_and(|job| !job.is_empty() && job.bytes().all(|b| b.is_ascii_digit())) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}
