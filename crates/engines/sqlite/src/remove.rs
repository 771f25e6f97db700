//! Dropping what is ours, and nothing else.

use super::connection::{Access, SqliteConnection};
use super::meta::{self, META};
use super::options::Options;
use super::{TABLE_NAMES, about_table, hold, inspect, point, table_name};
use dbdyno_engine::EngineError;

/// Drops our tables, and the file with them where it was made for them and holds nothing else.
///
/// # Errors
/// The file is not ours, is in use, or cannot be changed; another dbdyno is at work there.
pub(super) fn drop_all(options: &Options) -> Result<bool, EngineError> {
    let path = &options.path;
    if meta::look(path)?.ours()?.is_none() {
        return Ok(false);
    }
    let _alone = hold::take(path)?;
    // Whoever was there before may have done more than we saw.
    let Some(meta) = meta::look(path)?.ours()? else { return Ok(false) };
    let connection = SqliteConnection::open(path, Access::Write)?;
    let made = meta.made();
    let ours = |name: &str| {
        let by_points = || made.iter().any(|made| made.is("table", name));
        let by_loads = name == META || TABLE_NAMES.iter().any(|t| table_name(*t) == name) || meta.keeps("table", name);
        by_loads || by_points()
    };
    let (mine, others): (Vec<String>, Vec<String>) =
        meta::objects(&connection)?.into_iter().partition(|name| ours(name));
    inspect::refuse_others(&connection, mine.iter().map(String::as_str), &meta)?;
    // Leaving the write-ahead log needs the file for itself: whoever else has it open is found out here.
    connection.set_journal("delete")?;
    if others.is_empty() && meta.says(meta::CREATED_FILE) {
        connection.run("locking the file", "BEGIN EXCLUSIVE; ROLLBACK")?;
        drop(connection);
        meta::remove(path)?;
    } else {
        // The book-keeping goes last: while it stands, the rest is known to be ours.
        let (meta_table, tables): (Vec<&String>, Vec<&String>) = mine.iter().partition(|name| *name == META);
        for table in tables.into_iter().chain(meta_table) {
            connection.run(&format!("dropping {table}"), &about_table("drop_table", table)?)?;
        }
    }
    point::remove_files(path)?;
    Ok(true)
}
