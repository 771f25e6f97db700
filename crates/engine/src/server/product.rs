//! What is code of a product beside tables: what it says of itself, how it comes to rest, and what a point needs.
//! Everything else of its engine is [`ServerEngine`] and the files of its dialect.

use super::tables::{NodeOf, ProductTables};
use super::{Held, NodeStatistics, OwnSessions, Questions, ServerLocation, Watch, Watches, describe};
use crate::private::PrivateServer;
use crate::{
    BlockWrites, Depth, Durability, DurablePlaces, EngineError, Finding, Observation, Others, PointSpec, ProgramSpec,
    Pump, Session, Settled, ThreadPump, WorkloadRepository,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// An engine over a product's servers.
pub struct ServerEngine<P: Product> {
    /// The product, and the target.
    pub product: P,
    /// The server, where dbdyno has started it itself.
    pub private: Option<PrivateServer>,
    /// One for each node of the target.
    pub nodes: Vec<Arc<NodeOf<P>>>,
    pub(super) location: OnceLock<ServerLocation>,
    pub(super) point: Mutex<Option<Point<P>>>,
    pub(super) backlog: Mutex<P::Backlog>,
    /// The lock of a run, while somebody has it.
    pub(super) run_lock: Mutex<Weak<Held<P::Connection>>>,
}

/// A point between its beginning and its end.
pub struct Point<P: Product> {
    /// What the product keeps of it.
    pub own: P::UnderWay,
    /// Tables that it reads.
    pub tables: Vec<TableName>,
    pub(super) watches: Watches<P::Connection>,
}

/// What there is to bring to rest; a new one has everything.
pub trait Backlog<P: Product>: Default + Send + 'static {
    /// A point has changed this table, and perhaps others of its own.
    fn add(&mut self, table: Option<TableName>);

    /// One slice of settling.
    ///
    /// # Errors
    /// The server is lost.
    fn settle(&mut self, engine: &ServerEngine<P>, limit: Duration) -> Result<Settled, EngineError>;
}

/// A database product: what is its code, beside tables.
pub trait Product: ProductTables {
    /// What it keeps of a point between its beginning and its end.
    type UnderWay: Send + 'static;
    /// What there is to bring to rest.
    type Backlog: Backlog<Self>;

    /// The questions to a server.
    fn questions(&self, connection: &Self::Connection) -> Questions;

    /// Version, settings that decide figures, facts.
    ///
    /// # Errors
    /// The server is lost.
    fn describe(engine: &ServerEngine<Self>) -> Result<Database, EngineError>;

    /// How durable commits are.
    ///
    /// # Errors
    /// The server is lost.
    fn durability(
        &self,
        connection: &mut Self::Connection,
        commit: CommitMode,
        drive: Drive,
    ) -> Result<Durability, EngineError> {
        let questions = self.questions(connection);
        describe::durability(connection, &questions, commit, drive)
    }

    /// What stands in the way of measuring there, and what does not.
    fn findings(&self, size: &Size) -> Vec<Finding>;

    /// Bytes that loading a size and measuring on it take.
    fn space_needed_bytes(&self, size: &Size) -> u64;

    /// Prepares a point.
    ///
    /// # Errors
    /// It cannot be prepared.
    fn begin_point(engine: &ServerEngine<Self>, spec: &PointSpec) -> Result<Self::UnderWay, EngineError>;

    /// Cleans up after a point; `begun` says whether it had begun. Nobody watches its sessions any more.
    ///
    /// # Errors
    /// Something is left behind.
    fn end_point(engine: &ServerEngine<Self>, spec: &PointSpec, begun: bool) -> Result<(), EngineError>;

    /// Prepares a point of a program.
    ///
    /// # Errors
    /// It cannot be prepared.
    fn begin_program(engine: &ServerEngine<Self>, spec: &ProgramSpec) -> Result<Self::UnderWay, EngineError>;

    /// Cleans up after a point of a program that had begun.
    ///
    /// # Errors
    /// The server is lost.
    fn end_program(_: &ServerEngine<Self>) -> Result<(), EngineError> {
        Ok(())
    }

    /// What the server has counted for one of dbdyno's own connections, by the account's names. It is visible then.
    ///
    /// # Errors
    /// The server is lost.
    fn own_work(connection: &mut Self::Connection) -> Result<BTreeMap<String, u64>, EngineError>;

    /// What a node counts for everybody.
    ///
    /// # Errors
    /// The node is lost.
    fn statistics(connection: &mut Self::Connection) -> Result<Counters, EngineError>;

    /// What a node tells of itself and of everybody's work there. Its waits are what processes are at now, counted and
    /// without a time ([`Observation::add_at_work`]). It needs nothing of dbdyno's on the server, and changes nothing.
    ///
    /// # Errors
    /// The node is lost.
    fn observe(connection: &mut Self::Connection, depth: Depth) -> Result<Observation, EngineError>;

    /// The server's process or thread that serves a connection and nothing else, by the number that the server knows.
    fn serving(_: &mut Self::Connection) -> Option<u32> {
        None
    }

    /// Begins to watch a node's sessions, over a connection of the watch's own. `ours` are dbdyno's, which may grow.
    ///
    /// # Errors
    /// No thread, or no right to see sessions.
    fn watch(
        connection: Self::Connection,
        ours: Arc<Mutex<OwnSessions>>,
    ) -> Result<Watch<Self::Connection>, EngineError>;

    /// What a node has counted for a point until now. `earlier` is what an earlier reading has told of others there.
    ///
    /// # Errors
    /// The node is lost.
    fn read(
        &self,
        of: (usize, &NodeOf<Self>, &mut Self::Connection),
        point: &mut Self::UnderWay,
        watch: Option<&Watch<Self::Connection>>,
        earlier: Option<Others>,
    ) -> Result<NodeStatistics, EngineError>;

    /// Opens a session to a node, for the server drive.
    ///
    /// # Errors
    /// The node refuses.
    fn session(engine: &ServerEngine<Self>, node: usize) -> Result<Box<dyn Session>, EngineError>;

    /// The same for the client drive, where that needs another kind of session.
    ///
    /// # Errors
    /// As for [`Product::session`].
    fn client_session(engine: &ServerEngine<Self>, node: usize) -> Result<Box<dyn Session>, EngineError> {
        Self::session(engine, node)
    }

    /// See [`crate::Engine::pump`].
    fn pump(_: Drive, _may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        Box::new(ThreadPump)
    }

    /// See [`crate::Engine::pace_writes`].
    ///
    /// # Errors
    /// The server is lost.
    fn pace_writes(_: &ServerEngine<Self>) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    /// See [`crate::Engine::last_checkpoint`].
    ///
    /// # Errors
    /// The server is lost, or has no checkpoints.
    fn last_checkpoint(_: &ServerEngine<Self>) -> Result<String, EngineError> {
        Err(EngineError::new(ErrorClass::Unsupported, "the engine does not tell of checkpoints"))
    }

    /// See [`crate::Engine::block_writes`].
    ///
    /// # Errors
    /// The server is lost, or does not count them.
    fn block_writes(_: &ServerEngine<Self>) -> Result<BlockWrites, EngineError> {
        Err(EngineError::new(ErrorClass::Unsupported, "the engine does not tell of blocks that wait"))
    }

    /// See [`crate::Engine::repository`].
    fn repository(_: &ServerEngine<Self>) -> Option<Box<dyn WorkloadRepository + '_>> {
        None
    }

    /// Files that hold the data now, where they are on this machine.
    fn data_files(engine: &ServerEngine<Self>) -> Vec<PathBuf>;

    /// Where commits and tables lie, as far as that is on this machine.
    fn durable_places(engine: &ServerEngine<Self>) -> DurablePlaces {
        let place: Vec<PathBuf> = engine.data().into_iter().collect();
        DurablePlaces { log: place.clone(), data: place, synced_by_writing: false }
    }
}
