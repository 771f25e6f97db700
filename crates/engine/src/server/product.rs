//! What is code of a product: connecting, what it says of itself, how it comes to rest, and what a point needs.
//! Everything else of its engine is [`ServerEngine`] and the files of its dialect.

use super::{Connection, Held, Leaf, LoaderPool, Node, Rows, ServerLocation, Times, Told, Vigil};
use crate::bookkeeping::Meta;
use crate::private::PrivateServer;
use crate::{
    BlockWrites, Dialect, Durability, DurablePlaces, EngineError, Finding, LoadWatch, PointSpec, PointStatistics, ProgramSpec,
    Pump, Session, Settled, SqlError, ThreadPump,
};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// The name under which servers list dbdyno's own connections.
pub(super) const OWN: &str = "dbdyno";
/// A node of a product's target.
pub type NodeOf<P> = Node<<P as Product>::Connection, <P as Product>::Account>;

/// An engine over a product's servers.
pub struct ServerEngine<P: Product> {
    /// The product, and the target.
    pub product: P,
    /// The server, where dbdyno has started it itself.
    pub private: Option<PrivateServer>,
    /// One for each node of the target.
    pub nodes: Vec<Arc<NodeOf<P>>>,
    pub(super) location: OnceLock<ServerLocation>,
    pub(super) point: Mutex<Option<P::UnderWay>>,
    pub(super) backlog: Mutex<P::Backlog>,
    /// The lock of a run, while somebody has it.
    pub(super) run_lock: Mutex<Weak<Held<P::Connection>>>,
}

/// What is asked of a load.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'r> {
    /// Size class of the data.
    pub size: &'r Size,
    /// Seed of the data.
    pub seed: u64,
    /// Sessions that load at the same time, where the server takes so many.
    pub jobs: u32,
    /// Whether all rows are read back and compared with the generator's.
    pub verify: bool,
}

/// A load at work.
pub struct Load<'l, P: Product> {
    /// The product, and the target.
    pub product: &'l P,
    /// What is asked.
    pub request: LoadRequest<'l>,
    /// Hears how far it has come.
    pub watch: &'l dyn LoadWatch,
    /// The session that keeps others away.
    pub control: P::Connection,
    /// The sessions that load.
    pub pool: LoaderPool<'l, P::Connection>,
    /// The book-keeping, as far as this load has not written more.
    pub meta: Meta,
    /// How long its parts take.
    pub times: Times,
}

/// A database product, and a target of it.
pub trait Product: Clone + Send + Sync + 'static {
    /// A connection.
    type Connection: Connection + 'static;
    /// What is kept of what dbdyno's own sessions on a node have done, as far as the server's counters hold it, too.
    type Account: Default + Send + Sync + 'static;
    /// A point between its beginning and its end.
    type UnderWay: Send + 'static;
    /// What there is to bring to rest; a new one has everything.
    type Backlog: Default + Send + 'static;
    /// Bytes of a block, unless the server says otherwise.
    const BLOCK_BYTES: u64;

    /// Its files.
    fn dialect() -> &'static Dialect;

    /// How many nodes the target names.
    fn nodes(&self) -> usize;

    /// How long a connection may take.
    fn connect_timeout(&self) -> Duration;

    /// What the target's connections wait for.
    fn vigil(&self) -> &Arc<Vigil>;

    /// The same target with another vigil: for whoever looks after the connections of this one.
    #[must_use]
    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self;

    /// Opens a connection to a node; the server lists it under the name `application`.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    fn open(&self, node: usize, application: &str) -> Result<Self::Connection, EngineError>;

    /// Finds out where the server is.
    ///
    /// # Errors
    /// The server is lost.
    fn locate(
        &self,
        connection: &mut Self::Connection,
        private: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError>;

    /// What a session that gives no answer is doing, as another connection is told it. The dialect's statement
    /// `sessions/waits_for_us` says so, where the product lets everybody see that.
    ///
    /// # Errors
    /// The server is lost.
    fn session_state(connection: &mut Self::Connection, session: u64) -> Result<Told, EngineError> {
        let sql = match Self::dialect().fill("sessions/waits_for_us", &[("session", &session.to_string())]) {
            Err(SqlError::NoFile { .. }) => return Ok(Told::Working),
            sql => sql?,
        };
        Ok(Told::of(super::first(connection.texts("looking after a session", &sql)?).as_deref()))
    }

    /// The tables that the target has, in loading order.
    fn tables(&self) -> Vec<TableName>;

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
    ) -> Result<Durability, EngineError>;

    /// What stands in the way of measuring there, and what does not.
    fn findings(&self, size: &Size) -> Vec<Finding>;

    /// Bytes that loading a size and measuring on it take.
    fn space_needed_bytes(&self, size: &Size) -> u64;

    /// Where everything of dbdyno's lies, in words: `the schema dbdyno`.
    fn place(&self) -> String;

    /// What holds the data, in words: `database bench`.
    fn database(&self) -> String;

    /// What helps a user who may not read what is there.
    ///
    /// # Errors
    /// The server is lost.
    fn how_to_read(&self, _: &mut Self::Connection) -> Result<String, EngineError> {
        Ok("connect as its owner".to_owned())
    }

    /// The entry of the book-keeping that says whether a load made the place.
    const CREATED: &'static str;
    /// Whether a book-keeping without entries is what a load leaves that is killed as it begins.
    const EMPTY_BOOKS_ARE_OURS: bool = false;
    /// Whether the parts of a table are tables themselves, with names in the same place.
    const PARTS_ARE_TABLES: bool = false;

    /// Makes the place where dbdyno's tables lie, if it is not there; says whether it was made. Part of the transaction
    /// that makes the book-keeping.
    ///
    /// # Errors
    /// The server's.
    fn create_place(&self, _: &mut Self::Connection) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Drops that place, which is empty.
    ///
    /// # Errors
    /// The server's.
    fn drop_place(&self, _: &mut Self::Connection) -> Result<(), EngineError> {
        Ok(())
    }

    /// Drops what points have made that is not in that place.
    ///
    /// # Errors
    /// The server's.
    fn before_drop(&self, _: &mut Self::Connection) -> Result<(), EngineError> {
        Ok(())
    }

    /// Tries to take the lock that measuring, loading and dropping share, until the session ends. Says whether nobody
    /// else has it.
    ///
    /// # Errors
    /// The server's.
    fn try_lock(&self, connection: &mut Self::Connection, doing: &str) -> Result<bool, EngineError>;

    /// How to end a session that an earlier load or run has left at work, if there is one. The lock is ours.
    ///
    /// # Errors
    /// The server's.
    fn left_at_work(&self, connection: &mut Self::Connection, doing: &str) -> Result<Option<String>, EngineError>;

    /// Whether the session of a connection still has that lock. It is asked over the node's own connection: what the one
    /// with the lock asks itself would come to be counted in some later point.
    ///
    /// # Errors
    /// The server is lost.
    fn still_holds(&self, node: &NodeOf<Self>, holder: &mut Self::Connection) -> Result<bool, EngineError> {
        let sql = Self::dialect().fill("sessions/holds_lock", &[("session", &holder.session_id().to_string())])?;
        let doing = "asking for the lock of the run";
        let answer = node.with(|| self.open(0, OWN), |connection| connection.texts(doing, &sql))?;
        Ok(matches!(super::first(answer).as_deref(), Some("t" | "1")))
    }

    /// Prepares a session that loads, beside what the dialect's `load/session` sets.
    ///
    /// # Errors
    /// The server's.
    fn prepare_loader(&self, connection: &mut Self::Connection, doing: &str, job: u32) -> Result<(), EngineError>;

    /// The statements that create a test table with its parts, empty.
    ///
    /// # Errors
    /// The dialect lacks one.
    fn create_table(&self, table: TableName, size: &Size) -> Result<Vec<String>, EngineError>;

    /// How many parts the dialect's `load/objects` tells of a test table that is whole.
    fn parts(table: TableName) -> u64;

    /// How statements name a leaf.
    fn in_sql(leaf: &Leaf) -> String;

    /// Fills a leaf, within a transaction that notes it next; what the leaf holds goes before.
    ///
    /// # Errors
    /// The server's; `Cancelled` once the rows say so.
    fn fill(
        &self,
        connection: &mut Self::Connection,
        doing: &str,
        of: (&Leaf, &Size),
        rows: &mut Rows<'_>,
    ) -> Result<(), EngineError>;

    /// What follows the rows of tables, which have so many rows together: keys, statistics.
    ///
    /// # Errors
    /// The server's.
    fn after_rows(
        load: &mut Load<'_, Self>,
        label: &str,
        of: (&[TableName], &[Leaf], u64),
    ) -> Result<(), EngineError>;

    /// The statements that bring everything onto the device at the end of a load.
    ///
    /// # Errors
    /// The dialect lacks one.
    fn write_out(tables: &[TableName]) -> Result<Vec<String>, EngineError>;

    /// What cannot be seen of tables, and why.
    ///
    /// # Errors
    /// The server is lost.
    fn unseen(_: &mut Self::Connection) -> Result<Vec<String>, EngineError> {
        Ok(Vec::new())
    }

    /// One slice of settling.
    ///
    /// # Errors
    /// The server is lost.
    fn settle(
        engine: &ServerEngine<Self>,
        backlog: &mut Self::Backlog,
        limit: Duration,
    ) -> Result<Settled, EngineError>;

    /// A point has changed this table, and perhaps others of its own.
    fn changed(backlog: &mut Self::Backlog, table: Option<TableName>);

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

    /// What a node counts for everybody.
    ///
    /// # Errors
    /// The node is lost.
    fn statistics(connection: &mut Self::Connection) -> Result<Counters, EngineError>;

    /// What all nodes have counted for a point until now.
    ///
    /// # Errors
    /// A node is lost.
    fn point_statistics(
        engine: &ServerEngine<Self>,
        point: &mut Self::UnderWay,
        earlier: Option<&PointStatistics>,
    ) -> Result<PointStatistics, EngineError>;

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

    /// Files that hold the data now, where they are on this machine.
    fn data_files(engine: &ServerEngine<Self>) -> Vec<PathBuf>;

    /// Where commits and tables lie, as far as that is on this machine.
    fn durable_places(engine: &ServerEngine<Self>) -> DurablePlaces {
        let place: Vec<PathBuf> = engine.data().into_iter().collect();
        DurablePlaces { log: place.clone(), data: place, synced_by_writing: false }
    }
}
