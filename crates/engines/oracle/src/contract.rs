//! What Oracle does where products with a server differ: what a point needs and leaves, its sessions, its counts.

use super::awr::{self, Repository};
use super::connection::OracleConnection;
use super::point::{self, UnderWay};
use super::procedure::{self, Counting};
use super::product::{Node, OracleEngine, OracleProduct};
use super::session::OracleSession;
use super::{check, describe, monitor, observe, settle, snapshot, space};
use dbdyno_engine::server::{
    NodeStatistics, OwnSessions, Product, ProductTarget as _, Questions, ServerSession, Watch,
};
use dbdyno_engine::{
    Depth, EngineError, Finding, Observation, Others, PointSpec, ProgramSpec, Session, WorkloadRepository,
};
use dbdyno_model::{Counters, Database, Size};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

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
        for node in 0..engine.nodes.len() {
            engine.on(node, |connection| point::empty_cache(connection, spec))?;
        }
        for node in 0..engine.working_nodes(spec.nodes) {
            // All nodes of a cluster have one database, and each a cache of its own.
            point::begin_on(engine, node, |connection| point::warm(connection, spec))?;
        }
        UnderWay::begin(engine, point::watched_of(&procedure, spec), spec.nodes)
    }

    fn end_point(engine: &OracleEngine, spec: &PointSpec, begun: bool) -> Result<(), EngineError> {
        if begun {
            awr::end(engine)?;
        }
        engine.with(|connection| point::remove_leftovers(connection, spec))
    }

    fn begin_program(engine: &OracleEngine, spec: &ProgramSpec) -> Result<UnderWay, EngineError> {
        engine.with(|connection| point::remove_made(connection, &format!("preparing {}", spec.work)))?;
        for node in 0..engine.working_nodes(spec.nodes) {
            point::begin_on(engine, node, |_| Ok(()))?;
        }
        UnderWay::begin(engine, point::watched(Counting::Nothing, 1, None), spec.nodes)
    }

    fn end_program(engine: &OracleEngine) -> Result<(), EngineError> {
        engine.changed(None);
        awr::end(engine)
    }

    /// Nothing: what the control connection commits is told with that of its sessions.
    fn own_work(_: &mut OracleConnection) -> Result<BTreeMap<String, u64>, EngineError> {
        Ok(BTreeMap::new())
    }

    fn statistics(connection: &mut OracleConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn observe(connection: &mut OracleConnection, depth: Depth) -> Result<Observation, EngineError> {
        observe::look(connection, depth)
    }

    fn watch(
        connection: OracleConnection,
        ours: Arc<Mutex<OwnSessions>>,
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

    fn repository(engine: &OracleEngine) -> Option<Box<dyn WorkloadRepository + '_>> {
        Some(Box::new(Repository(engine)))
    }

    fn data_files(engine: &OracleEngine) -> Vec<PathBuf> {
        engine.location().map(|location| location.files.clone()).unwrap_or_default()
    }
}
