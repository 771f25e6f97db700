//! Oracle Database, from 12.2 on: the engine that the tests were made for, and every organisation is its own. Its
//! server drive is one PL/SQL package, made for each point with the procedure that the point calls; its data comes as
//! arrays, by direct path where the table takes it; its proofs are the server's own counts of dbdyno's sessions and
//! cursors.
//!
//! None of this has been run on a live server: that is said with every output (`NOTICE`).
//!
//! What an expert should know of the choices: procedures commit by `COMMIT WRITE IMMEDIATE WAIT`, because a plain
//! COMMIT inside PL/SQL does not wait for the log; what a session has done is read from that session (`v$mystat`), so
//! nobody else's work is in it; executions are those of the cursors whose query block bears the tests' name; plans are
//! those that were executed (`v$sql_plan`), and explained only where nothing can be executed beforehand; no view is
//! read that needs a pack, unless the target claims the licence; nothing of the server's settings is changed, and the
//! only object outside the user's schema is the tablespace that T211 writes.

mod awr;
mod check;
mod client;
mod connection;
mod contract;
mod describe;
mod dialect;
mod errors;
mod layout;
mod load;
mod location;
mod monitor;
mod observe;
mod options;
mod password;
mod plan;
mod point;
mod procedure;
mod product;
mod rows;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod statistics;

use dbdyno_engine::EngineInfo;
pub(crate) use dialect::{DIAGNOSTICS_CLAIM, DIALECT, NOTICE};
pub(crate) use product::engine;

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "oracle",
    title: "Oracle Database 12.2 to 26ai",
    target: "oracle://USER@HOST[:PORT][,HOST2...]/SERVICE[?without=partitioning,...&...]",
    notice: Some(NOTICE),
    hidden: false,
    mapping: |test| DIALECT.mapping(test),
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: script::ended,
    open: |target, _| Ok(Box::new(engine(target)?)),
    private: None,
};

#[cfg(test)]
#[path = "tests/names.rs"]
mod names;
#[cfg(test)]
mod tests;
