//! What MariaDB does where products with a server differ: what a point needs and leaves, its sessions, its counts.

use super::connection::MariaDbConnection;
use super::product::{MariaDbEngine, MariaDbProduct, Node};
use super::session::MariaDbSession;
use super::snapshot::{self, Watched};
use super::{check, describe, monitor, observe, point, procedure, settle, space};
use dbdyno_engine::server::{
    NodeStatistics, OwnSessions, Product, ProductTarget as _, Questions, ServerSession, Watch,
};
use dbdyno_engine::{Depth, DurablePlaces, EngineError, Finding, Observation, Others, PointSpec, ProgramSpec, Session};
use dbdyno_model::{Counters, Database, Size};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

impl Product for MariaDbProduct {
    type UnderWay = Watched;
    type Backlog = settle::Backlog;

    fn questions(&self, connection: &MariaDbConnection) -> Questions {
        describe::questions(connection)
    }

    fn describe(engine: &MariaDbEngine) -> Result<Database, EngineError> {
        engine.with(describe::database)
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size)
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size)
    }

    fn begin_point(engine: &MariaDbEngine, spec: &PointSpec) -> Result<Watched, EngineError> {
        let procedure = procedure::of(&spec.test)?;
        for node in 0..engine.working_nodes(spec.nodes) {
            engine.nodes[node].account.begin();
            engine.on(node, |connection| point::begin(connection, &procedure, spec, node))?;
        }
        Watched::new(&procedure, spec)
    }

    fn end_point(engine: &MariaDbEngine, spec: &PointSpec, _: bool) -> Result<(), EngineError> {
        for node in (0..engine.working_nodes(spec.nodes)).rev() {
            engine.on(node, |connection| point::remove_leftovers(connection, spec, node))?;
        }
        Ok(())
    }

    fn begin_program(engine: &MariaDbEngine, spec: &ProgramSpec) -> Result<Watched, EngineError> {
        for node in 0..engine.working_nodes(spec.nodes) {
            engine.nodes[node].account.begin();
            engine.on(node, |connection| point::remove_made(connection, &format!("preparing {}", spec.work), node))?;
        }
        Ok(Watched::of_program())
    }

    fn own_work(connection: &mut MariaDbConnection) -> Result<BTreeMap<String, u64>, EngineError> {
        snapshot::own_work(connection)
    }

    fn statistics(connection: &mut MariaDbConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn observe(connection: &mut MariaDbConnection, depth: Depth) -> Result<Observation, EngineError> {
        observe::look(connection, depth)
    }

    fn serving(connection: &mut MariaDbConnection) -> Option<u32> {
        observe::serving(connection)
    }

    fn watch(
        connection: MariaDbConnection,
        ours: Arc<Mutex<OwnSessions>>,
    ) -> Result<Watch<MariaDbConnection>, EngineError> {
        monitor::watch(connection, ours)
    }

    fn read(
        &self,
        (_, node, connection): (usize, &Node, &mut MariaDbConnection),
        watched: &mut Watched,
        watch: Option<&Watch<MariaDbConnection>>,
        _: Option<Others>,
    ) -> Result<NodeStatistics, EngineError> {
        snapshot::read(&node.account, connection, watched, watch)
    }

    fn session(engine: &MariaDbEngine, node: usize) -> Result<Box<dyn Session>, EngineError> {
        let connection = engine.product.open(node, "dbdyno job")?;
        let session = MariaDbSession::new(&connection, Arc::clone(&engine.nodes[node]))?;
        Ok(Box::new(ServerSession::new(connection, session)))
    }

    fn data_files(engine: &MariaDbEngine) -> Vec<PathBuf> {
        let Some(data) = engine.data() else { return Vec::new() };
        point::files(&data, &engine.product.options.database, engine.of_point(|point| point.tables.clone()))
    }

    fn durable_places(engine: &MariaDbEngine) -> DurablePlaces {
        let Some(data) = engine.data() else { return DurablePlaces::default() };
        // Where the server does not say, nobody knows where its log lies.
        let unknown = |_| DurablePlaces { data: vec![data.clone()], ..DurablePlaces::default() };
        engine.with(|connection| describe::places(connection, &data)).unwrap_or_else(unknown)
    }
}
