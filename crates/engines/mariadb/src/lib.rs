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
mod errors;
mod inspect;
mod layout;
mod load;
mod location;
mod meta;
mod monitor;
mod options;
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

use connection::MariaDbConnection;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Checksum, Columns, Sample};
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::grants::Grant;
use dbdyno_engine::server::{Connection as _, Held, Wait, held, recover};
use dbdyno_engine::{
    Canceller, Dialect, Durability, DurablePlaces, Engine, EngineError, EngineInfo, Features, Finding, Hold,
    Inspection, LoadReport, LoadWatch, Loaded, LostTarget, PointSpec, PointStatistics, ProgramSpec, Session, Settled,
    Target, TargetError, Workloads,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Mapping, Size, TableName, Test};
use include_dir::{Dir, include_dir};
use location::ServerLocation;
use options::Options;
use point::UnderWay;
use session::MariaDbSession;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::Duration;

pub use private::{MariaDb, PRODUCT};

/// The engine, without a target.
pub const INFO: EngineInfo = EngineInfo {
    name: "mariadb",
    title: "MariaDB 10.11 and later (MySQL 8 speaks the same protocol and may work; not verified)",
    target: "mariadb://USER@HOST[:PORT][,HOST2...]/DATABASE[?sslmode=verify-full&...]",
    notice: None,
    hidden: false,
    mapping,
    script: script::of_test,
    schema_script: script::of_schema,
    workload_sql: |name| DIALECT.workload(name),
    ended: script::ended,
    open: |target, _| Ok(Box::new(MariaDbEngine::remote(target)?)),
    private: Some(dbdyno_engine::private::Private {
        product: &private::PRODUCT,
        open: |server, _| Ok(Box::new(MariaDbEngine::private(server)?)),
    }),
};

/// The tables that MariaDB has, in loading order.
const TABLE_NAMES: [TableName; 7] = TableName::ALL;

/// What the engine's files say.
pub(crate) static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::read("mariadb", &FILES));
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dialect");
/// What the set-up grants.
static GRANTS: LazyLock<Vec<Grant>> =
    LazyLock::new(|| DIALECT.get("setup/setup").map(|script| Grant::all(&script.text)).unwrap_or_default());

fn mapping(test: &Test) -> Mapping {
    DIALECT.mapping(test)
}

type Node = dbdyno_engine::server::Node<MariaDbConnection, snapshot::Account>;

struct MariaDbEngine {
    options: Options,
    private: Option<PrivateServer>,
    /// One a host of the target.
    nodes: Vec<Arc<Node>>,
    location: OnceLock<ServerLocation>,
    point: Mutex<Option<UnderWay>>,
    /// Tables that may have to be written out.
    to_flush: Mutex<settle::Backlog>,
}

impl MariaDbEngine {
    fn remote(target: &Target) -> Result<Self, TargetError> {
        Ok(Self::new(Options::parse(target)?, None))
    }

    fn private(server: &PrivateServer) -> Result<Self, TargetError> {
        Ok(Self::new(Options::parse(&server.target)?, Some(server.clone())))
    }

    fn new(options: Options, private: Option<PrivateServer>) -> Self {
        let nodes = options.hosts.iter().map(|_| Arc::new(Node::default())).collect();
        let (location, point) = (OnceLock::new(), Mutex::new(None));
        Self { options, private, nodes, location, point, to_flush: Mutex::default() }
    }

    /// Runs something over dbdyno's own connection to the first node, where all that writes is done.
    fn with<T>(&self, work: impl FnOnce(&mut MariaDbConnection) -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.on(0, work)
    }

    fn on<T>(
        &self,
        node: usize,
        work: impl FnOnce(&mut MariaDbConnection) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.nodes[node].with(|| MariaDbConnection::open(&self.options, node, "dbdyno"), work)
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

impl Workloads for MariaDbEngine {
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(self.with(meta::look)?.ours()?.unwrap_or_default())
    }

    fn note(&self, entries: &[(String, String)]) -> Result<(), EngineError> {
        self.with(|connection| {
            load::books(connection, &self.options)?;
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

impl Engine for MariaDbEngine {
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
        self.with(describe::database)
    }

    fn durability(&self, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError> {
        self.with(|connection| describe::durability(connection, commit, drive))
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
        let mut connection = MariaDbConnection::open(&self.options, 0, held::NAME)?;
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        load::hold(&mut connection, &self.options, &give_up, &|| watch.progress(held::WAITING, 0, 0))?;
        let (options, node) = (self.options.clone(), Arc::clone(&self.nodes[0]));
        Ok(Arc::new(Held::new(connection, move |connection| {
            let session = connection.session_id();
            node.with(
                || MariaDbConnection::open(&options, 0, "dbdyno"),
                |connection| point::is_held_by(connection, session),
            )
        })))
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
        // The watch ends first: it would be somebody else's in the next point.
        drop(recover(&self.point).take());
        if spec.test.procedure.writes() {
            recover(&self.to_flush).add(spec.test.table);
        }
        for node in (0..self.nodes.len().min(spec.nodes as usize)).rev() {
            self.on(node, |connection| point::remove_leftovers(connection, spec, node))?;
        }
        Ok(())
    }

    fn session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        let node = (job % nodes.max(1)) as usize % self.nodes.len();
        let connection = MariaDbConnection::open(&self.options, node, "dbdyno job")?;
        Ok(Box::new(MariaDbSession::new(connection, Arc::clone(&self.nodes[node]))?))
    }

    fn answers(&self) -> bool {
        let options = self.options.clone();
        dbdyno_engine::server::answers(self.server_pid(), move || {
            MariaDbConnection::open(&options, 0, "dbdyno check").map(drop)
        }) && !self.options.vigil.is_cut_off(&|wait| MariaDbConnection::look_after(&self.options, wait))
    }

    fn on_lost(&self, tell: LostTarget) {
        // The vigil ends with the last owner of it.
        let options = Options { vigil: Arc::default(), ..self.options.clone() };
        let ask = move |wait: &Wait| MariaDbConnection::look_after(&options, wait);
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
        let tables = recover(&self.point).as_ref().map(UnderWay::tables);
        point::files(&data, &self.options.database, tables)
    }

    fn durable_places(&self) -> DurablePlaces {
        let Some(data) = self.data() else { return DurablePlaces::default() };
        // Where the server does not say, nobody knows where its log lies.
        let unknown = |_| DurablePlaces { data: vec![data.clone()], ..DurablePlaces::default() };
        self.with(|connection| describe::places(connection, &data)).unwrap_or_else(unknown)
    }

    fn server_pid(&self) -> Option<u32> {
        self.location()?.server_pid
    }
}
