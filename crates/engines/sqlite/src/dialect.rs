//! What SQLite's files say, and what its tables are called.

use dbdyno_engine::{Dialect, EngineError};
use dbdyno_model::{Organisation, TableName};
use include_dir::{Dir, include_dir};
use std::sync::LazyLock;

/// The tables that SQLite can have, in loading order.
pub(crate) const TABLE_NAMES: [TableName; 3] =
    [TableName::SmallHeap, TableName::SmallIot, TableName::LargeHeapRangeList];

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("sqlite", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");

/// The table's name in the file.
pub(crate) fn table_name(table: TableName) -> String {
    format!("dbdyno_{table}")
}

/// The statement that creates a table of an organisation.
pub(crate) fn shape_statement(organisation: Organisation) -> &'static str {
    if organisation == Organisation::Iot { "create_iot" } else { "create_heap" }
}

/// The statements that index a table of an organisation: its primary key, unless rows lie in that, and the other one.
pub(crate) fn index_statements(organisation: Organisation) -> &'static [&'static str] {
    if organisation == Organisation::Iot { &["index_customer"] } else { &["index_primary", "index_customer"] }
}

/// A statement of tables.sql about a table, by the table's name in the file.
///
/// # Errors
/// There is none of that name.
pub(crate) fn about_table(statement: &str, table: &str) -> Result<String, EngineError> {
    Ok(DIALECT.fill(&format!("tables/{statement}"), &[("table", table)])?)
}
