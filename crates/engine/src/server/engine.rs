//! The engine of every product that has servers: a connection of its own to each node, what is known of the server's
//! place, the point that is under way, the lock of a run. What differs between products is [`Product`].

use super::Connection as _;
use super::observer::ServerObserver;
use super::product::{Backlog as _, Point, ServerEngine};
use super::tables::{LoadRequest, OWN, Reach};
use super::{
    Held, Product, ServerLocation, Told, Wait, Watches, answers, checksum, contents, fill, held, inspect, load,
    look_after, no_point, node_count, recover, remove, run_lock, statistics,
};
use crate::bookkeeping::Meta;
use crate::data::{Checksum, Columns, Sample};
use crate::private::PrivateServer;
use crate::{
    BlockWrites, Canceller, Depth, Durability, DurablePlaces, Engine, EngineError, Features, FillTimes, Finding, Hold,
    Inspection, LoadReport, LoadWatch, Loaded, LostTarget, Observation, Observer, PointSpec, PointStatistics,
    ProgramSpec, Pump, Sampling, Session, SessionAccount, Settled, TableRows, WorkloadRepository, Workloads,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// The name of connections that only look whether somebody answers.
const CHECK: &str = "dbdyno check";

impl<P: Product> ServerEngine<P> {
    /// An engine over a target; `private` is its server where dbdyno has started it.
    pub fn new(product: P, private: Option<PrivateServer>) -> Self {
        let nodes = (0..product.reach().nodes).map(|_| Arc::default()).collect();
        let (location, run_lock) = (OnceLock::new(), Mutex::new(Weak::new()));
        Self { product, private, nodes, location, point: Mutex::new(None), backlog: Mutex::default(), run_lock }
    }

    /// Runs something over dbdyno's own connection to the first node, where all that writes is done.
    ///
    /// # Errors
    /// The node cannot be reached, or what `work` answers.
    pub fn with<T>(&self, work: impl FnOnce(&mut P::Connection) -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.on(0, work)
    }

    /// Runs something over dbdyno's own connection to a node.
    ///
    /// # Errors
    /// As for [`ServerEngine::with`].
    pub fn on<T>(
        &self,
        node: usize,
        work: impl FnOnce(&mut P::Connection) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.nodes[node].with(|| self.product.open(node, OWN), work)
    }

    /// Where the server is; unknown while it cannot be reached.
    pub fn location(&self) -> Option<&ServerLocation> {
        if self.location.get().is_none() {
            let locate = |connection: &mut P::Connection| self.product.locate(connection, self.private.as_ref());
            let located = self.with(locate).or_else(|error| match error.class {
                // Who may only watch may have no right to the database.
                ErrorClass::Permission => {
                    let product = self.product.looked_at(self.product.reach().connect_timeout);
                    locate(&mut product.open(0, CHECK)?)
                }
                _ => Err(error),
            });
            let location = located.ok()?;
            drop(self.location.set(location));
        }
        self.location.get()
    }

    /// The folder of the data, where that is on this machine and may be read.
    pub fn data(&self) -> Option<PathBuf> {
        self.location()?.data.clone()
    }

    /// Looks at the point that is under way, if one is.
    pub fn of_point<T>(&self, look: impl FnOnce(&Point<P>) -> T) -> Option<T> {
        recover(&self.point).as_ref().map(look)
    }

    /// Whether a run of this engine keeps other dbdynos away.
    pub fn is_held(&self) -> bool {
        recover(&self.run_lock).strong_count() > 0
    }

    /// Notes that a table was changed, and perhaps others: there is something to bring to rest.
    pub fn changed(&self, table: Option<TableName>) {
        recover(&self.backlog).add(table);
    }

    /// A point is under way from now on, whose sessions are watched on so many nodes.
    fn begun(&self, own: P::UnderWay, tables: Vec<TableName>, at: (u32, Sampling)) {
        let watches = Watches::begin(at, self.nodes.len(), |node| {
            P::watch(self.product.open(node, "dbdyno watch")?, Arc::clone(&self.nodes[node].ours))
        });
        *recover(&self.point) = Some(Point { own, tables, watches });
    }

    /// How many nodes a point works on that names so many.
    pub fn working_nodes(&self, nodes: u32) -> usize {
        self.nodes.len().min(nodes as usize)
    }

    /// The node of a job: jobs take turns over the first `nodes`.
    fn node_of(&self, job: u32, nodes: u32) -> usize {
        (job % nodes.max(1)) as usize % self.nodes.len()
    }

    /// What a session does that gives no answer, as a new connection is told.
    fn look_after(product: &P, wait: &Wait) -> Told {
        // Nobody looks after whoever looks after others.
        let (product, node, session) = (product.with_vigil(Arc::default()), wait.node, wait.session);
        look_after(product.reach().connect_timeout.saturating_mul(2), move || {
            P::session_state(&mut product.open(node, CHECK)?, session)
        })
    }
}

/// Ends a session, if it is ours.
fn end_session<P: Product>(connection: &mut P::Connection, session: u64) -> Result<(), EngineError> {
    const DOING: &str = "ending a session of a host that is lost";
    let (dialect, session) = (P::dialect(), session.to_string());
    let session = [("session", session.as_str())];
    if connection.texts(DOING, &dialect.fill("sessions/is_ours", &session)?)?.is_empty() {
        return Ok(());
    }
    connection.texts(DOING, &dialect.fill("sessions/end", &session)?).map(drop)
}

impl<P: Product> Workloads for ServerEngine<P> {
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(self.with(|connection| contents::look(&self.product, connection))?.ours()?.unwrap_or_default())
    }

    fn note(&self, entries: &[(String, String)]) -> Result<(), EngineError> {
        self.with(|connection| {
            contents::books(&self.product, connection)?;
            contents::set::<P>(connection, entries.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        })
    }

    fn fill(&self, tables: &[TableRows], jobs: u32, watch: &dyn LoadWatch) -> Result<FillTimes, EngineError> {
        fill::fill(&self.product, tables, jobs, watch)
    }

    fn run_each(&self, what: &str, statements: &[String], jobs: u32, watch: &dyn LoadWatch) -> Result<(), EngineError> {
        fill::run_each(&self.product, what, statements, (jobs, watch))
    }

    fn begin_program(&self, spec: &ProgramSpec) -> Result<(), EngineError> {
        self.begun(P::begin_program(self, spec)?, Vec::new(), (spec.nodes, spec.sampling));
        Ok(())
    }

    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        let point = recover(&self.point).take();
        if point.is_some() { P::end_program(self) } else { Ok(()) }
    }
}

impl<P: Product> Engine for ServerEngine<P> {
    fn name(&self) -> &'static str {
        P::dialect().engine
    }

    fn features(&self) -> Features {
        let location = self.location();
        Features {
            in_process: false,
            local: location.is_some_and(|location| location.local),
            loads_on_demand: self.private.is_some(),
            single_writer: false,
            nodes: node_count(&self.nodes),
            block_bytes: location.map_or(P::BLOCK_BYTES, |location| location.block_bytes),
        }
    }

    fn describe(&self) -> Result<Database, EngineError> {
        let mut database = P::describe(self)?;
        let private = self.private.as_ref();
        database.facts.extend(private.and_then(PrivateServer::held_to));
        database.facts.extend(private.and_then(PrivateServer::standby));
        Ok(database)
    }

    fn durability(&self, commit: CommitMode, drive: Drive) -> Result<Durability, EngineError> {
        self.with(|connection| self.product.durability(connection, commit, drive))
    }

    fn check(&self, size: &Size) -> Vec<Finding> {
        self.product.findings(size)
    }

    fn loaded(&self) -> Result<Loaded, EngineError> {
        Ok(self.with(|connection| contents::look(&self.product, connection))?.loaded(&self.product.tables()))
    }

    fn tables(&self) -> Vec<TableName> {
        self.product.tables()
    }

    fn space_needed_bytes(&self, size: &Size) -> u64 {
        self.product.space_needed_bytes(size)
    }

    fn load(
        &self,
        size: &Size,
        seed: u64,
        jobs: u32,
        verify: bool,
        watch: &dyn LoadWatch,
    ) -> Result<LoadReport, EngineError> {
        load::load(&self.product, LoadRequest { size, seed, jobs, verify }, watch)
    }

    fn checksum(&self, table: TableName, columns: Columns, watch: &dyn LoadWatch) -> Result<Checksum, EngineError> {
        let rows = self.books()?.rows(table);
        checksum::<P>(&mut load::pool(&self.product, 1, watch)?, table, (rows, columns), watch)
    }

    fn inspect(&self, table: TableName, sample: &mut Sample) -> Result<Inspection, EngineError> {
        self.with(|connection| inspect::inspect::<P>(connection, table, sample))
    }

    fn drop_all(&self) -> Result<bool, EngineError> {
        remove::drop_all(&self.product)
    }

    fn hold(&self, watch: &dyn LoadWatch) -> Result<Arc<dyn Hold>, EngineError> {
        let mut connection = self.product.open(0, held::NAME)?;
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        run_lock::hold(&self.product, &mut connection, &give_up, &|| watch.progress(held::WAITING, 0, 0))?;
        // What the server counts later, at the latest when the session ends, would be taken for the work of others.
        P::own_work(&mut connection)?;
        let (product, node) = (self.product.clone(), Arc::clone(&self.nodes[0]));
        let held = Arc::new(Held::new(connection, move |connection| product.still_holds(&node, connection)));
        *recover(&self.run_lock) = Arc::downgrade(&held);
        Ok(held)
    }

    fn settle(&self, limit: Duration) -> Result<Settled, EngineError> {
        recover(&self.backlog).settle(self, limit)
    }

    fn begin_point(&self, spec: &PointSpec) -> Result<(), EngineError> {
        self.begun(P::begin_point(self, spec)?, spec.test.reads(), (spec.nodes, spec.sampling));
        Ok(())
    }

    fn end_point(&self, spec: &PointSpec) -> Result<(), EngineError> {
        // The watch ends first: its connection would be somebody else's in the next point.
        let begun = recover(&self.point).take().is_some();
        if spec.test.procedure.writes() {
            self.changed(spec.test.table);
        }
        P::end_point(self, spec, begun)
    }

    fn session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        P::session(self, self.node_of(job, nodes))
    }

    fn client_session(&self, job: u32, nodes: u32) -> Result<Box<dyn Session>, EngineError> {
        P::client_session(self, self.node_of(job, nodes))
    }

    fn statistics(&self) -> Result<Counters, EngineError> {
        statistics(self.nodes.len(), |node| self.on(node, P::statistics))
    }

    fn observe_point(&self, depth: Depth) -> Result<Vec<Result<Observation, EngineError>>, EngineError> {
        // Nobody waits for this look who begins, reads or ends the point.
        let lookers = recover(&self.point).as_ref().ok_or_else(no_point)?.watches.lookers()?;
        Ok(lookers.iter().map(|looker| looker.look(|connection| P::observe(connection, depth))).collect())
    }

    fn observer(&self) -> Result<Box<dyn Observer>, EngineError> {
        Ok(Box::new(ServerObserver::open(&self.product, self.private.as_ref())?))
    }

    fn accounts(&self) -> Vec<SessionAccount> {
        let told = |node: usize| {
            let mut told = self.nodes[node].told();
            // A server that is lost is noticed by whoever works there.
            for (name, n) in self.on(node, P::own_work).unwrap_or_default() {
                *told.done.entry(name).or_default() += n;
            }
            told
        };
        (0..self.nodes.len()).map(told).collect()
    }

    fn include(&self, accounts: &[SessionAccount]) {
        self.nodes.iter().zip(accounts).for_each(|(node, account)| node.include(account));
    }

    fn exclude(&self, accounts: &[SessionAccount]) {
        self.nodes.iter().zip(accounts).for_each(|(node, account)| node.exclude(account));
    }

    fn end_sessions(&self, accounts: &[SessionAccount]) {
        for (node, account) in accounts.iter().enumerate().take(self.nodes.len()) {
            for session in &account.sessions {
                // A server that does not let us, or is lost itself, ends them in its own time.
                let _ = self.on(node, |connection| end_session::<P>(connection, *session));
            }
        }
    }

    fn point_statistics(&self, earlier: Option<&PointStatistics>) -> Result<PointStatistics, EngineError> {
        let mut point = recover(&self.point);
        let Point { own, watches, .. } = point.as_mut().ok_or_else(no_point)?;
        watches.read(earlier, |node, watch, others| {
            let read = |connection: &mut P::Connection| {
                self.product.read((node, &self.nodes[node], connection), own, watch, others)
            };
            self.on(node, read)
        })
    }

    fn pace_writes(&self, _: &PointSpec) -> Result<BTreeMap<String, String>, EngineError> {
        P::pace_writes(self)
    }

    fn last_checkpoint(&self) -> Result<String, EngineError> {
        P::last_checkpoint(self)
    }

    fn block_writes(&self) -> Result<BlockWrites, EngineError> {
        P::block_writes(self)
    }

    fn repository(&self) -> Option<Box<dyn WorkloadRepository + '_>> {
        P::repository(self)
    }

    fn data_place(&self) -> Option<PathBuf> {
        self.data()
    }

    fn data_files(&self) -> Vec<PathBuf> {
        P::data_files(self)
    }

    fn durable_places(&self) -> DurablePlaces {
        P::durable_places(self)
    }

    fn canceller(&self) -> Option<Arc<dyn Canceller>> {
        Some(self.nodes[0].canceller())
    }

    fn answers(&self) -> bool {
        let product = self.product.clone();
        answers(self.server_pid(), move || product.open(0, CHECK).map(drop))
            && !self.product.reach().vigil.is_cut_off(&|wait| Self::look_after(&self.product, wait))
    }

    fn on_lost(&self, tell: LostTarget) {
        // The vigil ends with the last owner of it, who must not be its own watch.
        let product = self.product.with_vigil(Arc::default());
        let ask = move |wait: &Wait| Self::look_after(&product, wait);
        let Reach { vigil, connect_timeout, .. } = self.product.reach();
        vigil.watch(connect_timeout, ask, tell);
    }

    fn server_pid(&self) -> Option<u32> {
        self.location()?.server_pid
    }

    fn standby_pid(&self) -> Option<u32> {
        Some(self.private.as_ref()?.pair.as_ref()?.standby_pid)
    }

    fn held_cpus(&self) -> &[u32] {
        self.private.as_ref().map_or(&[], |private| &private.cpus)
    }

    fn page_cache_room_bytes(&self) -> Option<u64> {
        self.private.as_ref().and_then(PrivateServer::page_cache_room_bytes)
    }

    fn not_as_started(&self) -> Option<String> {
        self.private.as_ref().and_then(PrivateServer::not_as_started)
    }

    fn pump(&self, drive: Drive, may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        P::pump(drive, may_follow_from_jobs)
    }
}
