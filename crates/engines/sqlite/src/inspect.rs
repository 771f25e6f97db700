//! Looking at a table again that was loaded some time ago. SQLite keeps the text that each object was made with, so
//! what hangs on a table is compared with the very statements of tables.sql.

use super::link::{Access, Link};
use super::verify::row_of;
use super::{TABLES, shape_statement, table_name};
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Found, Sample};
use dbdyno_engine::form;
use dbdyno_engine::inspect::{Fact, KIND, compare, rows};
use dbdyno_engine::{EngineError, Inspection, SqlFile};
use dbdyno_model::{Organisation, TableName};
use std::path::Path;
use std::sync::LazyLock;

static INSPECTING: LazyLock<SqlFile> =
    LazyLock::new(|| SqlFile::parse("sqlite/sql/inspect.sql", include_str!("sql/inspect.sql")));

/// Looks at a table.
///
/// # Errors
/// SQLite's.
pub(super) fn inspect(path: &Path, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError> {
    let link = Link::open(path, Access::Read)?;
    let mut differences = compare(&expected(table)?, &found(&link, table)?);
    if differences.is_empty() {
        differences.extend(rows(&table_name(table), look(&link, table, sample)?));
    }
    Ok(Inspection { differences, unseen: Vec::new() })
}

/// Refuses to drop a table that dbdyno did not make so.
///
/// # Errors
/// There is one, or SQLite's.
pub(super) fn refuse_others<'t>(
    link: &Link,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let sql = &INSPECTING.get("columns")?.text;
    let read = || -> rusqlite::Result<form::Columns> {
        link.connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let columns = read().map_err(|error| link.says("looking at what is to be dropped", error))?;
    form::refuse_others(tables, &columns, kept, "the file")
}

/// What the schema must hold.
fn expected(table: TableName) -> Result<Vec<Fact>, EngineError> {
    let (name, organisation) = (table_name(table), table.organisation());
    let text = |statement: &str| TABLES.fill(statement, &[("table", &name)]).map(|sql| squeezed(&sql));
    let mut facts = vec![
        Fact::new(&name, KIND, "table"),
        Fact::new(&name, "definition", text(shape_statement(organisation))?),
        Fact::new(&name, "index", text("index_customer")?),
    ];
    if organisation != Organisation::Iot {
        facts.push(Fact::new(&name, "index", text("index_primary")?));
    }
    Ok(facts)
}

/// What it holds.
fn found(link: &Link, table: TableName) -> Result<Vec<(Fact, Option<String>)>, EngineError> {
    let name = table_name(table);
    let sql = INSPECTING.fill("facts", &[("table", &name)])?;
    let read = || -> rusqlite::Result<Vec<[String; 4]>> {
        let mut statement = link.connection.prepare(&sql)?;
        let all = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
        all.collect()
    };
    let mut facts = Vec::new();
    for [what, called, sql, drop] in read().map_err(|error| link.says(&format!("looking at {name}"), error))? {
        match what.as_str() {
            "table" => {
                facts.push((Fact::new(&name, KIND, what), None));
                facts.push((Fact::new(&name, "definition", squeezed(&sql)), None));
            }
            "index" => facts.push((Fact::new(&name, "index", squeezed(&sql)), Some(drop))),
            "view" => facts.push((Fact::new(&name, KIND, what), Some(drop))),
            _ => facts.push((Fact::new(&name, &what, called), Some(drop))),
        }
    }
    Ok(facts)
}

/// A statement with single blanks and no semicolon, as it is the same however it was broken into lines.
fn squeezed(sql: &str) -> String {
    sql.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the rows of a sample.
fn look(link: &Link, table: TableName, sample: &mut Sample) -> Result<Vec<String>, EngineError> {
    let sql = INSPECTING.fill("row", &[("table", &table_name(table))])?;
    let mut read = || -> rusqlite::Result<Vec<String>> {
        let mut statement = link.connection.prepare(&sql)?;
        sample.look(|made| {
            let mut read = statement.query([made.id])?;
            let mut found = Found::Missing;
            while let Some(row) = read.next()? {
                // A value of another type is no row of ours.
                found = found.and(made, row_of(row).unwrap_or_default().as_ref());
            }
            Ok(found)
        })
    };
    read().map_err(|error| link.says(&format!("reading rows of {table}"), error))
}
