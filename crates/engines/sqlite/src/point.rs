//! What a point needs that its jobs share, and what it leaves behind. Everything that a point makes in the file is
//! noted before, and files end in `.write-JOB`, so that one rule cleans up after any point, also one that was killed.

use super::link::Link;
use super::meta::{self, beside};
use super::recipe::{load_table, makes};
use super::writing::{FILE_SUFFIX, remove};
use super::{STATISTICS, Shared, TABLES, inspect, shape_statement};
use dbdyno_engine::bookkeeping::{self, Made, Meta};
use dbdyno_engine::{EngineError, Task};
use dbdyno_model::{Organisation, Procedure};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Makes what a point needs.
///
/// # Errors
/// SQLite's.
pub(super) fn begin(shared: &Shared, link: &Link, task: &Task) -> Result<(), EngineError> {
    end(shared, link)?;
    let wanted = makes(&task.test);
    if !wanted.is_empty() {
        bookkeeping::refuse_taken(&wanted, &there(link)?, "the file")?;
        wanted.iter().try_for_each(|made| meta::set(link, &made.entry(), "1"))?;
    }
    let doing = format!("preparing {}", task.test.code);
    let organisation = task.test.table.map_or(Organisation::Heap, |t| t.organisation());
    match task.test.procedure {
        Procedure::Insert => {
            let table = load_table(&task.test, 0);
            let mut statements = vec![shape_statement(organisation), "index_customer"];
            if organisation != Organisation::Iot {
                statements.push("index_primary");
            }
            for statement in statements {
                link.run(&doing, &TABLES.fill(statement, &[("table", &table)])?)?;
            }
        }
        Procedure::BulkLoad => {
            let mut tables: Vec<String> = (0..task.jobs).map(|job| load_table(&task.test, job)).collect();
            tables.dedup();
            for table in tables {
                link.run(&doing, &TABLES.fill(shape_statement(organisation), &[("table", &table)])?)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Removes whatever a point has made.
///
/// # Errors
/// SQLite's, or a file that cannot be removed.
pub(super) fn end(shared: &Shared, link: &Link) -> Result<(), EngineError> {
    let doing = "cleaning up after a point";
    let made: Vec<Made> = rows(link, "noted", |row| row.get::<_, String>(0))?
        .iter()
        .filter_map(|entry| bookkeeping::noted(entry))
        .collect();
    if !made.is_empty() {
        let there = there(link)?;
        let tables = bookkeeping::ours(&made, &there).filter(|(kind, _)| kind == "table");
        inspect::refuse_others(link, tables.map(|(_, name)| name.as_str()), &Meta::default())?;
        for (kind, name) in bookkeeping::ours(&made, &there) {
            let (statement, placeholder) =
                if kind == "index" { ("drop_index", "index") } else { ("drop_table", "table") };
            link.run(doing, &TABLES.fill(statement, &[(placeholder, name)])?)?;
        }
        link.run(doing, &STATISTICS.get("forget_made")?.text)?;
    }
    shared.pending_pages.store(0, Ordering::Relaxed);
    remove_files(&shared.options.path)
}

/// Tables and indexes whose names are such as points give.
fn there(link: &Link) -> Result<Vec<(String, String)>, EngineError> {
    rows(link, "there", |row| Ok((row.get(0)?, row.get(1)?)))
}

fn rows<T>(
    link: &Link,
    statement: &str,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, EngineError> {
    let sql = &STATISTICS.get(statement)?.text;
    let all = || -> rusqlite::Result<Vec<T>> { link.connection.prepare(sql)?.query_map([], read)?.collect() };
    all().map_err(|e| link.says("looking for what a point left", e))
}

/// Removes the files that T211 wrote beside the database.
///
/// # Errors
/// One cannot be removed.
pub(super) fn remove_files(path: &Path) -> Result<(), EngineError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = beside(path, FILE_SUFFIX);
    let Some(prefix) = prefix.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let job = name.to_str().and_then(|name| name.strip_prefix(prefix));
        if job.is_some_and(|job| !job.is_empty() && job.bytes().all(|b| b.is_ascii_digit())) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}
