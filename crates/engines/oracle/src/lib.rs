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
mod procedure;
mod remove;
mod script;
mod session;
mod settle;
mod snapshot;
mod space;
mod statistics;
mod verify;

use connection::OracleConnection;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Checksum, Columns, Sample};
use dbdyno_engine::server::{Connection as _, Held, Wait, held, recover};
use dbdyno_engine::{
    Canceller, Dialect, Durability, Engine, EngineError, EngineInfo, Features, Finding, Hold, Inspection, LoadReport,
    LoadWatch, Loaded, LostTarget, PointSpec, PointStatistics, ProgramSpec, Session, Settled, Target, TargetError,
    Workloads,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Mapping, Size, TableName, Test};
use include_dir::{Dir, include_dir};
use location::ServerLocation;
use options::Options;
use point::UnderWay;
use session::OracleSession;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
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
    open: |target, _| Ok(Box::new(OracleEngine::new(target)?)),
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

type Node = dbdyno_engine::server::Node<OracleConnection, statistics::Account>;

struct OracleEngine {
    options: Options,
    /// One a place of the target.
    nodes: Vec<Arc<Node>>,
    location: OnceLock<ServerLocation>,
    point: Mutex<Option<UnderWay>>,
    /// Whether there is something to be written out.
    backlog: Mutex<settle::Backlog>,
}

impl OracleEngine {
    fn new(target: &Target) -> Result<Self, TargetError> {
        let options = Options::parse(target)?;
        let nodes = options.places.iter().map(|_| Arc::new(Node::default())).collect();
        let (location, point) = (OnceLock::new(), Mutex::new(None));
        Ok(Self { options, nodes, location, point, backlog: Mutex::default() })
    }

    /// Runs something over dbdyno's own connection to the first node, where all that writes is done.
    fn with<T>(&self, work: impl FnOnce(&mut OracleConnection) -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.on(0, work)
    }

    fn on<T>(
        &self,
        node: usize,
        work: impl FnOnce(&mut OracleConnection) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.nodes[node].with(|| OracleConnection::open(&self.options, node, "dbdyno"), work)
    }

    /// Where the server is; unknown while it cannot be reached.
    fn location(&self) -> Option<&ServerLocation> {
        if self.location.get().is_none() {
            let location = self.with(|connection| ServerLocation::look(connection, &self.options)).ok()?;
            drop(self.location.set(location));
        }
        self.location.get()
    }
}

impl Workloads for OracleEngine {
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(self.with(|connection| meta::look(connection, &self.options))?.ours()?.unwrap_or_default())
    }

    fn note(&self, entries: &[(String, String)]) -> Result<(), EngineError> {
        self.with(|connection| {
            load::books(connection, &self.options)?;
            entries.iter().try_for_each(|(name, value)| meta::set(connection, name, value))?;
            connection.batch("keeping the load's progress", "COMMIT")
        })
    }

    fn begin_program(&self, spec: &ProgramSpec) -> Result<(), EngineError> {
        let under_way = point::begin_program(self, spec)?;
        *recover(&self.point) = Some(under_way);
        Ok(())
    }

    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        match recover(&self.point).take() {
            Some(_) => {
                recover(&self.backlog).add();
                point::snap(self)
            }
            None => Ok(()),
        }
    }
}

impl Engine for OracleEngine {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn features(&self) -> Features {
        let location = self.location();
        Features {
            in_process: false,
            local: location.is_some_and(|location| location.local),
            loads_on_demand: false,
            single_writer: false,
            nodes: dbdyno_engine::server::node_count(&self.nodes),
            block_bytes: location.map_or(location::BLOCK_BYTES, |location| location.block_bytes),
        }
    }

    fn describe(&self) -> Result<Database, EngineError> {
        self.with(|connection| describe::database(connection, &self.options))
    }

    fn durability(&self, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError> {
        self.with(|connection| describe::durability(connection, commit, drive))
    }

    fn check(&self, size: &Size) -> Vec<Finding> {
        check::findings(&self.options, size, &self.tables())
    }

    fn loaded(&self) -> Result<Loaded, EngineError> {
        Ok(self.with(|connection| meta::look(connection, &self.options))?.loaded(&self.tables()))
    }

    fn tables(&self) -> Vec<TableName> {
        tables_of(&self.options)
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        space::needed_bytes(size, &self.tables())
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
        let rows =
            self.with(|connection| meta::look(connection, &self.options))?.ours()?.map_or(0, |meta| meta.rows(table));
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
        let mut connection = OracleConnection::open(&self.options, 0, held::NAME)?;
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        load::hold(&mut connection, &give_up, &|| watch.progress(held::WAITING, 0, 0))?;
        // Who has it already is given it again; not everybody may see who has which lock.
        Ok(Arc::new(Held::new(connection, |connection| load::lock(connection, "asking for the lock of the run"))))
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
        let under_way = recover(&self.point).take();
        if spec.test.procedure.writes() {
            recover(&self.backlog).add();
        }
        if under_way.is_some() {
            point::snap(self)?;
        }
        self.with(|connection| point::remove_leftovers(connection, spec))
    }

    fn session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        let node = (job % nodes.max(1)) as usize % self.nodes.len();
        let connection = OracleConnection::open(&self.options, node, "dbdyno job")?;
        Ok(Box::new(OracleSession::new(connection, Arc::clone(&self.nodes[node]))?))
    }

    fn answers(&self) -> bool {
        let options = self.options.clone();
        dbdyno_engine::server::answers(self.server_pid(), move || {
            OracleConnection::open(&options, 0, "dbdyno check").map(drop)
        }) && !self.options.vigil.is_cut_off(&|wait| OracleConnection::look_after(&self.options, wait))
    }

    fn on_lost(&self, tell: LostTarget) {
        // The vigil ends with the last owner of it.
        let options = Options { vigil: Arc::default(), ..self.options.clone() };
        let ask = move |wait: &Wait| OracleConnection::look_after(&options, wait);
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
        Some(self.location()?.files.first()?.parent()?.to_owned())
    }

    fn data_files(&self) -> Vec<PathBuf> {
        self.location().map(|location| location.files.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod names;
#[cfg(test)]
mod tests;
