//! MariaDB, from 10.11 on (MySQL 8: best effort, not verified). Its server drive is stored procedures in SQL/PSM, one
//! for each piece of work and table, in a database of its own, which is the schema of other engines: the one that the
//! target names, and the only one that is ever touched. Its data comes by the bulk protocol, straight from the
//! generator; its proofs are the server's own counts of dbdyno's sessions.
//!
//! What an expert should know of the choices: InnoDB tables are index-organised, so a heap is a table that has no key
//! to be organised by; a procedure commits each operation itself, and where commits are to be durable each operation is
//! a call of its own, because inside a procedure commits do not wait for the device (session.rs); plans are explained
//! before each point, with a value for each variable, as the server plans a statement of a procedure each time it runs;
//! what the server counts for a session (handler calls, commits) is read from that session, so nobody else's work is in
//! it; nothing of the server's settings is changed but, where somebody had them off and dbdyno may, the instruments
//! that time file I/O, and these only while a point lasts.

mod check;
mod client;
mod connection;
mod contract;
mod describe;
mod dialect;
mod errors;
mod grants;
mod known;
mod layout;
mod load;
mod location;
mod monitor;
mod observe;
mod options;
mod password;
mod plan;
mod point;
mod private;
mod privileges;
mod procedure;
mod product;
mod rows;
#[cfg(test)]
mod scratch;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod tls;

use dbdyno_engine::EngineInfo;
pub(crate) use dialect::{DIALECT, TABLE_NAMES};
pub(crate) use product::engine;

pub use private::{MariaDb, PRODUCT};

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "mariadb",
    title: "MariaDB 10.11 and later (MySQL 8 speaks the same protocol and may work; not verified)",
    target: "mariadb://USER@HOST[:PORT][,HOST2...]/DATABASE[?sslmode=verify-full&...]",
    notice: None,
    hidden: false,
    mapping: |test| DIALECT.mapping(test),
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: script::ended,
    open: |target, _| Ok(Box::new(engine(target, None)?)),
    private: Some(dbdyno_engine::private::Private {
        product: &private::PRODUCT,
        open: |server, _| Ok(Box::new(engine(&server.target, Some(server.clone()))?)),
    }),
};
