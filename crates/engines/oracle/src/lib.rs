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
use dbdyno_engine::server::{NodeStatistics, Product, ProductTarget as _, Questions, ServerSession, Watch};
use dbdyno_engine::{EngineError, EngineInfo, Finding, Others, PointSpec, ProgramSpec, Session};
use dbdyno_model::{Counters, Database, Size};
pub(crate) use dialect::{DIAGNOSTICS_CLAIM, DIALECT, NOTICE};
use point::UnderWay;
use procedure::Counting;
pub(crate) use product::{Node, OracleEngine, OracleProduct, engine};
use session::OracleSession;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

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

    fn questions(&self, _: &OracleConnection) -> Questions {
        describe::questions(&self.options)
    }

    fn describe(engine: &OracleEngine) -> Result<Database, EngineError> {
        engine.with(|connection| describe::database(connection, &engine.product.options))
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size, &self.tables())
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size, &self.tables())
    }

    fn begin_point(engine: &OracleEngine, spec: &PointSpec) -> Result<UnderWay, EngineError> {
        let procedure = procedure::of(&spec.test)?;
        point::refuse_left_out(engine, spec)?;
        point::refuse_several_builders(spec)?;
        engine.with(|connection| point::make(connection, &procedure, spec))?;
        for node in 0..engine.working_nodes(spec.nodes) {
            // All nodes of a cluster have one database, and each a cache of its own.
            point::begin_on(engine, node, |connection| point::warm(connection, spec))?;
        }
        UnderWay::begin(engine, procedure::counting(&procedure), spec.threads)
    }

    fn end_point(engine: &OracleEngine, spec: &PointSpec, begun: bool) -> Result<(), EngineError> {
        if begun {
            point::snap(engine)?;
        }
        engine.with(|connection| point::remove_leftovers(connection, spec))
    }

    fn begin_program(engine: &OracleEngine, spec: &ProgramSpec) -> Result<UnderWay, EngineError> {
        engine.with(|connection| point::remove_made(connection, &format!("preparing {}", spec.work)))?;
        for node in 0..engine.working_nodes(spec.nodes) {
            point::begin_on(engine, node, |_| Ok(()))?;
        }
        UnderWay::begin(engine, Counting::Nothing, 1)
    }

    fn end_program(engine: &OracleEngine) -> Result<(), EngineError> {
        engine.changed(None);
        point::snap(engine)
    }

    fn statistics(connection: &mut OracleConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn watch(
        connection: OracleConnection,
        ours: Arc<Mutex<BTreeSet<u64>>>,
    ) -> Result<Watch<OracleConnection>, EngineError> {
        monitor::watch(connection, ours)
    }

    fn read(
        &self,
        (number, node, connection): (usize, &Node, &mut OracleConnection),
        UnderWay { watched, began, bases }: &mut UnderWay,
        _: Option<&Watch<OracleConnection>>,
        _: Option<Others>,
    ) -> Result<NodeStatistics, EngineError> {
        let mut told = snapshot::read(node, connection, watched, &mut bases[number])?;
        if self.options.diagnostics_pack {
            told.counters.waits.extend(snapshot::history(connection, began.elapsed())?);
        }
        Ok(told)
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
