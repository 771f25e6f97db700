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
mod copy;
mod describe;
mod dialect;
mod errors;
mod grants;
mod load;
mod location;
mod membership;
mod monitor;
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

use client::{ClientPump, ClientSession};
use connection::PostgresConnection;
use dbdyno_engine::server::{Product, ProductTarget as _, ServerSession};
use dbdyno_engine::{
    BlockWrites, Durability, DurablePlaces, EngineError, EngineInfo, Finding, PointSpec, PointStatistics, ProgramSpec,
    Pump, Session, Settled, ThreadPump,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, Size, TableName};
pub(crate) use dialect::{DIALECT, SCHEMA, TABLE_NAMES};
use membership::Membership;
use point::UnderWay;
pub(crate) use product::{Node, PostgresEngine, PostgresProduct, engine};
use session::PostgresSession;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

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

impl Product for PostgresProduct {
    type UnderWay = UnderWay;
    type Backlog = settle::Backlog;

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

    fn durability(
        &self,
        connection: &mut PostgresConnection,
        commit: CommitMode,
        _: Drive,
    ) -> Result<Durability, EngineError> {
        describe::durability(connection, commit)
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size)
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size)
    }

    fn settle(engine: &PostgresEngine, backlog: &mut settle::Backlog, limit: Duration) -> Result<Settled, EngineError> {
        settle::settle(engine, backlog, limit)
    }

    fn changed(backlog: &mut settle::Backlog, table: Option<TableName>) {
        backlog.add(table);
    }

    fn begin_point(engine: &PostgresEngine, spec: &PointSpec) -> Result<UnderWay, EngineError> {
        point::begin(engine, spec)
    }

    fn end_point(engine: &PostgresEngine, spec: &PointSpec, _: bool) -> Result<(), EngineError> {
        point::end(engine, spec)
    }

    fn begin_program(engine: &PostgresEngine, spec: &ProgramSpec) -> Result<UnderWay, EngineError> {
        point::begin_program(engine, spec)
    }

    fn statistics(connection: &mut PostgresConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn point_statistics(
        engine: &PostgresEngine,
        point: &mut UnderWay,
        earlier: Option<&PointStatistics>,
    ) -> Result<PointStatistics, EngineError> {
        point::statistics(engine, point, earlier)
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
        let counts = engine.of_point(UnderWay::buffercache).flatten().is_some();
        match engine.private.as_ref().filter(|_| counts) {
            Some(server) => engine.with(|connection| paced::begin(connection, server)),
            None => Ok(BTreeMap::new()),
        }
    }

    fn last_checkpoint(engine: &PostgresEngine) -> Result<String, EngineError> {
        engine.with(paced::last_checkpoint)
    }

    fn block_writes(engine: &PostgresEngine) -> Result<BlockWrites, EngineError> {
        let buffercache = engine.of_point(UnderWay::buffercache).flatten();
        engine.with(|connection| paced::block_writes(connection, buffercache.as_deref()))
    }

    fn data_files(engine: &PostgresEngine) -> Vec<PathBuf> {
        let Some(data) = engine.data() else { return Vec::new() };
        // Where the server does not say, the devices that hold the files are simply not known.
        let tables = engine.of_point(UnderWay::tables);
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
