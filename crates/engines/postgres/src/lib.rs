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
mod errors;
mod grants;
mod inspect;
mod load;
mod location;
mod membership;
mod meta;
mod monitor;
mod options;
mod paced;
mod password;
mod plan;
mod point;
mod private;
mod procedure;
mod remove;
#[cfg(test)]
mod scratch;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod tls;
mod verify;
mod wire;

use client::{ClientPump, ClientSession};
use connection::PostgresConnection;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Checksum, Columns, Sample};
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::grants::Grant;
use dbdyno_engine::server::{Connection as _, Held, Wait, held, recover};
use dbdyno_engine::{
    BlockWrites, Canceller, Dialect, Durability, DurablePlaces, Engine, EngineError, EngineInfo, Features, Finding,
    Hold, Inspection, LoadReport, LoadWatch, Loaded, LostTarget, PointSpec, PointStatistics, ProgramSpec, Pump,
    Session, Settled, Target, TargetError, ThreadPump, Workloads,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Mapping, Size, TableName, Test};
use include_dir::{Dir, include_dir};
use location::ServerLocation;
use options::Options;
use point::UnderWay;
use session::PostgresSession;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, Weak};
use std::time::Duration;

pub use private::{PRODUCT, Postgres};

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "postgres",
    title: "PostgreSQL 13 and later",
    target: "postgres://USER@HOST[:PORT][,HOST2...]/DATABASE[?sslmode=verify-full&...]",
    notice: None,
    hidden: false,
    mapping,
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: str::to_owned,
    open: |target, _| Ok(Box::new(PostgresEngine::remote(target)?)),
    private: Some(dbdyno_engine::private::Private {
        product: &private::PRODUCT,
        open: |server, _| Ok(Box::new(PostgresEngine::private(server)?)),
    }),
};

/// dbdyno's schema: nothing outside it is ever touched.
const SCHEMA: &str = "dbdyno";

/// The tables that PostgreSQL has, in loading order.
const TABLE_NAMES: [TableName; 6] = [
    TableName::SmallHeap,
    TableName::SmallIot,
    TableName::SmallHash,
    TableName::SmallHeapList,
    TableName::SmallIotList,
    TableName::LargeHeapRangeList,
];

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("postgres", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");
/// What the set-up grants.
static GRANTS: LazyLock<Vec<Grant>> =
    LazyLock::new(|| DIALECT.get("setup/setup").map(|script| Grant::all(&script.text)).unwrap_or_default());

fn mapping(test: &Test) -> Mapping {
    DIALECT.mapping(test)
}

/// What a node's sessions have done that its counters hold besides.
#[derive(Debug, Default)]
struct Account {
    /// Transactions of jobs that are none of the test's, as far as their statistics are visible.
    overhead: AtomicU64,
    /// Transactions that tests committed inside their procedures, by their own account.
    claimed: AtomicU64,
    /// Rows that were changed in tables which are gone, as the server had counted them.
    discarded_rows: AtomicU64,
}

type Node = dbdyno_engine::server::Node<PostgresConnection, Account>;

struct PostgresEngine {
    options: Options,
    private: Option<PrivateServer>,
    /// One a host of the target.
    nodes: Vec<Arc<Node>>,
    /// The lock of a run, while somebody has it.
    held: Mutex<Weak<Held<PostgresConnection>>>,
    location: OnceLock<ServerLocation>,
    /// How the client drive's sessions make TLS: lists of authorities are large, and one does for all.
    tls: OnceLock<Arc<rustls::ClientConfig>>,
    point: Mutex<Option<UnderWay>>,
    /// Leaves that may need a vacuum.
    to_vacuum: Mutex<settle::Backlog>,
}

impl PostgresEngine {
    fn remote(target: &Target) -> Result<Self, TargetError> {
        Ok(Self::new(Options::parse(target)?, None))
    }

    fn private(server: &PrivateServer) -> Result<Self, TargetError> {
        Ok(Self::new(Options::parse(&server.target)?, Some(server.clone())))
    }

    fn new(options: Options, private: Option<PrivateServer>) -> Self {
        let nodes = options.hosts.iter().map(|_| Arc::new(Node::default())).collect();
        let (location, tls, point) = (OnceLock::new(), OnceLock::new(), Mutex::new(None));
        let (held, to_vacuum) = (Mutex::new(Weak::new()), Mutex::default());
        Self { options, private, nodes, held, location, tls, point, to_vacuum }
    }

    /// Runs something over dbdyno's own connection to the first node, where all that writes is done.
    fn with<T>(&self, work: impl FnOnce(&mut PostgresConnection) -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.on(0, work)
    }

    fn on<T>(
        &self,
        node: usize,
        work: impl FnOnce(&mut PostgresConnection) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.nodes[node].with(|| PostgresConnection::open(&self.options, node, "dbdyno"), work)
    }

    /// How TLS is made.
    fn tls(&self) -> Result<Arc<rustls::ClientConfig>, EngineError> {
        if let Some(tls) = self.tls.get() {
            return Ok(Arc::clone(tls));
        }
        let tls = Arc::new(tls::config(&self.options)?);
        Ok(Arc::clone(self.tls.get_or_init(|| tls)))
    }

    /// Where the server is; unknown while it cannot be reached.
    fn location(&self) -> Option<&ServerLocation> {
        if self.location.get().is_none() {
            let location =
                self.with(|connection| ServerLocation::look(connection, &self.options, self.private.as_ref())).ok()?;
            drop(self.location.set(location));
        }
        self.location.get()
    }

    /// The data folder, where it is on this machine and may be read.
    fn data(&self) -> Option<PathBuf> {
        self.location()?.data.clone()
    }
}

impl Workloads for PostgresEngine {
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(self.with(meta::look)?.ours()?.unwrap_or_default())
    }

    fn note(&self, entries: &[(String, String)]) -> Result<(), EngineError> {
        self.with(|connection| {
            load::books(connection)?;
            entries.iter().try_for_each(|(name, value)| meta::set(connection, name, value))
        })
    }

    fn begin_program(&self, spec: &ProgramSpec) -> Result<(), EngineError> {
        let under_way = point::begin_program(self, spec)?;
        *recover(&self.point) = Some(under_way);
        Ok(())
    }

    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        drop(recover(&self.point).take());
        Ok(())
    }
}

impl Engine for PostgresEngine {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn features(&self) -> Features {
        let location = self.location();
        Features {
            in_process: false,
            local: location.is_some_and(|g| g.server_pid.is_some()),
            loads_on_demand: self.private.is_some(),
            single_writer: false,
            nodes: dbdyno_engine::server::node_count(&self.nodes),
            block_bytes: location.map_or(location::BLOCK_BYTES, |g| g.block_bytes),
        }
    }

    fn describe(&self) -> Result<Database, EngineError> {
        self.with(|connection| {
            // What a killed dbdyno has left is not how the server is set; what is another's at work is let be.
            if let Some(server) = self.private.as_ref().filter(|server| paced::is_left(server))
                && recover(&self.point).is_none()
                && (recover(&self.held).strong_count() > 0 || point::lock(connection)?)
            {
                paced::restore(connection, server)?;
                point::unlock(connection)?;
            }
            describe::database(connection)
        })
    }

    fn durability(&self, commit: CommitMode, _: Drive) -> Result<Durability, EngineError> {
        self.with(|connection| describe::durability(connection, commit))
    }

    fn check(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size)
    }

    fn loaded(&self) -> Result<Loaded, EngineError> {
        Ok(self.with(meta::look)?.loaded(&TABLE_NAMES))
    }

    fn tables(&self) -> Vec<TableName> {
        TABLE_NAMES.to_vec()
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size)
    }

    fn load(
        &self,
        size: &Size,
        seed: u64,
        jobs: u32,
        verify: bool,
        watch: &dyn LoadWatch,
    ) -> Result<LoadReport, EngineError> {
        load::load(&self.options, size, seed, jobs, verify, watch)
    }

    fn checksum(&self, table: TableName, columns: Columns, watch: &dyn LoadWatch) -> Result<Checksum, EngineError> {
        let rows = self.with(meta::look)?.ours()?.map_or(0, |meta| meta.rows(table));
        let mut crew = load::crew(&self.options, 1, watch)?;
        dbdyno_engine::server::checksum(&mut crew, table, (rows, columns), watch, verify::read)
    }

    fn inspect(&self, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError> {
        self.with(|connection| inspect::inspect(connection, table, sample))
    }

    fn drop_all(&self) -> Result<bool, EngineError> {
        remove::drop_all(&self.options)
    }

    fn hold(&self, watch: &dyn LoadWatch) -> Result<Arc<dyn Hold>, EngineError> {
        let mut connection = PostgresConnection::open(&self.options, 0, held::NAME)?;
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        load::hold(&mut connection, &give_up, &|| watch.progress(held::WAITING, 0, 0))?;
        let (options, node) = (self.options.clone(), Arc::clone(&self.nodes[0]));
        let held = Arc::new(Held::new(connection, move |connection| {
            let session = connection.session_id();
            // Over the other connection: what this one asks would come to be counted in some later point.
            node.with(
                || PostgresConnection::open(&options, 0, "dbdyno"),
                |connection| point::is_held_by(connection, session),
            )
        }));
        *recover(&self.held) = Arc::downgrade(&held);
        Ok(held)
    }

    fn settle(&self, limit: Duration) -> Result<Settled, EngineError> {
        settle::settle(self, limit)
    }

    fn begin_point(&self, spec: &PointSpec) -> Result<(), EngineError> {
        let under_way = point::begin(self, spec)?;
        *recover(&self.point) = Some(under_way);
        Ok(())
    }

    fn end_point(&self, spec: &PointSpec) -> Result<(), EngineError> {
        // The watch ends first: its connection would count among those of the next point.
        drop(recover(&self.point).take());
        if spec.test.procedure.writes() {
            recover(&self.to_vacuum).add(spec.test.table);
        }
        for node in (1..self.nodes.len().min(spec.nodes as usize)).rev() {
            self.on(node, |connection| point::remove_leftovers_unless_standby(connection, spec))?;
        }
        self.with(|connection| {
            if let Some(server) = &self.private {
                paced::restore(connection, server)?;
            }
            point::remove_leftovers(connection, spec)
        })
    }

    fn pace_writes(&self, _: &PointSpec) -> Result<BTreeMap<String, String>, EngineError> {
        let counts = recover(&self.point).as_ref().is_some_and(|point| point.buffercache().is_some());
        match self.private.as_ref().filter(|_| counts) {
            Some(server) => self.with(|connection| paced::begin(connection, server)),
            None => Ok(BTreeMap::new()),
        }
    }

    fn last_checkpoint(&self) -> Result<String, EngineError> {
        self.with(paced::last_checkpoint)
    }

    fn block_writes(&self) -> Result<BlockWrites, EngineError> {
        let buffercache = recover(&self.point).as_ref().and_then(UnderWay::buffercache);
        self.with(|connection| paced::block_writes(connection, buffercache.as_deref()))
    }

    fn session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        let node = (job % nodes.max(1)) as usize % self.nodes.len();
        let connection = PostgresConnection::open(&self.options, node, "dbdyno job")?;
        Ok(Box::new(PostgresSession::new(connection, Arc::clone(&self.nodes[node]))?))
    }

    fn client_session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        let node = (job % nodes.max(1)) as usize % self.nodes.len();
        let session = ClientSession::open(&self.options, node, &self.tls()?, Arc::clone(&self.nodes[node]))?;
        Ok(Box::new(session))
    }

    fn pump(&self, drive: Drive, may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        match drive {
            Drive::Server => Box::new(ThreadPump),
            Drive::Client => Box::new(ClientPump::new(may_follow_from_jobs)),
        }
    }

    fn answers(&self) -> bool {
        let options = self.options.clone();
        dbdyno_engine::server::answers(self.server_pid(), move || {
            PostgresConnection::open(&options, 0, "dbdyno check").map(drop)
        }) && !self.options.vigil.is_cut_off(&|wait| PostgresConnection::look_after(&self.options, wait))
    }

    fn on_lost(&self, tell: LostTarget) {
        // The vigil ends with the last owner of it.
        let options = Options { vigil: Arc::default(), ..self.options.clone() };
        let ask = move |wait: &Wait| PostgresConnection::look_after(&options, wait);
        self.options.vigil.watch(self.options.connect_timeout, ask, tell);
    }

    fn canceller(&self) -> Option<Arc<dyn Canceller>> {
        Some(self.nodes[0].canceller())
    }

    fn statistics(&self) -> Result<Counters, EngineError> {
        dbdyno_engine::server::statistics(self.nodes.len(), |node| self.on(node, snapshot::for_everybody))
    }

    fn point_statistics(&self, earlier: Option<&PointStatistics>) -> Result<PointStatistics, EngineError> {
        point::statistics(self, earlier)
    }

    fn data_place(&self) -> Option<PathBuf> {
        self.data()
    }

    fn data_files(&self) -> Vec<PathBuf> {
        let Some(data) = self.data() else { return Vec::new() };
        // Where the server does not say, the devices that hold the files are simply not known.
        let tables = recover(&self.point).as_ref().map(UnderWay::tables);
        self.with(|connection| point::files(connection, &data, tables)).unwrap_or_default()
    }

    fn durable_places(&self) -> DurablePlaces {
        let synced_by_writing = self.with(describe::log_is_synced_by_writing).unwrap_or(false);
        let Some(data) = self.data() else { return DurablePlaces { synced_by_writing, ..DurablePlaces::default() } };
        let log = data.join("pg_wal");
        // Where the server does not say which tablespaces are dbdyno's, any may be.
        let used = self.with(point::tablespaces).map(|used| used.iter().map(|space| data.join(space)).collect());
        let tablespaces: Vec<PathBuf> = used.unwrap_or_else(|_| {
            let all = std::fs::read_dir(data.join("pg_tblspc")).into_iter().flatten().flatten();
            all.map(|entry| entry.path()).collect()
        });
        DurablePlaces { log: vec![log], data: tablespaces.into_iter().chain([data]).collect(), synced_by_writing }
    }

    fn server_pid(&self) -> Option<u32> {
        self.location()?.server_pid
    }
}
