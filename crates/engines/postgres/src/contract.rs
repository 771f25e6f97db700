//! What PostgreSQL does where products with a server differ: what a point needs and leaves, its sessions, its counts.

use super::client::{ClientPump, ClientSession};
use super::connection::PostgresConnection;
use super::membership::Membership;
use super::product::{Node, PostgresEngine, PostgresProduct};
use super::session::PostgresSession;
use super::snapshot::{self, Watched};
use super::{check, describe, monitor, observe, paced, point, procedure, settle, space};
use dbdyno_engine::server::{
    NodeStatistics, OwnSessions, Product, ProductTarget as _, Questions, ServerSession, Watch,
};
use dbdyno_engine::{
    BlockWrites, Depth, DurablePlaces, EngineError, Finding, Observation, Others, PointSpec, ProgramSpec, Pump,
    Session, ThreadPump,
};
use dbdyno_model::{Counters, Database, Drive, Size};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

impl Product for PostgresProduct {
    type UnderWay = Watched;
    type Backlog = settle::Backlog;

    fn questions(&self, connection: &PostgresConnection) -> Questions {
        describe::questions(connection)
    }

    fn describe(engine: &PostgresEngine) -> Result<Database, EngineError> {
        engine.with(|connection| {
            // What a killed dbdyno has left is not how the server is set; what is another's at work is let be.
            if let Some(server) = engine.private.as_ref().filter(|server| paced::is_left(server))
                && engine.of_point(|_| ()).is_none()
                && (engine.is_held() || point::lock(connection)?)
            {
                paced::restore(connection, server)?;
                point::unlock(connection)?;
            }
            describe::database(connection)
        })
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size)
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size)
    }

    fn begin_point(engine: &PostgresEngine, spec: &PointSpec) -> Result<Watched, EngineError> {
        let procedure = procedure::of(&spec.test)?;
        let watched = engine.with(|connection| {
            point::restore(engine, connection)?;
            point::make(connection, &procedure, spec)?;
            point::warm(connection, spec)?;
            point::watch(connection, &procedure, spec)
        })?;
        for node in 1..engine.working_nodes(spec.nodes) {
            // A standby gets what the first node has made; any other server is one of its own.
            let position = engine.with(point::position)?.unwrap_or_default();
            engine.on(node, |connection| {
                if !point::replayed(connection, &position)? {
                    point::make(connection, &procedure, spec)?;
                }
                point::warm(connection, spec)
            })?;
        }
        Ok(watched)
    }

    fn end_point(engine: &PostgresEngine, spec: &PointSpec, _: bool) -> Result<(), EngineError> {
        for node in (1..engine.working_nodes(spec.nodes)).rev() {
            engine.on(node, |connection| match point::position(connection)? {
                Some(_) => point::remove_leftovers(connection, spec),
                // A standby drops what the first node drops.
                None => Ok(()),
            })?;
        }
        engine.with(|connection| {
            point::restore(engine, connection)?;
            point::remove_leftovers(connection, spec)
        })
    }

    fn begin_program(engine: &PostgresEngine, spec: &ProgramSpec) -> Result<Watched, EngineError> {
        engine.with(|connection| {
            point::restore(engine, connection)?;
            point::remove_made(connection, &format!("preparing {}", spec.work))
        })?;
        Ok(Watched::default())
    }

    fn own_work(connection: &mut PostgresConnection) -> Result<BTreeMap<String, u64>, EngineError> {
        snapshot::flush(connection, None)?;
        Ok([("overhead".to_owned(), connection.transactions())].into())
    }

    fn statistics(connection: &mut PostgresConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn observe(connection: &mut PostgresConnection, depth: Depth) -> Result<Observation, EngineError> {
        observe::look(connection, depth)
    }

    fn serving(connection: &mut PostgresConnection) -> Option<u32> {
        connection.server_process()
    }

    fn watch(
        connection: PostgresConnection,
        ours: Arc<Mutex<OwnSessions>>,
    ) -> Result<Watch<PostgresConnection>, EngineError> {
        monitor::watch(connection, ours)
    }

    fn read(
        &self,
        (_, node, connection): (usize, &Node, &mut PostgresConnection),
        watched: &mut Watched,
        watch: Option<&Watch<PostgresConnection>>,
        earlier: Option<Others>,
    ) -> Result<NodeStatistics, EngineError> {
        snapshot::read(node, connection, watched, watch, earlier)
    }

    fn session(engine: &PostgresEngine, node: usize) -> Result<Box<dyn Session>, EngineError> {
        let connection = engine.product.open(node, "dbdyno job")?;
        let part = Membership::new(Arc::clone(&engine.nodes[node]), &connection)?;
        Ok(Box::new(ServerSession::new(connection, PostgresSession(part))))
    }

    fn client_session(engine: &PostgresEngine, node: usize) -> Result<Box<dyn Session>, EngineError> {
        let session = ClientSession::open(&engine.product.options, node, Arc::clone(&engine.nodes[node]))?;
        Ok(Box::new(session))
    }

    fn pump(drive: Drive, may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        match drive {
            Drive::Server => Box::new(ThreadPump),
            Drive::Client => Box::new(ClientPump::new(may_follow_from_jobs)),
        }
    }

    fn pace_writes(engine: &PostgresEngine) -> Result<BTreeMap<String, String>, EngineError> {
        let counts = engine.of_point(|point| point.own.buffercache.clone()).flatten().is_some();
        match engine.private.as_ref().filter(|_| counts) {
            Some(server) => engine.with(|connection| paced::begin(connection, server)),
            None => Ok(BTreeMap::new()),
        }
    }

    fn last_checkpoint(engine: &PostgresEngine) -> Result<String, EngineError> {
        engine.with(paced::last_checkpoint)
    }

    fn block_writes(engine: &PostgresEngine) -> Result<BlockWrites, EngineError> {
        let buffercache = engine.of_point(|point| point.own.buffercache.clone()).flatten();
        engine.with(|connection| paced::block_writes(connection, buffercache.as_deref()))
    }

    fn data_files(engine: &PostgresEngine) -> Vec<PathBuf> {
        let Some(data) = engine.data() else { return Vec::new() };
        // Where the server does not say, the devices that hold the files are simply not known.
        let tables = engine.of_point(|point| point.tables.clone());
        engine.with(|connection| point::files(connection, &data, tables)).unwrap_or_default()
    }

    fn durable_places(engine: &PostgresEngine) -> DurablePlaces {
        let synced_by_writing = engine.with(describe::log_is_synced_by_writing).unwrap_or(false);
        let Some(data) = engine.data() else { return DurablePlaces { synced_by_writing, ..DurablePlaces::default() } };
        let log = data.join("pg_wal");
        // Where the server does not say which tablespaces are dbdyno's, any may be.
        let used = engine.with(point::tablespaces).map(|used| used.iter().map(|space| data.join(space)).collect());
        let tablespaces: Vec<PathBuf> = used.unwrap_or_else(|_| {
            let all = std::fs::read_dir(data.join("pg_tblspc")).into_iter().flatten().flatten();
            all.map(|entry| entry.path()).collect()
        });
        DurablePlaces { log: vec![log], data: tablespaces.into_iter().chain([data]).collect(), synced_by_writing }
    }
}
