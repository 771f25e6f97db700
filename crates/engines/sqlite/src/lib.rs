//! Embedded SQLite: the engine that needs no server. It runs inside dbdyno's process, one connection a job; its server
//! drive is an in-process loop over prepared statements (procedures.rs), because SQLite has no stored procedures.
//!
//! What an expert should know of the choices: a heap is a table whose key is an ordinary unique index, an
//! index-organised table one whose key is the rowid's b-tree. There is one writer at a time, so writers queue fairly
//! (writer.rs). Caches are per connection; a commit by one connection empties those of the others. ANALYZE is not run:
//! without statistics SQLite chooses the index plans that the tests are about, and every plan is checked.

mod chunk;
mod connection;
mod counters;
mod describe;
mod dialect;
mod engine;
mod errors;
mod hold;
mod inspect;
mod load;
mod meta;
mod monitor;
mod options;
mod point;
mod procedure;
mod procedures;
mod remove;
mod rows;
mod script;
mod session;
mod shared;
mod statements;
mod totals;
mod verify;
mod writer;
mod writing;

use dbdyno_engine::EngineInfo;
pub(crate) use dialect::{DIALECT, TABLE_NAMES, about_table, index_statements, shape_statement, table_name};
use engine::SqliteEngine;
use options::Options;
pub(crate) use shared::{Shared, no_monitor};

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "sqlite",
    title: "embedded SQLite, inside dbdyno's own process",
    target: "sqlite:FILE[?synchronous=full|normal|off&journal=wal|delete]",
    notice: None,
    hidden: false,
    mapping: |test| DIALECT.mapping(test),
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: str::to_owned,
    private: None,
    open: |target, size| Ok(Box::new(SqliteEngine::new(Options::parse(target)?, size))),
};

#[cfg(test)]
mod tests;
