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
mod describe;
mod dialect;
mod errors;
mod grants;
mod layout;
mod load;
mod location;
mod monitor;
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

use connection::MariaDbConnection;
use dbdyno_engine::server::{NodeStatistics, Product, ProductTarget as _, Questions, ServerSession, Watch};
use dbdyno_engine::{DurablePlaces, EngineError, EngineInfo, Finding, Others, PointSpec, ProgramSpec, Session};
use dbdyno_model::{Counters, Database, Size};
pub(crate) use dialect::{DIALECT, TABLE_NAMES};
pub(crate) use product::{MariaDbEngine, MariaDbProduct, Node, engine};
use session::MariaDbSession;
use snapshot::Watched;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

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

    fn statistics(connection: &mut MariaDbConnection) -> Result<Counters, EngineError> {
        snapshot::for_everybody(connection)
    }

    fn watch(
        connection: MariaDbConnection,
        ours: Arc<Mutex<BTreeSet<u64>>>,
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
