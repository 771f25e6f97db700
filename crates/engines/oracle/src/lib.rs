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
mod rows;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod statistics;

use connection::OracleConnection;
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{NodeOf, Product, ProductTarget, ServerEngine, ServerLocation, Vigil};
use dbdyno_engine::{
    Dialect, Durability, EngineError, EngineInfo, Finding, PointSpec, PointStatistics, ProgramSpec, Session, Settled,
    Target, TargetError,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, Mapping, Size, TableName, Test};
use include_dir::{Dir, include_dir};
use options::Options;
use point::UnderWay;
use session::OracleSession;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// What goes with every output.
pub(crate) const NOTICE: &str = "not yet verified on a live server";
/// What `--diagnostics-pack` (in the target: `diagnostics_pack=yes`) means.
const DIAGNOSTICS_CLAIM: &str = "--diagnostics-pack claims a licence of the Oracle Diagnostics Pack for this database: dbdyno \
     takes AWR snapshots around each point";

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "oracle",
    title: "Oracle Database 12.2 to 26ai",
    target: "oracle://USER@HOST[:PORT][,HOST2...]/SERVICE[?without=partitioning,...&...]",
    notice: Some(NOTICE),
    hidden: false,
    mapping,
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: script::ended,
    open: |target, _| Ok(Box::new(engine(target)?)),
    private: None,
};

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("oracle", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");

fn mapping(test: &Test) -> Mapping {
    DIALECT.mapping(test)
}

/// The tables that a target has, in loading order: all but those that need what it leaves out.
fn tables_of(options: &Options) -> Vec<TableName> {
    let wanted = |table: &TableName| layout::needs(table.organisation()).is_none_or(|part| !options.leaves_out(part));
    TableName::ALL.into_iter().filter(wanted).collect()
}

type Node = NodeOf<OracleProduct>;

/// Oracle Database, and a target of it.
#[derive(Clone)]
struct OracleProduct {
    options: Options,
}

type OracleEngine = ServerEngine<OracleProduct>;

fn engine(target: &Target) -> Result<OracleEngine, TargetError> {
    Ok(ServerEngine::new(OracleProduct { options: Options::parse(target)? }, None))
}

impl ProductTarget for OracleProduct {
    type Connection = OracleConnection;
    type Account = statistics::Account;
    const BLOCK_BYTES: u64 = location::BLOCK_BYTES;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn nodes(&self) -> usize {
        self.options.places.len()
    }

    fn connect_timeout(&self) -> Duration {
        self.options.connect_timeout
    }

    fn vigil(&self) -> &Arc<Vigil> {
        &self.options.vigil
    }

    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self {
        Self { options: Options { vigil, ..self.options.clone() } }
    }

    fn open(&self, node: usize, application: &str) -> Result<OracleConnection, EngineError> {
        OracleConnection::open(&self.options, node, application)
    }

    fn locate(
        &self,
        connection: &mut OracleConnection,
        _: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError> {
        location::look(connection, &self.options)
    }

    fn tables(&self) -> Vec<TableName> {
        tables_of(&self.options)
    }
}

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

    fn settle(
        engine: &OracleEngine,
        backlog: &mut settle::Backlog,
        limit: Duration,
    ) -> Result<Settled, EngineError> {
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
        Ok(Box::new(OracleSession::new(connection, Arc::clone(&engine.nodes[node]))?))
    }

    fn data_files(engine: &OracleEngine) -> Vec<PathBuf> {
        engine.location().map(|location| location.files.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod names;
#[cfg(test)]
mod tests;
