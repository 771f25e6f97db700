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

mod check;
mod client;
mod connection;
mod describe;
mod dialect;
mod errors;
mod layout;
mod load;
mod location;
mod monitor;
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

use connection::OracleConnection;
use dbdyno_engine::server::{Product, ProductTarget as _, ServerSession};
use dbdyno_engine::{
    Durability, EngineError, EngineInfo, Finding, PointSpec, PointStatistics, ProgramSpec, Session, Settled,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, Size, TableName};
pub(crate) use dialect::{DIAGNOSTICS_CLAIM, DIALECT, NOTICE};
use point::UnderWay;
pub(crate) use product::{Node, OracleEngine, OracleProduct, engine};
use session::OracleSession;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

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

impl Product for OracleProduct {
    type UnderWay = UnderWay;
    type Backlog = settle::Backlog;

    fn describe(engine: &OracleEngine) -> Result<Database, EngineError> {
        engine.with(|connection| describe::database(connection, &engine.product.options))
    }

    fn durability(
        &self,
        connection: &mut OracleConnection,
        commit: CommitMode,
        drive: Drive,
    ) -> Result<Durability, EngineError> {
        describe::durability(connection, commit, drive)
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size, &self.tables())
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size, &self.tables())
    }

    fn settle(engine: &OracleEngine, backlog: &mut settle::Backlog, limit: Duration) -> Result<Settled, EngineError> {
        settle::settle(engine, backlog, limit)
    }

    fn changed(backlog: &mut settle::Backlog, _: Option<TableName>) {
        backlog.add();
    }

    fn begin_point(engine: &OracleEngine, spec: &PointSpec) -> Result<UnderWay, EngineError> {
        point::begin(engine, spec)
    }

    fn end_point(engine: &OracleEngine, spec: &PointSpec, begun: bool) -> Result<(), EngineError> {
        if begun {
            point::snap(engine)?;
        }
        engine.with(|connection| point::remove_leftovers(connection, spec))
    }

    fn begin_program(engine: &OracleEngine, spec: &ProgramSpec) -> Result<UnderWay, EngineError> {
        point::begin_program(engine, spec)
    }

    fn end_program(engine: &OracleEngine) -> Result<(), EngineError> {
        engine.changed(None);
        point::snap(engine)
    }

    fn statistics(connection: &mut OracleConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn point_statistics(
        engine: &OracleEngine,
        point: &mut UnderWay,
        earlier: Option<&PointStatistics>,
    ) -> Result<PointStatistics, EngineError> {
        point::statistics(engine, point, earlier)
    }

    fn session(engine: &OracleEngine, node: usize) -> Result<Box<dyn Session>, EngineError> {
        let connection = engine.product.open(node, "dbdyno job")?;
        let session = OracleSession::new(&connection, Arc::clone(&engine.nodes[node]))?;
        Ok(Box::new(ServerSession::new(connection, session)))
    }

    fn data_files(engine: &OracleEngine) -> Vec<PathBuf> {
        engine.location().map(|location| location.files.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
#[path = "tests/names.rs"]
mod names;
#[cfg(test)]
mod tests;
