//! Looking at a table again that was loaded some time ago. SQLite keeps the text that each object was made with, so
//! what hangs on a table is compared with the very statements of tables.sql.

use super::connection::{Access, SqliteConnection};
use super::errors::Fault;
use super::{DIALECT, about_table, index_statements, rows, shape_statement, table_name};
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::client::{Value, Values};
use dbdyno_engine::data::{Sample, test_columns};
use dbdyno_engine::form;
use dbdyno_engine::inspect::{self, Fact, KIND, compare};
use dbdyno_engine::{EngineError, Inspection};
use dbdyno_model::TableName;
use std::path::Path;

/// Looks at a table.
///
/// # Errors
/// SQLite's.
pub(super) fn inspect(path: &Path, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError> {
    let connection = SqliteConnection::open(path, Access::Read)?;
    let mut differences = compare(&expected(table)?, &found(&connection, table)?);
    if differences.is_empty() {
        differences.extend(inspect::rows(&table_name(table), look(&connection, table, sample)?));
    }
    Ok(Inspection { differences, unseen: Vec::new() })
}

/// Refuses to drop a table that dbdyno did not make so.
///
/// # Errors
/// There is one, or SQLite's.
pub(super) fn refuse_others<'t>(
    connection: &SqliteConnection,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let columns = connection.texts("looking at what is to be dropped", &DIALECT.get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), kept, "the file")
}

/// What the schema must hold.
fn expected(table: TableName) -> Result<Vec<Fact>, EngineError> {
    let (name, organisation) = (table_name(table), table.organisation());
    let text = |statement: &str| about_table(statement, &name).map(|sql| squeezed(&sql));
    let mut facts =
        vec![Fact::new(&name, KIND, "table"), Fact::new(&name, "definition", text(shape_statement(organisation))?)];
    for statement in index_statements(organisation).iter().rev() {
        facts.push(Fact::new(&name, "index", text(statement)?));
    }
    Ok(facts)
}

/// What it holds.
fn found(connection: &SqliteConnection, table: TableName) -> Result<Vec<(Fact, Option<String>)>, EngineError> {
    let sql = about("facts", table)?;
    let mut facts = Fact::read(connection.texts(&format!("looking at {}", table_name(table)), &sql)?);
    facts.iter_mut().for_each(|(fact, _)| fact.text = squeezed(&fact.text));
    Ok(facts)
}

/// A statement about a table.
fn about(statement: &str, table: TableName) -> Result<String, EngineError> {
    Ok(DIALECT.fill(&format!("inspect/{statement}"), &[("table", &table_name(table))])?)
}

/// A statement with single blanks and no semicolon, as it is the same however it was broken into lines.
fn squeezed(sql: &str) -> String {
    sql.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the rows of a sample.
fn look(connection: &SqliteConnection, table: TableName, sample: &mut Sample) -> Result<Vec<String>, EngineError> {
    let sql = about("row", table)?;
    let doing = format!("reading rows of {table}");
    sample.look(|made, each| {
        let id = if let Some(Value::Int(id)) = made.get(0) { id } else { 0 };
        let read = rows::for_each(connection, (&doing, &sql), [id], test_columns(), |row| {
            each(row);
            Ok(())
        });
        match read {
            // A value of another type is no row of ours. A damaged page is SQLite's error, and says nothing of a row.
            Err(Fault::Engine(_)) => {
                each(&Values::new());
                Ok(())
            }
            read => read.map_err(|fault| connection.says(&doing, fault)),
        }
    })
}
