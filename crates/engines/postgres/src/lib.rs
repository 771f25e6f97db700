//! PostgreSQL, from 13 on. Its server drive is stored procedures in PL/pgSQL, one for each piece of work and table, in
//! a schema of its own (`dbdyno`, the only one that is ever touched); its data comes by COPY in binary; its proofs are
//! the server's own statistics.
//!
//! What an expert should know of the choices: plans are generic and checked before each point; a procedure commits each
//! operation itself; parallel statements run through EXECUTE, because SELECT INTO launches no workers; autovacuum is
//! off on the test tables, and dbdyno vacuums and checkpoints between points; tables are warmed through their indexes,
//! because sequential scans of larger tables pass through a small ring of buffers.

mod check;
mod client;
mod connection;
mod contract;
mod copy;
mod describe;
mod dialect;
mod errors;
mod grants;
mod load;
mod location;
mod membership;
mod monitor;
mod observe;
mod options;
mod paced;
mod password;
mod plan;
mod point;
mod private;
mod procedure;
mod product;
#[cfg(test)]
mod scratch;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod wire;

use dbdyno_engine::EngineInfo;
pub(crate) use dialect::{DIALECT, SCHEMA, TABLE_NAMES};
pub(crate) use product::{Node, PostgresEngine, PostgresProduct, engine};

pub use private::{PRODUCT, Postgres};

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "postgres",
    title: "PostgreSQL 13 and later",
    target: "postgres://USER@HOST[:PORT][,HOST2...]/DATABASE[?sslmode=verify-full&...]",
    notice: None,
    hidden: false,
    mapping: |test| DIALECT.mapping(test),
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: str::to_owned,
    open: |target, _| Ok(Box::new(engine(target, None)?)),
    private: Some(dbdyno_engine::private::Private {
        product: &private::PRODUCT,
        open: |server, _| Ok(Box::new(engine(&server.target, Some(server.clone()))?)),
    }),
};
